"""Why a run on the phone ended early, and what that means for the appliance."""

from hearthnet.core.intents import Evidence
from hearthnet.core.reasons import Outcome, Reason


class Stop(Exception):  # noqa: N818 - an ending, often a wanted one
    """A run ends here."""

    def __init__(
        self, reason: Reason, text: str, evidence: tuple[Evidence, ...] = ()
    ) -> None:
        """Tell why, as a code and in words for a person."""
        super().__init__(text)
        self.reason = reason
        self.text = text
        self.evidence = evidence or (Evidence(text=text, code=reason),)


UNREACHABLE = frozenset(
    {
        Reason.ADB_OFFLINE,
        Reason.ADB_UNAUTHORIZED,
        Reason.ADB_TLS_PORT,
        Reason.PHONE_TIMEOUT,
        Reason.APP_NOT_INSTALLED,
        Reason.LAUNCH_FAILED,
        Reason.SCREEN_OFF,
        Reason.SCREEN_LOCKED,
    }
)
"""The appliance could not be reached; every other reason is a choice not to touch."""


def outcome_of(reason: Reason, *, acted: bool, seen: bool) -> Outcome:
    """Return what became of the appliance when a run stopped.

    Args:
        reason: why it stopped.
        acted: an input that can move the appliance may have been sent.
        seen: what the last such input did was read, and there is no more to come.
    """
    if acted:
        return Outcome.FAILED if seen else Outcome.UNKNOWN
    return Outcome.UNREACHABLE if reason in UNREACHABLE else Outcome.REFUSED
