"""Whether parameters lie inside what a lease grants and what the table knows."""

from .leases import Lease
from .operations import Operation, Parameters, check_parameters


def outside(lease: Lease, given: Parameters) -> str | None:
    """Return why parameters are outside a lease's envelope, or None."""
    envelope = lease.envelope
    for name, value in given.items():
        bound = envelope.get(name)
        if bound is None:
            return f"the lease does not name the parameter {name[:40]!r}"
        if not bound.admits(value):
            return f"{name} is {str(value)[:40]}, granted: {bound.as_dict()}"
    if len(given) < len(envelope):
        for name in sorted(envelope.keys() - given.keys()):
            # Left out, a parameter takes the device's own last value: unbounded.
            if not envelope[name].admits(None):
                return f"{name} is missing, granted: {envelope[name].as_dict()}"
    return None


def unfit(row: Operation, given: Parameters) -> str | None:
    """Return why parameters are outside the table of operations, or None."""
    problem = check_parameters(row, given)
    return problem.text if problem else None
