"""Whether a request is allowed: a pure function of policy, request and time."""

from datetime import datetime

from .model import Policy, Request, Usage, Verdict


def evaluate(
    policy: Policy, request: Request, now_local: datetime | None, usage: Usage
) -> Verdict:
    """Return what the policy says of a request.

    Args:
        policy: the policy in force.
        request: who wants what of which devices.
        now_local: the home's time, aware; None when the clock is not trusted.
        usage: what was granted before.
    """
    raise NotImplementedError
