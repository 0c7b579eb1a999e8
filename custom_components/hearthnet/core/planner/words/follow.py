"""Words that go on with what was said before: “it”, “no, the other one”, “why?”.

They say nothing by themselves, so that a wrong guess here is no plan at all: what
they stand for comes from the sentence before, which was understood.
"""

from collections.abc import Iterator
import re
import unicodedata

from .fold import phrases

_NO = re.compile(
    r"""
    (?:(?:no|nein|non)\s+)*(?:no|nope|nein|nee|non|不是?|不对|不對)\s*[,.!\uff0c。\uff01][\s,.!\uff0c。\uff01]*
    | (?:no|nope|nein|nee|non)\s+
      (?=(?:the|in|die|der|das|den|im|dans|les?|l'|(?:l[ao]|el)\ otr[ao])\b)
    | (?:no[\s,]+)?(?:i\ mean(?:t)?|not\ that(?:\ one)?|wrong\ one)[\s,.]+
    | (?:nein[\s,]+)?ich\ mein(?:e|te)[\s,.]+
    | (?:non[\s,]+)?(?:je\ voulais\ dire|je\ veux\ dire|pas\ celle?(?:-|\ )là)[\s,.]+
    | (?:no[\s,]+)?(?:quería\ decir|quiero\ decir|es[ea]\ no)[\s,.]+
    | (?:不是?[\uff0c,\s]*)?我(?:是说|说的是|指的是|的意思是)[\uff0c,\s]*
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""How somebody begins who was misunderstood, or said it wrong.

A bare `no` needs a comma, or an article behind it: in Spanish it also forbids.
"""
_IT = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        (
            r"\b(?:both(?: of them)?|(?:it|them|those) (?:all|both)|all of (?:it|them)"
            r"|th(?:is|at) one|it|them|that|this|those|these)\b"
        ),
        r"\b(?:alle beide|beide|beides|sie|ihn|es|diese[ns]?|das|die|den)\b",
        r"(?<=\w)-(?:la|le|les)\b|\b(?:les deux|ça|cela)\b",
        r"\b(?:ambas|ambos|l[ao]s dos|es[eoa]|est[eoa])\b",
        r"它们?|他们|牠|那个|这个|那個|這個|两个都",
    )
)
_CLITIC = re.compile(r"\b(?P<verb>[^\W\d_]{2,}?)(?:l[ao]s?)\b", re.IGNORECASE)
"""Spanish: the pronoun is the end of the verb, `apágala`."""
_BARE = re.compile(r"(?:关掉|关了|关上|打开|开开|停下)(?:吧|了)?")
"""Chinese: what it is about may be left out."""
_AGAIN_SAID = re.compile(
    r"\s*\b(?:again|wieder|nochmal|de nouveau|encore|otra vez|de nuevo)\b",
    re.IGNORECASE,
)
"""What tells only that it was so before."""
_MORE = phrases(
    """
    more, a bit more, a little more, some more, again, once more, even more
    mehr, noch mehr, etwas mehr, noch etwas, noch ein bisschen, ein bisschen mehr
    nochmal, noch mal, noch einmal, encore, encore un peu, un peu plus, plus
    mas, un poco mas, otra vez, algo mas, aun mas, 再来, 再来一点, 再多一点, 再一点
    """
)
_LESS = phrases(
    """
    less, a bit less, a little less, too much, that is too much, that s too much
    weniger, etwas weniger, ein bisschen weniger, zu viel, das ist zu viel
    moins, un peu moins, c est trop, trop
    menos, un poco menos, demasiado, es demasiado, 少一点, 再少一点, 太多了
    """
)
_OTHER = phrases(
    """
    other, other one, the other, the other one, the other lamp, the other light
    die andere, der andere, das andere, den anderen, die andere lampe
    l autre, l autre lampe, la otra, el otro, la otra luz, la otra lampara
    另一个, 另外一个, 另一盏, 另外一盏, 别的那个
    """
)
_WHY = phrases(
    """
    what did you do, what have you done, was hast du gemacht, qu as tu fait
    que hiciste, que has hecho, 你做了什么, 你干了什么
    why, why is that, why did you do that, why did that happen, why did it do that
    who did that, who was that, who did it, what did that
    warum, wieso, weshalb, warum das, warum hast du das gemacht, wer war das
    wer hat das gemacht, warum ist das so
    pourquoi, pourquoi ca, pourquoi as tu fait ca, qui a fait ca, c etait qui
    por que, por que eso, por que lo hiciste, por que has hecho eso, quien fue
    quien hizo eso, quien ha sido
    为什么, 为啥, 为什么会这样, 你为什么这么做, 谁干的, 是谁干的, 谁弄的
    """
)
_THERE = phrases(
    """
    here, in here, room, hier, ici, aqui, 这里, 這裡, 这儿, 屋里, 房间
    light, lights, lamp, lamps, licht, lichter, lampe, lampen, lumiere, lumieres
    luz, luces, lampara, lamparas, 灯, music, musik, musique, musica, 音乐, 音樂
    volume, lautstarke, son, volumen, 音量, 声音, heating, heat, heizung, chauffage
    calefaccion, 暖气, temperature, temperatur, temperatura, 温度
    """
)


def corrected(text: str) -> str | None:
    """Return what is left of a correction: “no, the floor lamp”; None: it is none."""
    rest, found = text.strip(), False
    while (match := _NO.match(rest)) is not None:
        rest, found = rest[match.end() :].strip(), True
    return rest if found and rest else None


def without_pronoun(text: str, name: str) -> Iterator[str]:
    """Yield a sentence with a name in place of what stands for something said before.

    “Turn it off” has one such place; where several may be it, there are several.
    """
    text = without_again(text)
    for pattern in _IT:
        for match in pattern.finditer(text):
            gap = "" if "\u4e00" <= match[0][0] <= "\u9fff" else " "
            before, behind = text[: match.start()], text[match.end() :]
            yield f"{before}{gap}{name}{gap}{behind}".strip()
    for match in _CLITIC.finditer(text):
        verb = _unaccented(match["verb"])
        yield f"{text[: match.start()]}{verb} {name}{text[match.end() :]}"
    if _BARE.fullmatch(text.strip()) is not None:
        yield f"{text.strip()}{name}"


def means_other(folded: str) -> bool:
    """Tell whether a folded sentence only says “the other one”."""
    return _OTHER.fullmatch(folded.strip()) is not None


def wants_more(folded: str) -> int:
    """Tell whether a folded sentence only says “a bit more”, 1, or “less”, -1."""
    if _MORE.fullmatch(folded.strip()) is not None:
        return 1
    return -1 if _LESS.fullmatch(folded.strip()) is not None else 0


def without_again(text: str) -> str:
    """Return a sentence without what tells only that it was so before."""
    return _AGAIN_SAID.sub("", text)


def asks_why(folded: str) -> bool:
    """Tell whether a folded sentence only asks why, or who it was."""
    return _WHY.fullmatch(folded.replace("?", "").replace("¿", "").strip()) is not None


def says_of_what(folded: str) -> bool:
    """Tell whether a folded sentence says itself what kind or room it is about."""
    return _THERE.search(folded) is not None


def _unaccented(verb: str) -> str:
    plain = unicodedata.normalize("NFD", verb).replace("\u0301", "")
    return unicodedata.normalize("NFC", plain)
