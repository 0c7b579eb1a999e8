"""What stands above the list of the timeline card, as one reader may see it."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from typing import Any, cast

from homeassistant.core import callback
from homeassistant.util import dt as dt_util

from .core import wording
from .core.account import together
from .core.approvals import this_evening
from .core.hub import Hub
from .core.leftovers import Dropped
from .core.messages import Json
from .core.status import ApprovalStatus, HoldStatus, QuestionStatus
from .viewer import Viewer, plain


class Standing:
    """Shows the status to whom a viewer shows the list."""

    def __init__(
        self,
        viewer: Viewer,
        hub: Hub,
        *,
        may_decide: bool,
        devices: Collection[str] | None,
    ) -> None:
        """Take the reader, and the devices that the list is about; None: all."""
        self._viewer = viewer
        self._texts = viewer.texts
        self._hub = hub
        self._may_decide = may_decide
        self._devices = devices

    @callback
    def status(self) -> dict[str, Any]:
        """Return how things are now."""
        status = self._hub.status
        record = status.librarian
        told: dict[str, Any] = {
            "now": dt_util.utcnow().timestamp(),
            "open": status.open,
            "enabled": status.enabled,
            "journal": status.journal,
            "may_decide": self._may_decide,
            "agents": [
                {
                    "name": agent.name,
                    "online": agent.online,
                    "open_tasks": agent.open_tasks,
                }
                for agent in status.agents
            ],
            "holds": self._holds(h for h in status.holds if self._shows((h.device,))),
            "questions": self._questions(
                q for q in status.questions if self._shows(q.target)
            ),
            "plans": self._plans(),
            "dropped": self._dropped(status.dropped),
            "approvals": self._approvals(status.approvals),
            "record": {
                "connected": record.connected,
                "behind": record.behind,
                "problem": record.problem,
                "bad_commit": record.bad_commit,
                "bad_since": record.bad_since and record.bad_since.timestamp(),
            },
        }
        return plain(told)

    def _shows(self, target: Collection[str]) -> bool:
        about = self._devices is None or any(one in self._devices for one in target)
        return about and self._viewer.may_read(target)

    def _plans(self) -> list[dict[str, Any]]:
        """Show what is to be done later and the reader may cancel."""
        user = self._viewer.user.id
        return [
            {
                "intent": plan.id,
                "text": plan.request.text,
                "by": plan.request.principal.name,
                "due": plan.due.timestamp(),
            }
            for plan in self._hub.state.deferred()
            if (self._may_decide or plan.request.principal.id == user)
            and self._shows([one for action in plan.actions for one in action.targets])
        ]

    def _dropped(self, dropped: Iterable[Dropped]) -> list[dict[str, Any]]:
        """Show what is the reader's to ask for anew; it is about the whole home."""
        return [
            {
                "intent": one.intent,
                "text": one.text,
                "by": one.request.principal.name if one.request else "",
                "again": one.sayable,
            }
            for one in dropped
            if self._devices is None and self._viewer.may_decide_about(one)
        ]

    def _approvals(self, approvals: Iterable[ApprovalStatus]) -> list[dict[str, Any]]:
        return [
            {
                "id": one.id,
                "targets": self._viewer.targets(one.target),
                "wanted": self._viewer.wanted(one.operation, one.parameters),
                "for": one.principal,
                "by": one.by,
                "until": one.ends_at.timestamp(),
            }
            for one in approvals
            if self._shows(one.target)
        ]

    def _questions(self, questions: Iterable[QuestionStatus]) -> list[dict[str, Any]]:
        evening = this_evening(dt_util.now()).timestamp()
        return [
            {
                "ids": list(one.ids),
                "targets": self._viewer.targets(one.target),
                "wanted": self._viewer.wanted(one.operation, one.parameters),
                "by": one.principal,
                # What is agreed to is agreed to as things are.
                "now": self._texts.is_now.format(state=self._shown(one)),
                "until": one.expires_at.timestamp(),
                "evening": evening if one.again else None,
            }
            for one in together(questions, self._viewer.language)
        ]

    def _shown(self, question: QuestionStatus) -> str:
        """Tell the state of what a question is about, each one once."""
        states = (wording.state(self._texts, one) for one in question.shown.values())
        return self._texts.comma.join(dict.fromkeys(states))

    def _holds(self, holds: Iterable[HoldStatus]) -> list[dict[str, Any]]:
        """Show together what one action left on one device."""
        together: defaultdict[tuple[str, str], list[HoldStatus]] = defaultdict(list)
        for hold in holds:
            together[hold.device, hold.id.rpartition("-")[0]].append(hold)
        return [
            {
                "ids": [hold.id for hold in those],
                "target": self._viewer.targets((device,))[0],
                "value": self._held(those),
                "by": those[0].principal,
                "since": those[0].since.timestamp(),
                "until": those[0].ends_at and those[0].ends_at.timestamp(),
            }
            for (device, _), those in together.items()
        ]

    def _held(self, holds: Iterable[HoldStatus]) -> str:
        return self._texts.comma.join(
            wording.attribute(self._texts, hold.attribute, cast(Json, hold.value))
            for hold in holds
        )
