"""Pictures of the timeline card for the documentation, from the demo's real home."""

from pathlib import Path
import sys
import tempfile

from PIL import Image
from playwright.sync_api import Locator, Page

from script.lib.demo.scenes import Round
from script.lib.demo.stage import Stage, stage
from tests.support.browser import Browser

IMAGES = Path(__file__).parents[2] / "docs/images"
TAG = "hearthnet-timeline-card"
COLORS = 255
"""Enough for a page of text; half the size of all colors."""
DASHBOARD = {
    "views": [
        {
            "title": "Timeline",
            "type": "sections",
            "max_columns": 1,
            "sections": [
                {
                    "type": "grid",
                    "cards": [
                        {
                            "type": f"custom:{TAG}",
                            "grid_options": {"columns": "full", "rows": 11},
                        }
                    ],
                }
            ],
        }
    ]
}


def take(shown: Stage) -> None:
    """Take all pictures of a home in which the scenes have been played."""
    path = shown.hass.dashboard("pictures-card", DASHBOARD)
    with Browser() as browser:
        page = browser.page(shown.hass, path, width=860)
        keep(card(page), "timeline")
        why(page)
        keep(card(page), "timeline-why")
        page = browser.page(shown.hass, path, width=860, dark=True)
        why(page)
        keep(card(page), "timeline-dark")
        page = browser.page(shown.hass, path, width=380, height=780)
        keep(card(page), "timeline-phone")
        if browser.errors:
            raise RuntimeError(f"the browser complains: {browser.errors}")


def card(page: Page) -> Locator:
    """Return the card once its rows are there."""
    found = page.locator(TAG)
    found.locator("li.row").first.wait_for()
    return found


def why(page: Page) -> None:
    """Open what one light did not do, and play its chain up to the conflict."""
    shown = card(page)
    shown.locator("button.main", has_text="An earlier request won").last.click()
    shown.locator(".step").first.wait_for()
    steps = shown.locator(".step .type").all_inner_texts()
    wanted = next(n for n, text in enumerate(steps) if text.lower() == "conflict")
    # The slider counts the whole chain, of which the list shows a part.
    slider = shown.get_by_label("Step", exact=True)
    for position in range(1, int(slider.get_attribute("max") or 0) + 1):
        slider.fill(str(position))
        if "now" in (shown.locator(".step").nth(wanted).get_attribute("class") or ""):
            break
    page.wait_for_timeout(300)  # the toast of a page just opened


def keep(shown: Locator, name: str) -> None:
    """Save a picture of the card alone."""
    path = IMAGES / f"{name}.png"
    shown.screenshot(path=path)
    with Image.open(path) as image:
        image.convert("RGB").quantize(COLORS).save(path, optimize=True)
    sys.stdout.write(f"{path.relative_to(IMAGES.parents[1])}: {path.stat().st_size}\n")


if __name__ == "__main__":
    IMAGES.mkdir(exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as folder,
        stage(Path(folder), lambda _: None) as played,
    ):
        Round(played).play()
        played.committed()
        take(played)
