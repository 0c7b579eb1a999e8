"""An exported incident in a real browser: it opens, and asks nobody for anything."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from hearthnet.bench.home import ANNA, lamps, running
from hearthnet.cli import main
from hearthnet.core.intents import Origin
from tests.support.browser import Browser

HOSTILE = "<script>document.title='owned'</script><img src=http://127.0.0.1:9/x>"


async def play(folder: Path) -> str:
    """Record a wish with a nasty text; return its intent."""
    house = lamps(1)
    (lamp,) = house.devices()
    async with running(folder, house) as home:
        result = await home.hub.wishes.propose(
            principal=replace(ANNA, name=HOSTILE),
            origin=Origin.APP,
            targets=(lamp.id,),
            operation="light.turn_on",
            parameters={},
            reason=HOSTILE,
        )
    return result.intent


def test_it_opens_without_network(tmp_path: Path, browser: Browser) -> None:
    with ThreadPoolExecutor(1) as thread:
        # Playwright's own loop runs in this one, from the first browser on.
        intent = thread.submit(asyncio.run, play(tmp_path)).result()
    file = tmp_path / "incident.html"
    record = str(tmp_path / "record")
    assert main(["audit", "export", intent, record, "--output", str(file)]) == 0
    asked: list[str] = []
    page = browser.blank()
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert page.title() == f"HearthNet: {intent}"
    assert page.locator("h1").inner_text() == HOSTILE
    page.locator("details").first.locator("summary").click()
    assert page.locator("details pre").first.is_visible()
    assert "Nothing is wrong with the record." in page.inner_text("body")
    page.context.close()
    assert asked == [file.as_uri()]
