"""What the record keeps of a device, and when a read is news."""

from hearthnet.core.devices import Device
from hearthnet.core.shadow import differs, doubt, doubtful, shadow

LAMP = Device(id="d", entity_id="light.d", name="D", domain="light")


def test_a_read_is_news_if_values_differ_or_are_doubted() -> None:
    kept = shadow(LAMP, {"state": "on"})
    assert kept == {"entity_id": "light.d", "name": "D", "values": {"state": "on"}}
    assert not differs(kept, {"state": "on"})
    assert differs(kept, {"state": "off"})
    assert differs(None, {"state": "on"})
    assert differs(doubtful(kept, "hub.1.2"), {"state": "on"})


def test_doubt_keeps_the_last_values() -> None:
    kept = doubtful(shadow(LAMP, {"state": "on"}), "hub.1.2")
    assert kept["values"] == {"state": "on"}
    assert doubt(kept) == "hub.1.2"
    assert doubt(doubtful(None, "hub.1.2")) == "hub.1.2"
    assert doubt(shadow(LAMP, {})) is None
    assert doubt(None) is None
    assert doubt({"unknown": 1}) is None
