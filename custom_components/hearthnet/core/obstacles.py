"""What keeps a good lease from being used at this moment.

None of it is the lease's fault: it stays unspent and may be tried again.
"""

from collections.abc import Iterable, Iterator

from .adapter import Adapter
from .devices import Device
from .intents import Evidence
from .leases import Lease
from .node import Node
from .paths import device_path
from .reasons import Reason
from .runs import Run
from .shadow import doubt


def obstacles(
    lease: Lease,
    devices: Iterable[Device],
    runs: Iterable[Run],
    adapter: Adapter,
    node: Node,
) -> tuple[Evidence, ...]:
    """Return all obstacles, the decisive first.

    `devices` are those of the lease's targets that still exist, `runs` what is
    being executed on one of them.
    """
    found = [
        *_unreachable(lease, {device.id for device in devices}, adapter),
        *_taken(lease, runs),
        *_doubtful(lease, node),
    ]
    if not node.journal.writable:
        text = "the journal cannot be written"
        found.append(
            Evidence(text=text, code=Reason.JOURNAL_UNWRITABLE, lease=lease.id)
        )
    return tuple(found)


def _unreachable(lease: Lease, there: set[str], adapter: Adapter) -> Iterator[Evidence]:
    gone = [target for target in lease.target if target not in there]
    if gone:
        text = f"{gone[0]} is gone"
    elif not any(adapter.read(target).available for target in lease.target):
        text = "unavailable"
    else:
        return
    yield Evidence(text=text, code=Reason.UNREACHABLE, lease=lease.id)


def _taken(lease: Lease, runs: Iterable[Run]) -> Iterator[Evidence]:
    for run in runs:
        yield Evidence(
            text=f"the lease {run.lease.id} is being executed on the device",
            code=Reason.RESERVED,
            lease=lease.id,
            event=run.execute,
            intent=run.lease.intent,
        )


def _doubtful(lease: Lease, node: Node) -> Iterator[Evidence]:
    for target in lease.target:
        if (execute := doubt(node.view.get(device_path(target)))) is not None:
            yield Evidence(
                text=f"what {execute} did to {target} is not known yet",
                code=Reason.UNVERIFIABLE_STATE,
                lease=lease.id,
                event=execute,
                commit=node.view.commit_of(execute),
            )
