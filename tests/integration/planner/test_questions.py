"""Questions and commands of Home Assistant's own sentences, in five languages.

No command may be taken for a question; of the questions most must be recognized
without any model.
"""

import pytest

from .samples import LANGUAGES, measure

SHARES = {"en": 0.75, "de": 0.85, "zh-CN": 0.75, "fr": 0.5, "es": 0.85}
"""What share of the questions has to be recognized."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_home_assistants_own_sentences(language: str) -> None:
    told = measure(language)
    assert told.questions > 100
    assert told.commands > 100
    assert told.mistaken == []
    assert told.recognized / told.questions >= SHARES[language]
