"""The owner's texts: playbooks saved from what worked, the policy, blueprints."""

from pathlib import Path
from typing import Any, Final

from homeassistant.core import ServiceCall, SupportsResponse
from homeassistant.exceptions import ServiceValidationError, Unauthorized
from homeassistant.helpers import config_validation as cv
from homeassistant.util import dt as dt_util, slugify
import voluptuous as vol

from ..blueprints import async_install
from ..const import CONF_POLICY, DOMAIN, POLICY_FILE
from ..coordinator import HearthnetCoordinator
from ..core.devices import Principal
from ..core.planner.playbook_file import PlaybookError
from ..core.planner.playbook_save import playbook_of, saved_steps
from ..core.policy.load import load
from ..core.policy.spots import PolicyError
from ..issues import POLICY, async_show_mistakes
from ..policy_file import policy_path
from ..principal import Caller, require_control
from .common import ATTR_DRY_RUN, ATTR_INTENT, ATTR_TEXT, Action, event_id

ATTR_NAME: Final = "name"
ATTR_OVERWRITE: Final = "overwrite"
ATTR_SENTENCE: Final = "sentence"
OWNER: Final = "owner"

SCHEMA_SAVE_PLAYBOOK = vol.Schema(
    {
        vol.Required(ATTR_INTENT): cv.string,
        vol.Required(ATTR_NAME): vol.All(cv.string, vol.Length(min=1, max=60)),
        vol.Optional(ATTR_SENTENCE): vol.All(cv.string, vol.Length(min=1, max=200)),
        vol.Optional(ATTR_OVERWRITE, default=False): cv.boolean,
        vol.Optional(ATTR_DRY_RUN, default=False): cv.boolean,
    }
)
SCHEMA_INSTALL_BLUEPRINTS = vol.Schema(
    {vol.Optional(ATTR_OVERWRITE, default=False): cv.boolean}
)
SCHEMA_SET_POLICY = vol.Schema(
    {
        vol.Required(ATTR_TEXT): cv.string,
        vol.Optional(ATTR_DRY_RUN, default=False): cv.boolean,
    }
)


async def _async_save_playbook(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Write what an intent did, as a playbook of the owner's; a dry run shows it."""
    require_control(caller, call.context)
    intent = event_id(call, ATTR_INTENT)
    try:
        told = await coordinator.hub.chronicle.explain(intent=intent)
        steps = saved_steps(told["events"], coordinator.home)
    except LookupError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="not_on_record",
            translation_placeholders={"field": ATTR_INTENT, "value": intent},
        ) from error
    if not steps.steps:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="nothing_to_save",
            translation_placeholders={"intent": intent},
        )
    name: str = call.data[ATTR_NAME]
    try:
        text = playbook_of(
            steps,
            name=name,
            sentence=call.data.get(ATTR_SENTENCE),
            origin=f"{intent}, {dt_util.now().date().isoformat()}",
            operations=coordinator.home.operations,
        )
    except PlaybookError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="bad_sentence",
            translation_placeholders={"problem": str(error)},
        ) from error
    path = coordinator.playbooks.folder / f"{slugify(name)}.yaml"
    answer = {"path": str(path), "text": text, "left_out": list(steps.left_out)}
    if call.data[ATTR_DRY_RUN]:
        return {"saved": False, **answer}
    written = await call.hass.async_add_executor_job(
        _write, path, text, call.data[ATTR_OVERWRITE]
    )
    if not written:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="playbook_exists",
            translation_placeholders={"path": str(path)},
        )
    await coordinator.playbooks.async_load()
    return {"saved": True, **answer}


def _write(path: Path, text: str, overwrite: bool) -> bool:
    """Write a file; False when there is one that must stay."""
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("w" if overwrite else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        return False
    return True


async def _async_set_policy(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Check a policy and put it into force, whole or not at all."""
    if caller.principal.role != OWNER:
        raise Unauthorized(context=call.context)
    text: str = call.data[ATTR_TEXT]
    try:
        policy = await call.hass.async_add_executor_job(
            load, text, coordinator.home.operations
        )
    except PolicyError as error:
        raise ServiceValidationError(
            translation_domain=DOMAIN,
            translation_key="bad_policy",
            translation_placeholders={"mistakes": "; ".join(map(str, error.mistakes))},
        ) from error
    answer = {"name": policy.name, "rules": [rule.id for rule in policy.rules]}
    if call.data[ATTR_DRY_RUN]:
        return {"in_force": False, **answer}
    await async_put_policy(coordinator, text, caller.principal)
    return {"in_force": True, **answer}


async def async_put_policy(
    coordinator: HearthnetCoordinator, text: str, principal: Principal
) -> None:
    """Write a policy that loads to the owner's file, and put it into force."""
    path = policy_path(coordinator.hass)
    await coordinator.hass.async_add_executor_job(_write, path, text, True)
    await coordinator.hub.control.set_policy(text, principal)
    coordinator.async_follow_policy()
    coordinator.async_keep(
        {**coordinator.config_entry.options, CONF_POLICY: POLICY_FILE}
    )
    async_show_mistakes(coordinator.hass, POLICY, (), str(path))


async def _async_install_blueprints(
    coordinator: HearthnetCoordinator, caller: Caller, call: ServiceCall
) -> dict[str, Any]:
    """Copy the shipped blueprints to where Home Assistant looks for them."""
    if caller.principal.role != OWNER:
        raise Unauthorized(context=call.context)
    return await async_install(call.hass, overwrite=call.data[ATTR_OVERWRITE])


ACTIONS: Final = (
    Action(
        name="save_playbook",
        handler=_async_save_playbook,
        schema=SCHEMA_SAVE_PLAYBOOK,
        response=SupportsResponse.ONLY,
    ),
    Action(name="set_policy", handler=_async_set_policy, schema=SCHEMA_SET_POLICY),
    Action(
        name="install_blueprints",
        handler=_async_install_blueprints,
        schema=SCHEMA_INSTALL_BLUEPRINTS,
    ),
)
