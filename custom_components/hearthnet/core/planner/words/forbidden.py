"""What a sentence says not to do: “don't turn the heater on, but …”.

A model may read past a “not”. Only what surely forbids is found here: a verb in the
form that forbids, in the same part of the sentence as what it is about. “Don't forget
to turn it on” and “if it is not on” forbid nothing.
"""

from collections.abc import Mapping
import re

from ...messages import Json
from .fold import fold_accented

_PARTS = re.compile(
    r"[,;.!?\uff0c。\uff1b\uff01\uff1f、\n]|(?<!\w)(?:but|and|then|instead|aber|und|sondern|dann"
    r"|stattdessen|mais|et|puis|pero|sino|luego|y|e)(?!\w)|但是?|而是|然后|只要|而且"
)
"""What begins another part: joints, since “not” reaches no further than its verb."""

_ASKS_WHY = re.compile(" (?:¿ )?(?:why|warum|wieso|weshalb|pourquoi|por qué|为什么)")
"""“Why don't you …” proposes."""
_EN = r"(?:do not|don t|dont|never|must not|mustn t|should not|shouldn t|without)"
_TURN = r"(?:turn|turning|switch|switching|put|putting|shut|leave|keep)"
_DE = r"(?:nicht|nie|niemals|keinesfalls|auf keinen fall)"
_DE_OF = r"(?: (?:die|das|den|der|im|in) \w+)?"
_DE_END = r"(?! (?:ist|sind|war|waren|wird|nur)(?!\w))"
_FR = r"(?:(?:l|la|le|les|y) )?(?:{}) (?:surtout )?(?:pas|jamais|plus)"
_ES = r"(?:no|nunca|jamás|sin)(?: (?:me|te|lo|la|los|las|le|les|se))* (?:{})"
_ZH = r"(?<![要能])(?:不要|别|不准|不许|不能|千万别|勿)(?:再|去|把.{{0,20}})?(?:{})"


def _bounded(pattern: str) -> str:
    """Return a pattern of whole words; Chinese ones stand anywhere."""
    return pattern if "不" in pattern else rf"(?<!\w)(?:{pattern})(?!\w)"


_FORBIDS: Mapping[str, tuple[str, ...]] = {
    "on": (
        rf"{_EN}(?: ever)? {_TURN}(?: \w+){{0,5}} on",
        rf"{_EN}(?: ever)? (?:start|starting|activate|enable|play|run|light)",
        rf"{_DE}{_DE_OF} (?:an|ein|anmachen|einschalten|anschalten|starten){_DE_END}",
        _FR.format("allumes?|allumez|démarres?|lances?|actives?|mets?|mettez"),
        _ES.format("enciendas?|encender|prendas?|actives?|pongas?|inicies"),
        _ZH.format("打开|开|启动|播放"),
    ),
    "off": (
        rf"{_EN}(?: ever)? {_TURN}(?: \w+){{0,5}} off",
        rf"{_EN}(?: ever)? (?:stop|stopping|deactivate|disable|disarm)",
        rf"{_DE}{_DE_OF} (?:aus|ab|ausmachen|ausschalten|abschalten){_DE_END}",
        _FR.format("éteins|éteignez|arrêtes?|coupes?|désactives?"),
        _ES.format("apagues?|apagar|desactives?|pares"),
        _ZH.format("关掉|关闭|关上|关|停"),
    ),
    "open": (
        rf"{_EN}(?: ever)? (?:open|opening|unlock|unlocking|raise|raising)",
        rf"{_DE}{_DE_OF} (?:auf|hoch|öffnen|aufmachen|aufschließen){_DE_END}",
        rf"(?:öffne|entriegle|entsperre)(?: \w+){{0,5}} {_DE}",
        _FR.format("ouvres?|ouvrez|déverrouilles?|montes?|remontes?"),
        _ES.format("abras?|abrir|desbloquees|subas?"),
        _ZH.format("打开|开|解锁|拉开|升起"),
    ),
    "shut": (
        rf"{_EN}(?: ever)? (?:close|closing|shut|shutting|lock|locking|lower)",
        rf"{_DE}{_DE_OF} (?:zu|runter|schließen|zumachen|abschließen){_DE_END}",
        rf"(?:schließe?|verriegle)(?: \w+){{0,5}} {_DE}(?! auf)",
        _FR.format("fermes?|fermez|verrouilles?|baisses?|descends?"),
        _ES.format("cierres?|cerrar|bloquees|bajes?"),
        _ZH.format("关掉|关闭|关上|关|锁|拉上|降下"),
    ),
    "any": (
        rf"{_EN}(?: ever)? (?:touch|touching|change|changing|alter|move|mess with)",
        rf"{_DE} (?:anfassen|anrühren|berühren|verändern|ändern|verstellen){_DE_END}",
        rf"(?:fass|rühr)e?(?: \w+){{0,5}} {_DE} an",
        rf"(?:ändere|verändere|verstelle)(?: \w+){{0,5}} {_DE}",
        _FR.format("touches?|touchez|changes?|bouges?|modifies?"),
        _ES.format("toques?|tocar|cambies?|muevas?"),
        _ZH.format("碰|动|改|调"),
    ),
}
_TABLE = {
    what: re.compile("|".join(map(_bounded, patterns)))
    for what, patterns in _FORBIDS.items()
}
"""By what is forbidden, the words that do."""
_VERBS: Mapping[str, tuple[str, ...]] = {
    "on": ("turn_on", "start", "media_play", "press"),
    "off": ("turn_off", "media_stop", "stop", "alarm_disarm"),
    "open": ("open", "unlock"),
    "shut": ("close", "lock", "alarm_arm"),
}


def forbidden(text: str) -> tuple[tuple[str, frozenset[str]], ...]:
    """Return a sentence's parts, each with what it forbids: `on`, `open`, …, `any`."""
    parts = (part for part in _PARTS.split(text) if part and part.strip())
    return tuple(
        (
            part,
            frozenset(
                what
                for what, words in _TABLE.items()
                if words.search(fold_accented(part))
                and not _ASKS_WHY.match(fold_accented(part))
            ),
        )
        for part in parts
    )


def directions(operation: str, parameters: Mapping[str, Json]) -> frozenset[str]:
    """Return what an operation does, in the words of `forbidden`."""
    name = operation.partition(".")[2]
    if name == "set_hvac_mode":
        name = "turn_off" if parameters.get("hvac_mode") == "off" else "turn_on"
    found = {
        what
        for what, verbs in _VERBS.items()
        if any(name == verb or name.startswith(f"{verb}_") for verb in verbs)
    }
    return frozenset(found | {"any"})
