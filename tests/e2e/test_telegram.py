"""A Telegram chat over a real Home Assistant's life: set up, asked, killed, started."""

from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from script.lib.demo.house import configuration, furnish
from script.lib.demo.stage import set_up
from tests.support.hass_server import HassServer
from tests.support.process import wait_until
from tests.support.telegram_server import GROUP, TOKEN, TelegramServer, TelegramThread

ANNA = 11
FLOWS = "/api/config/config_entries"


@pytest.fixture
def telegram() -> Iterator[TelegramThread]:
    with TelegramThread() as running:
        yield running


def walk(hass: HassServer, flows: str, handler: Any, *steps: Any) -> dict[str, Any]:
    """Walk a flow, one answer a step; return where it got."""
    result: dict[str, Any] = hass.request("POST", flows, {"handler": handler})
    for step in steps:
        result = hass.request("POST", f"{flows}/{result['flow_id']}", step)
    assert result["type"] == "create_entry", result
    return result


def set_up_telegram(hass: HassServer, server: TelegramServer, hearthnet: str) -> None:
    """Add the bot and its chat, and give the chat to HearthNet, as the owner does."""
    endpoint = {"api_endpoint": server.url}
    chosen = {"platform": "polling", "api_key": TOKEN, "additional_settings": endpoint}
    bot = walk(hass, f"{FLOWS}/flow", "telegram_bot", chosen)["result"]["entry_id"]
    chats = [bot, "allowed_chat_ids"]
    walk(hass, f"{FLOWS}/subentries/flow", chats, {"chat_id": GROUP})
    with hass.websocket() as socket:
        entities = socket.call("config/entity_registry/list")
        me = socket.call("auth/current_user")["id"]
    (chat,) = (
        e["entity_id"]
        for e in entities
        if e["platform"] == "telegram_bot" and e["entity_id"].startswith("notify.")
    )
    given = {"chats": [chat], "users": [{"telegram": str(ANNA), "user": me}]}
    menu = {"next_step_id": "telegram"}
    walk(hass, f"{FLOWS}/options/flow", hearthnet, menu, given)


def kept(config: Path, message: int) -> bool:
    """Tell whether HearthNet has noted on the disk that a message stands open."""
    stores = config.glob(".storage/hearthnet.*.telegram")
    return any(f"/{message}" in store.read_text() for store in stores)


def asked_for(hass: HassServer) -> list[str]:
    """Return the words of the requests on record."""
    told = hass.action("hearthnet.timeline", {"type": "intent"}, answer=True)
    return [event["content"].partition(": ")[2] for event in told["events"]]


def listens(hass: HassServer) -> None:
    """Wait until HearthNet is loaded: an option is a new boot."""

    def loaded() -> bool:
        entries = hass.request("GET", f"{FLOWS}/entry?domain=hearthnet")
        return bool(entries[0]["state"] == "loaded")

    wait_until(loaded, 30, hass.process.tail)


def test_a_chat_and_a_power_cut(tmp_path: Path, telegram: TelegramThread) -> None:
    """What stood open is ended, what came meanwhile is dropped; then it goes on."""
    server, run = telegram.server, telegram.run
    (tmp_path / "automations.yaml").write_text("[]\n")
    with HassServer(tmp_path, yaml=configuration()) as hass:
        furnish(hass)
        set_up_telegram(hass, server, set_up(hass, {}))
        listens(hass)

        run(server.say(ANNA, "Turn on the desk lamp"))
        done = run(server.shown("Jeeves: Desk lamp is now on."))
        assert done.text.startswith("Rupert → Jeeves: Desk lamp: on")

        run(server.say(ANNA, "Unlock the front door"))
        asked = run(server.shown("wants: Front door unlocked."))
        old = asked.buttons["Approve"]
        # A message goes out a moment before it is known to stand there.
        wait_until(lambda: kept(tmp_path, asked.id), 10, hass.process.tail)
        hass.kill()
        run(server.say(ANNA, "Turn off the desk lamp", ago=timedelta(minutes=5)))
        run(server.press_data(ANNA, asked, old))
        hass.start()

        run(server.until(lambda _: "HearthNet has restarted" in asked.text))
        assert asked.buttons == {}
        run(server.say(ANNA, "turn on the floor lamp"))
        run(server.shown("Floor lamp is now on."))
        assert "Turn off the desk lamp" not in asked_for(hass)
        run(server.press_data(ANNA, asked, old))
        run(server.until(lambda s: s.answers))
        assert "does not wait" in server.answers[-1]["text"]
        assert hass.state("lock.front_door")["state"] == "locked"
        assert not [line for line in hass.errors() if "hearthnet" in line]
