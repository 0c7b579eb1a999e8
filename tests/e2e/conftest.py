"""One Home Assistant and one Chromium a session; others on demand."""

from collections.abc import Callable, Iterator
import contextlib
from functools import partial
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
import pytest

from script.lib.demo.house import configuration, furnish
from script.lib.demo.stage import set_up
from tests.support.browser import Browser
from tests.support.hass_server import HassServer

type OpenPage = Callable[..., Page]
type StartHass = Callable[..., HassServer]

RESULTS = Path(__file__).parents[2] / "test-results"
PLUG = """\
- switch:
    - name: e2e plug
      unique_id: e2e_plug
      turn_on: []
      turn_off: []
"""
REPORT = pytest.StashKey[pytest.TestReport]()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests of this folder."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.e2e)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Any:
    """Let fixtures see whether their test failed."""
    report = yield
    if report.when == "call":
        item.stash[REPORT] = report
    return report


@pytest.fixture(scope="session")
def hass(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HassServer]:
    """A running Home Assistant with an owner, shared by tests that leave no mess."""
    with HassServer(tmp_path_factory.mktemp("hass")) as server:
        yield server


@pytest.fixture(scope="session")
def hearth(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HassServer]:
    """The demo's home with HearthNet, and a plug that nobody knows the use of."""
    config = tmp_path_factory.mktemp("hearth")
    (config / "automations.yaml").write_text("[]\n")
    yaml = configuration().replace("\ntemplate:\n", f"\ntemplate:\n{PLUG}", 1)
    with HassServer(config, yaml=yaml) as server:
        furnish(server)
        with server.websocket() as socket:
            socket.call(
                "homeassistant/expose_entity",
                assistants=["conversation"],
                entity_ids=["switch.e2e_plug"],
                should_expose=True,
            )
        set_up(server, {})
        yield server


@pytest.fixture
def start_hass(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StartHass]:
    """Start a Home Assistant of the test's own: start_hass(yaml=…)."""
    with contextlib.ExitStack() as stack:

        def start(**options: Any) -> HassServer:
            server = HassServer(tmp_path_factory.mktemp("hass"), **options)
            return stack.enter_context(server)

        yield start


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Chromium."""
    with Browser() as chromium:
        yield chromium


@pytest.fixture
def open_page(
    browser: Browser, hass: HassServer, request: pytest.FixtureRequest
) -> Iterator[OpenPage]:
    """Open a page as the owner, with Browser.page's options; on failure, a picture."""
    pages: list[Page] = []

    def opened(path: str, hass: HassServer, **options: Any) -> Page:
        pages.append(page := browser.page(hass, path, **options))
        return page

    browser.errors.clear()
    yield partial(opened, hass=hass)
    report = request.node.stash.get(REPORT, None)
    for number, page in enumerate(pages):
        if report and report.failed:
            page.screenshot(path=RESULTS / f"{request.node.name}-{number}.png")
        page.context.close()
