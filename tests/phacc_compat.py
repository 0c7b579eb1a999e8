"""Let pytest-homeassistant-custom-component 0.13.375 load on Home Assistant 2026.11.

Loaded before it by `pytest -p tests.phacc_compat`. Remove it with the first release of
that package for 2026.11.
"""

# First: it aliases httpx and voluptuous to their heirs before others import them.
import homeassistant  # noqa: F401
from homeassistant.components import logger
from homeassistant.components.logger.helpers import _clear_logger_overwrites

logger._clear_logger_overwrites = _clear_logger_overwrites  # type: ignore[attr-defined]
