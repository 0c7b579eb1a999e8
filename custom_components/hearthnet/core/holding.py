"""How holds come and go: from receipts, and from changes outside HearthNet."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta

from .arbitrate import Answer, judge
from .devices import Principal, Values
from .effects import Effect
from .holds import Hold, Kind, Range, SourceClass
from .messages import Json
from .policy.model import Policy
from .status import Cause

SWITCH = Principal(kind="system", id="switch", name="a switch", role="resident")
"""Stands for whoever pressed a switch that the policy counts as a person."""
VOICE = Principal(
    kind="satellite", id="voice", name="somebody's voice", role="resident"
)
"""Stands for whoever spoke where the satellite is not known."""


@dataclass(frozen=True)
class Ended:
    """A hold that is over before its time, and why."""

    hold: Hold
    why: str


@dataclass(frozen=True, kw_only=True)
class HoldChange:
    """What an event does to the holds."""

    ended: tuple[Ended, ...] = ()
    made: tuple[Hold, ...] = ()
    broken: tuple[Hold, ...] = ()
    """Held still, though the device now shows another value: for the guard."""

    def writes(self) -> dict[str, Json]:
        """Return what the event writes: path to the hold, None where one ends."""
        gone: dict[str, Json] = {ended.hold.path: None for ended in self.ended}
        return gone | {hold.path: hold.as_dict() for hold in self.made}


def ends_at(
    source: SourceClass,
    now: datetime,
    now_local: datetime,
    policy: Policy,
    stated: datetime | None = None,
) -> datetime | None:
    """Return when a new hold ends, in UTC; None when the source leaves none.

    Args:
        source: whose wish it is.
        now: the time, aware.
        now_local: the same moment in the home's zone, for midnight.
        policy: how long each source holds.
        stated: the end that the person named, if one was named.
    """
    if stated is not None:
        return stated.astimezone(UTC) if stated > now else None
    if source is SourceClass.STANDING:
        tomorrow = now_local.date() + timedelta(days=1)
        midnight = datetime.combine(tomorrow, time(), now_local.tzinfo)
        return midnight.astimezone(UTC)
    lengths = policy.holds
    minutes = {
        SourceClass.PERSON: lengths.person,
        SourceClass.AUTOMATION: lengths.automation,
        SourceClass.SCHEDULE: lengths.schedule,
        SourceClass.AGENT: lengths.agent,
        SourceClass.SAFETY: lengths.safety,
    }[source]
    return now.astimezone(UTC) + timedelta(minutes=minutes) if minutes > 0 else None


def holds_from_receipt(
    event: str,
    effects: Iterable[Effect],
    seen: Mapping[str, Values],
    *,
    source: SourceClass,
    principal: Principal,
    now: datetime,
    ends: datetime | None,
    holds: Iterable[Hold],
    policy: Policy,
    leaves: SourceClass | None = None,
    intent: str | None = None,
    ranges: Mapping[str, Range] | None = None,
    members: Mapping[str, tuple[str, ...]] | None = None,
) -> HoldChange:
    """Return what a receipt `changed` or `already_so` does to the holds.

    Args:
        event: id of the receipt.
        effects: the effects that were reached.
        seen: by device key, the values read back.
        source: whose wish it was at that moment.
        principal: who wished it.
        now: the time, aware.
        ends: when new holds end (`ends_at`), None for none.
        holds: the holds in force.
        policy: says in which order persons stand.
        leaves: the class of the holds it makes, if it is not `source`: what
            somebody says now may be meant to stand.
        intent: the intent it belongs to.
        ranges: by attribute, the range that the person named.
        members: by a group's key, the keys of its members.
    """
    reached = [
        Effect(effect.device, effect.attribute, seen[effect.device][effect.attribute])
        for effect in effects
        if effect.attribute in seen.get(effect.device, {})
    ]
    made: tuple[Hold, ...] = ()
    if ends is not None:
        made = _make(
            Hold(
                id=event,
                device="",
                attribute="",
                value=None,
                source=leaves or source,
                principal=principal,
                since=now,
                ends_at=ends,
                intent=intent,
                event=event,
            ),
            reached,
            ranges or {},
            members or {},
        )
    return _meet(
        reached,
        made,
        _live(holds, now),
        source=source,
        principal=principal,
        policy=policy,
    )


def on_observation(
    event: str,
    cause: Cause,
    effects: Iterable[Effect],
    *,
    holds: Iterable[Hold],
    now: datetime,
    policy: Policy,
    principal: Principal | None = None,
    entity_id: str | None = None,
) -> HoldChange:
    """Return what a change of one device outside HearthNet does to the holds.

    A person's change ends what is weaker or older and is held itself; a switch
    ends the hold and quiets schedules and agents; a device that comes back
    changes nothing; automations and unknown causes are only recorded.

    Args:
        event: id of the observation.
        cause: who or what made the change.
        effects: the attributes that changed, with their new values.
        holds: the holds in force.
        now: the time, aware.
        policy: lengths of holds and of the cool-down, order of persons.
        principal: the person; needed when the cause is one.
        entity_id: of the device, for the policy's `switches_as_persons`.

    Raises:
        ValueError: the cause is a person, and no principal was given.
    """
    changed, live = list(effects), _live(holds, now)
    if cause in (Cause.RECONNECT, Cause.OWN):
        return HoldChange()
    if cause is Cause.DEVICE:
        if entity_id not in policy.switches_as_persons:
            return _by_switch(event, changed, live, now, policy)
        cause, principal = Cause.PERSON, SWITCH
    if cause not in (Cause.PERSON, Cause.VOICE):
        return HoldChange(broken=tuple(_contradicted(changed, live)))
    if principal is None:
        if cause is Cause.PERSON:
            raise ValueError("a person's change needs the person")
        principal = VOICE
    seen: dict[str, dict[str, Json]] = {}
    for effect in changed:
        seen.setdefault(effect.device, {})[effect.attribute] = effect.value
    return holds_from_receipt(
        event,
        changed,
        seen,
        source=SourceClass.PERSON,
        principal=principal,
        now=now,
        ends=ends_at(SourceClass.PERSON, now, now, policy),
        holds=live,
        policy=policy,
    )


def _live(holds: Iterable[Hold], now: datetime) -> list[Hold]:
    return [hold for hold in holds if hold.is_live(now)]


def _contradicted(effects: Iterable[Effect], holds: Iterable[Hold]) -> list[Hold]:
    """Return the holds, quiet ones aside, that an effect contradicts."""
    changed = list(effects)
    return [
        hold
        for hold in holds
        if hold.kind is Kind.HOLD and any(hold.broken_by(effect) for effect in changed)
    ]


def _make(
    pattern: Hold,
    reached: Iterable[Effect],
    ranges: Mapping[str, Range],
    members: Mapping[str, tuple[str, ...]],
) -> tuple[Hold, ...]:
    """Return a hold for each attribute reached, ids numbered under the event.

    A group's hold covers the members that were not seen themselves: a group
    shows the mean of its members, which is no value of any of them.
    """
    values = {(e.device, e.attribute): e.value for e in reached if e.value is not None}
    seen = {device for device, _ in values}
    return tuple(
        replace(
            pattern,
            id=f"{pattern.event}-{number}",
            device=device,
            attribute=attribute,
            value=value,
            within=ranges.get(attribute),
            members=tuple(m for m in members.get(device, ()) if m not in seen),
        )
        for number, ((device, attribute), value) in enumerate(values.items())
    )


def _meet(
    reached: Iterable[Effect],
    made: tuple[Hold, ...],
    live: Iterable[Hold],
    *,
    source: SourceClass,
    principal: Principal,
    policy: Policy,
) -> HoldChange:
    """Return which holds end and which are broken by what was reached."""
    changed = list(reached)
    renewed = {(hold.device, hold.attribute): hold for hold in made}
    ended: list[Ended] = []
    broken: list[Hold] = []
    for hold in live:
        spot = hold.device, hold.attribute
        if hold.principal.is_same_as(principal) and spot in renewed:
            ended.append(Ended(hold, f"{principal.name} wished anew"))
            if hold.ends_at > renewed[spot].ends_at:
                # A word in between does not shorten what was meant to stand.
                renewed[spot] = replace(renewed[spot], ends_at=hold.ends_at)
        elif hold in _contradicted(changed, [hold]):
            answer, why = judge(hold, source, principal, policy)
            # A tie that was acted upon was decided for the newer wish.
            if answer in (Answer.YIELDS, Answer.ASK):
                ended.append(Ended(hold, why))
            else:
                broken.append(hold)
    return HoldChange(
        ended=tuple(ended), made=tuple(renewed.values()), broken=tuple(broken)
    )


def _by_switch(
    event: str,
    changed: list[Effect],
    live: Iterable[Hold],
    now: datetime,
    policy: Policy,
) -> HoldChange:
    """End what a switch contradicts, and keep schedules and agents off a while."""
    minutes = policy.holds.cool_down
    made: tuple[Hold, ...] = ()
    if minutes > 0:
        pattern = Hold(
            id=event,
            kind=Kind.QUIET,
            device="",
            attribute="",
            value=None,
            source=SourceClass.AUTOMATION,
            principal=SWITCH,
            since=now,
            ends_at=now + timedelta(minutes=minutes),
            event=event,
        )
        made = _make(pattern, changed, {}, {})
    renewed = {(hold.device, hold.attribute) for hold in made}
    over = _contradicted(changed, live) + [
        hold
        for hold in live
        if hold.kind is Kind.QUIET and (hold.device, hold.attribute) in renewed
    ]
    return HoldChange(
        ended=tuple(Ended(hold, "the device or its switch was used") for hold in over),
        made=made,
    )
