"""What may meet Darcy on a phone, and what has to come of it.

The same list runs on the fake adbd and on the real one. Each case prepares the
phone, runs one capability, and says what the report and the world must be.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from hearthnet.core.reasons import Outcome, Reason
from tests.support.phone.world import World


@dataclass(frozen=True)
class Case:
    """One scenario."""

    name: str
    outcome: Outcome
    reason: Reason | None = None
    run: str = "tv.power_off"
    arguments: Mapping[str, object] = field(default_factory=dict)
    prepare: Callable[[World], None] = lambda world: None
    presses: tuple[str, ...] = ()
    """What was pressed in the app, all of it."""
    holds: Callable[[World], bool] = lambda world: True
    """What must be true of the world afterwards."""
    recipe: str = "living_room_tv"

    def __str__(self) -> str:
        return self.name


def having(**values: object) -> Callable[[World], None]:
    """Return a preparation that sets attributes of the phone."""

    def prepare(world: World) -> None:
        for name, value in values.items():
            assert hasattr(world, name)
            setattr(world, name, value)

    return prepare


def tv(**values: object) -> Callable[[World], None]:
    """Return a preparation that sets attributes of the television's app."""

    def prepare(world: World) -> None:
        for name, value in values.items():
            assert hasattr(world.tv, name)
            setattr(world.tv, name, value)

    return prepare


def both(*preparations: Callable[[World], None]) -> Callable[[World], None]:
    """Return a preparation that does several."""

    def prepare(world: World) -> None:
        for one in preparations:
            one(world)

    return prepare


def _is_off(world: World) -> bool:
    return not world.tv.power


def _is_on(world: World) -> bool:
    return world.tv.power


def _uninstall(world: World) -> None:
    del world.apps[world.tv.package]


def _owner_while_starting(world: World) -> None:
    """The owner opens another app once Darcy's has come up."""
    start = world.start

    def start_and_leave(package: str, *, fresh: bool = False) -> None:
        start(package, fresh=fresh)
        world.front = "com.example.other"

    world.start = start_and_leave  # type: ignore[method-assign]


def _shade_falls(world: World) -> None:
    start = world.start

    def start_under_shade(package: str, *, fresh: bool = False) -> None:
        start(package, fresh=fresh)
        world.shade = True

    world.start = start_under_shade  # type: ignore[method-assign]


DONE = (
    Case("power off", Outcome.CHANGED, presses=("power",), holds=_is_off),
    Case("already off", Outcome.ALREADY_SO, prepare=tv(power=False), holds=_is_off),
    Case(
        "power on, and it stays on",
        Outcome.CHANGED,
        run="tv.power_on",
        prepare=tv(power=False),
        presses=("power",),
        holds=_is_on,
    ),
    Case(
        "the cloud is slow",
        Outcome.CHANGED,
        prepare=tv(behind=5),
        presses=("power",),
        holds=_is_off,
    ),
    Case(
        "a phone in German",
        Outcome.CHANGED,
        prepare=having(language="de"),
        presses=("power",),
        holds=_is_off,
    ),
    Case(
        "the app was left on another screen",
        Outcome.CHANGED,
        prepare=tv(screen="sound"),
        presses=("power",),
        holds=_is_off,
    ),
    Case(
        "screen off, lock without secret",
        Outcome.CHANGED,
        prepare=having(awake=False, locked=True),
        presses=("power",),
        holds=_is_off,
    ),
    Case(
        "a lock that only a swipe takes away",
        Outcome.CHANGED,
        prepare=having(locked=True, dismissable=False),
        presses=("power",),
        holds=_is_off,
    ),
    Case(
        "no root twice, then fine",
        Outcome.CHANGED,
        prepare=having(null_roots=2),
        presses=("power",),
        holds=_is_off,
    ),
    Case(
        "first looks are empty (Flutter)",
        Outcome.CHANGED,
        prepare=tv(empty_looks=3),
        presses=("power",),
        holds=_is_off,
    ),
    Case(
        "a known sheet is closed with the back key",
        Outcome.CHANGED,
        prepare=tv(news=True),
        presses=("power",),
        holds=_is_off,
    ),
    Case(
        "the keyboard is put away",
        Outcome.CHANGED,
        prepare=having(keyboard=True),
        presses=("power",),
        holds=lambda world: _is_off(world) and not world.keyboard,
    ),
    Case(
        "held sideways",
        Outcome.CHANGED,
        prepare=having(rotation=1, size=(2400, 1080)),
        presses=("power",),
        holds=_is_off,
    ),
    Case(
        "a parameter picks the button; the app shows nothing",
        Outcome.UNVERIFIED,
        run="tv.set_input",
        arguments={"input": "hdmi2"},
        presses=("hdmi2",),
        holds=lambda world: world.tv.source == "hdmi2",
    ),
    Case(
        "volume up in steps",
        Outcome.CHANGED,
        run="tv.set_volume",
        arguments={"level": 15},
        presses=("louder",) * 3,
        holds=lambda world: world.tv.volume == 15,
    ),
    Case(
        "volume down in steps, each shown late",
        Outcome.CHANGED,
        run="tv.set_volume",
        arguments={"level": 10},
        prepare=tv(behind=3),
        presses=("softer",) * 2,
        holds=lambda world: world.tv.volume == 10,
    ),
    Case(
        "volume is right already",
        Outcome.ALREADY_SO,
        run="tv.set_volume",
        arguments={"level": 12},
    ),
    Case(
        "a switch in a row, two screens in",
        Outcome.CHANGED,
        run="tv.night_mode_on",
        presses=("Night mode",),
        holds=lambda world: world.tv.night,
    ),
    Case(
        "a restless screen that a compressed dump reads",
        Outcome.UNVERIFIED,
        run="music.play_playlist",
        arguments={"playlist": "Dinner"},
        prepare=having(compressed_rests=True),
        holds=lambda world: world.music.presses == ["Dinner"],
        recipe="music_player",
    ),
)

NOT_DONE = (
    Case(
        "app not installed",
        Outcome.UNREACHABLE,
        Reason.APP_NOT_INSTALLED,
        prepare=_uninstall,
    ),
    Case(
        "app updated",
        Outcome.REFUSED,
        Reason.APP_VERSION_UNVERIFIED,
        prepare=tv(version=1300),
    ),
    Case(
        "start activity renamed",
        Outcome.UNREACHABLE,
        Reason.LAUNCH_FAILED,
        prepare=tv(activity=".Other"),
    ),
    Case(
        "secure lock",
        Outcome.UNREACHABLE,
        Reason.SCREEN_LOCKED,
        prepare=having(locked=True, secure=True),
    ),
    Case(
        "permission dialog",
        Outcome.REFUSED,
        Reason.INTERRUPTED,
        prepare=having(permission_dialog=True),
    ),
    Case(
        "a sheet that the back key does not close",
        Outcome.REFUSED,
        Reason.INTERRUPTED,
        prepare=tv(news=True, stubborn_news=True),
    ),
    Case(
        "a keyboard that stays",
        Outcome.REFUSED,
        Reason.INTERRUPTED,
        prepare=having(keyboard=True, stubborn_keyboard=True),
    ),
    Case(
        "another app came to the front",
        Outcome.REFUSED,
        Reason.WRONG_FOREGROUND,
        prepare=_owner_while_starting,
    ),
    Case(
        "the notification shade is open",
        Outcome.REFUSED,
        Reason.WRONG_FOREGROUND,
        prepare=_shade_falls,
    ),
    Case(
        "ids shrunk by an update",
        Outcome.REFUSED,
        Reason.NODE_NOT_FOUND,
        prepare=tv(obfuscated=True),
    ),
    Case(
        "a language that the recipe does not know",
        Outcome.REFUSED,
        Reason.VALUE_UNMAPPED,
        prepare=tv(status="Allumé"),
    ),
    Case(
        "two buttons fit",
        Outcome.REFUSED,
        Reason.AMBIGUOUS_MATCH,
        prepare=tv(twins=True),
    ),
    Case(
        "the button is disabled",
        Outcome.REFUSED,
        Reason.NODE_DISABLED,
        prepare=tv(disabled=True),
    ),
    Case(
        "the button is below the edge",
        Outcome.REFUSED,
        Reason.NODE_OFF_SCREEN,
        prepare=tv(below_the_edge=True),
    ),
    Case(
        "a banner covers the button",
        Outcome.REFUSED,
        Reason.NODE_COVERED,
        prepare=tv(covered=True),
    ),
    Case(
        "the screen cannot be dumped",
        Outcome.REFUSED,
        Reason.UI_UNREADABLE,
        prepare=having(null_roots=99),
    ),
    Case(
        "Xiaomi's switch for inputs is off",
        Outcome.REFUSED,
        Reason.INPUT_REJECTED,
        prepare=having(inputs_allowed=False),
    ),
    Case(
        "dumpsys has no line that is known",
        Outcome.UNREACHABLE,
        Reason.APP_NOT_INSTALLED,
        prepare=having(hidden_lines=True),
    ),
    Case(
        "a screen that never rests",
        Outcome.REFUSED,
        Reason.UI_NOT_IDLE,
        run="music.play_playlist",
        arguments={"playlist": "Dinner"},
        recipe="music_player",
    ),
    Case(
        "a screen that never rests, and a dump that waits",
        Outcome.REFUSED,
        Reason.UI_NOT_IDLE,
        run="music.play_playlist",
        arguments={"playlist": "Dinner"},
        prepare=having(waits_for_idle=True),
        recipe="music_player",
    ),
    Case(
        "the menu does not open",
        Outcome.REFUSED,
        Reason.NODE_NOT_FOUND,
        run="tv.night_mode_on",
        prepare=tv(menu_opens=False),
    ),
    Case(
        "a dead button is tapped once",
        Outcome.FAILED,
        Reason.POSTCONDITION_FAILED,
        prepare=tv(deaf=True),
        presses=("power",),
        holds=_is_on,
    ),
    Case(
        "a dead volume button is tapped once",
        Outcome.FAILED,
        Reason.POSTCONDITION_FAILED,
        run="tv.set_volume",
        arguments={"level": 30},
        prepare=tv(deaf=True),
        presses=("louder",),
    ),
    Case(
        "the volume goes in steps that miss the goal",
        Outcome.FAILED,
        Reason.POSTCONDITION_FAILED,
        run="tv.set_volume",
        arguments={"level": 15},
        prepare=tv(step=2),
        presses=("louder", "louder"),
        holds=lambda world: world.tv.volume == 16,
    ),
    Case(
        "the volume is further away than the taps reach",
        Outcome.FAILED,
        Reason.POSTCONDITION_FAILED,
        run="tv.set_volume",
        arguments={"level": 40},
        presses=("louder",) * 20,
        holds=lambda world: world.tv.volume == 32,
    ),
)
