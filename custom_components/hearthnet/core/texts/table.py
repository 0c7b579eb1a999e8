"""What a table of words must hold.

The type makes a missing entry an error for the checker; a test looks into the
mappings. Placeholders: `{names}` who, `{state}` what a read showed, `{why}` a
reason, `{time}` a time of day, `{age}` a span, `{near}` names to choose from, `{who}`
a person.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from ..reasons import Outcome, Reason

type Plural = tuple[str, str]
"""A sentence about one thing, and the same sentence about several."""


@dataclass(frozen=True, kw_only=True)
class Texts:
    """Everything that `render` can say in one language."""

    # Lists and numbers
    comma: str
    last_and: str
    last_or: str
    more: str
    """`{names}` and `{count}` that are not named."""
    between_sentences: str

    # Spans and times
    just_now: str
    seconds: Plural
    minutes: Plural
    hours: Plural
    days: Plural
    time: str
    """strftime pattern for a moment of today."""
    date: str
    """strftime pattern for another moment."""

    # While it lasts
    one_moment: str
    working: Plural
    """With `{count}`: of devices that a plan is being carried out on."""

    # What became of devices
    outcomes: Mapping[Outcome, Plural]
    """Sentences with `{names}` and, where a read is told, `{state}`."""
    unreachable_since: Plural
    others_already: Plural
    """Of `{count}` devices that are not named: they were as asked before."""
    refused: Plural
    """`{names}` was not touched, `{why}`."""
    as_asked: str
    """Stands for `{state}` where the read-back names no attribute."""

    # What a read shows
    states: Mapping[str, str]
    attributes: Mapping[str, str]
    """Control attribute to its phrase with `{value}`."""
    flags: Mapping[str, tuple[str, str]]
    """Control attribute that is true or false to its two phrases."""
    other_attribute: str

    # Why not
    reasons: Mapping[Reason, str]
    """Completes `refused` and `nothing`; no full stop."""
    held: str
    """Completes `refused`: `{who}` asked at `{time}`."""
    held_until: str
    """As `held`, with the `{end}`."""
    nothing: str
    """The whole request came to nothing, `{why}`."""
    rest: str
    """Some steps have been told; for the others `{why}`."""
    nothing_to_do: str
    later: str
    """What is for later, with its time."""
    as_of: str
    """Before what became of devices that were to be as they were at `{time}`."""
    until: str
    """What was done goes back to how it was at `{time}`."""
    planned: str
    """A plan for later: `{what}` was asked for, `{time}`."""
    canceled: str
    """As `planned`, of one that is none any more."""
    nothing_planned: str

    # Questions and asking back
    answer: Plural
    """`{names}` is `{state}`."""
    answer_since: Plural
    """As `answer`, for an `{age}` now."""
    answer_seen: str
    """`{names}` was `{state}` when it was last seen, `{age}` ago."""
    answer_once: str
    """As `answer_seen`, and when that was is not known."""
    answer_unreachable: str
    answer_unreachable_since: str
    no_answer: str
    none: str
    """Of what was asked about, nothing is so; `all` where everything is."""
    all: str
    nothing_on: str
    """To who asks what is on, where nothing is."""
    nothing_open: str
    """As `nothing_on`, to who asks what is open."""
    hello: str
    """To who says hello."""
    all_right: str
    """To who takes back what needed nothing to be done."""
    confirm_there: str
    """To who says yes where nobody can tell who it was."""
    asked_for: str
    """Why it is so: `{who}` said `{what}` at `{time}`."""
    asked_for_by_some: str
    """As `asked_for`, to somebody who may not know whose wish it was."""
    changed_by: str
    """Why it is so: `{who}`, a person or an automation, changed it at `{time}`."""
    causes: Mapping[str, str]
    """Why it is so: by the kind of change, with its `{time}`."""
    no_cause: str
    welcome: str
    """To who says thanks."""
    help: str
    """To who asks what can be said."""
    which: str
    did_you_mean: str

    # In a chat and on a phone
    wants: str
    """A question: `{who}` wants `{names}` to be `{state}`."""
    is_now: str
    """What a question is about is `{state}` now."""
    open_until: str
    """Until what `{time}` a question can be answered."""
    approve: str
    """Label of a button; `reject` likewise."""
    approve_until: str
    """With a `{time}`: the same needs no question until then."""
    reject: str
    endings: Mapping[str, str]
    """How a question ended, by the record's word for it, and what a restart dropped."""
    approved_until: str
    over: str
    """Told to who answers what does not stand any more."""
    may_not_answer: str
    stranger: str
    """Told to who is nobody's account, with the `{id}`."""
    missed: Plural
    """`{count}` messages were written before the start, or too long ago."""
    only_text: str
    """How to use the chat."""
    lost: str
    """The agent `{names}` is not connected any more."""
    title: str
    """Of a notification that wants an answer; `conflict` of one that tells of one."""
    conflict: str
    lease: str
    """Before the name of what is cited; `event`, `commit` and `rule` likewise."""
    event: str
    commit: str
    rule: str
