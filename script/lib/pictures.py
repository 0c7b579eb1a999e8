"""Pictures of the card for the documentation, from a resident's first evening."""

from pathlib import Path
import sys
import tempfile

from PIL import Image
from playwright.sync_api import Locator

from tests.e2e.evening import Evening, home
from tests.support.browser import Browser

IMAGES = Path(__file__).parents[2] / "docs/images"
COLORS = 255
"""Enough for a page of text; half the size of all colors."""


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
        home(Path(folder)) as hass,
        Browser() as browser,
    ):
        Evening(hass, browser, keep).play()
