"""Home Assistant's own sentences: how many questions code alone tells from commands.

    .venv/bin/python -m tests.integration.planner.samples [--json FILE]

An independent corpus: what Home Assistant's translators wrote for asking states and for
acting, many of them fragments as a microphone hears them.
"""

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
import json
from pathlib import Path
import random
import sys
from typing import Any

from hassil import parse_sentence
from hassil.intents import Intents, RangeSlotList, TextSlotList
import home_assistant_intents

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
    "en": ("hall light", "Kitchen"),
    "de": ("Flurlicht", "Küche"),
    "zh-CN": ("走廊的灯", "厨房"),
    "fr": ("lumière du couloir", "cuisine"),
    "es": ("luz del pasillo", "cocina"),
}
"""A device's name and an area, for the templates."""
DRAWS = 3


@dataclass(frozen=True)
class Told:
    """What code made of one language's sentences."""

    questions: int
    recognized: int
    """Of the questions."""
    commands: int
    mistaken: list[str]
    """Commands that were taken for questions."""


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
            for name in sorted(intents & self._intents.intents.keys())
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


def measure(language: str) -> Told:
    """Draw sentences of a language and see which are taken for questions."""
    drawing = _Drawing(language, *LANGUAGES[language])
    questions, commands = drawing.sentences(ASKING), drawing.sentences(ACTING)
    return Told(
        questions=len(questions),
        recognized=sum(map(is_question, questions)),
        commands=len(commands),
        mistaken=sorted(filter(is_question, commands)),
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Tell it for each language; return 1 if a command was taken for a question."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="write it down, too")
    options = parser.parse_args(arguments)
    told = {language: measure(language) for language in LANGUAGES}
    for language, one in told.items():
        sys.stdout.write(
            f"{language}: {one.recognized} of {one.questions} questions recognized;"
            f" {len(one.mistaken)} of {one.commands} commands taken for questions\n"
        )
    if options.json is not None:
        found = {language: asdict(one) for language, one in told.items()}
        options.json.write_text(f"{json.dumps(found, indent=1)}\n", "utf-8")
    return int(any(one.mistaken for one in told.values()))


if __name__ == "__main__":
    sys.exit(main())
