"""The broker and the companions in Home Assistant, over a real broker."""

import asyncio
import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
import os
from pathlib import Path
import socket
import subprocess
import sys
from typing import Any

from homeassistant.config_entries import (
    SOURCE_USER,
    ConfigEntryState,
    ConfigSubentryData,
)
from homeassistant.core import HomeAssistant, callback
from homeassistant.data_entry_flow import FlowResultType
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockConfigEntry

from custom_components.hearthnet import companions
from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.coordinator import OWNER
from custom_components.hearthnet.core.agents.jobs import Job
from custom_components.hearthnet.core.agents.reviews import Reviews
from custom_components.hearthnet.core.bus.broker import Broker
from custom_components.hearthnet.core.bus.link import connect
from custom_components.hearthnet.core.companion import Companion, Identity
from custom_components.hearthnet.core.intents import Action, Origin, Request
from custom_components.hearthnet.core.keys import SigningKey
from custom_components.hearthnet.diagnostics import async_get_config_entry_diagnostics
from custom_components.hearthnet.flows import companion as companion_flow
from custom_components.hearthnet.repairs import ReviewFlow, async_create_fix_flow
from hearthnet import pair
from hearthnet.core import keys, pairing
from hearthnet.core.companion import Identity as TheirIdentity
from tests.support.mosquitto import Mosquitto

from .setup import ENTRY_ID, OPTIONS, recorded

PREFIX = "hearthnet/test"
KEY = SigningKey(bytes([9]) * 32)
PHONE = {"name": "phone", "role": "darcy", "key": KEY.public.text}


@pytest.fixture(autouse=True)
async def _prepared(hass: HomeAssistant, socket_enabled: None) -> None:
    assert await async_setup_component(hass, "homeassistant", {})


@pytest.fixture
def broker(mosquitto: Mosquitto) -> Broker:
    return Broker(host="127.0.0.1", port=mosquitto.port, prefix=PREFIX)


async def set_up(
    hass: HomeAssistant, broker: Broker | None, *companions: dict[str, str]
) -> MockConfigEntry:
    """Set HearthNet up with a broker and companions."""
    entry = MockConfigEntry(
        domain=DOMAIN,
        entry_id=ENTRY_ID,
        title="Home",
        data={"broker": broker.as_dict()} if broker else {},
        options=OPTIONS,
        subentries_data=[
            ConfigSubentryData(
                data=one,
                subentry_type="companion",
                title=one["name"],
                unique_id=one["name"],
            )
            for one in companions
        ],
    )
    entry.add_to_hass(hass)
    assert await hass.config_entries.async_setup(ENTRY_ID)
    await hass.async_block_till_done()
    return entry


async def until(entry: MockConfigEntry, condition: Any) -> None:
    """Wait until the hub's status says so."""
    changed = asyncio.Event()
    stop = entry.runtime_data.async_add_listener(changed.set)
    async with asyncio.timeout(20):
        while not condition(entry.runtime_data.hub.status):
            changed.clear()
            await changed.wait()
    stop()


def online(entry: MockConfigEntry, name: str) -> bool:
    agents = entry.runtime_data.hub.status.agents
    return any(agent.name == name and agent.online for agent in agents)


@pytest.fixture
def issues(hass: HomeAssistant) -> ir.IssueRegistry:
    return ir.async_get(hass)


@asynccontextmanager
async def phone(
    entry: MockConfigEntry, broker: Broker, folder: Path
) -> AsyncIterator[Companion]:
    """Run a paired phone."""
    identity = Identity(
        name="phone",
        role="darcy",
        key=KEY,
        hub=entry.runtime_data.hub.node.public_key,
        broker=broker,
    )
    companion = Companion.open(identity, folder, agents=("darcy",))
    running = asyncio.ensure_future(companion.run())
    try:
        yield companion
    finally:
        companion.stop()
        await running
        await companion.close()


async def test_the_broker_of_the_mqtt_integration(
    hass: HomeAssistant, broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is offered without typing, and tried before it is taken."""
    data = {"broker": "127.0.0.1", "port": 1, "username": "u", "password": "p"}
    MockConfigEntry(domain="mqtt", data=data).add_to_hass(hass)
    monkeypatch.setattr("custom_components.hearthnet.async_setup_entry", _nothing)
    form = await hass.config_entries.flow.async_init(
        DOMAIN, context={"source": SOURCE_USER}
    )
    form = await hass.config_entries.flow.async_configure(
        form["flow_id"],
        {
            "name": "Home",
            "policy": "balanced",
            "voice_role": "resident",
            "transport": "mqtt",
        },
    )
    assert form["step_id"] == "broker"
    assert form["data_schema"] is not None
    suggested = {
        str(key): key.description["suggested_value"]
        for key in form["data_schema"].schema
        if key.description
    }
    assert suggested == {
        "host": "127.0.0.1",
        "port": 1,
        "username": "u",
        "password": "p",
        "tls": False,
    }
    given = {"host": "127.0.0.1", "port": 1, "tls": False}
    form = await hass.config_entries.flow.async_configure(form["flow_id"], given)
    assert form["errors"] == {"base": "broker_unreachable"}
    given["port"] = broker.port
    result = await hass.config_entries.flow.async_configure(form["flow_id"], given)
    assert result["type"] is FlowResultType.CREATE_ENTRY
    kept = result["data"]["broker"]
    assert (kept["host"], kept["port"]) == ("127.0.0.1", broker.port)
    assert kept["prefix"].startswith("hearthnet/")


async def test_what_listens_and_says_nothing_is_no_broker(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(companions, "CONNECT_TIMEOUT", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        silent = Broker(host="127.0.0.1", port=port, prefix=PREFIX)
        assert (await companions.async_try_broker(silent) or "").startswith("no answer")


async def test_a_planner_and_a_broker(hass: HomeAssistant, broker: Broker) -> None:
    """Either is changed without the other, in one boot."""
    entry = await set_up(hass, None)
    user = entry.data["user"]
    flow = hass.config_entries.flow
    boot = entry.runtime_data.hub.node.boot
    form: Any = await entry.start_reconfigure_flow(hass)
    chosen = {"name": "Home", "planner": "ai_task", "transport": "other"}
    form = await flow.async_configure(form["flow_id"], chosen)
    assert form["step_id"] == "ai_task"
    task = {"ai_task": "ai_task.small_model"}
    form = await flow.async_configure(form["flow_id"], task)
    assert form["step_id"] == "broker"
    given = {"host": broker.host, "port": broker.port, "tls": False}
    done = await flow.async_configure(form["flow_id"], given)
    assert done["reason"] == "reconfigure_successful"
    await hass.async_block_till_done()
    assert entry.options == OPTIONS | {"planner": "ai_task"} | task
    kept = entry.data["broker"]
    assert (kept["host"], kept["port"]) == (broker.host, broker.port)
    assert entry.runtime_data.hub.node.boot == boot + 1

    form = await entry.start_reconfigure_flow(hass)
    suggested = {
        str(key): key.description["suggested_value"]
        for key in form["data_schema"].schema
    }
    assert suggested == chosen
    form = await flow.async_configure(form["flow_id"], chosen | {"planner": "none"})
    assert form["step_id"] == "broker"
    await flow.async_configure(form["flow_id"], given)
    await hass.async_block_till_done()
    assert entry.options == OPTIONS
    assert entry.data == {"user": user, "broker": kept}

    form = await entry.start_reconfigure_flow(hass)
    chosen = {"name": "Home", "planner": "none", "transport": "none"}
    await flow.async_configure(form["flow_id"], chosen)
    await hass.async_block_till_done()
    assert entry.data == {"user": user}
    assert entry.runtime_data.outside is None
    assert entry.runtime_data.hub.node.boot == boot + 3
    assert await hass.config_entries.async_unload(ENTRY_ID)


def told(form: Any, name: str) -> str:
    """Return what a form shows of something."""
    return str(form["description_placeholders"][name])


async def _nothing(*_: Any) -> bool:
    return True


async def _answer(text: str) -> bool:
    """Be the command `hearthnet pair`, which is a program of its own."""
    code = pairing.Code.parse(text)
    identity = TheirIdentity(
        name=code.name,
        role=code.role,
        key=keys.SigningKey(bytes([9]) * 32),
        hub=code.hub,
        broker=code.broker,
    )
    return await pair.answer(code, identity)


def devices_called(hass: HomeAssistant, name: str) -> list[dr.DeviceEntry]:
    """Return the entry's devices of a name."""
    found = dr.async_entries_for_config_entry(dr.async_get(hass), ENTRY_ID)
    return [device for device in found if device.name == name]


async def test_a_phone_is_paired_and_cut_off(
    hass: HomeAssistant, broker: Broker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    entry = await set_up(hass, broker)
    flows = hass.config_entries.subentries
    kind = (ENTRY_ID, "companion")
    form = await flows.async_init(kind, context={"source": SOURCE_USER})
    given = {"role": "darcy", "name": "jeeves", "host": "127.0.0.1"}
    form = await flows.async_configure(form["flow_id"], given)
    assert form["errors"] == {"name": "not_a_name"}
    form = await flows.async_configure(form["flow_id"], {**given, "name": "phone"})
    assert form["step_id"] == "code"
    command = told(form, "command")
    assert command.startswith("hearthnet pair ")
    monkeypatch.setattr(companion_flow, "PAIR_WAIT", 0.0)
    form = await flows.async_configure(form["flow_id"], {})
    assert form["errors"] == {"base": "nobody_yet"}
    monkeypatch.setattr(companion_flow, "PAIR_WAIT", 10.0)
    answering = asyncio.ensure_future(_answer(command.split()[2]))
    form = await flows.async_configure(form["flow_id"], {})
    assert form["step_id"] == "confirm"
    assert told(form, "fingerprint") == KEY.public.fingerprint
    result = await flows.async_configure(form["flow_id"], {"same": True})
    assert result["type"] is FlowResultType.CREATE_ENTRY
    assert await answering
    await hass.async_block_till_done()
    boot = entry.runtime_data.hub.node.boot

    async with phone(entry, broker, tmp_path / "phone") as companion:
        await until(entry, lambda _status: online(entry, "phone"))
        entities = er.async_get(hass)
        (gone,) = devices_called(hass, "Phone")
        assert er.async_entries_for_device(entities, gone.id)
        # Deleting the subentry is a new start of the hub that does not know it.
        (subentry,) = entry.subentries.values()
        hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
        await hass.async_block_till_done()
        hub = entry.runtime_data.hub
        assert hub.node.boot == boot + 1
        assert [agent.name for agent in hub.status.agents] == ["rupert", "jeeves"]
        assert entry.runtime_data.outside.bus.presence.host("darcy") is None
        assert companion.trust.hub == hub.node.public_key
        # The quality scale's rule stale-devices.
        assert devices_called(hass, "Phone") == []
        assert len(devices_called(hass, "Jeeves")) == 1
        assert er.async_entries_for_device(entities, gone.id) == []
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_another_fingerprint_is_not_taken(
    hass: HomeAssistant, broker: Broker
) -> None:
    entry = await set_up(hass, broker)
    flows = hass.config_entries.subentries
    kind = (ENTRY_ID, "companion")
    form = await flows.async_init(kind, context={"source": SOURCE_USER})
    given = {"role": "dewey", "name": "dewey", "host": "127.0.0.1"}
    form = await flows.async_configure(form["flow_id"], given)
    command = told(form, "command")
    answering = asyncio.ensure_future(_answer(command.split()[2]))
    form = await flows.async_configure(form["flow_id"], {})
    result = await flows.async_configure(form["flow_id"], {"same": False})
    assert result["reason"] == "not_the_same"
    assert not await answering
    assert not entry.subentries
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_without_a_broker_nothing_can_be_paired(hass: HomeAssistant) -> None:
    await set_up(hass, None)
    form = await hass.config_entries.subentries.async_init(
        (ENTRY_ID, "companion"), context={"source": SOURCE_USER}
    )
    assert form["reason"] == "no_broker"


async def test_diagnostics_give_no_way_to_the_broker(
    hass: HomeAssistant, broker: Broker
) -> None:
    known = replace(broker, username="an-owner", password="a-password", ca="a-ca")
    entry = await set_up(hass, known, PHONE)
    told = str(await async_get_config_entry_diagnostics(hass, entry))
    assert PREFIX in told
    for secret in ("an-owner", "a-password", PHONE["key"]):
        assert secret not in told
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_a_retained_command_moves_nothing_and_is_named(
    hass: HomeAssistant, broker: Broker, issues: ir.IssueRegistry
) -> None:
    entry = await set_up(hass, broker)
    topic = f"{PREFIX}/inbox/hub/phone"
    async with connect(broker, "somebody") as link:
        await link.publish(topic, b"do it", retain=True)
        await until(entry, lambda _: entry.runtime_data.outside.bus.connected)
    assert await hass.config_entries.async_reload(ENTRY_ID)
    await until(entry, lambda _: entry.runtime_data.outside.bus.reports.rejected)
    await hass.async_block_till_done()
    issue = issues.async_get_issue(DOMAIN, "bus_rejected")
    assert issue is not None
    assert issue.translation_placeholders == {"topics": f"- {topic}: retained"}
    assert await hass.config_entries.async_unload(ENTRY_ID)


@pytest.mark.parametrize("choice", ["retry", "drop"])
async def test_a_person_says_what_becomes_of_a_lost_action(
    hass: HomeAssistant, issues: ir.IssueRegistry, choice: str
) -> None:
    entry = await set_up(hass, None)
    hub = entry.runtime_data.hub
    request = Request(text="lamp on", principal=OWNER, origin=Origin.APP)
    action = Action(targets=("nothing",), operation="light.turn_on")
    reviews = Reviews(hub.node, hub.state, entry.runtime_data.house)
    for device in ("Lamp", "Other lamp"):
        job = Job(0, action, device, manager="darcy", task="hub.1.5")
        reviews.open("hub.1.4", request, job)
    (review, other) = hub.status.reviews
    await hass.async_block_till_done()
    issue = issues.async_get_issue(DOMAIN, f"review_{review.id}")
    assert issue is not None
    assert issue.is_fixable
    told = {"asked": "lamp on", "manager": "darcy", "device": "Lamp"}
    assert issue.translation_placeholders == told
    flow = await async_create_fix_flow(hass, issue.issue_id, issue.data)
    assert isinstance(flow, ReviewFlow)
    flow.hass = hass
    menu = await flow.async_step_init()
    assert menu["menu_options"] == ["retry", "drop"]
    result = await getattr(flow, f"async_step_{choice}")()
    assert result["type"] is FlowResultType.CREATE_ENTRY
    await hub.node.sync()
    said = [r.message.content for r in hub.node.history() if r.message.type == "intent"]
    assert said == ([f"{OWNER.name}: lamp on"] if choice == "retry" else [])
    again = await getattr(flow, f"async_step_{choice}")()
    assert again["reason"] == "over"
    await hass.async_block_till_done()
    assert issues.async_get_issue(DOMAIN, f"review_{review.id}") is None
    assert issues.async_get_issue(DOMAIN, f"review_{other.id}") is not None


async def test_the_record_moves_to_another_machine(
    hass: HomeAssistant, broker: Broker, tmp_path: Path
) -> None:
    """It starts from a copy; the hub names it once it shows the same record."""
    one = {"name": "dewey", "role": "dewey", "key": KEY.public.text}
    entry = await set_up(hass, broker, one)
    await recorded(entry)
    embedded = entry.runtime_data.folder.repository
    copy = tmp_path / "dewey" / "repository.git"
    subprocess.run(  # noqa: ASYNC221 - nothing else has to run
        ["git", "clone", "--quiet", "--mirror", str(embedded), str(copy)], check=True
    )
    hub = entry.runtime_data.hub
    path = tmp_path / "dewey.toml"
    path.write_text(
        'name = "dewey"\nrole = "dewey"\n'
        f'key = "{base64.b64encode(bytes([9]) * 32).decode()}"\n'
        f'hub = "{hub.node.public_key.text}"\ndata = "{tmp_path / "dewey"}"\n'
        f'[broker]\nhost = "127.0.0.1"\nport = {broker.port}\nprefix = "{PREFIX}"\n'
    )
    path.chmod(0o600)
    boot = hub.node.boot
    repository = hub.status.librarian.repository
    reloaded = asyncio.Event()

    @callback
    def changed() -> None:
        if entry.state is ConfigEntryState.LOADED:
            reloaded.set()

    entry.async_on_state_change(changed)
    program = "import sys; from hearthnet.cli import main; sys.exit(main())"
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", program, "dewey", "--config", str(path)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        async with asyncio.timeout(40):
            await reloaded.wait()
        await hass.async_block_till_done()
        assert entry.runtime_data.hub.node.boot > boot
        await recorded(entry)
        status = entry.runtime_data.hub.status.librarian
        assert status.repository == repository
        assert entry.runtime_data.outside.librarian is not None
        log = subprocess.run(  # noqa: ASYNC221
            ["git", "-C", str(copy), "log", "--format=%(trailers:key=Event,valueonly)"],
            check=True,
            capture_output=True,
            text=True,
        ).stdout.split()
        assert f"hub.{boot}.1" in log
        assert f"hub.{boot + 1}.1" in log
    finally:
        assert await hass.config_entries.async_unload(ENTRY_ID)
        process.terminate()
        assert await process.wait() == 0
