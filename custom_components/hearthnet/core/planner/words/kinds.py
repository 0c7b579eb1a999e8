"""Words for kinds of devices, and for all of them.

Words that a language also uses for something else are left out: a device that is
not recognized here is still found by its own name.
"""

from dataclasses import dataclass
import re

from ...devices import Device
from .fold import phrases

WINDOW_COVERINGS = frozenset({"blind", "curtain", "shade", "shutter", "awning"})
"""Classes of cover that nobody can walk through. Only these open unasked."""


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A kind of device that people have a word for."""

    words: re.Pattern[str]
    domains: frozenset[str]
    classes: frozenset[str | None]
    """Device classes; if any, only these."""

    def fits(self, device: Device) -> bool:
        """Tell whether a device is of this kind."""
        if device.domain not in self.domains:
            return False
        return not self.classes or device.device_class in self.classes


def _kind(
    domains: str, words: str, classes: frozenset[str | None] = frozenset()
) -> Kind:
    return Kind(
        words=phrases(words), domains=frozenset(domains.split()), classes=classes
    )


KINDS: tuple[Kind, ...] = (
    _kind(
        "light",
        """
        light, lights, lamp, lamps, lighting, bulb, bulbs
        *licht, *lichter, *lampe, *lampen, *leuchte, *leuchten, beleuchtung
        灯, 燈, 照明
        lumiere*, lampe*, eclairage*, luminaire*
        luz, luces, lampara*, bombilla*, iluminacion
        """,
    ),
    _kind(
        "switch input_boolean",
        """
        plug, plugs, outlet, outlets, socket, sockets
        steckdose*, *steckdose, 插座, prise*, enchufe*
        """,
    ),
    _kind(
        "cover",
        """
        blind, blinds, shade, shades, curtain, curtains, shutter, shutters, awning
        rollladen, rolladen, rollo*, jalousie*, vorhang, vorhange, markise*
        窗帘, 窗簾, 百叶窗, 卷帘
        volet, volets, store, stores, rideau, rideaux
        persiana*, cortina*, toldo*, estor, estores
        """,
        WINDOW_COVERINGS | {None},
    ),
    _kind(
        "cover",
        """
        garage, garagentor, garagentur, 车库, 車庫, garaje, cochera
        """,
        frozenset({"garage"}),
    ),
    _kind(
        "cover",
        """
        gate, gates, tor, gartentor, hoftor, einfahrtstor, 大门, portail, porton, verja
        """,
        frozenset({"gate"}),
    ),
    _kind(
        "lock",
        """
        lock, locks, door, doors
        tur, turen, haustur*, eingangstur, *schloss
        门, 門, 锁, 鎖
        porte, portes, serrure*, verrou, verrous
        puerta, puertas, cerradura*, cerrojo*
        """,
    ),
    _kind(
        "climate water_heater humidifier",
        """
        heating, heater, thermostat*, ac, air conditioning, air conditioner, aircon
        heizung*, klima*, temperature, temperatur
        空调, 空調, 暖气, 暖氣, 地暖, 温度
        chauffage, radiateur*, climatisation, clim
        calefaccion, aire acondicionado, termostato*, temperatura
        """,
    ),
    _kind(
        "media_player",
        """
        tv, television, telly, speaker, speakers, music, radio, volume
        *fernseher, *lautsprecher, musik, lautstarke
        电视, 電視, 音箱, 音乐, 音樂, 音量
        tele, televiseur, enceinte*, musique
        televisor, altavoz, altavoces, musica, volumen
        """,
    ),
    _kind(
        "fan",
        """
        fan, fans, ventilator*, lufter, 风扇, 風扇, ventilateur*, ventilador*
        """,
    ),
    _kind(
        "alarm_control_panel",
        """
        alarm, alarms, alarmanlage, 警报, 警報, 安防, 报警器, alarme, alarma
        """,
    ),
    _kind(
        "vacuum lawn_mower",
        """
        vacuum, hoover, mower, *staubsauger, saugroboter, mahroboter
        扫地机, 吸尘器, aspirateur, tondeuse, aspiradora, cortacesped
        """,
    ),
)

ALL = phrases(
    r"""
    /all(?! right)/
    every, everything, everywhere, whole house
    alle, alles, allen, samtliche, uberall, ganze haus
    所有, 全部, 每个, 到处, 整个, 都
    /tout(?! de suite)/
    toute, tous, toutes, partout
    todo, toda, todos, todas
    """
)
"""Words that mean each of them."""
