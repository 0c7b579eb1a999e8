"""Sentences about a later time: what they say of when, worked out by code.

A plan is for now. Acting at once on “in five minutes” is the fault that users of
such systems report most, so a sentence that speaks of later is found here and not
left to a model.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, time, timedelta
import re

from .fold import fold, phrases


@dataclass(frozen=True, kw_only=True)
class Later:
    """What a sentence says of a later time. All absent: it says so vaguely."""

    due: datetime | None = None
    """When to act."""
    until: datetime | None = None
    """When what is done now shall end."""
    by_clock: bool = False
    """The time was said as a clock shows it, not as a span from now."""


def later(text: str, now: datetime) -> Later | None:
    """Return what a sentence says of a later time, None when it is about now.

    Args:
        text: the sentence, in any of the known languages.
        now: local time, aware.
    """
    sentence = fold(text)
    if _UNTIL.search(sentence) and not _UP_TO.search(sentence):
        return Later(until=_clock(sentence, now), by_clock=True)
    if (due := _after(sentence, now)) is not None:
        return Later(due=due)
    if (until := _spanned(sentence, now)) is not None:
        return Later(until=until)
    if (due := _clock(sentence, now)) is not None:
        return Later(due=due, by_clock=True)
    return Later() if _VAGUE.search(sentence) else None


_NUMBERS: Mapping[str, float] = {
    word: number
    for number, words in (
        (0.5, "half halben halbe 半 demi media"),
        (1, "a an one ein eine einer einem 一 un une uno una"),
        (2, "two zwei 二 两 deux dos"),
        (3, "three drei 三 trois tres"),
        (4, "four vier 四 quatre cuatro"),
        (5, "five funf 五 cinq cinco"),
        (6, "six sechs 六 seis"),
        (7, "seven sieben 七 sept siete"),
        (8, "eight acht 八 huit ocho"),
        (9, "nine neun 九 neuf nueve"),
        (10, "ten zehn 十 dix diez"),
        (11, "eleven elf 十一 onze once"),
        (12, "twelve zwolf 十二 douze doce"),
        (15, "fifteen funfzehn 十五 quinze quince"),
        (20, "twenty zwanzig 二十 vingt veinte"),
        (30, "thirty dreissig 三十 trente treinta"),
        (45, "funfundvierzig 四十五"),
    )
    for word in words.split()
}
_UNITS: Mapping[str, float] = {
    "s": 1,
    "m": 60,
    "h": 3600,
    "d": 86400,
}


def _unnamed(pattern: str) -> str:
    """Return a pattern without its groups' names, which may be given only once."""
    return re.sub(r"\?P<\w+>", "?:", pattern)


_NUMBER = (
    r"(?P<number>\d+(?:[.,:]\d+)?|"
    + "|".join(sorted(_NUMBERS, key=len, reverse=True))
    + ")"
)
_UNIT = (
    r"(?P<unit>(?P<s>seconds?|secs?|sekunden?|秒钟?|secondes?|segundos?)"
    r"|(?P<m>minutes?|mins?|minuten?|分钟?|分鐘|minutos?)"
    r"|(?P<h>hours?|hrs?|stunden?|个?小时|個?小時|个?钟头|heures?|horas?)"
    r"|(?P<d>days?|tag(?:en)?|天|jours?|dias?))"
)
_SPAN = rf"{_NUMBER} ?(?:an? |a )?{_UNIT}"
DELAYS = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"(?<!\w)(?:in|after|nach|dans|en|dentro de|al cabo de) (?:about |etwa |"
            rf"une? |einer |an? )?{_SPAN}(?!\w)"
        ),
        rf"(?<!\w){_SPAN} (?:from now|later|spater|plus tard|mas tarde)",
        rf"{_SPAN} ?(?:之后|以后|后|後|之後|以後)",
    )
)
LASTING = tuple(
    re.compile(pattern)
    for pattern in (
        (
            rf"(?<!\w)(?:for|fur|pendant|durante|por) (?:the next |about |etwa |une? |"
            rf"einer |an? )?{_SPAN}(?!\w)"
        ),
        rf"(?<!\w){_SPAN} lang(?!\w)",
        rf"(?<=[打开灯关上]) ?{_SPAN}\s*$",
    )
)
"""How long something shall be so: `for ten minutes`."""
_AGO = tuple(
    re.compile(pattern)
    for pattern in (
        rf"(?<!\w){_SPAN} ago",
        rf"(?<!\w)(?:vor|il y a|hace) (?:une? |einer )?{_SPAN}(?!\w)",
        rf"{_SPAN} ?(?:之?前|以前)",
    )
)
_UNTIL = phrases(
    """
    until, till, bis, 直到, jusqu a, jusque, hasta
    /到.{1,8}为止/
    """
)
_UP_TO = phrases(
    r"""
    /(?:till|bis|hasta|jusqu a) (?:zu |auf |al )?\d+ ?
    (?:%|percent|prozent|pour cent|por ciento|degrees?|grad|degres|grados)/
    """
)
"""A value and no time: `bis 50 Prozent`."""
_VAGUE = phrases(
    r"""
    tomorrow, tonight, this evening, later, in a while, in a bit, as soon as, daily
    every day, every morning, every evening, every night
    /(when|once|whenever) (i|we|he|she|they|the|it)/
    /(?<!guten )morgen/
    heute abend, heute nacht, spater, gleich nachher, sobald, immer wenn
    jeden tag, jeden morgen, jeden abend, taglich
    /wenn (ich|wir|er|sie|es|die|der|das|jemand)/
    明天, 今晚, 晚点, 稍后, 稍後, 等会, 等一下, 待会, 每天, 每晚
    /(当|等).{1,12}(时候|时|後|后)/
    demain, ce soir, cette nuit, plus tard, tout a l heure, des que, lorsque
    chaque jour, chaque matin, chaque soir, tous les jours
    /quand (je|on|nous|il|elle|ils|la|le|les)/
    manana, esta noche, mas tarde, luego, en cuanto, cada dia, cada noche
    todos los dias, dentro de un rato
    /cuando (\w+e|\w+a|\w+mos|\w+en|\w+an|el|la|los|las)/
    """
)
"""Later times that code does not work out."""

_HOUR = rf"(?P<hour>{'|'.join(sorted(_NUMBERS, key=len, reverse=True))}|\d{{1,2}})"
_NO_VALUE = (
    r"(?! ?(?:%|percent|prozent|pour cent|por ciento|degrees?|grad|degres|grados|°|k"
    r"|kelvin|度|\d|:|heller|dunkler|warmer|kalter|lauter|leiser|hoher|niedriger))"
)
_LEVEL = phrases("set, dim, volume, brightness, temperature, thermostat, heating")
"""What makes `at 20` a value."""
_A_BIT = r"(?!(?<![在天到十])一[点點](?![半钟鐘整]))"
"""`再亮一点` is a bit brighter; only what stands around it makes it one o'clock."""
CLOCKS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?<!\w)(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d) ?(?P<half>am|pm)?(?!\w)",
        (
            rf"(?<!\w){_HOUR} ?(?P<half>am|pm|o clock|in the (?:morning|evening)|uhr)"
            r"(?: (?P<minute>[0-5]?\d))?(?!\w)"
        ),
        rf"(?<!\w)(?:until|till|um|bis|by) {_HOUR}(?!\w){_NO_VALUE}",
        rf"^(?!.*(?:{_LEVEL.pattern})).*(?<!\w)at {_HOUR}(?!\w){_NO_VALUE}",
        rf"(?<!\w)(?:a|vers|jusqu a) {_HOUR} ?(?:h|heures?) ?(?P<minute>\d\d)?(?!\w)",
        rf"(?<!\w)(?:a|hasta|sobre|hacia) las? {_HOUR}(?!\w){_NO_VALUE}",
        rf"(?P<half>早上|上午|下午|晚上){_HOUR} ?[点點](?P<minute>半)?(?!钟?[后後])",
        rf"{_A_BIT}{_HOUR} ?[点點](?P<minute>半)?(?!钟?[后後])",
    )
)
NAMED_TIMES = (
    (phrases("noon, midday, mittag, 正午, 中午, midi, mediodia"), 12),
    (phrases("midnight, mitternacht, 午夜, minuit, medianoche"), 24),
)
TOMORROW = phrases("tomorrow, morgen, 明天, demain, manana")
_YESTERDAY = phrases("yesterday, gestern, 昨天, hier, ayer")
_AFTERNOON = frozenset({"pm", "in the evening", "下午", "晚上"})
_EXACT = frozenset({"am", "in the morning", "早上", "上午"})


def _after(sentence: str, now: datetime) -> datetime | None:
    """Return the time that a span from now leads to."""
    for pattern in DELAYS:
        if (match := pattern.search(sentence)) is None:
            continue
        return _moved(now, match, 1)
    return None


def _spanned(sentence: str, now: datetime) -> datetime | None:
    """Return when a span ends for which something is to last from now."""
    for pattern in LASTING:
        if (match := pattern.search(sentence)) is not None:
            return _moved(now, match, 1)
    return None


def _moved(now: datetime, span: re.Match[str], direction: int) -> datetime:
    """Return the time that lies a matched span from now."""
    unit = next(name for name in _UNITS if span[name])
    seconds = _number(span["number"]) * _UNITS[unit] * direction
    return (_utc(now) + timedelta(seconds=seconds)).astimezone(now.tzinfo)


def earlier(text: str, now: datetime) -> tuple[datetime, ...]:
    """Return the past times that a text can mean, the latest first.

    Empty when it names none. Without a half of the day it is the nearer one; on
    a day that is over it may be both.

    Args:
        text: the words for the time alone, in any of the known languages.
        now: local time, aware.
    """
    sentence = fold(text)
    for pattern in _AGO:
        if (match := pattern.search(sentence)) is not None:
            return (_moved(now, match, -1),)
    face = _face(sentence)
    if face is None:
        return ()
    if _YESTERDAY.search(sentence):
        return tuple(sorted(_shown(face, now, (-1,), folds=(0,)), reverse=True))
    shown = _shown(face, now, (-1, 0))
    return (max((t for t in shown if _utc(t) <= _utc(now)), key=_utc),)


@dataclass(frozen=True, kw_only=True)
class _Face:
    """What a clock shows."""

    hour: int
    minute: int = 0
    exact: bool
    """It is known which half of the day is meant."""


def _clock(sentence: str, now: datetime) -> datetime | None:
    """Return the next time that a clock shows what the sentence names."""
    if (face := _face(sentence)) is None:
        return None
    if TOMORROW.search(sentence):
        return _shown(replace(face, exact=True), now, (1,))[0]
    shown = _shown(face, now, (0, 1))
    return min((t for t in shown if _utc(t) > _utc(now)), key=_utc)


def _face(sentence: str) -> _Face | None:
    for pattern, hour in NAMED_TIMES:
        if pattern.search(sentence):
            return _Face(hour=hour % 24, exact=True)
    for clock in CLOCKS:
        if (match := clock.search(sentence)) is None:
            continue
        groups = match.groupdict()
        number, half = _number(match["hour"]), groups.get("half") or ""
        if number not in range(25):
            continue
        hour = int(number)
        minute = groups.get("minute") or "0"
        if half in _AFTERNOON and hour < 12:
            hour += 12
        exact = half in _AFTERNOON | _EXACT or hour > 12 or hour == 0
        return _Face(
            hour=hour % 24, minute=30 if minute == "半" else int(minute), exact=exact
        )
    return None


def _shown(
    face: _Face, now: datetime, days: Iterable[int], *, folds: Iterable[int] = (0, 1)
) -> list[datetime]:
    """Return when a clock in the home shows a face on some days, counted from now.

    Without a half of the day, in both. In the hour that comes twice in autumn it does
    so twice; in the one that is skipped in spring, an hour later by name.
    """
    hours = (face.hour,) if face.exact else (face.hour, (face.hour + 12) % 24)
    found = (
        datetime.combine(
            now.date() + timedelta(days=day),
            time(hour, face.minute, fold=fold),
            now.tzinfo,
        )
        for day in days
        for hour in hours
        for fold in folds
    )
    # By way of UTC, so that each is a time that there is.
    return [_utc(moment).astimezone(now.tzinfo) for moment in found]


def _utc(moment: datetime) -> datetime:
    """Return a moment in UTC: two of one zone are compared by their clocks' faces."""
    return moment.astimezone(UTC)


def _number(text: str) -> float:
    if text in _NUMBERS:
        return _NUMBERS[text]
    return float(text.replace(",", ".").replace(":", "."))
