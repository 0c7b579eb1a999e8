"""A day at home: sixty sentences in five languages, and what each does to what."""

# ruff: noqa: RUF001 - Chinese punctuation is meant

from dataclasses import dataclass, field
from typing import Any

from tests.support.messages_api import act

type Change = dict[str, str | int]
"""Device to `on`, `off`, a brightness in percent, or a volume in percent."""
type Row = dict[str, Any]


@dataclass(frozen=True)
class Turn:
    """One sentence."""

    language: str
    text: str
    then: Change = field(default_factory=dict)
    """What is other than before; everything else has stayed as it was."""
    says: str = ""
    """A part of the reply."""
    model: tuple[Row, ...] = ()
    """What the model plans where it is asked, by the devices' names."""
    kind: str = "command"
    claim: str = ""
    """What the model says beside it."""
    follows: bool = False
    """True if it goes on with the conversation before."""


def on(name: str, percent: int | None = None) -> Row:
    given = {} if percent is None else {"brightness_pct": str(percent)}
    return act(name, "light.turn_on", **given)


def off(name: str) -> Row:
    return act(name, "light.turn_off")


def volume(level: str) -> Row:
    return act("Speaker", "media_player.volume_set", volume_level=level)


def by(name: str, op: str, parameter: str, difference: int) -> Row:
    return act(name, op) | {"relative": [{"name": parameter, "by": difference}]}


def brighter(name: str) -> Row:
    return by(name, "light.turn_on", "brightness_pct", 10)


QUIETER = by("Speaker", "media_player.volume_set", "volume_level", -10)
SURE = "Done! I have turned on everything."

ENGLISH = (
    Turn("en", "Turn on the desk lamp", {"study_desk": "on"}, "Desk lamp is now on"),
    Turn("en", "Set the desk lamp to 40 percent brightness", {"study_desk": 40}),
    Turn("en", "Is the desk lamp on?", {}, "on"),
    Turn("en", "Turn on the shelf lamp", {"study_shelf": "on"}),
    Turn("en", "Turn off the shelf lamp", {"study_shelf": "off"}),
    Turn(
        "en",
        "It would be nice to have slightly more light at my desk",
        {"study_desk": 50},
        model=(brighter("Desk lamp"),),
    ),
    Turn("en", "Turn on the porch light", {}, "cannot be reached"),
    Turn("en", "Turn on the work light", {}, "did not follow"),
    Turn("en", "Turn on the lights in the bathroom", {}, "No such device or room"),
    Turn("en", "Set the speaker volume to 30 percent", {"study_speaker": 30}),
    Turn("en", "Turn off the TV", {"study_tv": "off"}),
    Turn("en", "Why is the desk lamp on?", {}, "asked for it"),
    Turn("en", "Leave the desk lamp on", {}, "already"),
    Turn(
        "en",
        "I can hardly see my book",
        {"bedroom_reading": 80},
        model=(on("Reading lamp", 80),),
    ),
    Turn(
        "en",
        "Turn off the reading lamp and turn on the floor lamp",
        {"bedroom_reading": "off", "living_floor": "on"},
        model=(off("Reading lamp"), on("Floor lamp")),
    ),
    Turn("en", "Turn on the floor lamp", {}, "already"),
    Turn("en", "Undo that", {"bedroom_reading": 80, "living_floor": "off"}),
    Turn("en", "Turn on the floor lamp in five minutes", {}),
    Turn("en", "Be a good house", {}, model=(), claim=SURE),
)
GERMAN = (
    Turn("de", "Schalte Desk lamp aus", {"study_desk": "off"}, "jetzt aus"),
    Turn("de", "Schalte Floor lamp ein", {"living_floor": "on"}),
    Turn(
        "de",
        "Stelle die Helligkeit von Floor lamp auf 25 Prozent",
        {"living_floor": 25},
        model=(on("Floor lamp", 25),),
    ),
    Turn("de", "Ist Floor lamp an?", {}, "ist an"),
    Turn("de", "Warum ist Floor lamp an?", {}, "wollte es"),
    Turn(
        "de",
        "Mach es mir am Schreibtisch gemütlich",
        {"study_desk": 20, "study_speaker": 20},
        model=(on("Desk lamp", 20), volume("0.2")),
    ),
    Turn(
        "de",
        "Dort doch ein bisschen heller",
        {"study_desk": 30},
        model=(brighter("Desk lamp"),),
        follows=True,
    ),
    Turn("de", "Schalte Porch light ein", {}, "nicht erreichbar"),
    Turn("de", "Schalte Counter light ein", {"kitchen_counter": "on"}),
    Turn("de", "Schalte Counter light aus", {"kitchen_counter": "off"}),
    Turn("de", "Schalte Reading lamp aus", {"bedroom_reading": "off"}),
    Turn("de", "Mach das rückgängig", {"bedroom_reading": 80}),
    Turn("de", "Schalte in fünf Minuten Floor lamp aus", {}),
    Turn("de", "Sei ein gutes Haus", {}, model=(), claim="Erledigt, alles ist an."),
)
CHINESE = (
    Turn("zh-cn", "打开Counter light", {"kitchen_counter": "on"}),
    Turn("zh-cn", "关闭Counter light", {"kitchen_counter": "off"}),
    Turn("zh-cn", "打开Study ceiling", {"study_ceiling": "on"}),
    Turn(
        "zh-cn",
        "把Study ceiling的亮度调到50%",
        {"study_ceiling": 50},
        model=(on("Study ceiling", 50),),
    ),
    Turn("zh-cn", "Study ceiling开着吗？", {}, kind="question"),
    Turn("zh-cn", "关闭Study ceiling", {"study_ceiling": "off"}),
    Turn(
        "zh-cn",
        "卧室里看书太费眼睛了",
        {"bedroom_ceiling": 60},
        model=(on("Bedroom ceiling", 60),),
    ),
    Turn(
        "zh-cn",
        "那里再亮一点",
        {"bedroom_ceiling": 70},
        model=(brighter("Bedroom ceiling"),),
        follows=True,
    ),
    Turn("zh-cn", "打开Porch light", {}, "无法连接"),
    Turn(
        "zh-cn",
        "把Speaker的音量调到40%",
        {"study_speaker": 40},
        model=(volume("0.4"),),
    ),
    Turn("zh-cn", "五分钟后打开Counter light", {}),
    Turn("zh-cn", "关闭Bedroom ceiling", {"bedroom_ceiling": "off"}),
)
FRENCH = (
    Turn("fr", "Allume Counter light", {"kitchen_counter": "on"}, "maintenant allumé"),
    Turn("fr", "Règle la luminosité de Counter light à 70 %", {"kitchen_counter": 70}),
    Turn("fr", "Est-ce que Counter light est allumé ?", {}, "allumé, à 70 %"),
    Turn("fr", "Éteins Counter light", {"kitchen_counter": "off"}),
    Turn(
        "fr",
        "Il fait trop sombre pour faire la cuisine",
        {"kitchen_counter": 50},
        model=(on("Counter light", 50),),
    ),
    Turn(
        "fr",
        "La musique est un peu trop forte",
        {"study_speaker": 30},
        model=(QUIETER,),
    ),
    Turn("fr", "Allume Work light", {}, "n'a pas suivi"),
    Turn(
        "fr",
        "Sois une bonne maison",
        {},
        model=(),
        claim="C'est fait, tout est allumé.",
    ),
    Turn("fr", "Annule ça", {"study_speaker": 40}, "maintenant à 40 % de volume"),
)
SPANISH = (
    Turn("es", "Enciende Bedroom ceiling", {"bedroom_ceiling": "on"}, "ahora encend"),
    Turn("es", "Pon el brillo de Bedroom ceiling al 35 %", {"bedroom_ceiling": 35}),
    Turn("es", "¿Está encendida Bedroom ceiling?", {}, "encendido, al 35 %"),
    Turn("es", "Apaga Bedroom ceiling", {"bedroom_ceiling": "off"}),
    Turn(
        "es",
        "Quiero leer un rato en la cama",
        {"bedroom_reading": 90},
        model=(on("Reading lamp", 90),),
    ),
    Turn("es", "La música está muy alta", {"study_speaker": 30}, model=(QUIETER,)),
    Turn("es", "Deshazlo", {"study_speaker": 40}, "ahora al 40 % de volumen"),
    Turn("es", "Enciende Porch light", {}, "No hay conexión"),
    Turn(
        "es",
        "Sé una buena casa",
        {},
        model=(),
        claim="Hecho, he encendido todo.",
    ),
)
NIGHT = (
    Turn("en", "Play it loud", {}, says="wait", model=(volume("0.9"),)),
    Turn(
        "en",
        "Good night",
        {
            "study_desk": "off",
            "bedroom_reading": "off",
            "living_floor": "off",
            "kitchen_counter": "off",
            "study_speaker": "off",
        },
    ),
)
DAY = (*ENGLISH, *GERMAN, *CHINESE, *FRENCH, *SPANISH, *NIGHT)
