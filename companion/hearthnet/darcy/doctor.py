"""Examines a phone: what Darcy needs, what would fail, and how to put it right.

It also records what the phone says word for word and how long it takes. Every
maker changes something; a report that a person sends in becomes a test.
"""

from collections.abc import Iterable

from hearthnet.core.phone.recipe import Recipe
from hearthnet.core.reasons import Reason

from . import facts, termux
from .findings import Check, Findings, Verdict
from .link import Link, LinkError, Reply
from .phone import Pace, Phone
from .runner import observe
from .sensors import Sensors
from .shell import Line, line
from .stops import Stop

_LONG = 15.0
"""Seconds for one command: the doctor has time, and wants to know how long."""
_REMEDIES = {
    Reason.ADB_OFFLINE: "Switch debugging on again. After each restart of the phone: "
    "wireless debugging, or `adb tcpip 5555` for a fixed port.",
    Reason.ADB_UNAUTHORIZED: "Look at the phone's screen: allow always, if the "
    "fingerprint is the one above.",
    Reason.ADB_TLS_PORT: "That port asks nobody: let the phone learn the key once, "
    "by `adb tcpip 5555`, `--port 5555`, and “allow always” in its dialog.",
}
_MI_REMEDY = (
    "On Xiaomi: Developer options, “USB debugging (Security settings)”, needs an "
    "account and a SIM card. On others: Developer options, allow simulated input."
)


async def examine(
    link: Link, fingerprint: str, recipes: Iterable[Recipe], *, open_apps: bool
) -> Findings:
    """Examine a phone.

    Args:
        link: the phone, with patience for its owner's answer.
        fingerprint: of Darcy's key, as the phone shows it.
        recipes: what the phone is to be used for.
        open_apps: also open each recipe's app and read it; nothing is changed.
    """
    findings = Findings()
    key = Check("key", Verdict.FINE, f"fingerprint {fingerprint}")
    findings.extend([key])
    try:
        await link.connect(60)
        findings.extend([Check("connection", Verdict.FINE, "connected")])
        phone = Phone(link, Pace(dump=12.0, command=_LONG))
        await _Doctor(phone, findings).everything()
        for recipe in recipes:
            findings.extend([await _recipe(phone, recipe, open_apps=open_apps)])
    except LinkError as error:
        remedy = _REMEDIES.get(error.reason, "")
        check = Check("connection", Verdict.PROBLEM, error.text, remedy)
        findings.extend([check])
    return findings


class _Doctor:
    def __init__(self, phone: Phone, findings: Findings) -> None:
        self._phone = phone
        self._link = phone.link
        self._findings = findings
        self._sdk = 0

    async def everything(self) -> None:
        """Run all checks of the phone itself."""
        for check in (
            self._model,
            self._tools,
            self._screen,
            self._inputs,
            self._dump,
            self._key_expiry,
            self._animations,
            self._phantoms,
            self._sensors,
        ):
            self._findings.extend(await check())

    async def _ask(self, name: str, command: Line) -> Reply:
        """Ask the phone and record the answer."""
        reply = await self._link.run(command, _LONG)
        self._findings.recorded[name] = {
            "code": reply.code,
            "out": reply.text[:4000],
            "err": reply.error[:1000],
            "ms": round((reply.answered - reply.asked) * 1000),
        }
        return reply

    async def _setting(self, name: str) -> str:
        reply = await self._ask(name, line("settings", "get", "global", name))
        return reply.text.strip()

    async def _model(self) -> list[Check]:
        names = ("ro.product.manufacturer", "ro.product.model", "ro.build.version.sdk")
        said = [(await self._ask(n, line("getprop", n))).text.strip() for n in names]
        self._sdk = int(said[2]) if said[2].isdecimal() else 0
        found = f"{said[0]} {said[1]}, Android API {self._sdk or '?'}"
        verdict = Verdict.FINE if self._sdk >= 26 else Verdict.UNKNOWN
        return [Check("phone", verdict, found)]

    async def _tools(self) -> list[Check]:
        reply = await self._ask("tools", Line("command -v timeout && command -v grep"))
        if reply.code == 0:
            return [Check("shell", Verdict.FINE, "has timeout and grep")]
        text = "this Android's shell is too old for Darcy"
        return [Check("shell", Verdict.PROBLEM, text, "Use a phone with Android 8 on.")]

    async def _screen(self) -> list[Check]:
        seen = facts.glance((await self._ask("glance", facts.GLANCE)).text)
        checks = []
        for name, value, missing in (
            ("screen", seen.awake, "whether it is on"),
            ("lock", seen.locked, "whether it is locked"),
            ("display", seen.size, "its size"),
            ("owner", seen.quiet, "when it was last touched"),
        ):
            if value is None:
                text = f"the phone does not tell {missing}"
                checks.append(Check(name, Verdict.PROBLEM, text, _SEND))
            else:
                checks.append(Check(name, Verdict.FINE, f"{missing}: {value}"))
        if seen.awake and not seen.locked and not (seen.package or seen.shade):
            text = "the phone does not tell which app is in front"
            checks.append(Check("front", Verdict.PROBLEM, text, _SEND))
        return checks

    async def _inputs(self) -> list[Check]:
        # Key 0 is unknown: it does nothing but needs the same right as a tap.
        reply = await self._ask("input", line("input", "keyevent", "0"))
        self._phone.watch.excuse(self._link.now())
        if reply.code == 0 and "Exception" not in reply.error:
            return [Check("inputs", Verdict.FINE, "allowed")]
        return [Check("inputs", Verdict.PROBLEM, "the phone rejects them", _MI_REMEDY)]

    async def _dump(self) -> list[Check]:
        began = self._link.now()
        try:
            tree = await self._phone.look()
        except Stop as stop:
            took = self._link.now() - began
            self._findings.recorded["dump"] = {"ms": round(took * 1000), "nodes": 0}
            remedy = "Wake the phone, go to its home screen and try again."
            return [Check("reading", Verdict.PROBLEM, stop.text, remedy)]
        took = self._link.now() - began
        size = len(tree.nodes)
        self._findings.recorded["dump"] = {"ms": round(took * 1000), "nodes": size}
        found = f"{took:.1f} s for a screen of {size} views"
        if took <= 4:
            return [Check("reading", Verdict.FINE, found)]
        remedy = f"Set dump_seconds = {2 * took:.0f} for this phone."
        return [Check("reading", Verdict.ADVICE, found, remedy)]

    async def _key_expiry(self) -> list[Check]:
        value = await self._setting("adb_allowed_connection_time")
        if self._sdk < 30 or value == "0":
            return [Check("key expiry", Verdict.FINE, "the key stays allowed")]
        remedy = "Developer options: “Disable adb authorization timeout”."
        text = "the key is forgotten after 7 days without a connection"
        return [Check("key expiry", Verdict.ADVICE, text, remedy)]

    async def _animations(self) -> list[Check]:
        value = await self._setting("animator_duration_scale")
        if value in {"0", "0.0"}:
            return [Check("animations", Verdict.FINE, "off")]
        remedy = (
            "Developer options: the three animation scales off. Screens are read "
            "faster, and some can be read at all."
        )
        return [Check("animations", Verdict.ADVICE, "on", remedy)]

    async def _phantoms(self) -> list[Check]:
        if self._sdk < 31 or not termux.has("termux-sensor"):
            return []
        value = await self._setting("settings_enable_monitor_phantom_procs")
        if value == "false":
            return [Check("processes", Verdict.FINE, "Android leaves Darcy alone")]
        text = "Android may kill Darcy without a word"
        remedy = "Developer options: “Disable child process restrictions”."
        return [Check("processes", Verdict.ADVICE, text, remedy)]

    async def _sensors(self) -> list[Check]:
        state = await Sensors(self._link, _LONG).read()
        values = state.values()
        self._findings.recorded["sensors"] = values
        wanted = ("battery", "light", "gyroscope", "accelerometer")
        has = [name for name in wanted if name in values]
        lacks = [name for name in wanted if name not in values]
        found = f"{', '.join(has) or 'none'} of {', '.join(wanted)}"
        if not lacks:
            return [Check("sensors", Verdict.FINE, found)]
        remedy = (
            "In Termux on the phone: the app Termux:API and pkg install termux-api."
        )
        return [Check("sensors", Verdict.ADVICE, found, remedy)]


_SEND = "Please send this report in: this Android is not known yet."


async def _recipe(phone: Phone, recipe: Recipe, *, open_apps: bool) -> Check:
    """Check whether a recipe fits what is installed, and perhaps what it shows."""
    app = recipe.app
    installed = await phone.package(app.package)
    if installed is None:
        text = f"{app.package} is not installed"
        return Check(recipe.device, Verdict.PROBLEM, text, "Install the app.")
    low, high = app.version_code
    version = f"version {installed.version} ({installed.version_name})"
    if not low <= installed.version <= high:
        remedy = "Check the recipe against the new version, then widen version_code."
        text = f"{version}, checked were {low} to {high}"
        return Check(recipe.device, Verdict.PROBLEM, text, remedy)
    try:
        signer = await phone.signer(app.package)
    except Stop as stop:
        signer = f"unknown, {stop.text}"
    version += f", signer_sha256: {signer}"
    if app.signer_sha256 not in {None, signer}:
        remedy = "Install the app from where the recipe's author has it."
        return Check(recipe.device, Verdict.PROBLEM, version, remedy)
    if not open_apps or recipe.look is None:
        return Check(recipe.device, Verdict.FINE, version)
    seen = await observe(phone, recipe)
    if seen.reason is not None:
        text = f"{version}, {seen.reason}: {seen.evidence[0].text}"
        return Check(recipe.device, Verdict.PROBLEM, text)
    values = ", ".join(f"{name} {value}" for name, value in seen.values.items())
    return Check(recipe.device, Verdict.FINE, f"{version}, shows {values}")
