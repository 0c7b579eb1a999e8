"""What Repairs shows: only what a person can put right."""

from collections.abc import Iterable, Mapping
from datetime import datetime

from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import issue_registry as ir
from homeassistant.util import dt as dt_util

from .const import DOMAIN
from .core.leftovers import Dropped
from .core.outside import Outside
from .core.review import Review
from .core.status import AgentStatus, BurstStatus, HubStatus, LibrarianStatus

LIBRARIAN_GRACE = 60.0
"""Seconds the librarian may be away before a person hears of it: it is restarted."""

DROPPED = "dropped"
BUDGET = "budget_spent"
BURST = "too_many_requests"
COMPANION = "companion_problem"
CLOCK = "clock_behind"
JOURNAL = "journal_unwritable"
UNUSABLE = "journal_unusable"
LIBRARIAN = "librarian_dead"
MODEL = "model_unknown"
PLAYBOOKS = "playbooks_broken"
POLICY = "policy_broken"
RECIPES = "recipes_broken"
REJECTED = "bus_rejected"
REVIEW = "review"
STRAYS = "policy_strays"
TWIN = "bus_twin"


class Standing:
    """What one boot's status has Repairs show; told of every new status."""

    def __init__(self, hass: HomeAssistant, folder: str) -> None:
        """Take where the record is, for people."""
        self._hass = hass
        self._folder = folder
        self._reviews: set[str] = set()

    @callback
    def async_show_unusable(self, error: str) -> None:
        """Show why there is no start at all; a start takes it back."""
        _show(self._hass, UNUSABLE, shown=True, error=error, path=self._folder)

    @callback
    def async_show(self, status: HubStatus, outside: Outside | None) -> None:
        """Show what came about."""
        async_show_journal(self._hass, status.journal, self._folder)
        async_show_dropped(self._hass, status.dropped)
        async_show_bursts(self._hass, status.bursts)
        self._reviews = async_show_reviews(self._hass, status.reviews, self._reviews)
        if outside is not None:
            async_show_companions(self._hass, status.agents)
            rejected = outside.bus.reports.rejected.items()
            async_show_bus(
                self._hass,
                outside.problem,
                {topic: found.fault.value for topic, found in rejected},
            )

    @callback
    def async_show_with_time(self, status: HubStatus, away: float) -> None:
        """Show what only time changes.

        `away` is for how many seconds the librarian has recorded nothing.
        """
        async_show_journal(self._hass, status.journal, self._folder)
        async_show_librarian(self._hass, status.librarian, away)
        async_show_clock(self._hass, status.ahead)
        async_show_bursts(self._hass, status.bursts)


@callback
def async_show_mistakes(
    hass: HomeAssistant,
    key: str,
    mistakes: Iterable[str],
    path: str,
    *,
    fixable: bool = False,
) -> None:
    """Show mistakes in a text of the owner's, or take the issue back."""
    lines = "\n".join(f"- {mistake}" for mistake in mistakes)
    _show(hass, key, bool(lines), fixable=fixable, mistakes=lines, path=path)


@callback
def async_show_journal(hass: HomeAssistant, writable: bool, path: str) -> None:
    """Show that the journal of a running hub takes nothing, or take that back."""
    _show(hass, UNUSABLE, shown=False)
    _show(hass, JOURNAL, not writable, path=path)


@callback
def async_show_librarian(
    hass: HomeAssistant, librarian: LibrarianStatus, away: float
) -> None:
    """Show that what happens does not get into Git, for `away` seconds by now."""
    shown = away > LIBRARIAN_GRACE or (
        librarian.connected and librarian.problem is not None
    )
    _show(hass, LIBRARIAN, shown, problem=librarian.problem or "no answer")


@callback
def async_show_clock(hass: HomeAssistant, ahead: datetime | None) -> None:
    """Show that the clock is behind the newest event, and how far that was ahead."""
    text = f"{dt_util.as_local(ahead):%Y-%m-%d %H:%M}" if ahead else ""
    _show(hass, CLOCK, ahead is not None, fixable=True, newest=text)


@callback
def async_show_budget(hass: HomeAssistant, cap: str | None) -> None:
    """Show which cap of the day leaves no model to ask, or take the issue back."""
    _show(hass, BUDGET, cap is not None, warning=True, cap=cap or "")


@callback
def async_show_model(hass: HomeAssistant, model: str | None) -> None:
    """Show the model that is not offered (any more), or take the issue back."""
    _show(hass, MODEL, model is not None, fixable=True, model=model or "")


@callback
def async_show_dropped(hass: HomeAssistant, dropped: Iterable[Dropped]) -> None:
    """Offer what a start dropped and a person can ask for anew."""
    sayable = [one.text for one in dropped if one.sayable]
    if not sayable:
        ir.async_delete_issue(hass, DOMAIN, DROPPED)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        DROPPED,
        is_fixable=True,
        severity=ir.IssueSeverity.WARNING,
        translation_key=DROPPED,
        translation_placeholders={"count": str(len(sayable))},
    )


@callback
def async_show_reviews(
    hass: HomeAssistant, reviews: Iterable[Review], before: set[str]
) -> set[str]:
    """Show what only a person can decide; return the issues that stand."""
    standing = set()
    for review in reviews:
        standing.add(key := f"{REVIEW}_{review.id}")
        ir.async_create_issue(
            hass,
            DOMAIN,
            key,
            data={"review": review.id},
            is_fixable=True,
            severity=ir.IssueSeverity.WARNING,
            translation_key=REVIEW,
            translation_placeholders={
                "asked": review.request.text,
                "manager": review.manager,
                "device": review.device,
            },
        )
    for key in before - standing:
        ir.async_delete_issue(hass, DOMAIN, key)
    return standing


@callback
def async_show_companions(hass: HomeAssistant, agents: Iterable[AgentStatus]) -> None:
    """Show what is wrong with librarians elsewhere, or take it back."""
    lines = "\n".join(
        f"- {one.name}: {one.problem}" for one in agents if one.online and one.problem
    )
    _show(hass, COMPANION, bool(lines), warning=True, problems=lines)


@callback
def async_show_bursts(hass: HomeAssistant, bursts: Iterable[BurstStatus]) -> None:
    """Show who asks so often that it looks like a loop, or take the issue back."""
    lines = "\n".join(
        f"- {burst.principal} ({burst.id}): {burst.refused},"
        f" {dt_util.as_local(burst.since):%Y-%m-%d %H:%M}"
        for burst in bursts
    )
    _show(hass, BURST, bool(lines), warning=True, requesters=lines)


@callback
def async_show_bus(
    hass: HomeAssistant, twin: str | None, rejected: Mapping[str, str]
) -> None:
    """Show what is wrong on the broker and needs a person."""
    _show(hass, TWIN, twin is not None, text=twin or "")
    lines = "\n".join(f"- {topic}: {fault}" for topic, fault in rejected.items())
    _show(hass, REJECTED, bool(lines), topics=lines)


@callback
def _show(
    hass: HomeAssistant,
    key: str,
    shown: bool,
    *,
    warning: bool = False,
    fixable: bool = False,
    **placeholders: str,
) -> None:
    if not shown:
        ir.async_delete_issue(hass, DOMAIN, key)
        return
    ir.async_create_issue(
        hass,
        DOMAIN,
        key,
        is_fixable=fixable,
        severity=ir.IssueSeverity.WARNING if warning else ir.IssueSeverity.ERROR,
        translation_key=key,
        translation_placeholders=placeholders,
        data=dict[str, str | int | float | None](placeholders) if fixable else None,
    )
