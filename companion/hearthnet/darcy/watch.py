"""Telling the owner's touches from Darcy's own, so that the owner comes first.

Android tells only when the last touch or key was, whoever it came from. A touch
that is later than Darcy's last input to end is somebody else's. One that falls
between the two cannot be seen; the check right before each input keeps that gap
to the length of one command.
"""

from hearthnet.core.reasons import Reason

from .facts import Glance
from .link import Reply
from .stops import Stop

_SLACK = 0.05
"""Seconds by which rounding on the phone may shift a touch."""


class Watch:
    """Knows when Darcy last touched a phone."""

    def __init__(self, quiet: float) -> None:
        """Take a phone only `quiet` seconds after its owner's last touch."""
        self.owned = False
        """True once the owner was seen to use the phone in this run."""
        self._quiet = quiet
        self._own = float("-inf")
        self._since: float | None = None

    def begin(self) -> None:
        """Start a run."""
        self.owned = False
        self._since = None

    def excuse(self, now: float) -> None:
        """Note that an input of Darcy's has ended."""
        self._own = now
        if self._since is not None:
            self._since = now

    def check(self, glance: Glance, reply: Reply) -> None:
        """Judge a glance.

        Raises:
            Stop: `owner_active`.
        """
        since, self._since = self._since, self._since or reply.asked
        if glance.quiet is None:
            return
        # The phone took its age no sooner than it was asked.
        touched = reply.asked - glance.quiet
        if since is not None:
            foreign = touched > since + _SLACK
        else:
            # Whoever has just switched the screen off has put the phone away.
            just_now = bool(glance.awake) and glance.quiet < self._quiet
            foreign = just_now and touched > self._own + _SLACK
        if foreign:
            self.owned = True
            text = f"somebody touched the phone {glance.quiet:.1f} s ago"
            raise Stop(Reason.OWNER_ACTIVE, text)
