"""Done when: a resident sets up, asks, sees why, releases, undoes and confirms."""

from pathlib import Path

from tests.support.browser import Browser

from .evening import Evening, home


def test_first_evening(tmp_path: Path, browser: Browser) -> None:
    pictures: list[str] = []
    with home(tmp_path) as hass:
        Evening(hass, browser, lambda _, name: pictures.append(name)).play()
        assert hass.errors() == []
    assert pictures == ["timeline-why", "timeline-dark", "timeline", "timeline-phone"]
