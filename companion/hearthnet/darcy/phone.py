"""The phone as a run uses it: eyes and hands, no decisions.

Each method is one command line. What Android answers is read in `facts` and
`ui`; exit codes are trusted only where every Android version sets them.
"""

import asyncio
from collections import deque
from dataclasses import dataclass
from hashlib import sha256
import re

from hearthnet.core.phone.recipe import App
from hearthnet.core.reasons import Reason

from . import facts
from .link import Link, LinkError, Reply
from .shell import Line, line
from .signer import certificate_digest
from .stops import Stop
from .ui import Tree
from .watch import Watch

DUMP = "/data/local/tmp/hearthnet-screen.xml"
"""Where a dump stands for a moment: screens are private, and apps cannot look there."""

_KILLED = re.compile(r"^exit=(124|137)$", re.MULTILINE)
_FAILED = re.compile(r"^\s*(Error\b|Exception\b|java\.)", re.MULTILINE)
_MAIN = "android.intent.action.MAIN"
_HOME = "android.intent.category.HOME"
_LAUNCHER = "android.intent.category.LAUNCHER"
_TRIES = 3


@dataclass(frozen=True)
class Pace:
    """How long things may take on this phone, in seconds."""

    poll: float = 0.2
    """Between two looks at a screen."""
    command: float = 8.0
    start: float = 15.0
    dump: float = 5.0
    """A screen that has not come to rest by then does not (a usual dump takes 2 s)."""
    arrive: float = 8.0
    """Until a screen has appeared."""
    quiet: float = 5.0
    """Since the last touch, before Darcy takes the phone."""


class Phone:
    """One phone behind a link."""

    def __init__(self, link: Link, pace: Pace) -> None:
        """Use `link`, and wait as `pace` says."""
        self.link = link
        self.pace = pace
        self.watch = Watch(pace.quiet)
        self.trail: deque[str] = deque(maxlen=60)
        """What was asked last: command, exit code, milliseconds."""
        self._compressed = False
        self._signers: dict[str, str] = {}
        """The last certificate by path; an update installs to another path."""

    def begin(self) -> None:
        """Start a run: forget what was learned of the last one's screens."""
        self.watch.begin()
        self.trail.clear()
        self._compressed = False

    # Eyes

    async def glance(self) -> tuple[facts.Glance, Reply]:
        """Return the phone's state, and the reply that tells when it was so."""
        reply = await self._run(facts.GLANCE, name="glance")
        return facts.glance(reply.text), reply

    async def package(self, name: str) -> facts.Package | None:
        """Return what is installed under a package's name."""
        reply = await self._run(line("dumpsys", "package", name))
        return facts.package(reply.text)

    async def signer(self, name: str) -> str:
        """Return the SHA-256 of the certificate that signed an installed app.

        Raises:
            Stop: `app_signer_mismatch`, it cannot be told.
            LinkError: the phone did not answer.
        """
        paths = (await self._run(line("pm", "path", name))).text.split()
        apk = next((p for p in paths if p.endswith("base.apk")), "")
        path = apk.removeprefix("package:")
        if path not in self._signers:
            self._signers = {path: await self._certificate(path)}
        return self._signers[path]

    async def _certificate(self, path: str) -> str:
        async def read(offset: int, length: int) -> bytes:
            from_there = line("tail", "-c", f"+{offset + 1}", path)
            cut = line("head", "-c", length)
            command = Line(f"{from_there} | {cut}")
            return (await self._run(command, self.pace.start)).out

        size = (await self._run(line("stat", "-c", "%s", path))).text.strip()
        try:
            if not size.isdecimal():
                raise ValueError("the phone does not show its file")
            return await certificate_digest(int(size), read)
        except ValueError as error:
            text = f"whose app it is cannot be told: {error}"
            raise Stop(Reason.APP_SIGNER_MISMATCH, text) from error

    async def look(self) -> Tree:
        """Return what the screen shows.

        Raises:
            Stop: `ui_not_idle`, it never comes to rest; `ui_unreadable`.
            LinkError: the phone did not answer.
        """
        problem = ""
        for _ in range(_TRIES):
            reply = await self._dump(compressed=self._compressed)
            if _restless(reply) and not self._compressed:
                # It skips what Android calls unimportant, and with that some
                # screens come to rest that plain dumps wait for in vain.
                self._compressed = True
                reply = await self._dump(compressed=True)
            if _restless(reply):
                raise Stop(Reason.UI_NOT_IDLE, "the screen does not come to rest")
            xml = reply.out.strip()
            if xml.startswith(b"<?xml") and xml.endswith(b"</hierarchy>"):
                self.trail.append(f"screen {sha256(xml).hexdigest()[:16]}")
                return Tree(xml, facts.frame(reply.error))
            problem = _first_line(reply.error)
            await asyncio.sleep(self.pace.poll)
        raise Stop(Reason.UI_UNREADABLE, f"no dump of the screen: {problem}")

    async def _dump(self, *, compressed: bool) -> Reply:
        # The old file goes first: a dump that fails would leave it to be read.
        # Exit codes of uiautomator mean nothing on MIUI; the file alone counts.
        option = "--compressed " if compressed else ""
        # What has the focus goes before it, so that a change meanwhile is noticed.
        seconds = self.pace.dump
        command = Line(
            f"{facts.FRAME} 1>&2; rm -f {DUMP}; "
            f"timeout -s KILL {seconds:g} uiautomator dump {option}{DUMP} 1>&2; "
            f"echo exit=$? 1>&2; cat {DUMP}; rm -f {DUMP}"
        )
        return await self._run(command, seconds + self.pace.command, name="dump")

    # Hands

    async def start(self, app: App) -> None:
        """Bring an app to the front, by package and never by its icon.

        Raises:
            Stop: `launch_failed`.
            LinkError: the phone did not answer.
        """
        activity = app.activity or await self._launcher(app.package)
        words = [
            *("am", "start", "-W", "-a", _MAIN),
            *("-c", _LAUNCHER, "-n", f"{app.package}/{activity}"),
        ]
        if app.fresh:
            words.append("--activity-clear-task")
        reply = await self._run(line(*words), self.pace.start)
        said = reply.text + reply.error
        # Whether a failure sets the exit code depends on the version.
        if reply.code or _FAILED.search(said):
            raise Stop(Reason.LAUNCH_FAILED, f"not started: {_last_line(said)}")

    async def tap(self, x: int, y: int) -> None:
        """Tap a point that was just seen.

        Raises:
            Stop: `input_rejected`, nothing was tapped.
            LinkError: it may have been tapped, if `sent`.
        """
        await self._input("tap", x, y)

    async def key(self, name: str) -> None:
        """Press a key; raises as `tap` does."""
        await self._input("keyevent", name)

    async def swipe_up(self, size: tuple[int, int]) -> None:
        """Swipe a lock screen without secret away; raises as `tap` does."""
        width, height = size
        await self._input(
            *("swipe", width // 2, height * 3 // 4, width // 2, height // 4, 250)
        )

    async def dismiss_lock(self) -> None:
        """Ask Android to take away a lock screen that has no secret."""
        await self._run(line("wm", "dismiss-keyguard"))

    async def home(self) -> None:
        """Go to the home screen; also over a new connection."""
        patience = min(3.0, self.pace.command)
        reply = await self._run(line("input", "keyevent", "KEYCODE_HOME"), patience)
        if reply.code:
            # Where inputs are rejected, starting the home screen is not.
            await self._run(line("am", "start", "-a", _MAIN, "-c", _HOME), patience)
        self.watch.excuse(self.link.now())

    async def _input(self, *words: str | int) -> None:
        command = line("input", *words)
        reply = await self._run(command, self.pace.command, reconnect=False)
        said = reply.text + reply.error
        if "SecurityException" in said or "INJECT_EVENTS" in said:
            text = f"the phone rejects inputs: {_first_line(said)}"
            raise Stop(Reason.INPUT_REJECTED, text)
        if reply.code or "Exception" in said:
            text = f"an input failed half-way: {_first_line(said)}"
            raise LinkError(Reason.RESULT_UNKNOWN, text, sent=True)

    async def _launcher(self, package: str) -> str:
        ask = ("cmd", "package", "resolve-activity", "--brief", "-c", _LAUNCHER)
        reply = await self._run(line(*ask, package))
        name, slash, activity = _last_line(reply.text).partition("/")
        if name != package or not slash:
            raise Stop(Reason.LAUNCH_FAILED, f"{package} has no start activity")
        return activity

    async def _run(
        self,
        command: Line,
        timeout: float | None = None,
        *,
        name: str = "",
        reconnect: bool = True,
    ) -> Reply:
        # The first words tell what it was; the rest may hold what a screen shows.
        name = name or " ".join(command.split()[:2])
        timeout = timeout or self.pace.command
        try:
            reply = await self.link.run(command, timeout, reconnect=reconnect)
        except LinkError as error:
            self.trail.append(f"{name}: {error.reason}")
            raise
        took = (reply.answered - reply.asked) * 1000
        self.trail.append(f"{name}: {reply.code}, {took:.0f} ms")
        return reply


def _restless(reply: Reply) -> bool:
    """Tell whether a dump failed because the screen kept moving."""
    said = reply.error
    return not reply.out and ("idle state" in said or _KILLED.search(said) is not None)


def _first_line(text: str) -> str:
    return next((row.strip()[:160] for row in text.splitlines() if row.strip()), "")


def _last_line(text: str) -> str:
    rows = [row.strip()[:160] for row in text.splitlines() if row.strip()]
    return rows[-1] if rows else ""
