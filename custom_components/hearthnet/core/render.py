"""Sentences about a result, made from receipts and from nothing else.

A model's words never get here for a command (invariant 7): what is told as done
was read back, and every other outcome has wording of its own.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from . import wording
from .domains import OPERATIONS
from .effects import STATE
from .intents import Answer, PlanKind, Result, Step, Waiting
from .operations import Operation
from .reasons import Outcome, Reason
from .status import HoldStatus
from .texts import Plural, Texts, texts_for

_JUST_NOW = timedelta(seconds=10)
"""An age that nobody wants to hear."""
NAMED = 6
"""How many names a sentence lists before it counts the rest."""

_FEW = 2
"""How many devices that were as asked before are named beside those that were not."""

type Holds = Mapping[str, HoldStatus]
"""Standing holds by their id."""

STATE_UNAVAILABLE = "unavailable"
_ORDER = (
    Outcome.PLANNED,
    Outcome.GRANTED,
    Outcome.CHANGED,
    Outcome.ALREADY_SO,
    Outcome.RUNNING,
    Outcome.UNVERIFIED,
    Outcome.PARTIAL,
    Outcome.FAILED,
    Outcome.UNKNOWN,
    Outcome.UNREACHABLE,
    Outcome.WAITING,
    Outcome.REFUSED,
)
_NO_HOLDS: Holds = {}


def render(
    result: Result,
    language: str,
    *,
    now: datetime,
    holds: Holds = _NO_HOLDS,
    operations: Mapping[str, Operation] = OPERATIONS,
) -> str:
    """Return what to tell the person about a result.

    `now` is local and aware; `holds` lets a conflict name who asked and when;
    `operations` are those that exist in the home.
    """
    return _Writer(texts_for(language), now, holds, operations).write(result)


def acknowledge(language: str, devices: int | None) -> str:
    """Return what to say while it lasts, once it is known on how many devices."""
    texts = texts_for(language)
    if devices is None:
        return texts.one_moment
    return _pick(texts.working, devices).format(count=devices)


def asks_back(result: Result) -> bool:
    """Tell whether the sentence is a question that wants an answer."""
    if result.kind is not PlanKind.UNCLEAR:
        return False
    return bool(result.near) or (result.say or "").rstrip().endswith(("?", "\uff1f"))


@dataclass(frozen=True)
class _Writer:
    texts: Texts
    now: datetime
    holds: Holds
    operations: Mapping[str, Operation]

    def write(self, result: Result) -> str:
        if result.due is not None:
            sentences = [self.texts.later.format(time=self._time(result.due))]
        elif result.canceled:
            sentences = self._plans(self.texts.canceled, result.canceled)
        elif result.waiting:
            sentences = self._plans(self.texts.planned, result.waiting)
        elif result.steps:
            sentences = self._steps(result)
        elif result.kind is PlanKind.QUESTION:
            sentences = self._answers(result)
        elif result.kind is PlanKind.UNCLEAR:
            sentences = [self._unclear(result)]
        elif result.reason is not None:
            sentences = [self._nothing(result.reason)]
        else:
            sentences = [self.texts.nothing_to_do]
        return self.texts.between_sentences.join(sentences)

    # Commands

    def _steps(self, result: Result) -> list[str]:
        groups: dict[tuple[int, Plural, tuple[tuple[str, str], ...]], list[str]] = {}
        for step in result.steps:
            sentence, fields = self._step(step)
            key = _ORDER.index(step.outcome), sentence, tuple(fields.items())
            names = groups.setdefault(key, [])
            if step.name not in names:
                names.append(step.name)
        already = _ORDER.index(Outcome.ALREADY_SO)
        unchanged = [key for key in groups if key[0] == already]
        others = sum(len(groups[key]) for key in unchanged)
        brief = len(groups) > len(unchanged) and others > _FEW
        sentences = [
            _pick(sentence, len(names)).format(names=self._names(names), **dict(fields))
            for (place, sentence, fields), names in sorted(
                groups.items(), key=lambda item: item[0][0]
            )
            if not (brief and place == already)
        ]
        if brief:
            told = _pick(self.texts.others_already, others).format(count=others)
            sentences.append(told)
        if result.reason is not None:
            sentences.append(self.texts.rest.format(why=self._reason(result.reason)))
        if result.as_of is not None:
            sentences.insert(0, self.texts.as_of.format(time=self._time(result.as_of)))
        if result.until is not None:
            sentences.append(self.texts.until.format(time=self._time(result.until)))
        return sentences

    def _plans(self, sentence: str, plans: Iterable[Waiting]) -> list[str]:
        return [
            sentence.format(time=self._time(plan.due), what=plan.text) for plan in plans
        ]

    def _step(self, step: Step) -> tuple[Plural, dict[str, str]]:
        """Return the sentence and what to fill in besides the names."""
        texts = self.texts
        if step.outcome is Outcome.UNREACHABLE and step.since is not None:
            return texts.unreachable_since, {"time": self._time(step.since)}
        untouched = step.outcome in (Outcome.REFUSED, Outcome.UNREACHABLE)
        if untouched and step.reason not in (None, Reason.UNREACHABLE):
            return texts.refused, {"why": self._why(step)}
        return texts.outcomes[step.outcome], {"state": self._shown(step)}

    def _shown(self, step: Step) -> str:
        """Tell the values seen of what the operation changes; of a plan, its goal."""
        if step.outcome is Outcome.PLANNED:
            return wording.wanted(
                self.texts, step.operation, step.parameters, self.operations
            )
        seen = wording.reached(
            self.texts,
            step.operation,
            step.parameters,
            step.values,
            self.operations,
        )
        missed = step.outcome in (Outcome.FAILED, Outcome.PARTIAL)
        return seen or (self.texts.states["unknown"] if missed else self.texts.as_asked)

    def _why(self, step: Step) -> str:
        if step.reason is Reason.CONFLICT and (hold := self._hold(step)) is not None:
            texts = self.texts
            who, time = hold.principal, self._time(hold.since)
            if hold.ends_at is None:
                return texts.held.format(who=who, time=time)
            return texts.held_until.format(
                who=who, time=time, end=self._time(hold.ends_at)
            )
        return self._reason(step.reason or Reason.CANCELED)

    def _hold(self, step: Step) -> HoldStatus | None:
        for item in step.evidence:
            name = (item.path or "").removeprefix("holds/").removesuffix(".json")
            if (hold := self.holds.get(name)) is not None:
                return hold
        return None

    def _nothing(self, reason: Reason) -> str:
        if reason is Reason.NOTHING_PLANNED:
            return self.texts.nothing_planned
        return self.texts.nothing.format(why=self._reason(reason))

    def _reason(self, reason: Reason) -> str:
        return self.texts.reasons[reason]

    # Questions and asking back

    def _answers(self, result: Result) -> list[str]:
        if result.why and result.answers:
            return [part for one in result.answers for part in self._told_why(one)]
        if result.answers:
            return self._read(result.answers)
        if result.say:
            return [result.say]
        if result.reason is not None:
            return [self._unclear(result)]
        return [self.texts.no_answer]

    def _read(self, answers: Iterable[Answer]) -> list[str]:
        """Tell readings; those that show the same share a sentence."""
        groups: dict[tuple[str, str | None], list[Answer]] = {}
        for answer in answers:
            # What was seen a while ago is told with its own age.
            apart = None if answer.seen is None else answer.device
            groups.setdefault((self._state_of(answer), apart), []).append(answer)
        return [
            self._answer(same[0], state)
            if len(same) == 1
            else _pick(self.texts.answer, len(same)).format(
                names=self._names([answer.name for answer in same]), state=state
            )
            for (state, _), same in groups.items()
        ]

    def _state_of(self, answer: Answer) -> str:
        values = answer.values if answer.available else {STATE: STATE_UNAVAILABLE}
        return wording.state(self.texts, values)

    def _answer(self, answer: Answer, state: str) -> str:
        """Tell one reading with its age."""
        texts, name, since = self.texts, answer.name, answer.since
        if not answer.available:
            if since is None:
                return texts.answer_unreachable.format(names=name)
            return texts.answer_unreachable_since.format(
                names=name, time=self._time(since)
            )
        told = wording.answered(answer.values)
        if answer.seen is not None and told:
            if not told <= answer.seen.keys():
                return texts.answer_once.format(names=name, state=state)
            age = self._age(self.now - min(answer.seen[one] for one in told))
            return texts.answer_seen.format(names=name, state=state, age=age)
        if since is None or self.now - since < _JUST_NOW:
            return _pick(texts.answer, 1).format(names=name, state=state)
        return _pick(texts.answer_since, 1).format(
            names=name, state=state, age=self._age(self.now - since)
        )

    def _told_why(self, answer: Answer) -> tuple[str, str]:
        """Tell how a device is, and what made it so."""
        return self._answer(answer, self._state_of(answer)), self._why_so(answer)

    def _why_so(self, answer: Answer) -> str:
        texts, because = self.texts, answer.because
        if because is None:
            return texts.no_cause
        given = {
            "who": because.who,
            "what": because.text,
            "time": self._time(because.at),
        }
        if because.text:
            return texts.asked_for.format(**given)
        if because.who:
            return texts.changed_by.format(**given)
        if because.cause:
            return texts.causes[because.cause].format(**given)
        return texts.asked_for_by_some.format(**given)

    def _unclear(self, result: Result) -> str:
        near = self._list(result.near, self.texts.last_or)
        if near and result.reason is Reason.AMBIGUOUS:
            return self.texts.which.format(near=near)
        if near:
            return self.texts.did_you_mean.format(near=near)
        if result.say:
            return result.say
        return self._nothing(result.reason or Reason.NOT_UNDERSTOOD)

    # Words

    def _names(self, names: list[str]) -> str:
        if len(names) <= NAMED:
            return self._list(names, self.texts.last_and)
        return self.texts.more.format(
            names=self.texts.comma.join(names[: NAMED - 1]),
            count=len(names) - NAMED + 1,
        )

    def _list(self, names: Iterable[str], last: str) -> str:
        *first, end = list(names) or [""]
        return self.texts.comma.join(first) + last + end if first else end

    def _time(self, moment: datetime) -> str:
        local = moment.astimezone(self.now.tzinfo)
        same_day = local.date() == self.now.date()
        return local.strftime(self.texts.time if same_day else self.texts.date)

    def _age(self, span: timedelta) -> str:
        seconds = max(0, int(span.total_seconds()))
        texts = self.texts
        for unit, words in (
            (86400, texts.days),
            (3600, texts.hours),
            (60, texts.minutes),
            (10, texts.seconds),
        ):
            if seconds >= unit:
                count = seconds if unit == 10 else seconds // unit
                return _pick(words, count).format(count=count)
        return texts.just_now


def _pick(sentence: Plural, count: int) -> str:
    return sentence[0] if count == 1 else sentence[1]
