"""What the owner has taken back since a lease was granted.

The gate knows versions of the record; rights and exposure are Home Assistant's, and
a lease that is used later than it was granted may have outlived them.
"""

from ..compile import leaves
from ..devices import House
from ..intents import Evidence
from ..leases import Lease
from ..reasons import Reason


def withdrawn(lease: Lease, house: House) -> Evidence | None:
    """Return why a lease must not be used any more, None while nothing forbids it."""
    exposed = {leaf.id for device in house.devices() for leaf in leaves(device, house)}
    for target in lease.target:
        device = house.device(target)
        name = device.name if device else target
        if target not in exposed:
            text = f"{name} is no longer exposed"
            return Evidence(code=Reason.UNKNOWN_TARGET, text=text, lease=lease.id)
        if not house.may_control(lease.principal, target):
            who = lease.principal.name
            text = f"Home Assistant does not let {who} control {name} any more"
            return Evidence(code=Reason.NOT_PERMITTED, text=text, lease=lease.id)
    return None
