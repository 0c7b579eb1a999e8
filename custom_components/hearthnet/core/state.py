"""The view, read as what it keeps: the policy in force, holds, open tasks."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice

from .deferred import Deferred
from .holds import Hold
from .messages import EventId
from .policy.load import load
from .policy.model import Policy
from .tasks import Task, TaskState
from .view import View

HOLDS = "holds"
KEPT = timedelta(hours=1)
"""How long a hold stays on record after its end."""
SWEPT = 100
"""How many of those that are over go at once."""
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
        self._holds: dict[str, tuple[str | None, Hold]] = {}
        self._all: tuple[int, tuple[Hold, ...]] = (-1, ())

    @property
    def in_force(self) -> InForce:
        """The policy in force; one that denies all when there is none."""
        version = self._view.version(POLICY_PATH)
        if version != self._policy.version:
            text = self._view.get(POLICY_PATH)
            policy = load(text) if isinstance(text, str) else Policy()
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

    def all_holds(self) -> tuple[Hold, ...]:
        """Return the recorded holds, ended ones too."""
        moment = self._view.order_in(HOLDS)
        if self._all[0] != moment:
            self._all = moment, tuple(self._read_holds())
        return self._all[1]

    def _read_holds(self) -> Iterable[Hold]:
        known: dict[str, tuple[str | None, Hold]] = {}
        for path in self._view.paths(f"{HOLDS}/"):
            version = self._view.version(path)
            entry = self._holds.get(path)
            if entry is None or entry[0] != version:
                value = self._view.get(path)
                entry = (
                    version,
                    Hold.from_dict(value if isinstance(value, dict) else {}),
                )
            known[path] = entry
        self._holds = known
        return (hold for _, hold in known.values())

    def over(self, now: datetime) -> dict[str, None]:
        """Return the paths of holds that nobody needs any more, as writes.

        They have been over for a while: a lease that was decided on one while it
        stood is over too, and a clock that was ahead had the time to come back.
        """
        ago = now - KEPT
        old = (hold.path for hold in self.all_holds() if not hold.is_live(ago))
        return dict.fromkeys(islice(old, SWEPT))

    def deferred(self) -> tuple[Deferred, ...]:
        """Return the plans that wait for their time, the next one first."""
        plans = [
            Deferred.from_dict(value)
            for path in self._view.paths("deferred/")
            if isinstance(value := self._view.get(path), dict)
        ]
        return tuple(sorted(plans, key=lambda plan: plan.due))

    def open_tasks(self) -> tuple[Task, ...]:
        """Return the tasks that are recorded as open or blocked, oldest first."""
        tasks = [
            Task.from_dict(value)
            for path in self._view.paths("tasks/")
            if isinstance(value := self._view.get(path), dict)
        ]
        waiting = (t for t in tasks if t.state in (TaskState.OPEN, TaskState.BLOCKED))
        return tuple(sorted(waiting, key=lambda task: EventId.parse(task.id)))
