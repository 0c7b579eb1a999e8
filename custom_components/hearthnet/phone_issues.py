"""What Repairs shows of phones: only what a person can put right."""

from collections.abc import Iterator, Mapping

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir

from .companions import subentries_of
from .const import DOMAIN
from .coordinator import HearthnetConfigEntry
from .core.enrolled import DARCY
from .core.phone.recipes import Placed
from .core.phone.report import PhoneReport
from .core.reasons import Reason

PATIENCE = 300.0
"""Seconds for which a phone may be away before a person hears of it: phones sleep,
and networks have holes."""

MOST_OFF = 90.0
"""Seconds by which a phone's clock may be off: at two minutes what it is told is
thrown away as too old, or what it asks for."""

PHONE_ISSUES: Mapping[Reason, str] = {
    Reason.ADB_UNAUTHORIZED: "phone_unauthorized",
    Reason.ADB_TLS_PORT: "phone_tls_port",
    Reason.ADB_OFFLINE: "phone_offline",
    Reason.PHONE_TIMEOUT: "phone_offline",
}
"""Why a phone cannot be reached."""
APP_ISSUES: Mapping[Reason, str] = {
    Reason.APP_NOT_INSTALLED: "app_missing",
    Reason.LAUNCH_FAILED: "app_missing",
    Reason.APP_VERSION_UNVERIFIED: "app_updated",
    Reason.APP_SIGNER_MISMATCH: "app_signer",
    Reason.SCREEN_LOCKED: "phone_locked",
    Reason.INPUT_REJECTED: "input_rejected",
}
"""Why an app could not be used."""
OF_PHONE = frozenset({"phone_locked", "input_rejected"})
"""Those of them that are the phone's and show once, whichever app met them."""
AWAY = "phone_away"
CLOCK = "phone_clock"
PATIENT = frozenset({AWAY, "phone_offline"})


def _of_app(
    placed: Placed, report: PhoneReport
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Yield what a person can put right about an appliance's app."""
    reason = report.apps.get(placed.recipe.device)
    if reason is None or (key := APP_ISSUES.get(reason)) is None:
        return
    place = placed.node if key in OF_PHONE else placed.id
    yield (
        key,
        place,
        {
            "name": placed.node,
            "appliance": placed.recipe.name,
            "package": placed.recipe.app.package,
        },
    )


class PhoneIssues:
    """Compares what phones report with what is shown."""

    def __init__(self, hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
        """Show nothing yet."""
        self._hass = hass
        self._entry = entry
        self._since: dict[str, float] = {}
        """Issues that are waited with, to the boot time of their beginning."""
        self._shown: set[str] = set()

    @callback
    def look(self) -> None:
        """Show what has come up, take back what is over."""
        now = self._entry.runtime_data.hub.node.clock.boottime()
        found = {
            f"{key}_{place}": (key, placeholders)
            for key, place, placeholders in self._found()
        }
        self._since = {one: self._since.get(one, now) for one in found}
        due = {
            one: found[one]
            for one, since in self._since.items()
            if found[one][0] not in PATIENT or now - since >= PATIENCE
        }
        for gone in self._shown - due.keys():
            ir.async_delete_issue(self._hass, DOMAIN, gone)
        for one, (key, placeholders) in due.items():
            ir.async_create_issue(
                self._hass,
                DOMAIN,
                one,
                is_fixable=False,
                severity=ir.IssueSeverity.WARNING,
                translation_key=key,
                translation_placeholders=placeholders,
            )
        self._shown = set(due)

    @callback
    def clear(self) -> None:
        """Take everything back."""
        for one in self._shown:
            ir.async_delete_issue(self._hass, DOMAIN, one)

    def _found(self) -> Iterator[tuple[str, str, dict[str, str]]]:
        """Yield key, place and placeholders of all that is wrong now."""
        coordinator = self._entry.runtime_data
        outside = coordinator.outside
        if outside is None:
            return
        for name in subentries_of(self._entry, DARCY):
            if not outside.bus.presence.online(name):
                yield AWAY, name, {"name": name}
                continue
            report = outside.phones.get(name, PhoneReport())
            if abs(report.ahead) > MOST_OFF:
                minutes = str(round(abs(report.ahead) / 60))
                yield CLOCK, name, {"name": name, "minutes": minutes}
            key = PHONE_ISSUES.get(report.problem) if report.problem else None
            if key is not None:
                yield key, name, {"name": name, "fingerprint": report.fingerprint}
                continue
            for placed in coordinator.recipes:
                if placed.node == name:
                    yield from _of_app(placed, report)


@callback
def async_watch_phones(hass: HomeAssistant, entry: HearthnetConfigEntry) -> None:
    """Keep Repairs up to date while the entry is loaded."""
    issues = PhoneIssues(hass, entry)
    issues.look()
    entry.async_on_unload(entry.runtime_data.async_add_listener(issues.look))
    entry.async_on_unload(issues.clear)
