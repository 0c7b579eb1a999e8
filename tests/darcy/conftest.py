"""A simulated phone, and Darcy in front of it."""

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path

from hypothesis import settings
import pytest

from hearthnet.core.operations import Parameters
from hearthnet.core.phone.compile import compile_recipe
from hearthnet.core.phone.recipe import Recipe
from hearthnet.darcy.adbkey import AdbKey
from hearthnet.darcy.link import Link, Timing
from hearthnet.darcy.phone import Pace, Phone
from hearthnet.darcy.runner import Report, observe, perform
from tests.support.phone.fake_adbd import FakeAdbd
from tests.support.phone.world import World

# Beside other tests on a busy machine a single example may take long.
settings.register_profile("darcy", deadline=None)
settings.load_profile("darcy")

RECIPES = Path(__file__).parents[2] / "custom_components/hearthnet/recipes"
TEXT = (RECIPES / "living_room_tv.yaml").read_text("utf-8")
STEPS = "steps: [{screen: main, tap: {id: btn_power}}]"
AFTER_AN_UPDATE = TEXT.replace("      - {id: btn_power}\n", "").replace(
    STEPS, "steps: [{screen: main, tap: {id: btn_standby}, vision: true}]"
)
"""The recipe of a version whose button was called otherwise."""
FAST = Pace(poll=0.002, command=5, start=5, dump=5, arrive=0.06)
"""A simulated phone answers at once, so nothing is worth waiting for."""
QUICK = Timing(connect=5, allow=5, first_retry=0.001, last_retry=0.01)


def no_objection() -> None:
    """Let every input pass: a lease that stands."""


async def until(condition: Callable[[], object]) -> None:
    """Let the event loop go on until something is so."""
    while not condition():  # noqa: ASYNC110 - nothing tells when
        await asyncio.sleep(0)


@dataclass
class Bench:
    """Darcy's parts in front of one simulated phone."""

    adbd: FakeAdbd
    phone: Phone
    recipe: Recipe

    @property
    def world(self) -> World:
        """The phone."""
        return self.adbd.world

    async def run(
        self,
        capability: str,
        recheck: Callable[[], None] = no_objection,
        /,
        **arguments: object,
    ) -> Report:
        """Run a capability of the recipe."""
        given: Parameters = arguments  # type: ignore[assignment]
        chosen = self.recipe.capabilities[capability]
        return await perform(self.phone, self.recipe, chosen, given, recheck)

    async def read(self) -> Report:
        """Read the recipe's values."""
        return await observe(self.phone, self.recipe)


def recipe_named(name: str) -> Recipe:
    """Return one of the shipped recipes, as the phone gets it."""
    text = (RECIPES / f"{name}.yaml").read_text("utf-8")
    return Recipe.load(compile_recipe(text).compiled())


def outdated_recipe() -> Recipe:
    """Return the television's recipe for an app that was updated since."""
    return Recipe.load(compile_recipe(AFTER_AN_UPDATE).compiled())


@pytest.fixture(scope="session")
def adb_key(tmp_path_factory: pytest.TempPathFactory) -> AdbKey:
    """A key of Darcy's; making one takes long."""
    return AdbKey.load_or_create(tmp_path_factory.mktemp("adb") / "adbkey")


@pytest.fixture(scope="session")
def key_file(adb_key: AdbKey, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where that key is."""
    del adb_key  # it has to be made
    return next(tmp_path_factory.getbasetemp().glob("adb*/adbkey"))


@pytest.fixture(scope="session")
def tv_recipe() -> Recipe:
    """The shipped recipe of a television."""
    return recipe_named("living_room_tv")


@pytest.fixture
async def adbd() -> AsyncIterator[FakeAdbd]:
    """A phone's daemon in this process."""
    async with FakeAdbd() as daemon:
        yield daemon


@pytest.fixture
async def link(adbd: FakeAdbd, adb_key: AdbKey) -> AsyncIterator[Link]:
    """A link to the phone."""
    opened = Link("127.0.0.1", adbd.port, adb_key.signer, timing=QUICK)
    yield opened
    await opened.close()


@pytest.fixture
def bench(adbd: FakeAdbd, link: Link, tv_recipe: Recipe) -> Bench:
    """The television's app on the phone, and Darcy."""
    return Bench(adbd, Phone(link, FAST), tv_recipe)
