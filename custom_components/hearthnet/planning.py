"""Who plans: playbooks and known sentences first, then a model, if there is one."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from homeassistant.core import HomeAssistant

from .const import DOMAIN
from .core.operations import Operation
from .core.phone.recipes import Recipes
from .core.planner import FirstOf, Planner, WithHelp
from .core.planner.later import LaterPlanner
from .core.planner.playbooks import PlaybookPlanner, Playbooks
from .core.planner.recipes import RecipePlanner
from .house import HassHouse
from .issues import PLAYBOOKS, async_show_mistakes
from .planner_sentences import SentenceExplainer, SentencePlanner

SHIPPED = Path(__file__).parent / "playbooks"


class OwnPlaybooks:
    """The shipped playbooks and the owner's over them, as the files are."""

    def __init__(
        self, hass: HomeAssistant, operations: Mapping[str, Operation]
    ) -> None:
        """Take where the owner's are; nothing is read yet."""
        self._hass = hass
        self.folder = Path(hass.config.path(DOMAIN, "playbooks"))
        self.in_force = Playbooks(operations)

    async def async_load(self) -> None:
        """Read them anew, and show what is wrong with them."""
        mistakes = await self._hass.async_add_executor_job(
            _load, self.in_force, self.folder
        )
        async_show_mistakes(self._hass, PLAYBOOKS, mistakes, str(self.folder))


def planner_of(
    hass: HomeAssistant,
    house: HassHouse,
    playbooks: OwnPlaybooks,
    model: Planner | None,
    recipes: Recipes,
) -> Planner:
    """Return the planners in the order in which they are asked.

    With a model the explainer is left for what the model has no plan for.
    """
    explainer = SentenceExplainer(hass, house)
    return LaterPlanner(
        FirstOf(
            PlaybookPlanner(playbooks.in_force),
            RecipePlanner(recipes),
            SentencePlanner(hass, house),
            *(() if model is None else (WithHelp(model, explainer),)),
            explainer,
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
