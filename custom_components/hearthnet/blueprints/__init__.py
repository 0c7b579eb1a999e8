"""The shipped blueprints, and how they get to where Home Assistant looks for them."""

from pathlib import Path
import shutil

from homeassistant.components.automation.helpers import async_get_blueprints
from homeassistant.const import SERVICE_RELOAD
from homeassistant.core import HomeAssistant

SHIPPED = Path(__file__).parent / "automation"


async def async_install(
    hass: HomeAssistant, *, overwrite: bool
) -> dict[str, list[str]]:
    """Copy the blueprints into the configuration.

    Returns:
        By what became of them, their paths: `installed`, `unchanged`, and `kept`
        for files that differ from the shipped ones, which only `overwrite` replaces.
    """
    blueprints = async_get_blueprints(hass)
    await blueprints.async_populate()  # or core would leave out its own examples
    found = await hass.async_add_executor_job(
        _copy, blueprints.blueprint_folder, overwrite
    )
    if found["installed"]:
        await blueprints.async_reset_cache()
        if hass.services.has_service(blueprints.domain, SERVICE_RELOAD):
            await hass.services.async_call(blueprints.domain, SERVICE_RELOAD)
    return found


def _copy(target: Path, overwrite: bool) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"installed": [], "unchanged": [], "kept": []}
    for source in sorted(SHIPPED.rglob("*.yaml")):
        path = source.relative_to(SHIPPED)
        there = target / path
        if not there.exists():
            state = "installed"
        elif there.read_bytes() == source.read_bytes():
            state = "unchanged"
        else:
            state = "installed" if overwrite else "kept"
        if state == "installed":
            there.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, there)
        found[state].append(str(path))
    return found
