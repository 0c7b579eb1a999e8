"""Words of a model that would tell an outcome or a state. They are not passed on.

What was done is told from receipts, and what is so from a live read (invariant 7).
The filter is wide: a harmless sentence lost is a sentence, an invented one believed
is a door left open.
"""

from .fold import fold, phrases

_DONE = phrases(
    (
        *("done", "all set", "all done", "finished", "completed", "taken care of"),
        *("successfully", "as requested", "as you asked", "here you go"),
        (
            r"/(?<!\w)(i|we|hearthnet|jeeves|rupert|darcy) (ve|have|has|just|already)"
            r"(?!\w)/"
        ),
        (
            r"/(?<!\w)i (am|m|will|ll) (now |just )?(\w+ing|turn|switch|open|close|"
            r"lock|unlock|set|dim|start|stop)(?!\w)/"
        ),
        (
            r"/(?<!\w)(i|we) (turned|switched|opened|closed|locked|unlocked|set|dimmed|"
            r"started|stopped|activated|disarmed|armed|raised|lowered|made|put|changed)"
            r"(?!\w)/"
        ),
        r"/(?<!\w)(turned|switched|turning|switching) (on|off)(?!\w)/",
        *(
            "erledigt",
            "fertig",
            "gemacht",
            "wunschgemass",
            "wie gewunscht",
            "erfolgreich",
        ),
        (
            r"/(?<!\w)(habe|haben|hab|wurde|wurden) .{0,60}(ge\w+t|\w+ge\w+|ge\w+en|"
            r"ver\w+t|ent\w+t)(?!\w)/"
        ),
        (
            r"/(?<!\w)(ich|wir) (schalte|offne|schliesse|stelle|dimme|mache|fahre|"
            r"entriegele|verriegele|sperre)(?!\w)/"
        ),
        *(
            "完成",
            "搞定",
            "好了",
            "成功",
            "已经",
            "已經",
            "已为",
            "已為",
            "已将",
            "已把",
        ),
        r"/已[^\s]{0,6}[开開关關锁鎖调調设設打]/",
        r"/我[^\s]{0,8}[开開关關锁鎖调調打][^\s]{0,4}了/",
        *("c est fait", "termine", "effectue", "voila", "avec succes", "comme demande"),
        r"/(?<!\w)(j ai|je viens de|nous avons|on a) .{0,40}\w+/",
        r"/(?<!\w)(a|ont) (bien )?ete (\w+)(?!\w)/",
        r"/(?<!\w)j (allume|eteins|ouvre|ferme|active|arrete)(?!\w)/",
        *("hecho", "listo", "terminado", "completado", "con exito", "como pediste"),
        r"/(?<!\w)(he|hemos|se ha|se han|ha sido|han sido) \w+[dt]o(s|a|as)?(?!\w)/",
        r"/(?<!\w)(encendi|apague|abri|cerre|bloquee|desbloquee|puse|active)(?!\w)/",
    )
)
"""Claims that something was done, or is being done right now."""

_SO = phrases(
    (
        (
            r"/(?<!\w)(is|are|s|re) (now |already |currently |all |still |both )*"
            r"(on|off|open|closed|locked|unlocked|armed|disarmed|playing|running|set|shut|lit|"
            r"dark)(?!\w)/"
        ),
        (
            r"/(?<!\w)(ist|sind|steht|stehen) (\w+ ){0,3}(an|aus|auf|zu|offen|geoffnet|"
            r"geschlossen|verriegelt|entriegelt|entsperrt|gesperrt|eingeschaltet|"
            r"ausgeschaltet|abgeschlossen|scharf|unscharf)(?!\w)/"
        ),
        r"/[^\s]{0,12}(开着|關着|关着|开了|关了|關了|锁了|鎖了|锁着|亮着|已开|已关)/",
        (
            r"/(?<!\w)(est|sont) (\w+ ){0,2}(allume|eteint|ouvert|ferme|verrouille|"
            r"deverrouille|active|desactive)\w{0,3}(?!\w)/"
        ),
        (
            r"/(?<!\w)(esta|estan|queda|quedan) (\w+ ){0,2}(encendid|apagad|abiert|"
            r"cerrad|bloquead|desbloquead|activad|desactivad)\w{1,2}(?!\w)/"
        ),
    )
)
"""Claims that something is in a state."""


def claims_something(text: str) -> bool:
    """Tell whether a text of a model states an outcome or a device's state."""
    sentence = fold(text)
    return bool(_DONE.search(sentence) or _SO.search(sentence))
