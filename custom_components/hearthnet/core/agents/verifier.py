"""Stage 3 as things stand: gathers what a decision rests on, and verifies.

Nothing is changed here and nothing is sent; a dry run asks the same questions.
"""

from collections.abc import Callable, Mapping
from datetime import datetime

from ..approvals import Approval
from ..arbitrate import Conflict, arbitrate
from ..assignment import Assignment
from ..clock import Clock, Zone
from ..compile import Compiled, compile_action
from ..confirmations import Binding
from ..devices import House, Values
from ..facts import Facts, asks_who_is_home
from ..holds import Hold
from ..messages import Json
from ..node import Node
from ..operations import Problem
from ..outcomes import goals_of, needless
from ..paths import device_path
from ..reasons import Reason
from ..state import POLICY_PATH, InForce, State
from ..verify import Case, Readiness, Ruling, verify
from .tally import Tally


class Verifier:
    """Compiles actions and rules on them."""

    def __init__(
        self,
        *,
        node: Node,
        house: House,
        state: State,
        clock: Clock,
        zone: Zone,
        readiness: Callable[[], Readiness],
        unknown: Callable[[str], str | None],
        home: Callable[[], frozenset[str] | None],
    ) -> None:
        """Take what decisions rest on.

        `unknown` gives the execute whose outcome on a device is not known, `home`
        the names of the persons at home.
        """
        self._node = node
        self._house = house
        self._state = state
        self._clock = clock
        self._zone = zone
        self._readiness = readiness
        self._unknown = unknown
        self._home = home
        self.tally = Tally()
        """What was granted lately, for the policy's limits."""

    @property
    def in_force(self) -> InForce:
        """The policy in force, and its version."""
        return self._state.in_force

    def compile(
        self, device_id: str, operation: str, parameters: object
    ) -> Compiled | Problem:
        """Compile an action on a device that may be named."""
        if (row := self._house.operations.get(operation)) is None:
            text = f"there is no operation {operation[:60]!r}"
            return Problem(Reason.UNKNOWN_OPERATION, text, "operation")
        device = self._house.device(device_id)
        if device is None or all(d.id != device_id for d in self._house.devices()):
            text = f"there is no exposed device {device_id[:60]!r}"
            return Problem(Reason.UNKNOWN_TARGET, text, "device")
        if row.domain != device.domain:
            text = f"{device.name} is a {device.domain}; it cannot {operation}"
            return Problem(Reason.UNKNOWN_OPERATION, text, "operation")
        if not isinstance(parameters, Mapping):
            return Problem(Reason.BAD_PARAMETER, "expected an object", "parameters")
        return compile_action(row, parameters, device, self._house)

    def rule(
        self, assignment: Assignment, compiled: Compiled, *, late: bool = False
    ) -> Ruling:
        """Return the ruling on an action as things stand; changes nothing."""
        in_force = self._state.in_force
        readiness = self._readiness()
        now = self._clock.now().astimezone(self._zone())
        targets = [target.device for target in compiled.targets]
        case = Case(
            assignment=assignment,
            compiled=compiled,
            manager=assignment.task.manager,
            late=late,
            forbidden=[
                device.name
                for device in targets
                if not self._house.may_control(assignment.principal, device.id)
            ],
            stale=self._node.view.stale(assignment.reads),
            unknown={
                device.name: execute
                for target in compiled.targets
                for device in (target.device, *target.aliases)
                if (execute := self._unknown(device.id)) is not None
            },
            policy=in_force.policy,
            policy_version=in_force.version,
            usage=self.tally.usage(
                self._clock.boottime(),
                assignment.principal.id,
                assignment.task.intent,
                {device.key for device in targets},
            ),
            home=self._home(),
            holds=self.holds_on(compiled),
            now=now,
            readiness=readiness,
            approved=self._agreed(assignment, compiled)
            or self._approval(assignment, compiled) is not None,
        )
        return verify(case, self._node.view.commit_of)

    def as_wanted(self, compiled: Compiled) -> dict[str, Values] | None:
        """Return what an action's devices show, if it is surely all that is wanted."""
        devices = [target.device for target in compiled.targets]
        readings = {device.id: self._house.read(device.id) for device in devices}
        # What an app showed a while ago may be otherwise by now.
        if not all(one.available and one.seen is None for one in readings.values()):
            return None
        goals = goals_of(compiled.operation, compiled.parameters, devices, readings)
        if not needless(compiled.operation, goals):
            return None
        return {device: reading.values for device, reading in readings.items()}

    def obstacle(self, assignment: Assignment, compiled: Compiled) -> Conflict | None:
        """Return the hold that keeps an action from being done by now, if any."""
        return arbitrate(
            compiled.effects,
            assignment.source,
            assignment.principal,
            self.holds_on(compiled),
            now=self.trusted_now(),
            policy=self.in_force.policy,
        ).obstacle

    def reads(
        self, assignment: Assignment, compiled: Compiled
    ) -> dict[str, str | None]:
        """Return the versions that a decision on an action rests on."""
        covering = {hold.path for hold in self.holds_on(compiled)}
        names = (d.id for t in compiled.targets for d in (t.device, *t.aliases))
        devices = set(map(device_path, names))
        paths = covering | (devices if compiled.operation.reads_state else set())
        approval = self._approval(assignment, compiled)
        if approval is not None and not self._agreed(assignment, compiled):
            paths.add(approval.path)
        return self._node.view.reads([POLICY_PATH, *sorted(paths)])

    def facts(self, compiled: Compiled) -> dict[str, Json]:
        """Return what the policy's verdict rests on, for whoever asks it again."""
        now, policy = self.trusted_now(), self.in_force.policy
        return Facts(
            operation=compiled.operation,
            targets=compiled.targets,
            now=None if now is None else now.astimezone(self._zone()),
            home=self._home() if asks_who_is_home(policy) else None,
        ).as_dict()

    def binding(self, assignment: Assignment, compiled: Compiled) -> Binding:
        """Return what a person would have to agree to now."""
        target = tuple(sorted(t.device.id for t in compiled.targets))
        return Binding(
            principal=assignment.principal,
            target=target,
            operation=compiled.operation.name,
            parameters=compiled.parameters,
            shown={device: dict(self._house.read(device).values) for device in target},
        )

    def _agreed(self, assignment: Assignment, compiled: Compiled) -> bool:
        """Tell whether a person has just agreed to this, as things still are."""
        return assignment.approved == self.binding(assignment, compiled)

    def _approval(self, assignment: Assignment, compiled: Compiled) -> Approval | None:
        """Return the standing approval of an action, if there is one."""
        target = tuple(sorted(t.device.id for t in compiled.targets))
        wish = (target, compiled.operation.name, compiled.parameters)
        found = self._state.approvals(self.trusted_now())
        return next((a for a in found if a.covers(assignment.principal, *wish)), None)

    def over(self) -> Mapping[str, None]:
        """Return the writes that end what has been over for a while."""
        now = self.trusted_now()
        return {} if now is None else self._state.over(now)

    def holds_on(self, compiled: Compiled) -> tuple[Hold, ...]:
        """Return the holds that stand on what an action changes."""
        devices = {effect.device for effect in compiled.effects}
        return self._state.holds_on(devices, self.trusted_now())

    def trusted_now(self) -> datetime | None:
        """Return the time; None while the clock cannot be trusted."""
        return self._clock.now() if self._readiness().clock else None
