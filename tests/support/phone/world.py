"""The simulated phone itself: screen, lock, language, what is in front."""

from dataclasses import dataclass, field
import time

from .apps import App, MusicApp, TvApp
from .views import HEIGHT, WIDTH, View, button, text

LAUNCHER = "com.android.launcher3"
SYSTEM_UI = "com.android.systemui"
PERMISSIONS = "com.android.permissioncontroller"


@dataclass
class World:
    """One phone. Tests set what they need and look at what happened."""

    tv: TvApp = field(default_factory=TvApp)
    music: MusicApp = field(default_factory=MusicApp)
    awake: bool = True
    locked: bool = False
    secure: bool = False
    """The lock needs a secret."""
    dismissable: bool = True
    """`wm dismiss-keyguard` takes a lock without secret away; a swipe always does."""
    shade: bool = False
    front: str | None = None
    language: str = "en"
    rotation: int = 0
    size: tuple[int, int] = (WIDTH, HEIGHT)
    permission_dialog: bool = False
    keyboard: bool = False
    stubborn_keyboard: bool = False
    inputs_allowed: bool = True
    null_roots: int = 0
    """How many dumps fail because the screen has just changed."""
    compressed_rests: bool = False
    """A compressed dump succeeds where a plain one waits in vain."""
    waits_for_idle: bool = False
    """A dump of a restless screen hangs instead of giving up with an error."""
    hidden_lines: bool = False
    """dumpsys has none of the lines that are known."""
    sdk: int = 34
    lux: float = 123.0
    battery: int = 81
    settings: dict[str, str] = field(
        default_factory=lambda: {"adb_allowed_connection_time": "604800000"}
    )
    inputs_killed: bool = False
    """The command is killed after the touch went through."""
    log: list[list[str]] = field(default_factory=list)
    """Every framework command, in order."""
    touched_at: float = field(default_factory=lambda: time.monotonic() - 3600)
    apps: dict[str, App] = field(init=False)

    def __post_init__(self) -> None:
        """Install the apps."""
        self.apps = {self.tv.package: self.tv, self.music.package: self.music}

    def touch(self) -> None:
        """Let the owner touch the screen, where it does nothing."""
        self.touched_at = time.monotonic()

    def inputs(self) -> list[list[str]]:
        """Return the `input` commands that were given."""
        return [words[1:] for words in self.log if words[0] == "input"]

    @property
    def restless(self) -> bool:
        """Tell whether the screen never comes to rest."""
        app = self.apps.get(self.front or "")
        return app is not None and app.restless and not self.covered

    @property
    def covered(self) -> bool:
        """Tell whether something of the system is in front of the apps."""
        return self.locked or self.shade or self.permission_dialog

    def screen(self) -> tuple[View, str]:
        """Return what is shown and whose it is."""
        if self.locked or self.shade:
            return View(id=f"{SYSTEM_UI}:id/keyguard_root_view"), SYSTEM_UI
        if self.permission_dialog and self.front:
            return self._dialog(), PERMISSIONS
        if self.front and (app := self.apps.get(self.front)):
            return app.view(self.language), self.front
        box = (60, 1800, 260, 2050)
        icon = button("", box, lambda: self.start(self.tv.package), shown="TV Remote")
        return View(
            "android.widget.FrameLayout", children=[icon]
        ), self.front or LAUNCHER

    def focus(self) -> str:
        """Return the focused window as dumpsys names it."""
        if self.locked or self.shade:
            return "Window{1a2b3c u0 NotificationShade}"
        _, package = self.screen()
        window = "88bb" if self.tv.news else "77aa"
        return f"Window{{{window} u0 {package}/{package}.MainActivity}}"

    def start(self, package: str, *, fresh: bool = False) -> None:
        """Bring an app to the front."""
        if not self.locked:
            self.front = package
            self.apps[package].resume(fresh=fresh)

    def tap(self, x: int, y: int) -> None:
        """Take a touch."""
        view = self.screen()[0].hit(x, y)
        if self.awake and view and view.on_tap and view.enabled:
            view.on_tap()

    def swipe(self) -> None:
        """Take a swipe."""
        if self.awake and self.locked and not self.secure:
            self.locked = False

    def key(self, name: str) -> None:
        """Take a key."""
        if name == "KEYCODE_WAKEUP":
            self.awake = True
        elif name == "KEYCODE_HOME" and not self.locked:
            self.front, self.shade = None, False
        elif name == "KEYCODE_BACK":
            self._back()

    def dismiss_lock(self) -> None:
        """Take away a lock without secret."""
        if not self.secure and self.dismissable:
            self.locked = False

    def _back(self) -> None:
        if self.keyboard:
            self.keyboard = self.stubborn_keyboard
        elif self.permission_dialog:
            self.permission_dialog = False
        elif (app := self.apps.get(self.front or "")) is None or not app.back():
            self.front = None

    def _dialog(self) -> View:
        message = "Allow TV Remote to find devices nearby?"
        prefix = f"{PERMISSIONS}:id/"
        return View(
            "android.widget.FrameLayout",
            children=[
                text(f"{prefix}permission_message", message, (100, 900, 980, 1000)),
                button(
                    f"{prefix}permission_allow_button",
                    (100, 1100, 980, 1220),
                    self._allow,
                    "Allow",
                ),
            ],
        )

    def _allow(self) -> None:
        self.tv.presses.append("allow")
        self.permission_dialog = False
