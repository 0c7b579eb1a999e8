"""Puts before a person what nobody can know, and takes what is said of it."""

from ..devices import House
from ..intents import Request
from ..messages import EventId, Json, Message, MessageType
from ..node import Node
from ..reasons import Outcome
from ..review import Review
from ..state import State
from .jobs import Job
from .manager import ROOT


class Reviews:
    """The reviews on record, made and ended."""

    def __init__(self, node: Node, state: State, house: House) -> None:
        """Record in the root's name, of the devices in `house`."""
        self._node = node
        self._state = state
        self._house = house

    @property
    def standing(self) -> tuple[Review, ...]:
        """What waits for a person, oldest first."""
        return self._state.reviews()

    def open(self, intent: str, request: Request, job: Job) -> None:
        """Put an action before people whose manager fell silent with a lease."""
        boot, seq = self._node.position
        known = self._house.device(job.device)
        device = known.name if known else job.device
        review = Review(
            id=str(EventId(self._node.name, boot, seq + 1)),
            intent=intent,
            task=job.task,
            manager=job.manager,
            device=device,
            request=request,
            action=job.action,
        )
        self._say(
            review,
            f"Nobody knows whether {job.manager} did it: {job.action.operation} on"
            f" {device}. Somebody has to look.",
            review.as_dict(),
        )

    def learn(self, answer: Message) -> None:
        """End the review of a task of which its manager says now what came."""
        if (
            answer.type is MessageType.RECEIPT
            and answer.body["outcome"] == Outcome.UNKNOWN
        ):
            return
        for review in self.standing:
            if (review.task, review.manager) == (answer.task, answer.sender):
                self._say(review, f"It is known now: {answer.content}", None)

    def end(self, review_id: str, *, retry: bool) -> Review:
        """Take what a person says of one.

        Raises:
            LookupError: it does not stand (any more).
        """
        for review in self.standing:
            if review.id == review_id:
                what = "tried again" if retry else "let be"
                self._say(review, f"Somebody has looked: it is {what}.", None)
                return review
        raise LookupError(review_id)

    def _say(self, review: Review, content: str, kept: Json) -> None:
        # Without the task, whose line ended when its manager was given up.
        self._node.emit(
            sender=ROOT,
            to=ROOT,
            type=MessageType.RESOLUTION,
            content=content[:500],
            cause=review.task,
            intent=review.intent,
            base_commit=self._node.view.commit,
            writes={review.path: kept},
        )
