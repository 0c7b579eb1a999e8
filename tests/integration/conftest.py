"""Fixtures of the tests inside Home Assistant's harness."""

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
