"""Words for rooms: so that a room that is not here is known not to be here.

Only words that hardly mean anything else. A misheard name that is no room's word
in any language cannot be recognized by a table.
"""

from collections.abc import Iterable
import re

from .fold import fold, phrases

_ROOMS = """
bathroom*, badezimmer*, im bad, 浴室, 洗澡间, salle de bain*, cuarto de bano, bano
kitchen*, kuche*, 厨房, 廚房, cuisine, cocina
living room*, lounge, sitting room, wohnzimmer*, 客厅, 客廳, salon*, sejour
bedroom*, schlafzimmer*, 卧室, 臥室, chambre*, dormitorio*, alcoba
office, arbeitszimmer*, buro, 书房, 办公室, despacho
hallway*, corridor, flur*, diele, 走廊, couloir, pasillo
garden, garten*, 花园, 花園, jardin
basement, cellar, keller*, 地下室, sous sol, sotano
attic, loft, dachboden, 阁楼, grenier, desvan, atico
dining room*, esszimmer*, 餐厅, 餐廳, salle a manger, comedor
kids room, children s room, nursery, kinderzimmer*, 儿童房, chambre d enfant*
toilet, restroom, gastewc, 厕所, 卫生间, toilettes, aseo
balcony, balkon*, 阳台, balcon
terrace, patio, terrasse*, 露台, terraza
laundry room, utility room, waschkuche, 洗衣房, buanderie
guest room, gastezimmer*, 客房, chambre d amis
conservatory, wintergarten, veranda, 阳光房
"""
ROOMS: tuple[re.Pattern[str], ...] = tuple(map(phrases, _ROOMS.strip().splitlines()))
"""One pattern a room, with its words in all languages."""


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
        for room in ROOMS
        if (found := room.search(sentence))
        and not room.search(known)
        and found[0].strip() not in known
    )
