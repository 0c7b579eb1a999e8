"""Who plans: playbooks and known sentences first, then a model, if there is one."""

from collections.abc import Iterator
from pathlib import Path

from homeassistant.core import HomeAssistant

from .const import DOMAIN
from .core.planner import FirstOf, Planner
from .core.planner.later import LaterPlanner
from .core.planner.playbooks import PlaybookPlanner, Playbooks
from .house import HassHouse
from .issues import PLAYBOOKS, async_show_mistakes
from .planner_sentences import SentenceExplainer, SentencePlanner

SHIPPED = Path(__file__).parent / "playbooks"


async def async_planner(
    hass: HomeAssistant, house: HassHouse, model: Planner | None
) -> Planner:
    """Return the planners in the order in which they are asked.

    With a model the explainer is left for what the model declines to plan.
    """
    own = Path(hass.config.path(DOMAIN, "playbooks"))
    playbooks = Playbooks()
    mistakes = await hass.async_add_executor_job(_load, playbooks, own)
    async_show_mistakes(hass, PLAYBOOKS, mistakes, str(own))
    return LaterPlanner(
        FirstOf(
            PlaybookPlanner(playbooks),
            SentencePlanner(hass, house),
            *(() if model is None else (model,)),
            SentenceExplainer(hass, house),
        )
    )


def _load(playbooks: Playbooks, own: Path) -> list[str]:
    """Load the shipped playbooks, and the owner's over those of the same name.

    Returns:
        What is wrong with them; a shipped one stands in for its broken successor.
    """
    shipped = dict(_texts(SHIPPED))
    playbooks.load(shipped)
    try:
        written = dict(_texts(own))
    except (OSError, UnicodeDecodeError) as error:
        return [str(error)]
    found = playbooks.load(shipped | written)
    return [
        f"{name}.yaml, {mistake}"
        for name, mistakes in found.items()
        for mistake in mistakes
    ]


def _texts(folder: Path) -> Iterator[tuple[str, str]]:
    """Go through a folder's playbooks: name without ending, text."""
    for path in sorted(folder.glob("*.yaml")):
        yield path.stem, path.read_text("utf-8")
