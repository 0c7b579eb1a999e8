"""The planners of one home in order, and the playbooks that ship with HearthNet."""

from pathlib import Path

from homeassistant.core import HomeAssistant

from .core.planner import FirstOf, Planner
from .core.planner.playbooks import PlaybookPlanner, Playbooks
from .house import HassHouse
from .planner_sentences import SentenceExplainer, SentencePlanner

FOLDER = Path(__file__).parent / "playbooks"


def planner(
    hass: HomeAssistant, house: HassHouse, playbooks: Playbooks, *models: Planner
) -> Planner:
    """Return the planners in the order in which they are asked.

    What people wrote down comes first, then known sentences; only then is a model
    asked, if there is one; and what nobody took is told what is not clear about it.
    """
    return FirstOf(
        PlaybookPlanner(playbooks),
        SentencePlanner(hass, house),
        *models,
        SentenceExplainer(hass, house),
    )


async def async_shipped_playbooks(hass: HomeAssistant) -> dict[str, str]:
    """Return the texts of the playbooks that ship with HearthNet, by name."""
    return await hass.async_add_executor_job(_read, FOLDER)


def _read(folder: Path) -> dict[str, str]:
    return {path.stem: path.read_text("utf-8") for path in folder.glob("*.yaml")}
