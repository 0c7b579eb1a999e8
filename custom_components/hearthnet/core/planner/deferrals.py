"""“What is planned?”, “cancel the plan for nine”: plans for later, told and ended."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime, timedelta
import re

from ..deferred import Deferred
from ..devices import Principal
from ..intents import Plan, PlanKind, Request
from ..messages import EventId
from ..reasons import Reason
from . import Situation
from .words.fold import fold, says
from .words.times import later

SOURCE = "deferred"

type Plans = Callable[[], Sequence[Deferred]]
"""The plans that wait, the next one first."""


def _table(*rows: str) -> re.Pattern[str]:
    """Compile patterns of whole folded sentences; blanks are one or none."""
    return re.compile("|".join(f"(?:{row})" for row in rows))


_DAY = r"(?: (?:for )?(?P<day>today|tonight|tomorrow))?"
_TAG = r"(?: (?:fur )?(?P<tag>heute|morgen))?"
_LIST = _table(
    rf"what(?: is| s|s)? (?:planned|scheduled){_DAY}",
    r"what (?:have|did) you (?:planned|plan|scheduled|schedule)",
    r"what are you going to do(?: later| next)?|what will you do later",
    r"(?:show|list|tell)(?: me)?(?: the| all| my)* plans|what plans are there",
    rf"was (?:ist|hast du|steht){_TAG}(?: alles)? (?:geplant|vorgemerkt|vor|an)",
    r"welche plane gibt es|zeig(?:e)?(?: mir)?(?: die| alle| meine)? plane",
    r"qu est ce qui est (?:prevu|planifie|programme)|qu est ce que tu as prevu",
    r"qu (?:as tu|avez vous) prevu|quels sont les plans|qu y a t il de prevu",
    r"que (?:hay|esta|tienes|has) (?:planeado|programado|previsto|planificado)",
    r"que planes (?:hay|tienes)|cuales son los planes",
    r"(?:现在)?(?:还有|有)?(?:什么|哪些)(?:计划|安排)|(?:计划|安排)了(?:什么|哪些)",
    r"接下来(?:要|会)做什么|(?:列出|显示)(?:所有|全部)?(?:的)?(?:计划|安排)",
)
_PLAN_EN, _PLAN_DE = r"(?:plans?|one)", r"(?:plan|vorhaben)"
_DROP_DE = r"(?:storniere?|streiche?|losche?|verwirf)"
_CANCEL_EN = r"(?:cancel|call off|scrap)"
_PLAN_ZH = r"(?:计划|安排|任务)"
_ALL = _table(
    rf"{_CANCEL_EN} (?:all|every)(?: of)?(?: the| my)? {_PLAN_EN}",
    rf"{_CANCEL_EN} everything(?: that is| thats)? planned",
    rf"{_DROP_DE} alle(?: meine)? plane|brich alle(?: meine)? plane ab",
    r"annuler? tous (?:les|mes) plans|annuler? tout ce qui est prevu",
    r"cancelar? todos (?:los|mis) planes|cancelar? todo lo (?:planeado|previsto)",
    rf"取消(?:所有|全部)的?{_PLAN_ZH}",
)
_THAT = _table(
    rf"{_CANCEL_EN} (?:that|it|this)(?: again)?|{_CANCEL_EN} (?:the|my|that|this) plan",
    r"brich (?:das|es|den plan)(?: wieder)? ab|sag (?:das|den plan)(?: wieder)? ab",
    rf"{_DROP_DE} (?:das|es|(?:den|diesen) {_PLAN_DE})(?: wieder)?",
    r"annuler? (?:le|ce|mon) (?:plan|programme)|annuler? ce qui est prevu",
    r"cancelalo|cancela (?:eso|esto)|cancelar? (?:el|ese|mi) plan",
    rf"取消(?:|它|这个|那个|(?:这个|那个|刚才的)?{_PLAN_ZH})",
)
_NEVER_MIND = _table(
    r"never ?mind|cancel|abort|forget (?:it|that)|(?:do not|don t|dont)(?: do it)?",
    r"abbrechen|abbruch|vergiss (?:es|das)|schon gut|lass es",
    r"annuler?|laisse tomber|oublie(?: ca)?|(?:non )?tant pis",
    r"cancelar?|olvidalo|dejalo|no importa",
    r"算了|不用了|取消吧?|别了",
)
"""Who says so right after a plan was made takes it back."""
_ONE = _table(
    rf"{_CANCEL_EN} (?:the |my |that )?{_PLAN_EN} (?:for|at|of|with) (?P<en>.+)",
    rf"{_CANCEL_EN} (?:the|my) (?P<en_first>.+) plan",
    rf"{_DROP_DE} (?:den |meinen )?{_PLAN_DE} (?:fur|um|von|mit) (?P<de>.+)",
    rf"(?:brich|sag) (?:den |meinen )?{_PLAN_DE} (?:fur|um|von|mit) (?P<de_off>.+) ab",
    r"annuler? (?:le |ce |mon )?(?:plan|programme) (?:de|d|pour|a|avec) (?P<fr>.+)",
    r"annuler? ce qui est prevu (?:a|pour) (?P<fr_what>.+)",
    r"cancelar? (?:el |mi )?plan (?:de|para|a|con) (?P<es>.+)",
    rf"取消(?P<zh>.+?)的?{_PLAN_ZH}",
)
_POLITE = re.compile(
    r"^(?:¿|please|bitte|s il te plait|s il vous plait|por favor|请)\s*"
    r"|\s*(?:\?|please|bitte|s il te plait|s il vous plait|por favor)$"
)
_ARTICLES = re.compile(r"^(?:the|my|das|die|den|dem|le|la|les|l|el|los|las) ")
_AT = ("", "at ", "um ", "a ", "a las ")
"""What makes a time of a bare number, in one language or another."""


class DeferralPlanner:
    """Answers what is to come, and plans the end of what shall not come."""

    def __init__(self, plans: Plans) -> None:
        """Take where the plans are."""
        self._plans = plans

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        """Return an answer or what to cancel; None when the words mean neither."""
        words = _bare(request.text)
        visible = [p for p in self._plans() if p.concerns(request.principal)]
        if (asked := _LIST.fullmatch(words)) is not None:
            return _told(_on(visible, asked, situation.now))
        if _ALL.fullmatch(words):
            return canceling(visible)
        if _THAT.fullmatch(words):
            newest = newest_of(visible, request.principal)
            return canceling([newest] if newest else [])
        if _NEVER_MIND.fullmatch(words):
            newest = newest_of(visible, request.principal)
            return canceling([newest]) if newest and _just(newest, request) else None
        if (one := _ONE.fullmatch(words)) is None:
            return None
        when = next(text for text in one.groupdict().values() if text is not None)
        meant = _meant(visible, when, situation.now)
        if len(meant) > 1:
            zone = situation.now.tzinfo
            return Plan(
                kind=PlanKind.UNCLEAR,
                reason=Reason.AMBIGUOUS,
                near=tuple(
                    f"{p.due.astimezone(zone):%H:%M} {p.request.text}" for p in meant
                ),
                source=SOURCE,
            )
        return canceling(meant)


def _just(plan: Deferred, request: Request) -> bool:
    """Tell whether a plan is what the sentence before this one asked for."""
    said = [text for who, text in request.turns if who == "user"]
    return bool(said) and said[-1].strip() == plan.request.text.strip()


def newest_of(plans: Iterable[Deferred], principal: Principal) -> Deferred | None:
    """Return the plan that a person made last, None when there is none."""
    own = (p for p in plans if p.request.principal.is_same_as(principal))
    return max(own, key=lambda plan: EventId.parse(plan.id).position, default=None)


def canceling(plans: Iterable[Deferred]) -> Plan:
    """Return what takes plans off the record; an answer when there are none."""
    cancels = tuple(plan.waiting for plan in plans)
    if not cancels:
        return Plan(kind=PlanKind.UNCLEAR, reason=Reason.NOTHING_PLANNED, source=SOURCE)
    return Plan(kind=PlanKind.COMMAND, cancels=cancels, source=SOURCE)


def _told(plans: Sequence[Deferred]) -> Plan:
    return Plan(
        kind=PlanKind.QUESTION,
        waiting=tuple(plan.waiting for plan in plans),
        reason=None if plans else Reason.NOTHING_PLANNED,
        source=SOURCE,
    )


def _bare(text: str) -> str:
    """Return a folded sentence without what is only polite."""
    words = fold(text).strip()
    while (shorter := _POLITE.sub("", words).strip()) != words:
        words = shorter
    return words


def _on(
    plans: Sequence[Deferred], asked: re.Match[str], now: datetime
) -> Sequence[Deferred]:
    """Return the plans of the day that was asked about; all when none was named."""
    day = asked["day"] or asked["tag"]
    if day is None:
        return plans
    date = now.date() + timedelta(days=day in ("tomorrow", "morgen"))
    return [p for p in plans if p.due.astimezone(now.tzinfo).date() == date]


def _meant(plans: Sequence[Deferred], said: str, now: datetime) -> list[Deferred]:
    """Return the plans that a time, or else words of the request, can mean."""
    times = (later(prefix + said, now) for prefix in _AT)
    due = next((t.due for t in times if t is not None and t.due is not None), None)
    if due is None:
        name = fold(_ARTICLES.sub("", said))
        return [p for p in plans if says(fold(p.request.text), name)]
    due = due.replace(second=0, microsecond=0)
    local = [(p.due.astimezone(now.tzinfo), p) for p in plans]
    exact = [p for at, p in local if at.replace(second=0, microsecond=0) == due]
    face = due.hour % 12, due.minute
    return exact or [p for at, p in local if (at.hour % 12, at.minute) == face]
