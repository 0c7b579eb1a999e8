"""Repairs of names in the policy that nothing goes by: what they are called now."""

from collections.abc import Iterable
from difflib import SequenceMatcher
from typing import Final

from homeassistant.components.repairs import RepairsFlow, RepairsFlowResult
from homeassistant.helpers.selector import (
    SelectOptionDict,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
)
import voluptuous as vol

from ..actions.texts import async_put_policy
from ..coordinator import OWNER, HearthnetCoordinator, async_running
from ..core.policy.load import load
from ..core.policy.renamed import renamed
from ..core.policy.spots import PolicyError
from ..core.policy.strays import Stray, strays
from ..policy_file import policy_path
from ..policy_names import async_names

CONF_NEW_NAME: Final = "new_name"


class StraysFlow(RepairsFlow):
    """Asks of one name after the other what goes by it now, and writes it down."""

    def __init__(self) -> None:
        """Begin with nothing asked."""
        self._left: list[Stray] = []
        self._named: dict[Stray, str] = {}

    async def async_step_init(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Look which names nothing goes by."""
        if (coordinator := async_running(self.hass)) is None:
            return self.async_abort(reason="not_loaded")
        known = async_names(self.hass, coordinator.home)
        found = strays(coordinator.hub.state.in_force.policy, known)
        # The same name is asked about once, wherever the policy has it.
        self._left = list({(one.kind, one.name): one for one in found}.values())
        return await self.async_step_rename()

    async def async_step_rename(
        self, user_input: dict[str, str] | None = None
    ) -> RepairsFlowResult:
        """Ask about the next; without a new name it stays as it is."""
        if (coordinator := async_running(self.hass)) is None:
            return self.async_abort(reason="not_loaded")
        if user_input is not None:
            asked = self._left.pop(0)
            if new := user_input.get(CONF_NEW_NAME):
                self._named[asked] = new
        if not self._left:
            return await self._async_write(coordinator)
        stray = self._left[0]
        selector = SelectSelector(
            SelectSelectorConfig(
                options=_options(coordinator, stray),
                mode=SelectSelectorMode.DROPDOWN,
            )
        )
        return self.async_show_form(
            step_id="rename",
            data_schema=vol.Schema({vol.Optional(CONF_NEW_NAME): selector}),
            description_placeholders={"name": stray.name, "place": stray.place},
            last_step=len(self._left) == 1,
        )

    async def _async_write(
        self, coordinator: HearthnetCoordinator
    ) -> RepairsFlowResult:
        if not self._named:
            return self.async_abort(reason="nothing_renamed")
        path = policy_path(self.hass)

        def written() -> str:
            text = path.read_text("utf-8")
            load(text, coordinator.home.operations)
            for stray, new in self._named.items():
                text = renamed(text, stray.kind, stray.name, new)
            load(text, coordinator.home.operations)
            return text

        try:
            text = await self.hass.async_add_executor_job(written)
        except OSError, UnicodeDecodeError, PolicyError:
            return self.async_abort(reason="policy_broken")
        await async_put_policy(coordinator, text, OWNER)
        return self.async_create_entry(data={})


def _options(coordinator: HearthnetCoordinator, stray: Stray) -> list[SelectOptionDict]:
    """Return what there is of a stray's kind, what is called alike first."""
    known = async_names(coordinator.hass, coordinator.home)
    labels = {device.id: device.name for device in coordinator.home.devices()}
    names: Iterable[str] = {
        "area": known.areas,
        "floor": known.floors,
        "label": known.labels,
        "device": frozenset(labels),
    }.get(stray.kind, known.entities)

    def unlike(name: str) -> tuple[float, str]:
        return -SequenceMatcher(
            None, stray.name.casefold(), name.casefold()
        ).ratio(), name

    return [
        SelectOptionDict(value=name, label=labels.get(name, name))
        for name in sorted(names, key=unlike)
    ]
