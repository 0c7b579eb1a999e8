"""What people set: the switch, the policy, and what they end before its time.

What waits returns once it is on the disk.
"""

from datetime import tzinfo
from typing import Any

from .agents.issuer import Issuer
from .agents.manager import ROOT
from .bus import Bus
from .clock import to_text
from .clock_trust import CONFIRMED
from .deferred import Deferred
from .devices import Principal
from .messages import BROADCAST, Json, MessageType
from .node import Node, Record
from .policy.load import load
from .reasons import Reason
from .state import ENABLED_PATH, POLICY_PATH, State


class Control:
    """The hub's levers, as Rupert pulls them for a person."""

    def __init__(self, node: Node, bus: Bus, state: State, issuer: Issuer) -> None:
        """Take what is set."""
        self._node = node
        self._bus = bus
        self._state = state
        self._issuer = issuer

    async def set_enabled(self, enabled: bool, principal: Principal) -> None:
        """Switch all actuation off or on; off revokes every unused lease."""
        if enabled == self._state.enabled:
            return
        word = "on" if enabled else "off"
        self._say(
            MessageType.ALERT,
            f"{principal.name} switched actuation {word}.",
            body={"principal": principal.as_dict()},
            writes={ENABLED_PATH: {"enabled": enabled}},
        )
        if not enabled:
            await self.revoke_all(principal)
        await self._node.sync()

    async def confirm_clock(self, principal: Principal) -> None:
        """Take a person's word that the clock is right and the record was ahead."""
        self._say(
            MessageType.ALERT,
            f"{principal.name} says that the clock is right.",
            body={"principal": principal.as_dict(), CONFIRMED: True},
        )
        await self._node.sync()

    async def note_renewal(self, principal: Principal) -> None:
        """Put on record that the hub's key is about to be renewed."""
        self._say(
            MessageType.ALERT,
            f"{principal.name} renews the hub's key.",
            body={"principal": principal.as_dict()},
        )
        await self._node.sync()

    async def release_hold(self, hold_id: str, principal: Principal) -> bool:
        """End a hold before its time; False when there is none of that id."""
        hold = next((h for h in self._state.all_holds() if h.id == hold_id), None)
        if hold is None:
            return False
        self._say(
            MessageType.RESOLUTION,
            f"{principal.name} released the hold on {hold.attribute}.",
            cause=hold.event,
            intent=hold.intent,
            body={"hold": hold.as_dict(), "principal": principal.as_dict()},
            writes={hold.path: None},
        )
        await self._node.sync()
        return True

    async def revoke_approval(self, approval_id: str, principal: Principal) -> bool:
        """End a standing approval before its time; False when none stands so."""
        standing = self._state.approvals(self._node.clock.now())
        approval = next((a for a in standing if a.id == approval_id), None)
        if approval is None:
            return False
        self._say(
            MessageType.RESOLUTION,
            f"{principal.name} revoked the approval of {approval.operation}.",
            cause=approval.id,
            body={"approval": approval.as_dict(), "principal": principal.as_dict()},
            writes={approval.path: None},
        )
        await self._node.sync()
        return True

    async def set_policy(self, text: str, principal: Principal) -> None:
        """Put a policy into force, whole or not at all.

        Whether there is what it names is for whoever takes the text to check.

        Raises:
            PolicyError: naming line, field and remedy; the last policy stays.
        """
        if text == self._node.view.get(POLICY_PATH):
            return
        policy = load(text, None)
        record = self._say(
            MessageType.POLICY,
            f"{principal.name} put a policy into force: {policy.name or 'unnamed'}.",
            to=BROADCAST,
            body={"principal": principal.as_dict()},
            writes={POLICY_PATH: text},
        )
        self._bus.send(record)
        await self._node.sync()

    async def revoke_lease(self, lease_id: str, principal: Principal) -> bool:
        """End a live lease; False when there is none of that id."""
        if (lease := self._issuer.leases.get(lease_id)) is None:
            return False
        self._issuer.revoke(lease, f"{principal.name} revoked it")
        await self._node.sync()
        return True

    async def revoke_all(self, principal: Principal) -> int:
        """End every live lease; return how many there were."""
        leases = list(self._issuer.leases.values())
        for lease in leases:
            self._issuer.revoke(lease, f"{principal.name} revoked all leases")
        await self._node.sync()
        return len(leases)

    async def cancel(self, deferred: str, principal: Principal) -> Deferred | None:
        """Take a deferred plan off the record, as `drop` does."""
        plan = self.drop(deferred, principal)
        await self._node.sync()
        return plan

    def drop(self, deferred: str, principal: Principal) -> Deferred | None:
        """Take a deferred plan off the record; it is not on the disk yet.

        Returns:
            The plan; None when there is none of that id.

        Raises:
            PermissionError: it is somebody else's, and this one decides for nobody.
        """
        plan = next((p for p in self._state.deferred() if p.id == deferred), None)
        if plan is None:
            return None
        if not plan.concerns(principal):
            raise PermissionError(plan.request.principal.name)
        text = f"{principal.name} canceled it: {plan.request.text}"
        self._drop(plan, text, principal=principal.as_dict())
        return plan

    def set_clocks(self, zone: tzinfo) -> None:
        """Take that the home's clocks show another time: “at nine” is nine there."""
        for plan in self._state.deferred():
            moved = plan.in_zone(zone)
            if moved.due != plan.due:
                self._say(
                    MessageType.RESOLUTION,
                    f"The clocks changed, and it keeps its time: {plan.request.text}"[
                        :500
                    ],
                    cause=plan.id,
                    intent=plan.id,
                    body={"due": to_text(moved.due)},
                    writes={plan.path: moved.as_dict()},
                )

    def miss(self, plan: Deferred) -> None:
        """Take a deferred plan off the record whose time went by unnoticed."""
        self._drop(plan, f"Missed, and not run late: {plan.request.text}")

    def _drop(self, plan: Deferred, content: str, **by: Json) -> None:
        self._say(
            MessageType.RESOLUTION,
            content[:500],
            cause=plan.id,
            intent=plan.id,
            body={"reason": Reason.CANCELED, "due": to_text(plan.due), **by},
            writes={plan.path: None},
        )

    def _say(
        self, type_: MessageType, content: str, *, to: str = ROOT, **fields: Any
    ) -> Record:
        return self._node.emit(
            sender=ROOT,
            to=to,
            type=type_,
            content=content,
            base_commit=self._node.view.commit,
            **fields,
        )
