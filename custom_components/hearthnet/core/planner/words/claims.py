"""Words of a model that would tell an outcome or a state. They are not passed on.

What was done is told from receipts, and what is so from a live read (invariant 7).
The filter is wide: a harmless sentence lost is a sentence, an invented one believed
is a door left open.
"""

from .fold import fold, phrases

_DONE = phrases(
    r"""
    done, all set, all done, finished, completed, taken care of
    successfully, as requested, as you asked, here you go
    /(i|we|hearthnet|jeeves|rupert|darcy) (ve|have|has|just|already)/
    /i (am|m|will|ll) (now |just )?
    (\w+ing|turn|switch|open|close|lock|unlock|set|dim|start|stop)/
    /(i|we) (turned|switched|opened|closed|locked|unlocked|set|dimmed|started|stopped|
    activated|disarmed|armed|raised|lowered|made|put|changed)/
    /(turned|switched|turning|switching) (on|off)/
    erledigt, fertig, gemacht, wunschgemass, wie gewunscht, erfolgreich
    /(habe|haben|hab|wurde|wurden) .{0,60}(ge\w+t|\w+ge\w+|ge\w+en|ver\w+t|ent\w+t)/
    /(ich|wir) (schalte|offne|schliesse|stelle|dimme|mache|fahre|entriegele|verriegele|
    sperre)/
    完成, 搞定, 好了, 成功, 已经, 已經, 已为, 已為, 已将, 已把
    /已[^\s]{0,6}[开開关關锁鎖调調设設打]/
    /我[^\s]{0,8}[开開关關锁鎖调調打][^\s]{0,4}了/
    c est fait, termine, effectue, voila, avec succes, comme demande
    /(j ai|je viens de|nous avons|on a) .{0,40}\w+/
    /(a|ont) (bien )?ete (\w+)/
    /j (allume|eteins|ouvre|ferme|active|arrete)/
    hecho, listo, terminado, completado, con exito, como pediste
    /(he|hemos|se ha|se han|ha sido|han sido) \w+[dt]o(s|a|as)?/
    encendi, apague, abri, cerre, bloquee, desbloquee, puse, active
    """
)
"""Claims that something was done, or is being done right now."""

_SO = phrases(
    r"""
    /(is|are|s|re) (now |already |currently |all |still |both )*
    (on|off|open|closed|locked|unlocked|armed|disarmed|playing|running|set|shut|lit|dark)/
    /(ist|sind|steht|stehen) (\w+ ){0,3}(an|aus|auf|zu|offen|geoffnet|geschlossen|
    verriegelt|entriegelt|entsperrt|gesperrt|eingeschaltet|ausgeschaltet|
    abgeschlossen|scharf|unscharf)/
    /(开着|關着|关着|开了|关了|關了|锁了|鎖了|锁着|亮着|已开|已关)/
    /(est|sont) (\w+ ){0,2}(allume|eteint|ouvert|ferme|verrouille|deverrouille|active|
    desactive)\w{0,3}/
    /(esta|estan|queda|quedan) (\w+ ){0,2}(encendid|apagad|abiert|cerrad|bloquead|
    desbloquead|activad|desactivad)\w{1,2}/
    """
)
"""Claims that something is in a state."""


def claims_something(text: str) -> bool:
    """Tell whether a text of a model states an outcome or a device's state."""
    sentence = fold(text)
    return bool(_DONE.search(sentence) or _SO.search(sentence))
