"""Android's commands, as far as Darcy uses them: their output on a phone's world."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
import struct
import time
import zlib

from .views import dump
from .world import World

COMMANDS = (
    *("am", "cmd", "dumpsys", "getprop", "input", "pm", "screencap", "settings"),
    *("uiautomator", "wm"),
)
APK = "/data/app/base.apk"
"""Where every app's package is."""
_NO_IDLE = "ERROR: could not get idle state.\n"
_NO_ROOT = "ERROR: null root node returned by UiTestAutomationBridge.\n"
_REJECTED = (
    "java.lang.SecurityException: Injecting input events requires the caller (or the "
    "source of the instrumentation, if any) to have the INJECT_EVENTS permission.\n"
    "\tat android.os.Parcel.createExceptionOrNull(Parcel.java:3057)\n"
)
_NON_ASCII = (
    "\nException occurred while executing 'text':\n"
    "java.lang.NullPointerException: Attempt to get length of null array\n"
)


@dataclass(frozen=True)
class Result:
    """What a command gives back; `files` are written on the phone."""

    code: int = 0
    out: bytes = b""
    err: bytes = b""
    files: Mapping[str, bytes] = field(default_factory=dict)


def _said(out: str = "", err: str = "", code: int = 0) -> Result:
    return Result(code, out.encode(), err.encode())


class Framework:
    """The commands of one phone."""

    def __init__(self, world: World) -> None:
        """Run commands on `world`."""
        self.world = world
        self.hanging: set[str] = set()
        """Commands that never answer."""

    async def run(self, words: list[str]) -> Result:
        """Run one command."""
        self.world.log.append(words)
        if words[0] in self.hanging:
            await asyncio.Event().wait()
        command: Callable[[list[str]], Result] = getattr(self, f"_{words[0]}")
        return command(words[1:])

    def _getprop(self, words: list[str]) -> Result:
        properties = {
            "ro.build.version.sdk": str(self.world.sdk),
            "ro.build.version.release": "14",
            "ro.product.manufacturer": "Example",
            "ro.product.model": "FakePhone",
        }
        return _said(properties.get(words[0], "") + "\n")

    def _settings(self, words: list[str]) -> Result:
        match words:
            case ["get", _, name]:
                return _said(self.world.settings.get(name, "null") + "\n")
            case ["put", _, name, value]:
                self.world.settings[name] = value
                return _said()
        return _said(err=f"Invalid command: {words[0]}\n", code=255)

    def _wm(self, words: list[str]) -> Result:
        if words == ["size"]:
            width, height = self.world.size
            return _said(f"Physical size: {width}x{height}\n")
        if words == ["dismiss-keyguard"]:
            self.world.dismiss_lock()
            return _said()
        return _said(err=f"Unknown command: {words[0]}\n", code=255)

    def _pm(self, words: list[str]) -> Result:
        if words[0] == "path" and words[1] in self.world.apps:
            splits = "package:/data/app/split_config.en.apk\n"
            return _said(f"{splits}package:{APK}\n")
        return _said(code=1)

    def _cmd(self, words: list[str]) -> Result:
        if words[:2] == ["package", "resolve-activity"]:
            if app := self.world.apps.get(words[-1]):
                head = "priority=0 preferredOrder=0 match=0x108000 isDefault=true\n"
                return _said(f"{head}{app.package}/{app.activity}\n")
            return _said("No activity found\n")
        return _said(err=f"cmd: Can't find service: {words[0]}\n", code=20)

    def _am(self, words: list[str]) -> Result:
        if "android.intent.category.HOME" in words:
            self.world.key("KEYCODE_HOME")
            return _said("Starting: Intent { cat=[android.intent.category.HOME] }\n")
        component = words[words.index("-n") + 1]
        package, activity = component.split("/")
        head = (
            f"Starting: Intent {{ act=android.intent.action.MAIN cmp={component} }}\n"
        )
        app = self.world.apps.get(package)
        if app is None or activity not in {app.activity, package + app.activity}:
            text = f"Error: Activity class {{{package}/{activity}}} does not exist.\n"
            return _said(head, "Error type 3\n" + text, 1)
        self.world.start(package, fresh="--activity-clear-task" in words)
        return _said(f"{head}Status: ok\nLaunchState: COLD\nActivity: {component}\n")

    def _input(self, words: list[str]) -> Result:
        world = self.world
        if not world.inputs_allowed:
            return _said(err=_REJECTED, code=255)
        world.touched_at = time.monotonic()
        match words:
            case ["tap", x, y]:
                world.tap(int(x), int(y))
            case ["swipe", *_]:
                world.swipe()
            case ["keyevent", *keys]:
                for key in keys:
                    world.key(key)
            case ["text", shown] if not shown.isascii():
                return _said(err=_NON_ASCII, code=255)
            case _:
                return _said(err=f"Error: Unknown command: {words[0]}\n", code=255)
        return _said(err="Killed\n", code=137) if world.inputs_killed else _said()

    def _uiautomator(self, words: list[str]) -> Result:
        world = self.world
        compressed = "--compressed" in words
        if world.null_roots or not world.awake:
            world.null_roots = max(0, world.null_roots - 1)
            return _said(err=_NO_ROOT)
        if world.restless and not (compressed and world.compressed_rests):
            if world.waits_for_idle:
                return Result(code=-1)
            return _said(err=_NO_IDLE)
        root, package = world.screen()
        xml = dump(root, package, world.rotation)
        if app := world.apps.get(package):
            app.looked()
        said = f"UI hierchary dumped to: {words[-1]}\n".encode()
        return Result(out=said, files={words[-1]: xml})

    def _screencap(self, _words: list[str]) -> Result:
        return Result(out=_png(108, 240, (30, 90, 160)))

    def _dumpsys(self, words: list[str]) -> Result:
        service = getattr(self, f"_dumpsys_{words[0]}", None)
        if service is None:
            return _said(err=f"Can't find service: {words[0]}\n", code=1)
        if self.world.hidden_lines:
            return _said(f"{words[0].upper()} (dumpsys {words[0]})\n")
        return _said(service(words[1:]))

    def _dumpsys_window(self, _words: list[str]) -> str:
        world = self.world
        app = f"ActivityRecord{{1 u0 {world.front}/.MainActivity t7}}"
        return (
            "WINDOW MANAGER WINDOWS (dumpsys window windows)\n"
            f"  mCurrentFocus={world.focus() if world.awake else 'null'}\n"
            f"  mFocusedApp={app if world.front else 'null'}\n"
            f"    mCurrentRotation=ROTATION_{90 * world.rotation}\n"
            f"    isKeyguardShowing={str(world.locked).lower()}\n"
            f"    mDreamingLockscreen={str(world.locked).lower()}\n"
        )

    def _dumpsys_power(self, _words: list[str]) -> str:
        ago = int((time.monotonic() - self.world.touched_at) * 1000)
        return (
            "POWER MANAGER (dumpsys power)\n"
            f"  mWakefulness={'Awake' if self.world.awake else 'Asleep'}\n"
            f"lastUserActivityTime=12345678 ({ago} ms ago)\n"
            "lastUserActivityTimeNoChangeLights=0 (12345678 ms ago)\n"
        )

    def _dumpsys_input_method(self, _words: list[str]) -> str:
        return f"Input method service state:\n  mInputShown={self._keyboard()}\n"

    def _keyboard(self) -> str:
        return str(self.world.keyboard).lower()

    def _dumpsys_battery(self, _words: list[str]) -> str:
        return (
            "Current Battery Service state:\n  AC powered: true\n  USB powered: false\n"
            f"  status: 2\n  level: {self.world.battery}\n  scale: 100\n"
            "  temperature: 287\n"
        )

    def _dumpsys_package(self, words: list[str]) -> str:
        app = self.world.apps.get(words[0])
        if app is None:
            return f"Unable to find package: {words[0]}\n"
        return (
            f"Packages:\n  Package [{app.package}] (a1b2c3):\n"
            f"    versionCode={app.version} minSdk=24 targetSdk=34\n"
            "    versionName=4.2.1\n"
            "    User 0: ceDataInode=1 installed=true hidden=false\n"
        )

    def _dumpsys_sensorservice(self, _words: list[str]) -> str:
        return (
            "Sensor List:\n"
            "0x01010005) TMD4910 Light             | AMS | ver: 1 "
            "| type: android.sensor.light(5) | perm: n/a | flags: 0x02\n"
            "0x01010004) LSM6DSO Gyroscope         | STM | ver: 1 "
            "| type: android.sensor.gyroscope(4) | perm: n/a | flags: 0x00\n"
            "Recent Sensor events:\n"
            "TMD4910 Light: last 2 events\n"
            f"\t 1 (ts=96.123000000, wall=10:01:02.123) {self.world.lux:.2f}, 0.00,\n"
            "\t 2 (ts=97.123000000, wall=10:01:03.123) "
            f"{self.world.lux + 1:.2f}, 0.00,\n"
        )


def _png(width: int, height: int, color: tuple[int, int, int]) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        crc = struct.pack(">I", zlib.crc32(kind + data))
        return struct.pack(">I", len(data)) + kind + data + crc

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    rows = (b"\0" + bytes(color) * width) * height
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1))
    return b"\x89PNG\r\n\x1a\n" + body + chunk(b"IEND", b"")
