"""Why a model made no plan."""

from ..reasons import Reason


class PlannerError(Exception):
    """A model made no plan; the reason's text is what a person is told.

    Attributes:
        reason: one of the `MODEL_…` reasons, or `BUDGET_SPENT`.
        detail: what the provider said, for the log. Never shown as an outcome.
        wait: seconds after which it makes sense to try again; None: it makes none.
    """

    def __init__(
        self, reason: Reason, detail: str = "", *, wait: float | None = None
    ) -> None:
        """Take the reason, the provider's words, and when to try again."""
        super().__init__(f"{reason.value}: {detail}" if detail else reason.value)
        self.reason = reason
        self.detail = detail
        self.wait = wait
