"""Fixtures of the tests inside Home Assistant's harness."""

from collections.abc import Iterator
from unittest.mock import PropertyMock, patch

from homeassistant.helpers.entity import Entity
import pytest

# The harness brings a custom_components of its own, which wins unless ours comes first.
import custom_components.hearthnet  # noqa: F401


@pytest.fixture(autouse=True)
def _custom_integrations(enable_custom_integrations: None) -> None:
    """Let Home Assistant load HearthNet."""


@pytest.fixture
def hass_config_dir(hass_tmp_config_dir: str) -> str:
    """Give each test a configuration folder of its own: HearthNet keeps files there."""
    return hass_tmp_config_dir


@pytest.fixture
def all_entities_enabled() -> Iterator[None]:
    """Enable entities that are off by default, too."""
    name = "entity_registry_enabled_default"
    with patch.object(Entity, name, PropertyMock(return_value=True)):
        yield
