"""Questions and commands of Home Assistant's own sentences, in five languages.

An independent corpus: what its translators wrote for asking states and for acting,
many of them fragments as a microphone hears them. No command may be taken for a
question; of the questions most must be recognized without any model.
"""

from collections.abc import Iterator
import json
from pathlib import Path
import random
from typing import Any

from hassil import parse_sentence
from hassil.intents import Intents, RangeSlotList, TextSlotList
import home_assistant_intents
import pytest

from custom_components.hearthnet.core.planner.words.questions import is_question

DATA = Path(home_assistant_intents.__file__).parent / "data"
ASKING = frozenset({"HassGetState", "HassClimateGetTemperature"})
ACTING = frozenset(
    {
        *("HassTurnOn", "HassTurnOff", "HassLightSet", "HassVacuumStart"),
        *("HassClimateSetTemperature", "HassSetPosition", "HassFanSetSpeed"),
        *("HassSetVolume", "HassSetVolumeRelative", "HassMediaPlayerMute"),
        *("HassMediaPause", "HassMediaUnpause"),
    }
)
LANGUAGES = {
    "en": ("hall light", "Kitchen", 0.75),
    "de": ("Flurlicht", "Küche", 0.85),
    "zh-CN": ("走廊的灯", "厨房", 0.75),
    "fr": ("lumière du couloir", "cuisine", 0.5),
    "es": ("luz del pasillo", "cocina", 0.85),
}
"""Name, area, and what share of the questions has to be recognized."""
DRAWS = 3


class _Drawing:
    """Draws sentences of one language's templates at random."""

    def __init__(self, language: str, name: str, area: str) -> None:
        data = json.loads((DATA / f"{language}.json").read_text())
        self._intents = Intents.from_dict(data)
        self._lists: dict[str, Any] = dict(self._intents.slot_lists)
        for slot, value in (("name", name), ("area", area), ("floor", area)):
            self._lists[slot] = TextSlotList.from_strings([value])
        self._random = random.Random(7)

    def sentences(self, intents: frozenset[str]) -> set[str]:
        """Return sentences of these intents."""
        return {
            " ".join(text.split())
            for name in intents & self._intents.intents.keys()
            for data in self._intents.intents[name].data
            for template in data.sentence_texts
            for text in self._draw_some(template, data)
        }

    def _draw_some(self, template: str, data: Any) -> Iterator[str]:
        rules = {**self._intents.expansion_rules, **data.expansion_rules}
        lists = {**self._lists, **data.slot_lists}
        for _ in range(DRAWS):
            yield self._draw(parse_sentence(template).expression, rules, lists)

    def _draw(self, part: Any, rules: dict[str, Any], lists: dict[str, Any]) -> str:
        match type(part).__name__:
            case "TextChunk":
                return str(part.original_text)
            case "Sentence":
                return self._draw(part.expression, rules, lists)
            case "Alternative":
                return self._draw(self._random.choice(part.items), rules, lists)
            case "RuleReference":
                return self._draw(rules[part.rule_name], rules, lists)
            case "ListReference":
                return self._value(lists.get(part.list_name), rules, lists)
            case "Permutation":
                items = self._random.sample(part.items, len(part.items))
            case _:
                items = part.items
        return "".join(self._draw(item, rules, lists) for item in items)

    def _value(self, slot: Any, rules: dict[str, Any], lists: dict[str, Any]) -> str:
        if isinstance(slot, RangeSlotList):
            return str(self._random.randint(slot.start, slot.stop))
        if not isinstance(slot, TextSlotList):
            return "abc"
        value = self._random.choice(slot.values).text_in
        return value if isinstance(value, str) else self._draw(value, rules, lists)


@pytest.mark.parametrize("language", LANGUAGES)
def test_home_assistants_own_sentences(language: str) -> None:
    name, area, share = LANGUAGES[language]
    drawing = _Drawing(language, name, area)
    questions, commands = drawing.sentences(ASKING), drawing.sentences(ACTING)
    assert len(questions) > 100
    assert len(commands) > 100
    assert [text for text in commands if is_question(text)] == []
    recognized = sum(is_question(text) for text in questions)
    assert recognized / len(questions) >= share
