"""Setting HearthNet up through its forms, and what they say when it cannot be."""

# ruff: noqa: ASYNC240

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest.mock import patch

from homeassistant.config_entries import SOURCE_USER, ConfigFlowResult
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.setup import async_setup_component
import pytest

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.journal import JournalError
from custom_components.hearthnet.core.librarian.client import LibrarianProcess

from .home import expose
from .setup import ENTRY_ID, add_entry, set_up_hearthnet

CHOICES = {"name": "Our home", "policy": "cautious", "voice_role": "guest"}


@pytest.fixture(autouse=True)
async def _homeassistant(hass: HomeAssistant) -> None:
    assert await async_setup_component(hass, "homeassistant", {})


@pytest.fixture
def set_up() -> Iterator[Any]:
    """Leave out what follows the flow."""
    with patch("custom_components.hearthnet.async_setup_entry") as setup:
        yield setup


@pytest.fixture
def folder(hass: HomeAssistant) -> Path:
    return Path(hass.config.path(DOMAIN))


async def start(hass: HomeAssistant) -> ConfigFlowResult:
    return await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_USER}
    )


async def answer(
    hass: HomeAssistant, form: ConfigFlowResult, **given: Any
) -> ConfigFlowResult:
    assert form["type"] is FlowResultType.FORM
    return await hass.config_entries.flow.async_configure(form["flow_id"], given)


def told(form: ConfigFlowResult) -> Mapping[str, str]:
    placeholders = form["description_placeholders"]
    assert placeholders is not None
    return placeholders


async def test_user_flow(hass: HomeAssistant, set_up: Any, folder: Path) -> None:
    """A librarian was started to prove that it can be, and left nothing behind."""
    form = await start(hass)
    assert form["step_id"] == "user"
    result = await answer(hass, form, **CHOICES)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["title"] == "Our home"
    assert result["data"] == {}
    assert result["options"] == {
        "policy": "cautious",
        "voice_role": "guest",
        "free_plugs": [],
        "planner": "none",
    }
    assert list(folder.iterdir()) == []
    assert len(set_up.mock_calls) == 1


async def test_plugs_of_unknown_use(hass: HomeAssistant, set_up: Any) -> None:
    """Plugs that do not say what they switch are asked about, others are not."""
    hass.states.async_set("switch.freezer", "on", {"friendly_name": "Freezer"})
    hass.states.async_set("switch.lamp", "on", {"friendly_name": "Lamp"})
    hass.states.async_set("switch.socket", "on", {"device_class": "outlet"})
    hass.states.async_set("switch.hidden", "on")
    expose(hass, "switch.freezer", "switch.lamp", "switch.socket")
    expose(hass, "switch.hidden", exposed=False)

    form = await answer(hass, await start(hass), **CHOICES)
    assert form["step_id"] == "plugs"
    assert form["description_placeholders"] == {"plugs": "- Freezer\n- Lamp"}

    result = await answer(hass, form, free_plugs=["switch.lamp"])
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert result["options"]["free_plugs"] == ["switch.lamp"]


async def test_unwritable_folder(
    hass: HomeAssistant, set_up: Any, folder: Path
) -> None:
    """The form names the folder and the problem; the next try succeeds."""
    form = await start(hass)
    with patch(
        "custom_components.hearthnet.checks.mkdtemp",
        side_effect=PermissionError(13, "Permission denied"),
    ):
        form = await answer(hass, form, **CHOICES)
    assert form["errors"] == {"base": "folder_unwritable"}
    assert form["description_placeholders"] == {
        "path": str(folder),
        "error": "Permission denied",
    }
    result = await answer(hass, form, **CHOICES)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_librarian_does_not_start(
    hass: HomeAssistant, set_up: Any, folder: Path
) -> None:
    """What the child process says of itself stands in the form."""
    form = await start(hass)
    with patch.object(
        LibrarianProcess, "_start", autospec=True, side_effect=_without_pygit2
    ):
        form = await answer(hass, form, **CHOICES)
    assert form["errors"] == {"base": "librarian_failed"}
    assert form["description_placeholders"] == {"error": "pygit2 is not installed"}
    assert list(folder.iterdir()) == []
    result = await answer(hass, form, **CHOICES)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def _without_pygit2(librarian: LibrarianProcess) -> None:
    librarian._set_problem("pygit2 is not installed")


async def test_librarian_is_silent(hass: HomeAssistant, set_up: Any) -> None:
    form = await start(hass)
    with (
        patch.object(LibrarianProcess, "_start", return_value=None),
        patch("custom_components.hearthnet.checks.CHECK_TIMEOUT", 0.1),
    ):
        form = await answer(hass, form, **CHOICES)
    assert form["errors"] == {"base": "librarian_failed"}
    result = await answer(hass, form, **CHOICES)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_journal_does_not_open(hass: HomeAssistant, set_up: Any) -> None:
    form = await start(hass)
    with patch(
        "custom_components.hearthnet.runtime.Node", side_effect=JournalError("no locks")
    ):
        form = await answer(hass, form, **CHOICES)
    assert form["errors"] == {"base": "librarian_failed"}
    assert told(form) == {"error": "no locks"}
    result = await answer(hass, form, **CHOICES)
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_own_policy(hass: HomeAssistant, set_up: Any, folder: Path) -> None:
    """It is written first, so that there is something to edit; mistakes are named."""
    policy = folder / "policy.yaml"
    result = await answer(hass, await start(hass), **CHOICES | {"policy": "file"})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    await hass.config_entries.async_remove(result["result"].entry_id)
    written = policy.read_text()
    assert "name: balanced" in written

    policy.write_text(written.replace("effect: limit", "effect: limmit", 1))
    form = await answer(hass, await start(hass), **CHOICES | {"policy": "file"})
    assert form["errors"] == {"policy": "policy_broken"}
    line = written[: written.index("effect: limit")].count("\n") + 1
    assert f"line {line}" in told(form)["mistakes"]
    assert told(form)["path"] == str(policy)

    policy.write_text(written)
    result = await answer(hass, form, **CHOICES | {"policy": "file"})
    assert result["type"] is FlowResultType.CREATE_ENTRY


async def test_only_one_entry(hass: HomeAssistant) -> None:
    add_entry(hass)
    result = await start(hass)
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "single_instance_allowed"


async def test_reconfigure(hass: HomeAssistant, folder: Path) -> None:
    entry = await set_up_hearthnet(hass)
    form = await entry.start_reconfigure_flow(hass)
    assert form["step_id"] == "reconfigure"
    with patch(
        "custom_components.hearthnet.checks.mkdtemp", side_effect=OSError("full")
    ):
        form = await answer(hass, form, name="Mill Lane")
    assert form["errors"] == {"base": "folder_unwritable"}
    boot = entry.runtime_data.data.boot
    result = await answer(hass, form, name="Mill Lane")
    assert result["type"] is FlowResultType.ABORT
    assert result["reason"] == "reconfigure_successful"
    await hass.async_block_till_done()
    assert entry.title == "Mill Lane"
    assert entry.runtime_data.data.boot == boot + 1


async def test_options(hass: HomeAssistant, folder: Path) -> None:
    """A change is a new boot with the new policy in force; mistakes change nothing."""
    entry = await set_up_hearthnet(hass)
    hass.states.async_set("switch.lamp", "on", {"friendly_name": "Lamp"})
    expose(hass, "switch.lamp")
    options = hass.config_entries.options
    menu = await options.async_init(ENTRY_ID)
    assert menu["type"] is FlowResultType.MENU
    form = await options.async_configure(menu["flow_id"], {"next_step_id": "behavior"})

    (folder / "policy.yaml").write_text("version: 1\nnam: mine\n")
    chosen: dict[str, Any] = {"policy": "file", "voice_role": "unknown"}
    form = await options.async_configure(form["flow_id"], chosen)
    assert form["errors"] == {"policy": "policy_broken"}
    assert "line 2: nam" in told(form)["mistakes"]

    chosen = {
        "policy": "relaxed",
        "voice_role": "child",
        "guard": "record",
        "free_plugs": ["switch.lamp"],
    }
    result = await options.async_configure(form["flow_id"], chosen)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    await hass.async_block_till_done()
    assert entry.options == chosen | {"planner": "none"}
    policy = entry.runtime_data.hub.state.in_force.policy
    assert policy.name == "relaxed"
    assert policy.answered_switches == {"switch.lamp"}
