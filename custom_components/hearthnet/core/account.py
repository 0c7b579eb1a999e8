"""What people who follow an intent in writing read of it: one text. Pure.

It grows with the intent's chain: first what Rupert asks of whom, then what each
manager or Rupert answered, with the evidence of what was refused.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from . import wording
from .clock import from_text
from .devices import Values
from .holds import Hold
from .intents import PlanKind, Result, Step
from .messages import MessageType
from .planner.clean import clean
from .reasons import Outcome
from .render import render
from .status import HoldStatus, QuestionStatus
from .story import Event, Line, lines_of
from .texts import texts_for

MOST = 3500
"""Characters of a text; Telegram takes 4096."""
MOST_TOGETHER = 10
"""Questions put as one: nobody agrees to a list that they do not read."""
_LONGEST = 120
"""Characters of one name."""
_ENDS = frozenset(
    {
        *(MessageType.RECEIPT, MessageType.REFUSAL, MessageType.DENIAL),
        *(MessageType.CONFIRMATION_REQUEST, MessageType.RESOLUTION),
    }
)
"""What a task that nobody works on any more has at least one of."""

type NameOf = Callable[[str], str]
"""Device id to the name that people know."""


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Who reads."""

    language: str
    now: datetime
    """Local and aware."""
    name: NameOf


def account(
    events: Sequence[Event],
    reader: Reader,
    *,
    boot: int,
    plans: Collection[str] = (),
    result: Result | None = None,
) -> str:
    """Return what is told of an intent so far.

    Args:
        events: its chain, oldest first, with messages.
        reader: who reads.
        boot: the hub's.
        plans: intents of the plans for later that stand.
        result: what became of it, once it is over, for what no task shows.
    """
    lines: dict[str, list[Line]] = {}
    ends = {event["id"]: event for event in events}
    for line in lines_of(events, boot, plans):
        lines.setdefault(ends[line.event]["task"] or "", []).append(line)
    texts: list[str] = []
    for event in events:
        if event["type"] == MessageType.TASK and not _body(event).get("use"):
            answers = lines.get(event["id"], [])
            if answers or _goes_on(event, events):
                texts.append(_order(event, reader))
            for line in answers:
                texts += _answer(line, ends[line.event], reader)
            texts += _approval(event, events, reader)
    if result is not None:
        texts += _rest(result, ends if texts else (), reader)
    return cut(texts)


def question(asked: QuestionStatus, reader: Reader, end: str | None = None) -> str:
    """Return what a person is asked to agree to: who wants what, and how it is now.

    `end` says how the question ended, in place of until when it stands.
    """
    texts = texts_for(reader.language)
    names = texts.comma.join(_name(device, reader) for device in asked.target)
    states = {wording.state(texts, values) for values in asked.shown.values()}
    wanted = wording.wanted(texts, asked.operation, asked.parameters)
    until = asked.expires_at.astimezone(reader.now.tzinfo).strftime("%H:%M:%S")
    return "\n".join(
        (
            texts.wants.format(
                who=clean(asked.principal, _LONGEST), names=names, state=wanted
            ),
            *(texts.is_now.format(state=state) for state in sorted(states)),
            end or texts.open_until.format(time=until),
        )
    )


def together(
    questions: Iterable[QuestionStatus], language: str
) -> list[QuestionStatus]:
    """Put as one what a request wants done alike with devices that are alike now.

    Nobody shall be asked so often that they stop reading. Each of them is bound,
    answered and verified by itself.
    """
    texts = texts_for(language)
    put: list[QuestionStatus] = []
    alike: dict[tuple[object, ...], int] = {}
    """Where in `put` the next one of a kind belongs."""
    for one in questions:
        wanted = wording.wanted(texts, one.operation, one.parameters)
        states = frozenset(wording.state(texts, v) for v in one.shown.values())
        key = one.intent, one.principal, wanted, states, one.again
        place = alike.get(key)
        if place is None or len(put[place].ids) == MOST_TOGETHER:
            alike[key] = len(put)
            put.append(one)
            continue
        first = put[place]
        put[place] = replace(
            first,
            put_as_one=(*first.parts, one),
            target=(*first.target, *one.target),
            shown={**first.shown, **one.shown},
            expires_at=min(first.expires_at, one.expires_at),
        )
    return put


def ending(answer: str, who: str, reader: Reader, until: datetime | None = None) -> str:
    """Return how a question ended; `answer` is the record's word for it.

    `until` is how long the same was agreed to beforehand.
    """
    texts = texts_for(reader.language)
    if until is not None:
        return texts.approved_until.format(
            who=clean(who, _LONGEST), time=time_of_day(until, reader)
        )
    return texts.endings[answer].format(who=clean(who, _LONGEST))


def time_of_day(moment: datetime, reader: Reader) -> str:
    """Return a moment of the next day as people there read it."""
    return moment.astimezone(reader.now.tzinfo).strftime("%H:%M")


def _body(event: Event) -> dict[str, object]:
    return dict(event["message"].get("body", {}))


def _goes_on(task: Event, events: Iterable[Event]) -> bool:
    return not any(e["task"] == task["id"] and e["type"] in _ENDS for e in events)


def _order(task: Event, reader: Reader) -> str:
    texts = texts_for(reader.language)
    body = task["message"]["body"]
    wanted = wording.wanted(texts, body["operation"], body.get("parameters") or {})
    return (
        f"{task['sender'].capitalize()} → {str(task['recipient']).capitalize()}: "
        f"{_name(body['device'], reader)}: {wanted}"
    )


def _answer(line: Line, end: Event, reader: Reader) -> list[str]:
    """Return an agent's answer, and what it rests on if nothing was done."""
    step = Step(
        device=line.device or "",
        entity_id="",
        name=_name(line.device or "", reader),
        operation=line.operation or "",
        parameters=line.parameters,
        outcome=line.outcome or Outcome.UNKNOWN,
        reason=line.reason,
        evidence=line.evidence,
        values=_same(line.seen),
    )
    said = _rendered(
        Result(
            intent="",
            kind=PlanKind.COMMAND,
            language=reader.language,
            steps=(step,),
        ),
        reader,
        line,
    )
    told = [f"{end['sender'].capitalize()}: {said}"]
    if line.outcome is Outcome.REFUSED:
        told.append(_cited(line, end, reader))
    return told


def _same(seen: Sequence[Values]) -> Values:
    """Return what all devices show, if they show the same."""
    return seen[0] if seen and all(values == seen[0] for values in seen) else {}


def _cited(line: Line, end: Event, reader: Reader) -> str:
    """Name what a refusal rests on, so that it can be looked up."""
    texts = texts_for(reader.language)
    first = line.evidence[0] if line.evidence else None
    commit = (first.commit if first else None) or line.commit
    cited = (
        (texts.lease, (first.lease if first else None) or end["lease"]),
        (texts.event, (first.event if first else None) or line.event),
        (texts.commit, commit and commit[:10]),
        (texts.rule, first.rule if first else None),
    )
    return "   " + " · ".join(f"{word} {name}" for word, name in cited if name)


def _approval(task: Event, events: Iterable[Event], reader: Reader) -> list[str]:
    """Say that a person agreed: what came of it is told as an intent of its own."""
    return [
        ending("approved", body["principal"]["name"], reader, _until(body))
        for event in events
        if event["type"] == MessageType.CONFIRMATION
        and event["task"] == task["id"]
        and (body := event["message"]["body"])["answer"] == "approved"
    ]


def _until(answer: Mapping[str, Any]) -> datetime | None:
    until = answer.get("until")
    return from_text(until) if until else None


def _rest(result: Result, told: Collection[str], reader: Reader) -> list[str]:
    """Tell what of a result no task shows: an answer, or what never became one."""
    steps = tuple(step for step in result.steps if step.event not in told)
    if steps or not told:
        return [_rendered(replace(result, steps=steps), reader)]
    if result.reason is None:
        return []
    texts = texts_for(reader.language)
    return [texts.rest.format(why=texts.reasons[result.reason])]


def _rendered(result: Result, reader: Reader, line: Line | None = None) -> str:
    holds: dict[str, HoldStatus] = {}
    if line is not None and line.hold is not None:
        hold = HoldStatus.of(Hold.from_dict(line.hold))
        holds[hold.id] = hold
    return render(result, reader.language, now=reader.now, holds=holds)


def _name(device: str, reader: Reader) -> str:
    return clean(reader.name(device), _LONGEST)


def cut(texts: Sequence[str]) -> str:
    """Return texts below each other, as far as a message takes them."""
    text = "\n".join(filter(None, texts))
    return text if len(text) <= MOST else text[: MOST - 1].rpartition("\n")[0] + "\n…"
