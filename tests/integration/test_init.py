"""Start, stop, reload, removal, and what breaks on the way."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
import stat
import subprocess
from unittest.mock import patch

from homeassistant.components import persistent_notification
from homeassistant.config_entries import ConfigEntryState
from homeassistant.core import HomeAssistant
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import issue_registry as ir
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.coordinator import OWNER
from custom_components.hearthnet.core.intents import Origin
from custom_components.hearthnet.core.journal import JournalError
from custom_components.hearthnet.core.librarian.client import LibrarianProcess
from custom_components.hearthnet.core.messages import MessageType
from custom_components.hearthnet.repairs import ClockFlow, async_create_fix_flow
from custom_components.hearthnet.runtime import Folder, async_persons_home

from .home import device_id, expose, lamp, set_up
from .setup import ENTRY_ID, add_entry, recorded, set_up_hearthnet


@pytest.fixture(autouse=True)
async def _home(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("desk")])
    expose(hass, "light.desk")


@pytest.fixture
def folder(hass: HomeAssistant) -> Folder:
    return Folder.of(hass, ENTRY_ID)


@pytest.fixture
def issues(hass: HomeAssistant) -> ir.IssueRegistry:
    return ir.async_get(hass)


def git(repository: Path, *arguments: str) -> str:
    """Ask the git command line, which knows nothing of HearthNet."""
    return subprocess.run(
        ["git", "-C", str(repository), *arguments],
        check=True,
        capture_output=True,
        text=True,
    ).stdout


def notified(hass: HomeAssistant, key: str) -> str | None:
    found = persistent_notification._async_get_or_create_notifications(  # type: ignore[attr-defined]
        hass
    )
    return found[f"{DOMAIN}_{key}"]["message"] if f"{DOMAIN}_{key}" in found else None


async def light_up(hass: HomeAssistant, entry: MockConfigEntry) -> None:
    result = await entry.runtime_data.hub.wishes.propose(
        principal=OWNER,
        origin=Origin.APP,
        targets=(device_id(hass, "light.desk"),),
        operation="light.turn_on",
        parameters={},
        reason="a test",
    )
    assert result.complete


async def test_setup_and_files(hass: HomeAssistant, folder: Folder) -> None:
    """A key that only the owner can read; a repository that git understands."""
    entry = await set_up_hearthnet(hass)
    assert stat.S_IMODE(folder.key.stat().st_mode) == 0o600
    await light_up(hass, entry)
    await recorded(entry)
    status = entry.runtime_data.data
    assert git(folder.repository, "rev-parse", "HEAD").strip() == (
        status.librarian.commit
    )
    log = git(folder.repository, "log", "--format=%s")
    assert "light.turn_on" in log


async def test_unload_ends_everything(hass: HomeAssistant, folder: Folder) -> None:
    """Nothing is left running, and all that happened is in Git."""
    entry = await set_up_hearthnet(hass)
    coordinator = entry.runtime_data
    await recorded(entry)
    await light_up(hass, entry)
    assert await hass.config_entries.async_unload(ENTRY_ID)
    assert entry.state is ConfigEntryState.NOT_LOADED
    assert coordinator.librarian._process is None
    last = coordinator.hub.node.position
    trailer = f"hub.{last[0]}.{last[1]}"
    assert trailer in git(folder.repository, "log", "--format=%B")
    # The journal is free for the next boot.
    assert await hass.config_entries.async_setup(ENTRY_ID)


async def test_reload_is_a_boot(hass: HomeAssistant) -> None:
    """Same key, later boot, the agents' devices and entities are the same."""
    entry = await set_up_hearthnet(hass)
    before = entry.runtime_data.hub.node
    states = {state.entity_id for state in hass.states.async_all()}
    assert await hass.config_entries.async_reload(ENTRY_ID)
    await hass.async_block_till_done()
    after = entry.runtime_data.hub.node
    assert after.boot == before.boot + 1
    assert after.public_key == before.public_key
    assert entry.runtime_data.data.open
    assert {state.entity_id for state in hass.states.async_all()} == states
    users = await hass.auth.async_get_users()
    assert [user.name for user in users].count("HearthNet") == 1


async def test_stop_of_home_assistant_flushes(
    hass: HomeAssistant, folder: Folder
) -> None:
    """Entries are not unloaded at a stop; the record is complete all the same."""
    entry = await set_up_hearthnet(hass)
    await recorded(entry)
    node = entry.runtime_data.hub.node
    await light_up(hass, entry)
    await hass.async_stop(force=True)
    boot, seq = node.position
    assert f"hub.{boot}.{seq}" in git(folder.repository, "log", "--format=%B")


async def test_removal_keeps_the_record(hass: HomeAssistant, folder: Folder) -> None:
    """The repository stays, and a notification says where."""
    entry = await set_up_hearthnet(hass)
    await recorded(entry)
    await light_up(hass, entry)
    await hass.config_entries.async_remove(ENTRY_ID)
    await hass.async_block_till_done()
    assert "light.turn_on" in git(folder.repository, "log", "--format=%s")
    assert str(folder.repository) in (notified(hass, "kept") or "")


async def test_removal_without_record(hass: HomeAssistant) -> None:
    add_entry(hass)
    await hass.config_entries.async_remove(ENTRY_ID)
    assert notified(hass, "kept") is None


# What an earlier boot left


async def test_dropped_requests_are_told_once(hass: HomeAssistant) -> None:
    """Nothing is run again; one notification names what was open."""
    entry = await set_up_hearthnet(hass)
    hub = entry.runtime_data.hub
    hub.node.emit(
        sender="rupert",
        to="rupert",
        type=MessageType.INTENT,
        content="Anna: movie night",
        body={"text": "movie night"},
    )
    assert await hass.config_entries.async_reload(ENTRY_ID)
    await hass.async_block_till_done()
    message = notified(hass, "dropped") or ""
    assert "- movie night" in message
    assert "Nothing was run again" in message
    assert hass.states.get("light.desk").state == "off"  # type: ignore[union-attr]


# Trouble


@pytest.mark.parametrize(
    ("error", "told"),
    [(JournalError("in use"), "in use"), (OSError(28, "No space left"), "No space")],
)
async def test_journal_unusable(
    hass: HomeAssistant, issues: ir.IssueRegistry, error: Exception, told: str
) -> None:
    """The entry is set up again once the disk is back; Home Assistant lives."""
    entry = add_entry(hass)
    with patch("custom_components.hearthnet.runtime.Node", side_effect=error):
        assert not await hass.config_entries.async_setup(ENTRY_ID)
    assert entry.state is ConfigEntryState.SETUP_RETRY
    assert told in (entry.reason or "")
    issue = issues.async_get_issue(DOMAIN, "journal_unusable")
    assert issue is not None
    assert issue.translation_placeholders is not None
    assert told in issue.translation_placeholders["error"]
    assert await hass.config_entries.async_reload(ENTRY_ID)
    assert entry.runtime_data.data.boot == 1
    assert issues.async_get_issue(DOMAIN, "journal_unusable") is None


async def test_failed_start_lets_go(hass: HomeAssistant) -> None:
    """Whatever was opened before the failure is closed again."""
    entry = add_entry(hass)
    with patch(
        "custom_components.hearthnet.coordinator.async_build_hub",
        side_effect=JournalError("disk full"),
    ):
        assert not await hass.config_entries.async_setup(ENTRY_ID)
    assert entry.state is ConfigEntryState.SETUP_RETRY
    assert await hass.config_entries.async_reload(ENTRY_ID)
    assert entry.runtime_data.data.boot == 2


async def test_disk_full_and_back(
    hass: HomeAssistant, issues: ir.IssueRegistry
) -> None:
    """Nothing is granted, Repairs says why, and it goes on by itself."""
    entry = await set_up_hearthnet(hass)
    coordinator = entry.runtime_data
    journal = coordinator.hub.node.journal
    with patch.object(journal, "_write", side_effect=OSError(28, "No space left")):
        result = await coordinator.hub.wishes.propose(
            principal=OWNER,
            origin=Origin.APP,
            targets=(device_id(hass, "light.desk"),),
            operation="light.turn_on",
            parameters={},
            reason="a test",
        )
        assert not result.complete
        await hass.async_block_till_done()
        issue = issues.async_get_issue(DOMAIN, "journal_unwritable")
        assert issue is not None
        assert issue.translation_placeholders == {"path": str(coordinator.folder.root)}
        assert hass.states.get("light.desk").state == "off"  # type: ignore[union-attr]
    await coordinator.async_refresh()
    assert issues.async_get_issue(DOMAIN, "journal_unwritable") is None
    await light_up(hass, entry)


async def test_a_clock_behind_the_record(
    hass: HomeAssistant, issues: ir.IssueRegistry
) -> None:
    """Repairs asks; a yes puts an end to it."""
    entry = await set_up_hearthnet(hass)
    coordinator = entry.runtime_data
    clock = coordinator.hub.node.clock
    now = clock.now() - timedelta(days=1)
    with patch.object(type(clock), "now", lambda _clock: now):
        await coordinator.async_refresh()
        issue = issues.async_get_issue(DOMAIN, "clock_behind")
        assert issue is not None
        assert issue.is_fixable
        flow = await async_create_fix_flow(hass, issue.issue_id, issue.data)
        assert isinstance(flow, ClockFlow)
        flow.hass = hass
        form = await flow.async_step_init()
        placeholders = form["description_placeholders"]
        assert placeholders is not None
        assert placeholders.keys() == {"newest", "now"}
        done = await flow.async_step_confirm({})
        assert done["type"] is FlowResultType.CREATE_ENTRY
        assert coordinator.hub.status.ahead is None
        await coordinator.async_refresh()
        assert issues.async_get_issue(DOMAIN, "clock_behind") is None


@pytest.fixture
def no_librarian() -> Iterator[None]:
    async def start(librarian: LibrarianProcess) -> None:
        librarian._set_problem("pygit2 is not installed")

    with patch.object(LibrarianProcess, "_start", start):
        yield


@pytest.mark.usefixtures("no_librarian")
async def test_librarian_away(hass: HomeAssistant, issues: ir.IssueRegistry) -> None:
    """Actuation does not wait for it; after a minute Repairs says what is wrong."""
    entry = await set_up_hearthnet(hass)
    coordinator = entry.runtime_data
    await light_up(hass, entry)
    await coordinator.async_refresh()
    assert issues.async_get_issue(DOMAIN, "librarian_dead") is None
    sensor = hass.states.get("binary_sensor.home_librarian")
    assert sensor is not None
    assert sensor.state == "on"
    with patch("custom_components.hearthnet.issues.LIBRARIAN_GRACE", -1.0):
        await coordinator.async_refresh()
    issue = issues.async_get_issue(DOMAIN, "librarian_dead")
    assert issue is not None
    assert issue.translation_placeholders == {"problem": "pygit2 is not installed"}


async def test_librarian_is_restarted(hass: HomeAssistant, folder: Folder) -> None:
    """Killed, it comes back and gets everything it missed."""
    entry = await set_up_hearthnet(hass)
    await recorded(entry)
    coordinator = entry.runtime_data
    process = coordinator.librarian._process
    process.kill()
    await process.wait()
    await light_up(hass, entry)
    await recorded(entry)
    assert "light.turn_on" in git(folder.repository, "log", "--format=%s")


async def test_broken_policy(
    hass: HomeAssistant, folder: Folder, issues: ir.IssueRegistry
) -> None:
    """The last good one stays in force; Repairs names the line until it is mended."""
    own = folder.root.parent / "policy.yaml"
    entry = await set_up_hearthnet(hass, policy="file")
    good = own.read_text()
    own.write_text(good.replace("effect: deny", "effect: dney", 1))
    assert await hass.config_entries.async_reload(ENTRY_ID)
    issue = issues.async_get_issue(DOMAIN, "policy_broken")
    assert issue is not None
    placeholders = issue.translation_placeholders or {}
    line = good[: good.index("effect: deny")].count("\n") + 1
    assert f"line {line}" in placeholders["mistakes"]
    assert placeholders["path"] == str(own)
    assert entry.runtime_data.hub.state.in_force.policy.name == "balanced"
    await light_up(hass, entry)

    own.write_text(good.replace("name: balanced", "name: mine"))
    assert await hass.config_entries.async_reload(ENTRY_ID)
    assert issues.async_get_issue(DOMAIN, "policy_broken") is None
    assert entry.runtime_data.hub.state.in_force.policy.name == "mine"


async def test_unreadable_policy(
    hass: HomeAssistant, folder: Folder, issues: ir.IssueRegistry
) -> None:
    """On a first start the default one is in force then."""
    (folder.root.parent / "policy.yaml").mkdir(parents=True)
    entry = await set_up_hearthnet(hass, policy="file")
    assert issues.async_get_issue(DOMAIN, "policy_broken") is not None
    assert entry.runtime_data.hub.state.in_force.policy.name == "balanced"


async def test_persons_at_home(hass: HomeAssistant) -> None:
    """Known by name; unknown while nobody can tell."""
    assert async_persons_home(hass) is None
    hass.states.async_set("person.anna", "home", {"friendly_name": "Anna"})
    hass.states.async_set("person.ben", "not_home", {"friendly_name": "Ben"})
    hass.states.async_set("person.carla", "unknown")
    assert async_persons_home(hass) == frozenset({"Anna"})
    hass.states.async_set("person.anna", "Work")
    assert async_persons_home(hass) == frozenset()


@pytest.mark.parametrize(
    ("damage", "told"),
    [
        (lambda folder: folder.key.write_bytes(b""), "restore the file, or delete it"),
        (
            lambda folder: (folder.journal / "checkpoint.json").write_text("[]"),
            "checkpoint.json: not an object",
        ),
    ],
)
async def test_damaged_files_are_named_at_each_try(
    hass: HomeAssistant, folder: Folder, damage: Callable[[Folder], None], told: str
) -> None:
    """A lock that the first try left behind would be all that the second tells."""
    entry = await set_up_hearthnet(hass)
    await hass.config_entries.async_unload(entry.entry_id)
    damage(folder)
    for _ in range(2):
        await hass.config_entries.async_setup(entry.entry_id)
        assert entry.state is ConfigEntryState.SETUP_RETRY
        assert told in (entry.reason or "")
        await hass.config_entries.async_unload(entry.entry_id)


async def test_a_start_that_fails_lets_go_of_the_journal(
    hass: HomeAssistant, folder: Folder
) -> None:
    entry = add_entry(hass)
    with patch(
        "custom_components.hearthnet.runtime.Startup.read",
        side_effect=JournalError("1.1: damaged"),
    ):
        await hass.config_entries.async_setup(entry.entry_id)
    assert entry.state is ConfigEntryState.SETUP_RETRY
    assert await hass.config_entries.async_reload(entry.entry_id)
