"""What Android's dumpsys tells of a phone's state, for all its versions.

The names of the lines differ between versions and makers; each pattern lists
the ones that are known. What is not found is None, and never assumed.
"""

from dataclasses import dataclass
import re

from .shell import Line, sequence

MARK = "@@hearthnet@@"
"""Stands between the answers of commands that are asked in one line."""

_POWER = Line(
    "dumpsys power | grep -E 'mWakefulness=|astUserActivityTime=' "
    "| grep -v NoChangeLights"
)
_WINDOW = Line(
    "dumpsys window | grep -E 'mCurrentFocus=|mFocusedApp=|mDreamingLockscreen="
    "|mShowingLockscreen=|isKeyguardShowing=|mKeyguardShowing=|mIsShowing=|Rotation='"
)
FRAME = Line("dumpsys window | grep -E 'mCurrentFocus=|Rotation='")
"""Asks for what `frame` reads."""
_KEYBOARD = Line("dumpsys input_method | grep -E 'mInputShown='")
GLANCE = sequence(
    _POWER,
    Line(f"echo {MARK}"),
    _WINDOW,
    Line(f"echo {MARK}"),
    _KEYBOARD,
    Line(f"echo {MARK}"),
    Line("wm size"),
)
"""Asks for all that a glance needs in one go."""

_AWAKE = re.compile(r"mWakefulness=(\w+)")
_ACTIVITY = re.compile(r"astUserActivityTime=\d+ \((?:(\d{1,15}) ms ago|now)\)")
_LOCK = re.compile(
    r"(?:mDreamingLockscreen|mShowingLockscreen|isKeyguardShowing|mKeyguardShowing"
    r"|mIsShowing)=(true|false)"
)
_FOCUS = re.compile(r"mCurrentFocus=Window\{\S+ (?:u\d+ )?([^}]*)\}")
_FRAME = re.compile(r"mCurrentFocus=[^}\n]*|\bm(?:Current)?Rotation=\w+")
_FOCUSED_APP = re.compile(r"mFocusedApp=.*? u\d+ ([\w.]+)/")
_SIZE = re.compile(r"(Override|Physical) size: (\d{1,6})x(\d{1,6})\b")
_SHADES = ("NotificationShade", "StatusBar", "Keyguard")
_VERSION = re.compile(r"versionCode=(\d{1,19})\b")
_VERSION_NAME = re.compile(r"versionName=(\S+)")
_USER_0 = re.compile(r"User 0:.*?\binstalled=(true|false)")


@dataclass(frozen=True)
class Glance:
    """The phone's state at one moment."""

    awake: bool | None
    locked: bool | None
    quiet: float | None
    """Seconds since the last touch or key, the phone's owner's or Darcy's."""
    package: str | None
    """The app in front; None while one window gives way to another."""
    shade: bool
    """True when the notification shade or the lock screen has the focus."""
    keyboard: bool
    size: tuple[int, int] | None
    """The display in pixels, upright."""
    frame: str
    """See `frame`."""


def glance(text: str) -> Glance:
    """Read the answer to `GLANCE`."""
    power, window, keyboard, size = [*text.split(MARK), "", "", ""][:4]
    package, shade = _front(window)
    locks = _LOCK.findall(window)
    return Glance(
        awake=_awake(power),
        locked="true" in locks if locks else None,
        quiet=_quiet(power),
        package=package,
        shade=shade,
        keyboard="mInputShown=true" in keyboard,
        size=_size(size),
        frame=frame(window),
    )


def frame(text: str) -> str:
    """Return which windows have the focus and how displays are turned.

    In the phone's own words: it is only compared with what it said before.
    """
    return " ".join(_FRAME.findall(text))


@dataclass(frozen=True)
class Package:
    """An installed app."""

    version: int
    version_name: str


def package(text: str) -> Package | None:
    """Read `dumpsys package NAME`; None when the first user has no such app."""
    version = _VERSION.search(text)
    user = _USER_0.search(text)
    if version is None or (user and user[1] == "false"):
        return None
    name = _VERSION_NAME.search(text)
    # Of a system app that was updated, the first is the one that runs.
    return Package(int(version[1]), name[1] if name else "")


def _awake(text: str) -> bool | None:
    found = _AWAKE.search(text)
    return found[1] == "Awake" if found else None


def _quiet(text: str) -> float | None:
    # One line for each group of displays: the newest touch counts.
    ages = [int(match[1] or 0) for match in _ACTIVITY.finditer(text)]
    return min(ages) / 1000 if ages else None


def _front(text: str) -> tuple[str | None, bool]:
    """Return the package in front, and whether a system shade covers it."""
    for name in _FOCUS.findall(text):
        if "/" in name:
            return name.split("/")[0].split()[-1], False
        if name.startswith(_SHADES):
            return None, True
        # A popup's window has no package in its name; its app has the focus.
        if app := _FOCUSED_APP.search(text):
            return app[1], False
    return None, False


def _size(text: str) -> tuple[int, int] | None:
    sizes = {kind: (int(w), int(h)) for kind, w, h in _SIZE.findall(text)}
    return sizes.get("Override") or sizes.get("Physical")
