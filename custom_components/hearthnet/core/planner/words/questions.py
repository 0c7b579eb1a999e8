"""Which sentences are questions about the home, whatever a model says of them.

Only what is sure: a sentence that is not recognized may still be a question. Polite
requests in the form of a question ("can you turn it off?") are none. All languages
are tried, since people do not ask the pipeline which one they may use.
"""

from functools import lru_cache
import re

from .fold import fold_accented


@lru_cache(maxsize=256)
def is_question(text: str) -> bool:
    """Tell whether a sentence surely asks and does not want anything done."""
    sentence = _PRELUDE.sub("", fold_accented(text), count=1)
    if _TELL_ME.match(sentence):
        return True
    if _NOT_SURE.match(sentence):
        return False
    if _ASKS.match(sentence) or _ASKS_CHINESE.search(sentence):
        return True
    marked = "?" in sentence or "¿" in text
    return marked and bool(_ASKS_IF_MARKED.match(sentence))


def _one_of(table: str) -> str:
    """Return a group of the patterns in a table; a line may hold several, by `|`.

    A backslash at its end takes a line on.
    """
    lines = re.sub(r"\\\n *", "", table).strip().splitlines()
    return f"(?:{'|'.join(map(str.strip, lines))})"


_GREETINGS = _one_of(
    """
    and|so|but|ok|okay|hey|hi|hello|well|please
    und|also|na|hallo|aber|du|sag mal|bitte
    et|alors|mais|bonjour|dis|dis moi
    y|pero|oye|hola|bueno|por favor
    """
)
_PRELUDE = re.compile(f"^(?: ¿? ?{_GREETINGS}(?= ))*(?: ¿)?")
"""What people say before they come to the point."""

_WHETHER = _one_of(
    r"""
    if|whether|what|which|who|where|when|why|how
    ob|was|wer|wo|wann|warum|wie|wieviel|welche\w*
    si|quel\w*|combien|où|qui|quand|pourquoi|comment|ce que|ce qui
    qué|cuál\w*|cuánt\w*|dónde|quién|cuándo|cómo|lo que|que
    """
)
_SAY = _one_of(
    r"""
    (?:(?:can|could|would|will) you )?(?:please )?(?:tell|show|let) (?:me|us)(?: know)?
    (?:can|could|would) you (?:please )?(?:check|see|look up|find out|say)
    check|see|find out
    i (?:want|need|would like|d like) to know|i (?:wonder|am wondering|m wondering)
    (?:kannst|könntest|würdest|magst) du (?:mir |uns )?(?:bitte )?(?:mal )?\
        (?:sagen|nachsehen|nachschauen|prüfen|checken|verraten|schauen)
    (?:sage?|verrate?|schau|sieh|prüfe?)(?: mir| uns)?(?: bitte)?(?: mal)?(?: nach)?
    ich (?:möchte|will|würde gern\w*) wissen
    (?:est ce que )?(?:tu )?(?:peux|pourrais) ?(?:tu )?(?:me |nous )?\
        (?:dire|vérifier|regarder|voir)
    (?:pouvez|pourriez) vous (?:me |nous )?(?:dire|vérifier)
    moi|vérifie|regarde|(?:est ce que )?tu sais|sais tu
    (?:je veux|je voudrais|j aimerais) savoir
    (?:me |nos )?(?:puedes|podrías|puede|podría) ?(?:me |nos )?\
        (?:decir(?:me|nos)?|comprobar|mirar|ver|verificar)
    dime|dinos|comprueba|mira|sabes|verifica|(?:quiero|quisiera|me gustaría) saber
    """
)
_SAY_CHINESE = (
    "(?=.*(?:告诉|告訴|看看|看一下|查一下|查查|知道|说说|检查).*"
    "(?:吗|嗎|是不是|有没有|有沒有|是否|什么|什麼|哪|几|幾|多少|谁|没))"
)
_TELL_ME = re.compile(f" {_SAY} {_WHETHER} |{_SAY_CHINESE}")
"""“Tell me whether …”: what follows is a question, however politely it is put."""

_PROPOSALS = _one_of(
    r"""
    (?:can|could|would|will|won t|can t) (?:you|we|i)
    how about|what about|what if|why don t|why not|why doesn t|what do you (?:say|think)
    what would it take|are you able|is it possible|is it ok(?:ay)? if you
    is there any chance|how do you feel about|what are you waiting for
    wie wär\w*|was hältst du|warum nicht|ist es möglich|ist es okay wenn du|hast du lust
    warum (?:machst|schaltest|drehst|fährst) du|wird (?:mal )?zeit
    wie (?:immer|üblich|gewohnt|gestern|besprochen|gesagt)
    pourquoi pas|pourquoi ne pas|et si|que dirais tu|ça te dérange
    (?:est ce que )?(?:tu|vous|on) (?:peu[xt]|pouvez|pourr(?:ais|ait|iez))
    est ce que (?:tu|vous) (?:veux|voulez|voudrais)|(?:est|serait) (?:ce|il) possible
    por qué no|qué tal si|qué te parece|(?:es|sería) posible
    """
)
_NOT_SURE = re.compile(
    f" {_PROPOSALS} "
    "|^ ?(?:请|請|麻烦|麻煩|帮|幫|把|将|给|給|替|让|讓)"
    "|.*(?:能不能|能否|可不可以|可以|能帮|能把|能给|能幫|要不要|好吗|好嗎|好不好)"
    "|.*(?:行吗|行嗎|行不行|怎么样|怎么不|为什么不|为啥不|不如|一下吗|把.*[了吧])"
)
"""Requests, proposals and grumbles that look like questions."""

_BEGINNINGS = _one_of(
    r"""
    is|are|was|were|isn t|aren t|wasn t|weren t|does|did|doesn t|didn t|has|hasn t|had
    am i|what|what s|whats|which|who|who s|whose|where|where s|wheres|why
    how|how s|hows|when (?:is|are|was|were|did|does|do|will)|do you know
    do (?:i|we|they|the|any|my|our)|any|anyone|anybody|anything
    (?:have|haven t) .*(?:been|got|left|gone|forgotten|turned|closed|locked)
    at what|in which|to what|for how long|since when
    ist|sind|war|waren|hat|haben|hast|habe ich|bin ich|wird|werden|wurde|wurden
    gibt es|gibt s|gibts|was|wer|wo|wann|warum|wieso|weshalb|wie|wieviele?|weisst du
    welche\w?|wodurch|womit|seit wann|um wie ?viel|in welche\w*|auf welche\w*
    läuft|laufen|lief|brennt|brennen|leuchtet|steht|stehen|funktioniert|funktionieren
    spielt|heizt|auf wie viel|wie viele?
    est ce que?|est ce qu|qu est ce|qu|quel\w*|combien|qui|où|ou est|pourquoi|comment
    quand (?:est|sont|a|ont|as)|depuis quand|y a t il|y a til|il fait combien
    est (?:il|elle|ce)|sont (?:ils|elles)|as tu|a t (?:on|il)|avez vous|ai je
    reste t il|fait il|il reste combien|est (?:la|le|l|mon|ma|notre)
    sont (?:les|mes|nos)
    [aà] quel\w*|dans quel\w*
    (?:.* )?(?:(?:est|sont|fait|reste)(?: t)?|a t|ont) (?:elles?|ils?|on)
    está|están|estaba|estaban|está[ns]?|hay|había|quedan?|hace (?:calor|frío)
    qué|cu[aá]l\w*|cu[aá]nt\w*|quién\w*|dónde|cuándo|cómo|por qué|a qué|a cuánt\w*
    en qué|desde cuándo|se (?:ha|han) \w+|funcionan?|se (?:quedó|quedaron)
    (?:estan?|siguen?|es (?:la|el)|son (?:las|los)) (?:\w+ ){0,3}\
        (?:encendid|apagad|abiert|cerrad|prendid|bloquead|puest|conectad)\w+
    """
)
_ASKS = re.compile(f" {_BEGINNINGS} ")

_BEGINNINGS_IF_MARKED = _one_of(
    """
    have|do|will|there|when|the|this|that|these|those|all|my|our
    (?:das|der|die|den|alle|mein) .*(?: ist | sind | an | aus | auf | zu )
    habt|noch|schon|alles
    il y a|il fait|quand|que|(?:la|le|les|l|tout) .*(?: est | sont )|c est
    (?:el|la|los|las|todo) .*(?: está | están | sigue | siguen )|he|ha|han
    es|son|hace|tengo|tenemos|esta|estan|que|quien|donde|cuando|como|tiene|tienen
    porque|por que
    """
)
_ASKS_IF_MARKED = re.compile(f" {_BEGINNINGS_IF_MARKED} ?")
"""Beginnings that ask only where a question mark says so."""

_ASKS_CHINESE = re.compile(
    "吗|嗎|呢 ?\\??$|是不是|有没有|有沒有|是否|什么|什麼|哪|多少|谁|誰|几度|几点|几个|"
    "幾度|幾個|为什么|為什麼|怎么|怎麼|还是|還是|没有 ?\\??$|了没|了沒|没关 ?\\?|"
    "多高|多大|多亮|多热|多冷|多久|多长|何时|何時|啥|状态|还剩"
)
