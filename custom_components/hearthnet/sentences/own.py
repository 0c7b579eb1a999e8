"""Sentences that Home Assistant has not: “brighter”, “louder”, “keep it below 60 %”."""

import asyncio
from pathlib import Path

from hassil.intents import Intents, SlotList, TextSlotList
from hassil.recognize import recognize_best
from hassil.util import remove_punctuation
from homeassistant.core import HomeAssistant, callback
from homeassistant.helpers import area_registry as ar, floor_registry as fr
from homeassistant.util.language import matches

from ..house import HassHouse
from .recognize import Heard

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "de", "zh", "fr", "es")

type Names = list[tuple[str, str, dict[str, str]]]


class OwnSentences:
    """Recognizes HearthNet's own sentences in the languages that there are."""

    def __init__(self, hass: HomeAssistant) -> None:
        """Read nothing before it is needed."""
        self._hass = hass
        self._intents: dict[str, Intents] = {}
        self._lock = asyncio.Lock()

    async def async_recognize(
        self, house: HassHouse, text: str, language: str
    ) -> Heard | None:
        """Return what a sentence is, None if it is none of them."""
        if not (found := matches(language, LANGUAGES)):
            return None
        language = found[0]
        intents = await self._async_intents(language)
        lists = self._lists(house)
        return await self._hass.async_add_executor_job(
            _recognize, text, intents, lists, language
        )

    async def _async_intents(self, language: str) -> Intents:
        async with self._lock:
            if (intents := self._intents.get(language)) is None:
                path = FOLDER / f"{language}.yaml"
                intents = await self._hass.async_add_executor_job(_load, path)
                self._intents[language] = intents
        return intents

    @callback
    def _lists(self, house: HassHouse) -> dict[str, SlotList]:
        names: Names = [
            (_spoken(name), name, {"domain": device.domain})
            for device in house.devices()
            for name in (device.name, *device.aliases)
            if _spoken(name)
        ]
        areas: Names = [
            (_spoken(name), area.name, {})
            for area in ar.async_get(self._hass).async_list_areas()
            for name in (area.name, *area.aliases)
            if _spoken(name)
        ]
        floors: Names = [
            (_spoken(name), floor.name, {})
            for floor in fr.async_get(self._hass).async_list_floors()
            for name in (floor.name, *floor.aliases)
            if _spoken(name)
        ]
        return {
            "name": TextSlotList.from_tuples(names, allow_template=False, name="name"),
            "area": TextSlotList.from_tuples(areas, allow_template=False, name="area"),
            "floor": TextSlotList.from_tuples(
                floors, allow_template=False, name="floor"
            ),
        }


def _spoken(name: str) -> str:
    return remove_punctuation(name).strip()


def _load(path: Path) -> Intents:
    with path.open(encoding="utf-8") as file:
        return Intents.from_yaml(file)


def _recognize(
    text: str, intents: Intents, lists: dict[str, SlotList], language: str
) -> Heard | None:
    result = recognize_best(
        text,
        intents,
        slot_lists=lists,
        language=language,
        best_slot_name="name",
    )
    return None if result is None else Heard.of(result)
