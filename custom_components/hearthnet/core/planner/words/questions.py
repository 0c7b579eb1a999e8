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
    sentence = _PRELUDE.sub(" ", fold_accented(text), count=1)
    if _TELL_ME.match(sentence):
        return True
    if _NOT_SURE.match(sentence):
        return False
    if _ASKS.match(sentence) or _ASKS_CHINESE.search(sentence):
        return True
    marked = "?" in sentence or "¿" in text
    return marked and bool(_ASKS_IF_MARKED.match(sentence))


def _any(*patterns: str) -> str:
    return "(?:" + "|".join(patterns) + ")"


_PRELUDE = re.compile(
    "^(?: ¿? ?"
    + _any(
        *("and", "so", "but", "ok", "okay", "hey", "hi", "hello", "well", "please"),
        *("und", "also", "na", "hallo", "aber", "du", "sag mal", "bitte"),
        *("et", "alors", "mais", "bonjour", "dis", "dis moi"),
        *("y", "pero", "oye", "hola", "bueno", "por favor"),
    )
    + "(?= ))*(?: ¿)?"
)
"""What people say before they come to the point."""

_WHETHER = _any(
    *("if", "whether", "what", "which", "who", "where", "when", "why", "how"),
    *("ob", "was", "wer", "wo", "wann", "warum", "wie", "wieviel", r"welche\w*"),
    *("si", r"quel\w*", "combien", "où", "qui", "quand", "pourquoi", "comment"),
    *("qué", r"cuál\w*", r"cuánt\w*", "dónde", "quién", "cuándo", "cómo"),
    *("ce que", "ce qui", "lo que", "que"),
)
_TELL_ME = re.compile(
    " "
    + _any(
        r"(?:(?:can|could|would|will) you )?(?:please )?"
        r"(?:tell|show|let) (?:me|us)(?: know)?",
        "(?:do|would|did) you (?:happen to )?know",
        "(?:can|could|would) you (?:please )?(?:check|see|look up|find out|say)",
        "(?:check|see|find out)",
        "i (?:want|need|would like|d like) to know",
        "i (?:wonder|am wondering|m wondering)",
        r"(?:kannst|könntest|würdest|magst) du (?:mir |uns )?(?:bitte )?(?:mal )?"
        r"(?:sagen|nachsehen|nachschauen|prüfen|checken|verraten|schauen)",
        r"(?:sag|sage|verrat|verrate|schau|sieh|prüf|prüfe)"
        r"(?: mir| uns)?(?: bitte)?(?: mal)?(?: nach)?",
        "weißt du",
        r"ich (?:möchte|will|würde gern\w*) wissen",
        r"(?:est ce que )?(?:tu )?(?:peux|pourrais) ?(?:tu )?(?:me |nous )?"
        r"(?:dire|vérifier|regarder|voir)",
        r"(?:pouvez|pourriez) vous (?:me |nous )?(?:dire|vérifier)",
        r"(?:moi|vérifie|regarde|sais tu)",
        r"(?:est ce que )?tu sais",
        r"je (?:veux|voudrais|aimerais) savoir",
        r"(?:me |nos )?(?:puedes|podrías|puede|podría) ?(?:me |nos )?"
        r"(?:decir(?:me|nos)?|comprobar|mirar|ver|verificar)",
        r"(?:dime|dinos|comprueba|mira|sabes|verifica)",
        r"(?:quiero|quisiera|me gustaría) saber",
    )
    + f" {_WHETHER} "
    + "|(?=.*(?:告诉|告訴|看看|看一下|查一下|查查|知道|说说|检查).*"
    "(?:吗|嗎|是不是|有没有|有沒有|是否|什么|什麼|哪|几|幾|多少|谁|没有|没))"
)
"""“Tell me whether …”: what follows is a question, however politely it is put."""

_NOT_SURE = re.compile(
    " "
    + _any(
        *("how about", "what about", "what if", "why don t", "why not", "why doesn t"),
        *("what do you (?:say|think)", "what would it take", "are you able"),
        *("is it possible", "is it ok(?:ay)? if you", "is there any chance"),
        *("how do you feel about", "what are you waiting for"),
        *("wie wär\\w*", "wie wäre", "was hältst du", "warum nicht", "ist es möglich"),
        *(
            "warum (?:machst|schaltest|drehst|fährst) du",
            "wie (?:immer|üblich|gewohnt)",
        ),
        *("wie (?:gestern|besprochen|gesagt)", "ist es okay wenn du", "hast du lust"),
        *("wird zeit", "wird mal zeit"),
        *("pourquoi pas", "pourquoi ne pas", "et si", "que dirais tu", "ça te dérange"),
        "(?:est ce que )?(?:tu|vous|on) (?:peu[xt]|pouvez|pourr(?:ais|ait|iez))",
        "est ce que (?:tu|vous) (?:veux|voulez|voudrais)",
        *("est ce possible", "serait il possible", "est il possible"),
        *("por qué no", "qué tal si", "qué te parece", "es posible", "sería posible"),
    )
    + " "
    + "|^ ?(?:请|請|麻烦|麻煩|帮|幫|把|将|给|給|替|让|讓)"
    "|.*(?:能不能|能否|可不可以|可以|能帮|能把|能给|能幫|要不要|好吗|好嗎|好不好)"
    "|.*(?:行吗|行嗎|行不行|怎么样|怎么不|为什么不|为啥不|不如)"
    "|.*(?:一下吗|把.*[了吧])"
)
"""Requests, proposals and grumbles that look like questions."""

_ASKS = re.compile(
    " "
    + _any(
        *("is", "are", "was", "were", "isn t", "aren t", "wasn t", "weren t"),
        *("does", "did", "doesn t", "didn t", "has", "hasn t", "had", "am i"),
        *("what", "what s", "whats", "which", "who", "who s", "whose", "where"),
        *(
            "where s",
            "why",
            "how",
            "how s",
            "when (?:is|are|was|were|did|does|do|will)",
        ),
        *("do (?:i|we|they|the|any|my|our)", "any", "anyone", "anybody", "anything"),
        "(?:have|haven t) .*(?:been|got|left|gone|forgotten|turned|closed|locked)",
        *("at what", "in which", "to what", "for how long", "since when"),
        *("ist", "sind", "war", "waren", "hat", "haben", "hast", "habe ich", "bin ich"),
        *("wird", "werden", "wurde", "wurden", "gibt es", "gibt s", "gibts"),
        *("was", "wer", "wo", "wann", "warum", "wieso", "weshalb", "wie", "wieviel"),
        *(r"welche\w?", "wodurch", "womit", "seit wann", "um wieviel", "um wie viel"),
        *("läuft", "laufen", "lief", "brennt", "brennen", "leuchtet", "leuchten"),
        *("steht", "stehen", "funktioniert", "funktionieren", "spielt", "heizt"),
        *("in welche\\w", "auf welche\\w", "auf wie viel", "wie viel", "wie viele"),
        *("est ce que?", "est ce qu", "qu est ce", "qu", r"quel\w*", "combien", "qui"),
        *("où", "pourquoi", "comment", "quand (?:est|sont|a|ont|as)", "depuis quand"),
        *(
            "y a t il",
            "est (?:il|elle|ce)",
            "sont (?:ils|elles)",
            "as tu",
            "a t (?:on|il)",
        ),
        *(
            "avez vous",
            "ai je",
            "reste t il",
            "fait il",
            "est (?:la|le|l|mon|ma|notre)",
        ),
        *("sont (?:les|mes|nos)", "à quel\\w*", "dans quel\\w*", "a quel\\w*"),
        r"(?:la|le|les|l|mon|ma|mes|il|elle) .*(?:est|sont) (?:elle|elles|il|ils)",
        *("está", "están", "estaba", "estaban", "hay", "había", "quedan?", "siguen?"),
        *("qué", r"cuál\w*", r"cuánt\w*", r"quién\w*", "dónde", "cuándo", "cómo"),
        *("por qué", "a qué", "en qué", "desde cuándo", "se (?:ha|han) \\w+"),
        *("funcionan?", "está[ns]?", "se (?:quedó|quedaron)"),
        r"estan? (?:encendid|apagad|abiert|cerrad|prendid|bloquead|puest|conectad)\w+",
    )
    + " "
)

_ASKS_IF_MARKED = re.compile(
    " "
    + _any(
        *("have", "do", "will", "there", "when", "anyone"),
        "(?:the|this|that|these|those|all|my|our) .*(?: is | are | on | off | open )",
        *("(?:das|der|die|den|alle|mein) .*(?: ist | sind | an | aus | auf | zu )",),
        *("habt", "noch", "schon", "alles"),
        *("il y a", "quand", "que", "(?:la|le|les|l|tout) .*(?: est | sont )", "c est"),
        *("(?:el|la|los|las|todo) .*(?: está | están | sigue | siguen )", "ha", "han"),
        *("es", "son", "hace", "tengo", "tenemos", "esta", "estan", "que", "cual"),
        *(r"cuant\w*", "quien", "donde", "cuando", "como", "hace", "tiene", "tienen"),
        *("porque", "por que"),
    )
    + " ?"
)
"""Beginnings that ask only where a question mark says so."""

_ASKS_CHINESE = re.compile(
    "吗|嗎|呢 ?\\??$|是不是|有没有|有沒有|是否|什么|什麼|哪|多少|谁|誰|几度|几点|几个|"
    "幾度|幾個|为什么|為什麼|怎么|怎麼|还是|還是|没有 ?\\??$|了没|了沒|没关 ?\\?|"
    "多高|多大|多亮|多热|多冷|多久|何时|何時"
)
