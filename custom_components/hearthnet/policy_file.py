"""Where the policy's text comes from: a shipped one, or the owner's own file.

The file is read when HearthNet starts. What is in force is what the hub has put
on record; a text with mistakes never gets there.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from homeassistant.core import HomeAssistant

from .const import CONF_FREE_PLUGS, CONF_POLICY, DEFAULT_POLICY, DOMAIN, POLICY_FILE
from .core.operations import Operation
from .core.policy.load import load, preset
from .core.policy.spots import PolicyError

_NONE_ANSWERED = "answered_switches: []"


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The chosen policy."""

    path: Path
    """Of the owner's own one, chosen or not."""
    text: str | None = None
    """None while it has mistakes."""
    mistakes: tuple[str, ...] = ()
    """Each with its line, field and remedy."""


def policy_path(hass: HomeAssistant) -> Path:
    """Return where the owner's own policy is, or would be."""
    return Path(hass.config.path(DOMAIN, "policy.yaml"))


async def async_chosen_policy(
    hass: HomeAssistant,
    options: Mapping[str, Any],
    operations: Mapping[str, Operation] | None,
) -> Chosen:
    """Read and check the policy that the options choose; `operations` see `load`."""
    return await hass.async_add_executor_job(
        _chosen,
        policy_path(hass),
        options.get(CONF_POLICY, DEFAULT_POLICY),
        options.get(CONF_FREE_PLUGS, ()),
        operations,
    )


def _chosen(
    path: Path,
    choice: str,
    free_plugs: Iterable[str],
    operations: Mapping[str, Operation] | None,
) -> Chosen:
    try:
        text = _read(path, choice, free_plugs)
        load(text, operations)
    except PolicyError as error:
        return Chosen(path=path, mistakes=tuple(map(str, error.mistakes)))
    except (OSError, UnicodeDecodeError) as error:
        return Chosen(path=path, mistakes=(str(error),))
    return Chosen(path=path, text=text)


def _read(path: Path, choice: str, free_plugs: Iterable[str]) -> str:
    """Return the text.

    A missing own file is written from the default policy first: there is then
    something to edit, and it is in force as it stands.
    """
    if choice != POLICY_FILE:
        return _with_plugs(preset(choice), free_plugs)
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(_with_plugs(preset(DEFAULT_POLICY), free_plugs), "utf-8")
    return path.read_text("utf-8")


def _with_plugs(text: str, free_plugs: Iterable[str]) -> str:
    answered = f"answered_switches: [{', '.join(sorted(free_plugs))}]"
    if _NONE_ANSWERED in text:
        return text.replace(_NONE_ANSWERED, answered)
    return f"{text}\n{answered}\n"
