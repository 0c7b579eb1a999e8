"""What the record keeps of a device, and when a read is news."""

from dataclasses import replace

from hearthnet.core.devices import Device
from hearthnet.core.shadow import differs, doubt, doubtful, known, shadow

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


def test_what_is_read_in_parts_keeps_the_others() -> None:
    television = replace(LAMP, partial=True)
    kept = shadow(television, {"state": "on", "volume_level": 0.2})
    assert known(television, kept, {"state": "off"}) == {
        "state": "off",
        "volume_level": 0.2,
    }
    assert known(LAMP, kept, {"state": "off"}) == {"state": "off"}
    assert known(television, None, {"state": "off"}) == {"state": "off"}
    # After something that nobody knows the end of, only what was read counts.
    doubted = doubtful(kept, "hub.1.2")
    assert known(television, doubted, {"state": "off"}) == {"state": "off"}
