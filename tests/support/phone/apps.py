"""Two apps without an API. What they control is real to the tests: `presses`, `tv`."""

from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from .views import HEIGHT, WIDTH, View, button, text

_ROW = "android.view.ViewGroup"
WORDS = {
    "de": {
        "On": "Ein",
        "Off": "Aus",
        "Standby": "Standby",
        "Living room TV": "Fernseher im Wohnzimmer",
        "Now playing": "Es läuft",
        "Paused": "Angehalten",
    },
}


class App(Protocol):
    """An installed app."""

    package: str
    activity: str
    version: int

    def view(self, language: str) -> View:
        """Return its present screen."""

    def resume(self, *, fresh: bool) -> None:
        """Come to the front."""

    def back(self) -> bool:
        """Take a press of the back key; False when it leaves the app."""

    def looked(self) -> None:
        """Note that the screen was dumped."""

    @property
    def restless(self) -> bool:
        """Tell whether its screen never stops moving."""


def word(shown: str, language: str) -> str:
    """Return a text in the phone's language."""
    return WORDS.get(language, {}).get(shown, shown)


@dataclass
class TvApp:
    """A television maker's remote control."""

    package: str = "com.example.tvremote"
    activity: str = ".MainActivity"
    version: int = 1203
    restless: ClassVar[bool] = False

    # What the television really does
    power: bool = True
    muted: bool = False
    night: bool = False
    volume: int = 12
    source: str = "hdmi1"
    presses: list[str] = field(default_factory=list)
    """Every button that was pressed, in order."""

    # How the app behaves
    screen: str = "main"
    deaf: bool = False
    """Its buttons do nothing."""
    step: int = 1
    """By how much a press changes the volume."""
    behind: int = 0
    """For how many looks after a press its screen shows what was before."""
    obfuscated: bool = False
    twins: bool = False
    disabled: bool = False
    covered: bool = False
    below_the_edge: bool = False
    empty_looks: int = 0
    """For how many looks it shows nothing yet (Flutter's first)."""
    status: str | None = None
    """Shown in place of the status."""
    news: bool = False
    """A “What's new” sheet, which the back key closes."""
    stubborn_news: bool = False
    menu_opens: bool = True

    _before: tuple[str, bool, int] = ("", False, 0)
    _late: int = 0

    def id(self, name: str) -> str:
        """Return a resource id; shrinking makes them all alike."""
        return f"{self.package}:id/{'a' if self.obfuscated else name}"

    def resume(self, *, fresh: bool) -> None:
        """Come to the front where it was left, or at the main screen."""
        if fresh:
            self.screen = "main"

    def back(self) -> bool:
        """Close a sheet, or go back to the main screen, or leave."""
        if self.news:
            self.news = self.stubborn_news
            return True
        if self.screen != "main":
            self.screen = "main"
            return True
        return False

    def view(self, language: str) -> View:
        """Return the screen."""
        if self.empty_looks:
            return View("android.widget.FrameLayout")
        children = self._sound() if self.screen == "sound" else self._main(language)
        if self.news:
            box = (100, 600, 980, 1500)
            children.append(View(id=self.id("whats_new"), bounds=box, on_tap=_nothing))
        return View("android.widget.FrameLayout", children=children)

    def looked(self) -> None:
        """Note a look: each brings a slow screen closer to the truth."""
        self.empty_looks = max(0, self.empty_looks - 1)
        self._late = max(0, self._late - 1)

    def _main(self, language: str) -> list[View]:
        status, muted, volume = self._before if self._late else self._state()
        shown = self.status or word(status, language)
        title = word("Living room TV", language)
        left = HEIGHT - 60 if self.below_the_edge else 500
        views = [
            text(self.id("title"), title, (60, 120, 800, 220)),
            text(self.id("status"), shown, (60, 240, 1020, 320)),
            button(self.id("btn_menu"), (900, 120, 1020, 220), self._menu),
            button(self.id("btn_power"), (440, left, 640, left + 200), self._power),
            View(
                "android.widget.Switch",
                self.id("mute"),
                bounds=(60, 900, 1020, 1000),
                on_tap=self._mute,
                checked=muted,
            ),
            # As apps do it: a no-break space before the unit.
            text(self.id("volume"), f"{volume}\u00a0%", (440, 1100, 640, 1180)),
            button(self.id("vol_down"), (60, 1100, 300, 1180), self._softer),
            button(self.id("vol_up"), (780, 1100, 1020, 1180), self._louder),
        ]
        views[3].enabled = not self.disabled
        for i, source in enumerate(("hdmi1", "hdmi2", "tv")):
            box = (60 + 330 * i, 1300, 360 + 330 * i, 1420)
            views.append(
                button(
                    self.id(f"input_{source}"),
                    box,
                    lambda source=source: self._source(source),  # type: ignore[misc]
                    shown=source.upper(),
                )
            )
        if self.twins:
            views.append(button(self.id("btn_power"), (740, 500, 940, 700), _nothing))
        if self.covered:
            box = (0, 400, WIDTH, 800)
            views.append(button(self.id("banner"), box, self._banner))
        return views

    def _sound(self) -> list[View]:
        rows = []
        for i, name in enumerate(("Night mode", "Clear voice")):
            top = 300 + 200 * i
            switch = View(
                "android.widget.Switch",
                self.id("switch"),
                bounds=(880, top + 40, 1020, top + 140),
                on_tap=lambda name=name: self._toggle(name),  # type: ignore[misc]
                checked=self.night if name == "Night mode" else False,
            )
            label = text(self.id("label"), name, (60, top + 40, 800, top + 140))
            box = (0, top, WIDTH, top + 180)
            rows.append(View(id=self.id("row"), bounds=box, children=[label, switch]))
        return [text(self.id("sound_title"), "Sound", (60, 120, 800, 220)), *rows]

    def _state(self) -> tuple[str, bool, int]:
        return "On" if self.power else "Standby", self.muted, self.volume

    def _press(self, name: str) -> bool:
        self._before, self._late = self._state(), self.behind
        self.presses.append(name)
        return not self.deaf

    def _power(self) -> None:
        if self._press("power"):
            self.power = not self.power

    def _mute(self) -> None:
        if self._press("mute"):
            self.muted = not self.muted

    def _louder(self) -> None:
        if self._press("louder"):
            self.volume = min(100, self.volume + self.step)

    def _softer(self) -> None:
        if self._press("softer"):
            self.volume = max(0, self.volume - self.step)

    def _source(self, source: str) -> None:
        if self._press(source):
            self.source = source

    def _toggle(self, name: str) -> None:
        if self._press(name) and name == "Night mode":
            self.night = not self.night

    def _banner(self) -> None:
        self.presses.append("banner")

    def _menu(self) -> None:
        if self.menu_opens:
            self.screen = "sound"


@dataclass
class MusicApp:
    """A player whose cover art never stops moving."""

    package: str = "com.example.music"
    activity: str = "com.example.music.ui.Home"
    version: int = 77
    restless: bool = True
    playing: str | None = None
    presses: list[str] = field(default_factory=list)
    screen: str = "playlists"

    def resume(self, *, fresh: bool) -> None:
        """Come to the front."""
        if fresh:
            self.screen = "playlists"

    def back(self) -> bool:
        """Go back to the playlists or leave."""
        if self.screen != "playlists":
            self.screen = "playlists"
            return True
        return False

    def view(self, language: str) -> View:
        """Return the list of playlists, without resource ids as Compose has it."""
        playing = word("Now playing" if self.playing else "Paused", language)
        rows = [
            View(
                "android.widget.TextView",
                "status",
                playing,
                bounds=(60, 100, 1020, 200),
            )
        ]
        for i, name in enumerate(("Morning", "Dinner", "Party")):
            top = 300 + 200 * i
            label = View(text=name, bounds=(60, top, 700, top + 160))
            play = View(
                desc="Play",
                bounds=(860, top, 1020, top + 160),
                on_tap=lambda name=name: self._play(name),  # type: ignore[misc]
            )
            box = (0, top, WIDTH, top + 180)
            rows.append(View(_ROW, bounds=box, children=[label, play]))
        return View("android.widget.FrameLayout", children=rows)

    def looked(self) -> None:
        """Note a look; nothing comes of it."""

    def _play(self, name: str) -> None:
        self.presses.append(name)
        self.playing = name


def _nothing() -> None:
    """Take a tap and do nothing."""
