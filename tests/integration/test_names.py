"""Names said otherwise than they are written."""

import pytest

from custom_components.hearthnet.sentences.names import as_named

NAMES = ("Flurlicht", "Nachttischlampe", "Lámpara de pie", "Bedside lamp", "TV")
ROOMS = ("Küche", "Wohnzimmer", "Kinderzimmer")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("mach das Flur Licht an", "mach das Flurlicht an"),
        ("mach das Flur-Licht an", "mach das Flurlicht an"),
        ("Nachttisch Lampe aus", "Nachttischlampe aus"),
        ("apaga la lampara de pie", "apaga la Lámpara de pie"),
        ("turn on the bed side lamp", "turn on the Bedside lamp"),
        ("turn on the light in the kitchen", "turn on the light in the Küche"),
        ("打开厨房的灯", "打开Küche的灯"),
        ("allume dans la cuisine", "allume dans la Küche"),
        # What is here, and what means no room of this house, stays as it was said.
        ("mach das Licht in der Küche an", "mach das Licht in der Küche an"),
        ("turn on the light in the garage", "turn on the light in the garage"),
        ("turn on the t v", "turn on the t v"),
        ("", ""),
    ],
)
def test_names(text: str, named: str) -> None:
    assert as_named(text, (*NAMES, *ROOMS), ROOMS) == named


def test_of_two_rooms_none_is_guessed() -> None:
    rooms = ("Bedroom Anna", "Schlafzimmer")
    text = "allume dans la chambre"
    assert as_named(text, rooms, rooms) == text


def test_of_two_names_of_the_same_letters_none_is_guessed() -> None:
    names = ("Deck lamp", "Decklamp")
    assert as_named("turn on the deck-lamp", names) == "turn on the deck-lamp"
