"""The words for people, one table a language."""

from . import de, en, es, fr, zh
from .table import Plural, Texts

__all__ = ["TABLES", "Plural", "Texts", "texts_for"]

TABLES = {
    "en": en.TEXTS,
    "de": de.TEXTS,
    "zh": zh.TEXTS,
    "fr": fr.TEXTS,
    "es": es.TEXTS,
}


def texts_for(language: str) -> Texts:
    """Return the table for a language tag; English for one that has none."""
    primary = language.replace("_", "-").partition("-")[0].lower()
    return TABLES.get(primary, en.TEXTS)
