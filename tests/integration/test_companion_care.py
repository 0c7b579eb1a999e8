"""What Home Assistant does for its companions: health, keys, taking one out."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
import json
from pathlib import Path

from homeassistant.core import Context, HomeAssistant
from homeassistant.helpers import (
    device_registry as dr,
    entity_registry as er,
    issue_registry as ir,
)
from homeassistant.setup import async_setup_component
import pytest
from pytest_homeassistant_custom_component.common import MockUser

from custom_components.hearthnet import companions
from custom_components.hearthnet.const import DOMAIN
from custom_components.hearthnet.core.bus.broker import Broker, Topics
from custom_components.hearthnet.core.bus.link import Link, LinkError, connect
from custom_components.hearthnet.core.companion import Identity
from custom_components.hearthnet.core.intents import Origin
from custom_components.hearthnet.core.librarian.dewey import Dewey, Options
from custom_components.hearthnet.core.pairing import LIFE, Code, Offer
from custom_components.hearthnet.core.reasons import Reason
from tests.support.mosquitto import Mosquitto

from .home import expose, lamp, set_up as set_up_home
from .setup import ENTRY_ID, recorded
from .test_companions import KEY, PHONE, PREFIX, online, phone, set_up, until

DEWEY = {"name": "dewey", "role": "dewey", "key": KEY.public.text}


@pytest.fixture(autouse=True)
async def _prepared(hass: HomeAssistant, socket_enabled: None) -> None:
    assert await async_setup_component(hass, "homeassistant", {})


@pytest.fixture
def broker(mosquitto: Mosquitto) -> Broker:
    return Broker(host="127.0.0.1", port=mosquitto.port, prefix=PREFIX)


async def test_a_companions_entities_go_with_its_subentry(
    hass: HomeAssistant, broker: Broker, tmp_path: Path
) -> None:
    entry = await set_up(hass, broker, PHONE)
    (subentry,) = entry.subentries.values()
    entities, devices = er.async_get(hass), dr.async_get(hass)
    name = f"{ENTRY_ID}_phone_online"
    found = entities.async_get_entity_id("binary_sensor", DOMAIN, name)
    assert found is not None
    known = entities.async_get(found)
    assert known is not None
    assert known.config_subentry_id == subentry.subentry_id
    assert known.device_id is not None
    async with phone(entry, broker, tmp_path / "phone"):
        await until(entry, lambda _: online(entry, "phone"))
        await hass.async_block_till_done()
        state = hass.states.get(found)
        assert state is not None
        assert state.state == "on"
        # It is cut off at once, not only once the hub has started anew.
        outside = entry.runtime_data.outside
        hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
        await asyncio.sleep(0)
        assert outside.bus.presence.host("darcy") is None
        assert outside.bus.about["enrolled"] == []
        await hass.async_block_till_done()
    assert entities.async_get(found) is None
    assert devices.async_get(known.device_id) is None
    assert await hass.config_entries.async_unload(ENTRY_ID)


@pytest.mark.usefixtures("all_entities_enabled")
async def test_another_record_is_shown_and_not_taken(
    hass: HomeAssistant, broker: Broker, tmp_path: Path
) -> None:
    """Somebody has started a librarian without a copy of this home's record."""
    entry = await set_up(hass, broker, DEWEY)
    await recorded(entry)
    hub = entry.runtime_data.hub
    identity = Identity(
        name="dewey", role="dewey", key=KEY, hub=hub.node.public_key, broker=broker
    )
    options = Options(repository=tmp_path / "record", mirror="/nowhere")
    dewey = await asyncio.to_thread(Dewey.open, identity, tmp_path / "journal", options)
    running = asyncio.ensure_future(dewey.run())
    boot = hub.node.boot

    def problem() -> str:
        return next(a for a in hub.status.agents if a.name == "dewey").problem or ""

    await until(entry, lambda _: "another record" in problem())
    entities = er.async_get(hass)

    def shown(domain: str, key: str) -> str | None:
        name = f"{ENTRY_ID}_dewey_{key}"
        found = entities.async_get_entity_id(domain, DOMAIN, name)
        state = hass.states.get(found) if found else None
        return state.state if state else None

    def as_it_is(_: object) -> bool:
        head = dewey.host.head
        return head is not None and shown("sensor", "head") == head.commit

    await until(entry, as_it_is)
    assert shown("binary_sensor", "online") == "on"
    assert shown("binary_sensor", "problem") == "on"
    issue = ir.async_get(hass).async_get_issue(DOMAIN, "companion_problem")
    assert issue is not None
    assert "dewey: it has another record" in str(issue.translation_placeholders)
    tasks = f"{ENTRY_ID}_dewey_open_tasks"
    assert entities.async_get_entity_id("sensor", DOMAIN, tasks) is None
    assert hub.node.boot == boot, "the librarian beside the hub goes on"
    dewey.stop()
    await running
    await dewey.close()
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_a_record_named_before_does_not_count_after(
    hass: HomeAssistant, broker: Broker
) -> None:
    """A librarian that was taken out has to show anew that it has everything."""
    entry = await set_up(hass, broker, DEWEY)
    path = entry.runtime_data.folder.record
    path.write_text(json.dumps({"node": "dewey", "repository": "0" * 40}))
    assert await hass.config_entries.async_reload(ENTRY_ID)
    assert entry.runtime_data.outside.librarian is not None
    (subentry,) = entry.subentries.values()
    hass.config_entries.async_remove_subentry(entry, subentry.subentry_id)
    await hass.async_block_till_done()
    assert entry.runtime_data.outside.librarian is None
    assert not path.exists()
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_the_key_is_renewed_by_a_button(
    hass: HomeAssistant, broker: Broker, tmp_path: Path, hass_owner_user: MockUser
) -> None:
    """Companions follow, also one that was away; nobody is paired again."""
    await set_up_home(hass, [lamp("desk")])
    entry = await set_up(hass, broker, PHONE)
    key = f"{ENTRY_ID}_renew_key"
    registry = er.async_get(hass)
    button = registry.async_get_entity_id("button", DOMAIN, key)
    assert button is not None
    registry.async_update_entity(button, disabled_by=None)
    assert await hass.config_entries.async_reload(ENTRY_ID)
    await hass.async_block_till_done()
    old = entry.runtime_data.hub.node.public_key
    async with phone(entry, broker, tmp_path / "phone") as companion:
        await until(entry, lambda _: online(entry, "phone"))
        changed = asyncio.Event()
        companion.on_change = changed.set
        for _ in range(2):
            boot = entry.runtime_data.hub.node.boot
            await hass.services.async_call(
                "button",
                "press",
                {"entity_id": button},
                blocking=True,
                context=Context(user_id=hass_owner_user.id),
            )
            await hass.async_block_till_done()
            assert entry.runtime_data.hub.node.boot == boot + 1
        new = entry.runtime_data.hub.node.public_key
        assert new != old
        await until(entry, lambda _: online(entry, "phone"))
        async with asyncio.timeout(10):
            while companion.trust.hub != new:
                changed.clear()
                await changed.wait()
    folder = entry.runtime_data.folder
    assert folder.key.stat().st_mode & 0o777 == 0o600
    # A renewal that was cut off has named a key that is never used.
    chain = json.loads(folder.chain.read_bytes())
    assert len(chain) == 2
    unused = {"old": new.text, "new": old.text, "signature": ""}
    folder.chain.write_text(json.dumps([*chain, unused]))
    assert await hass.config_entries.async_reload(ENTRY_ID)
    assert entry.runtime_data.outside.bus.about["keys"] == chain
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_a_hub_that_runs_twice_grants_nothing(
    hass: HomeAssistant, broker: Broker, hass_owner_user: MockUser
) -> None:
    await set_up_home(hass, [lamp("desk")])
    expose(hass, "light.desk")
    entry = await set_up(hass, broker)
    hub = entry.runtime_data.hub

    async def want() -> Reason | None:
        result = await hub.wishes.propose(
            principal=entry.runtime_data.house.people.principal(hass_owner_user.id),
            origin=Origin.APP,
            targets=tuple(device.id for device in hub._house.devices()),
            operation="light.turn_on",
            parameters={},
            reason="a test",
        )
        found: Reason | None = result.steps[0].reason
        return found

    entry.runtime_data.outside.bus.twin.fenced = "another hub is running"
    assert await want() is Reason.FENCED
    entry.runtime_data.outside.bus.twin.fenced = None
    assert await want() is None
    assert await hass.config_entries.async_unload(ENTRY_ID)


async def test_the_form_listens_again_after_the_broker_was_away(
    hass: HomeAssistant,
    broker: Broker,
    mosquitto: Mosquitto,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    listening, refused = asyncio.Event(), asyncio.Event()

    @asynccontextmanager
    async def watched(to: Broker, identifier: str) -> AsyncIterator[Link]:
        try:
            async with connect(to, identifier) as link:
                subscribe = link.subscribe

                async def subscribed(topic: str) -> None:
                    await subscribe(topic)
                    listening.set()

                monkeypatch.setattr(link, "subscribe", subscribed)
                yield link
        except LinkError, OSError:
            refused.set()
            raise

    monkeypatch.setattr(companions, "connect", watched)
    code = Code(
        name="phone", role="darcy", hub=KEY.public, secret=b"s" * 16, broker=broker
    )
    pairing = companions.Pairing(code, KEY, via=broker)
    running = asyncio.ensure_future(pairing.async_run())
    await listening.wait()
    mosquitto.kill()
    concluding = asyncio.ensure_future(pairing.async_conclude(accepted=True))
    await refused.wait()
    assert not concluding.done()
    mosquitto.start()
    assert await concluding
    await running
    # Whoever waits for it had lost the broker, too.
    async with connect(broker, "phone") as link:
        await link.subscribe(Topics(broker.prefix).pair(code.topic, "hub"))
        assert (await anext(link.deliveries())).retained
    assert Offer(code, since=0.0).problem(LIFE) == "expired"


async def test_who_goes_and_comes_is_logged_once(
    hass: HomeAssistant,
    broker: Broker,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The quality scale's rule log-when-unavailable."""

    def lines(text: str) -> int:
        return sum(text in message for message in caplog.messages)

    entry = await set_up(hass, broker, PHONE)
    for times in (1, 2):
        async with phone(entry, broker, tmp_path / "phone"):
            await until(entry, lambda _status: online(entry, "phone"))
            entry.runtime_data.async_update_listeners()
            assert lines("phone is connected") == times
            assert lines("phone is not connected any more") == times - 1
        await until(entry, lambda _status: not online(entry, "phone"))
        entry.runtime_data.async_update_listeners()
        assert lines("phone is not connected any more") == times
    assert await hass.config_entries.async_unload(ENTRY_ID)
