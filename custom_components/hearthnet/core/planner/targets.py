"""From many devices to those that shall be told: groups as wholes, nobody twice."""

from collections.abc import Iterable

from ..devices import Device, House


def without_doubles(devices: Iterable[Device], house: House) -> tuple[Device, ...]:
    """Return the devices to tell so that each thing is moved once.

    A group is told in place of its members if all of them that can be named are
    meant. Otherwise it is left out: it would move more than was asked for.
    """
    wanted = {device.id: device for device in devices}
    named = {device.id for device in house.devices()}
    covered: set[str] = set()
    left: list[Device] = []
    # The largest first, so that a group of groups stands for the inner ones.
    for device in sorted(wanted.values(), key=lambda d: -len(d.members)):
        members = set(device.members)
        if device.id in covered or members & covered:
            continue
        if not members & named <= wanted.keys():
            continue
        covered |= members
        left.append(device)
    told: dict[str, Device] = {}
    for device in sorted(left, key=lambda d: d.entity_id):
        told.setdefault(device.key, device)
    return tuple(told.values())
