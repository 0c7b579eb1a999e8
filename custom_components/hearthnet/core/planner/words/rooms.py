"""Words for rooms: so that a room that is not here is known not to be here.

Only words that hardly mean anything else. A misheard name that is no room's word
in any language cannot be recognized by a table.
"""

from collections.abc import Iterable
import re

from .fold import fold, phrases

_ROOMS = """
bathroom*, badezimmer*, im bad, 浴室, 洗澡间, salle de bain*, cuarto de bano, bano
; bad, bath, sdb
kitchen*, kuche*, 厨房, 廚房, cuisine, cocina
; kochen
living room*, lounge, sitting room, wohnzimmer*, 客厅, 客廳, salon*, sejour
; living*, family room, wohnen, stube, sala
bedroom*, schlafzimmer*, 卧室, 臥室, chambre*, dormitorio*, alcoba
; schlafen, master, habitacion, cuarto, recamara
office, arbeitszimmer*, buro, 书房, 办公室, despacho
; study, home office, arbeiten, homeoffice, 工作室, bureau, oficina, estudio
hallway*, corridor, flur*, diele, 走廊, couloir, pasillo
; hall, entrance, foyer, gang, eingang*, 玄关, 门厅, entree, vestibule, entrada
garden, garten*, 花园, 花園, jardin
; yard, backyard, outside, outdoor*, draussen, aussen*, 院子, exterieur, patio
basement, cellar, keller*, 地下室, sous sol, sotano
; untergeschoss, ug, cave, bodega
attic, loft, dachboden, 阁楼, grenier, desvan, atico
; dachgeschoss, dach, speicher, combles, buhardilla
dining room*, esszimmer*, 餐厅, 餐廳, salle a manger, comedor
; dining, essen
kids room, children s room, nursery, kinderzimmer*, 儿童房, chambre d enfant*
; kids*, child*, baby*, kinder*, 孩子, enfant*, nino*
toilet, restroom, gastewc, 厕所, 卫生间, toilettes, aseo
; wc, bathroom, bad, loo, klo, bano, salle de bain*
balcony, balkon*, 阳台, balcon
; loggia
terrace, patio, terrasse*, 露台, terraza
; deck, veranda, garden, garten
laundry room, utility room, waschkuche, 洗衣房, buanderie
; laundry, utility, hwr, hauswirtschaft*, waschen, lavadero
guest room, gastezimmer*, 客房, chambre d amis
; guest*, gast*, amis, invitado*
conservatory, wintergarten, veranda, 阳光房
; sunroom
"""
_LINES = _ROOMS.strip().splitlines()
ROOMS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (phrases(said), phrases(f"{said}\n{more.lstrip('; ')}"))
    for said, more in zip(_LINES[::2], _LINES[1::2], strict=True)
)
"""By room: the words in a sentence that mean it, and those that places go by.

After a semicolon stand words that a place may be called by, but that mean too much
else in a sentence: where “Bad” is a room's name, “badezimmer” is known.
"""


def rooms_missing(sentence: str, places: Iterable[str]) -> tuple[str, ...]:
    """Return the room words of a folded sentence that no place here goes by.

    Args:
        sentence: what `fold` returned.
        places: names of areas, floors and devices, and their aliases. A room is
            known if a place has the sentence's word or any language's word for it.
    """
    known = " ".join(fold(place) for place in places)
    return tuple(
        found[0].strip()
        for said, called in ROOMS
        if (found := said.search(sentence))
        and not called.search(known)
        and found[0].strip() not in known
    )
