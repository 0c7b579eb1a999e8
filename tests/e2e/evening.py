"""A resident's first evening, in a browser; the README's pictures are of it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page, expect

from script.lib.demo.house import configuration, furnish
from tests.support.browser import Browser
from tests.support.hass_server import HassServer
from tests.support.process import wait_until

from .cards import card_of, dashboard, row_of

DESK, SHELF, DOOR = "light.desk_lamp", "light.shelf_lamp", "lock.front_door"
RESIDENT = "Anna"
AGENT = "conversation.hearthnet"
ROUTINE = "automation.wind_down"
LEVEL, DIM = 60, 20
"""Brightness in percent: what the resident wants, and what the routine does."""
PATH = "/first-evening/0"
"""Of the dashboard."""

type Keep = Callable[[Locator, str], None]
"""Takes what is to be a picture, and its name."""


@contextmanager
def home(config: Path) -> Iterator[HassServer]:
    """Start the demo's home, without HearthNet."""
    (config / "automations.yaml").write_text("[]\n")
    with HassServer(config, yaml=configuration()) as hass:
        furnish(hass)
        with hass.websocket() as socket:
            me = socket.call("auth/current_user")["id"]
            socket.call("config/auth/update", user_id=me, name=RESIDENT)
        yield hass


class Evening:
    """The evening, a step after the other."""

    def __init__(self, hass: HassServer, browser: Browser, keep: Keep) -> None:
        """Take a home, and what becomes of the pictures."""
        self.hass = hass
        self.browser = browser
        self.keep = keep

    def play(self) -> None:
        """Play all of it."""
        self.set_up()
        page = self._open(self.dashboard(), width=860)
        self.ask(page)
        self.bounce(page)
        self.see_why(page, "timeline-why")
        dark = self._open(PATH, width=860, dark=True)
        self.see_why(dark, "timeline-dark")
        dark.context.close()
        self.release(page)
        self.undo(page)
        self.confirm(page)

    def set_up(self) -> None:
        """Add the integration as the form suggests it, and talk to it by default."""
        page = self._open("/config/integrations/dashboard/add?domain=hearthnet")
        page.get_by_role("button", name="OK").click()
        page.get_by_text("You say what you want").wait_for()
        page.get_by_role("button", name="Submit").click()
        page.get_by_role("button", name="Skip and finish").click()
        page.context.close()
        with self.hass.websocket() as socket:
            pipelines = socket.call("assist_pipeline/pipeline/list")["pipelines"]
            pipeline = {**pipelines[0], "conversation_engine": AGENT}
            pipeline["pipeline_id"] = pipeline.pop("id")
            socket.call("assist_pipeline/pipeline/update", **pipeline)

    def dashboard(self) -> str:
        """Put the card on a dashboard, and make a routine of a blueprint."""
        self.hass.action("hearthnet.install_blueprints")
        self.hass.request(
            "POST",
            "/api/config/automation/config/wind_down",
            {
                "alias": "Wind-down",
                "use_blueprint": {
                    "path": "hearthnet/scheduled_routine.yaml",
                    "input": {
                        "where": {"entity_id": [DESK, SHELF]},
                        "brightness": DIM,
                        "color_temperature": 0,
                    },
                },
            },
        )
        self._until(ROUTINE, lambda state: state["state"] == "on")
        return dashboard(self.hass, PATH.split("/")[1])

    def ask(self, page: Page) -> None:
        """Ask for light in Assist's dialog."""
        card_of(page).get_by_text("No decisions yet").wait_for()
        self._say(page, f"Set the desk lamp to {LEVEL} percent brightness")
        page.get_by_text(f"Desk lamp is now on, {LEVEL} % bright.").wait_for()
        self._close_assist(page)
        expect(row_of(card_of(page), "Desk lamp")).to_contain_text("Changed")
        assert self._level(DESK) == LEVEL

    def bounce(self, page: Page) -> None:
        """Let the routine come: one lamp follows, the other does not."""
        self.hass.action("automation.trigger", {"entity_id": ROUTINE})
        card = card_of(page)
        row_of(card, f"→ on, {DIM} % bright").wait_for()
        row_of(card, "An earlier request won").wait_for()
        assert (self._level(DESK), self._level(SHELF)) == (LEVEL, DIM)

    def see_why(self, page: Page, name: str) -> None:
        """Open what did not change, and step through its chain to the conflict."""
        card = card_of(page)
        refused = row_of(card, "An earlier request won")
        expect(refused).to_contain_text("Desk lamp")
        expect(refused).to_contain_text(f"{RESIDENT} asked at")
        refused.locator("button.main").click()
        types = card.locator(".step .type")
        expect(types).to_contain_text(
            ["asked", "task", "proposal", "conflict", "denied"]
        )
        show_conflict(card)
        self.keep(card, name)
        refused.locator("button.main").click()

    def release(self, page: Page) -> None:
        """Release the hold: the routine has its way now."""
        card = card_of(page)
        held = card.get_by_role("list", name="What is held").get_by_role("listitem")
        expect(held).to_contain_text(["Desk lamp"])
        held.get_by_role("button", name="Release").click()
        expect(held).to_have_count(0)
        self.hass.action("automation.trigger", {"entity_id": ROUTINE})
        row_of(card, "Desk lamp → on, 20 % bright").wait_for()
        assert self._level(DESK) == DIM

    def undo(self, page: Page) -> None:
        """Undo what the routine did: the lamp is as it was asked for."""
        card = card_of(page)
        row = row_of(card, "Desk lamp → on, 20 % bright")
        row.locator("button.main").click()
        row.get_by_role("button", name="Undo").click()
        row_of(card, f"Desk lamp → on, {LEVEL} % bright").wait_for()
        self._until(DESK, lambda _: self._level(DESK) == LEVEL)
        row.locator("button.main").click()

    def confirm(self, page: Page) -> None:
        """Ask for an open door on the big screen, and say yes on the phone."""
        self._say(page, "Unlock the front door")
        page.get_by_text("Front door waits for somebody to confirm").wait_for()
        self._close_assist(page)
        assert self.hass.state(DOOR)["state"] == "locked"
        desktop = self._open(PATH, width=860)
        phone = self._open(PATH, width=380, height=780)
        for shown, name in ((desktop, "timeline"), (phone, "timeline-phone")):
            asked = card_of(shown).get_by_role("region", name="Waits for you")
            expect(asked).to_contain_text("Front door: unlocked")
            self.keep(card_of(shown), name)
        asked.get_by_role("button", name="Approve").click()
        expect(asked).to_have_count(0)
        expect(row_of(card_of(page), "Front door")).to_contain_text("Changed")
        assert self.hass.state(DOOR)["state"] == "unlocked"

    def _open(self, path: str, **options: Any) -> Page:
        return self.browser.page(self.hass, path, **options)

    @staticmethod
    def _say(page: Page, text: str) -> None:
        page.keyboard.press("a")
        field = page.locator("ha-voice-command-dialog input")
        field.fill(text)
        field.press("Enter")

    @staticmethod
    def _close_assist(page: Page) -> None:
        page.keyboard.press("Escape")
        page.locator("ha-voice-command-dialog input").wait_for(state="detached")

    def _level(self, entity_id: str) -> int | None:
        level = self.hass.state(entity_id)["attributes"].get("brightness")
        return None if level is None else round(level / 255 * 100)

    def _until(
        self, entity_id: str, right: Callable[[dict[str, object]], bool]
    ) -> None:
        def there() -> bool:
            found = self.hass.request("GET", "/api/states")
            return any(s["entity_id"] == entity_id and right(s) for s in found)

        wait_until(there, 20, lambda: f"{entity_id} is not so")


def show_conflict(card: Locator) -> None:
    """Play the open chain up to the conflict."""
    steps = card.locator(".step .type").all_inner_texts()
    wanted = next(n for n, text in enumerate(steps) if text.lower() == "conflict")
    # The slider counts the whole chain, of which the list shows a part.
    slider = card.get_by_label("Step", exact=True)
    for position in range(1, int(slider.get_attribute("max") or 0) + 1):
        slider.fill(str(position))
        if "now" in (card.locator(".step").nth(wanted).get_attribute("class") or ""):
            break
