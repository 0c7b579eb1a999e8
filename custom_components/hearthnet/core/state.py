"""The view, read as what it keeps: the policy in force, holds, open tasks."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from .approvals import FOLDER, Approval
from .deferred import Deferred
from .hold_index import KEPT, HoldIndex
from .holds import Hold
from .messages import EventId
from .policy.load import load
from .policy.model import Policy
from .review import FOLDER as REVIEWS, Review
from .tasks import Task, TaskState
from .view import View

POLICY_PATH = "policy.yaml"
ENABLED_PATH = "settings/actuation.json"
"""Whether anything may be moved at all; it outlives restarts."""


@dataclass(frozen=True)
class InForce:
    """The policy in force and the event that put it there."""

    policy: Policy
    version: str | None


class State:
    """Typed access to a view. Parses a path once per version."""

    def __init__(self, view: View) -> None:
        """Read from `view`, whatever it becomes."""
        self._view = view
        self._policy = InForce(Policy(), None)
        self._holds = HoldIndex(view)

    @property
    def in_force(self) -> InForce:
        """The policy in force; one that denies all when there is none."""
        version = self._view.version(POLICY_PATH)
        if version != self._policy.version:
            text = self._view.get(POLICY_PATH)
            policy = load(text, None) if isinstance(text, str) else Policy()
            self._policy = InForce(policy, version)
        return self._policy

    @property
    def enabled(self) -> bool:
        """False after a person switched actuation off."""
        kept = self._view.get(ENABLED_PATH)
        return not isinstance(kept, dict) or kept.get("enabled") is not False

    def holds(self, now: datetime | None) -> tuple[Hold, ...]:
        """Return the holds that stand; all recorded ones without a trusted clock."""
        return tuple(hold for hold in self.all_holds() if hold.is_live(now))

    def holds_on(
        self, devices: Iterable[str], now: datetime | None
    ) -> tuple[Hold, ...]:
        """Return the holds that stand on devices, by `Device.key`, as `holds` does."""
        return tuple(hold for hold in self._holds.on(devices) if hold.is_live(now))

    def all_holds(self) -> tuple[Hold, ...]:
        """Return the recorded holds, ended ones too."""
        return self._holds.all()

    def approvals(self, now: datetime | None) -> tuple[Approval, ...]:
        """Return the standing approvals; none without a trusted clock."""
        return tuple(one for one in self._all_approvals() if one.stands(now))

    def _all_approvals(self) -> Iterator[Approval]:
        for path in self._view.paths(f"{FOLDER}/"):
            if isinstance(value := self._view.get(path), dict):
                yield Approval.from_dict(value)

    def over(self, now: datetime) -> dict[str, None]:
        """Return the writes that end what has been over for a while."""
        approvals = (a for a in self._all_approvals() if a.until <= now - KEPT)
        return self._holds.over(now) | dict.fromkeys(one.path for one in approvals)

    def deferred(self) -> tuple[Deferred, ...]:
        """Return the plans that wait for their time, the next one first."""
        plans = [
            Deferred.from_dict(value)
            for path in self._view.paths("deferred/")
            if isinstance(value := self._view.get(path), dict)
        ]
        return tuple(sorted(plans, key=lambda plan: plan.due))

    def reviews(self) -> tuple[Review, ...]:
        """Return what waits for a person's decision, oldest first."""
        reviews = [
            Review.from_dict(value)
            for path in self._view.paths(f"{REVIEWS}/")
            if isinstance(value := self._view.get(path), dict)
        ]
        return tuple(sorted(reviews, key=lambda review: EventId.parse(review.id)))

    def open_tasks(self) -> tuple[Task, ...]:
        """Return the tasks that are recorded as open or blocked, oldest first."""
        tasks = [
            Task.from_dict(value)
            for path in self._view.paths("tasks/")
            if isinstance(value := self._view.get(path), dict)
        ]
        waiting = (t for t in tasks if t.state in (TaskState.OPEN, TaskState.BLOCKED))
        return tuple(sorted(waiting, key=lambda task: EventId.parse(task.id)))
