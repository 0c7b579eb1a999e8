"""The harness itself: the browser shows what Home Assistant holds, restarts work."""

import pytest

from tests.support.hass_server import HassServer, HttpError
from tests.support.hass_websocket import CommandError

from .conftest import OpenPage, StartHass

PROOF = {
    "views": [
        {
            "title": "Proof",
            "type": "sections",
            "sections": [
                {
                    "type": "grid",
                    "cards": [{"type": "tile", "entity": "light.bed_light"}],
                }
            ],
        }
    ]
}


def test_page_follows_states(hass: HassServer, open_page: OpenPage) -> None:
    path = hass.dashboard("e2e-proof", PROOF)
    hass.action("light.turn_off", {"entity_id": "light.bed_light"})
    tile = open_page(path).locator("hui-tile-card")
    tile.get_by_text("Off").wait_for()

    hass.action("light.turn_on", {"entity_id": "light.bed_light", "brightness_pct": 50})

    tile.get_by_text("50").wait_for()


def test_dark_phone(hass: HassServer, open_page: OpenPage) -> None:
    path = hass.dashboard("e2e-proof", PROOF)

    page = open_page(path, width=360, height=740, dark=True)

    page.get_by_text("Bed Light").wait_for()
    background = page.evaluate(
        "getComputedStyle(document.documentElement)"
        ".getPropertyValue('--primary-background-color').trim()"
    )
    assert background == "#111"


def test_subscription_gets_events(hass: HassServer) -> None:
    with hass.websocket() as socket:
        events = socket.subscribe("subscribe_events", event_type="call_service")
        hass.action("light.toggle", {"entity_id": "light.bed_light"})

        event = events.wait_for(lambda event: event["data"]["domain"] == "light")

    assert event["data"]["service"] == "toggle"


def test_other_user_has_own_rights(hass: HassServer) -> None:
    hass.add_user("Guest", "guest-password")
    token = hass.tokens_of("guest", "guest-password")["access_token"]

    with hass.websocket(token) as socket, pytest.raises(CommandError) as refusal:
        socket.call("config/auth/list")
    with pytest.raises(HttpError, match="401"):
        hass.request("POST", "/api/config/config_entries/flow", {}, token=token)

    assert refusal.value.code == "unauthorized"


@pytest.mark.slow
def test_restart_and_kill(start_hass: StartHass) -> None:
    hass = start_hass()
    hass.dashboard("e2e-proof", PROOF)
    socket = hass.websocket()
    events = socket.subscribe("subscribe_events")

    hass.restart()
    with pytest.raises(ConnectionError):
        events.wait_for(lambda _: False)
    hass.kill()
    hass.start()

    with hass.websocket() as socket:
        assert socket.call("lovelace/config", url_path="e2e-proof") == PROOF
    assert hass.errors() == []


def test_no_errors_logged(hass: HassServer) -> None:
    assert hass.errors() == []
