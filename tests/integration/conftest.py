"""Fixtures of the tests inside Home Assistant's harness."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path
import shutil
from unittest.mock import PropertyMock, patch

from homeassistant.core import HomeAssistant
from homeassistant.helpers.entity import Entity
import pytest

# The harness brings a custom_components of its own, which wins unless ours comes first.
import custom_components.hearthnet  # noqa: F401
from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.librarian import feed
from tests.support.phone.fake_adbd import FakeAdbd

from .phone import SHIPPED


@pytest.fixture(autouse=True)
def _custom_integrations(enable_custom_integrations: None) -> None:
    """Let Home Assistant load HearthNet."""


@pytest.fixture(autouse=True)
def _nothing_waits_for_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send records at once: where a test lets time stand still, more never comes."""
    monkeypatch.setattr(feed, "GATHER_SECONDS", 0.0)


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


@pytest.fixture
async def adbd() -> AsyncIterator[FakeAdbd]:
    """Run a phone's daemon in this process."""
    async with FakeAdbd() as daemon:
        yield daemon


@pytest.fixture
def recipes(hass: HomeAssistant) -> Path:
    """Return the folder of the phone's recipes, with the shipped ones in it."""
    folder = Path(hass.config.path(DOMAIN, "recipes", "phone"))
    folder.mkdir(parents=True)
    for path in SHIPPED.glob("*.yaml"):
        shutil.copy(path, folder)
    return folder
