"""The gate against a naive model of it, over random histories."""

from dataclasses import replace
import itertools
import math
from pathlib import Path
import tempfile
from typing import Any

from hypothesis import HealthCheck, assume, settings, strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from hearthnet.core.domains import OPERATIONS
from hearthnet.core.leases import Bound, Lease
from hearthnet.core.operations import check_parameters
from hearthnet.core.reasons import GATE_ORDER

from .gate_model import ORDER
from .gate_oracle import EVENTS, Oracle, Plan
from .gate_world import STRANGER_KEY, World

type Action = tuple[tuple[str, ...], str, dict[str, Any], dict[str, Bound]]
type Held = tuple[Lease, dict[str, Any]]
"""A lease and the parameters that it admits."""

DEVICES = ["lamp_a", "lamp_b", "lamp_twin", "blind"]
DIM = "brightness_pct"
RANGE = {DIM: Bound(minimum=10, maximum=60)}
ACTIONS: list[Action] = [
    (("lamp_a",), "light.turn_on", {}, {}),
    (("lamp_a",), "light.turn_on", {DIM: 40}, {DIM: Bound(exact=40)}),
    (("lamp_b",), "light.turn_on", {DIM: 20.5}, RANGE),
    (("lamp_a", "lamp_b"), "light.turn_on", {DIM: 1}, {DIM: Bound(choices=(1, 2))}),
    (("lamp_twin",), "light.turn_on", {}, {}),
    (("lamp_a",), "light.turn_off", {}, {}),
    (("lamp_b",), "light.turn_off", {}, {}),
    (("blind",), "cover.open_cover", {}, {}),
    (("blind",), "cover.stop_cover", {}, {}),
]
HOSTILE: list[Any] = [
    *(True, False, math.nan, math.inf, -math.inf, "40", None, [40], {"exact": 40}),
    *(10**400, -1, 0, 1, 2.0, 61, "\ud800"),
]
ACTION = st.sampled_from(ACTIONS)
EVENT = st.sampled_from(EVENTS)
PLAN = st.builds(
    Plan,
    sync=st.none() | EVENT,
    act=st.none() | EVENT,
    fault=st.sampled_from([None, None, None, "bug", "deaf", "crash"]),
)


class GateMachine(RuleBasedStateMachine):
    """One history of one gate; the subclasses place it."""

    embedded = False
    proposals: Bundle[str] = Bundle("proposals")
    leases: Bundle[Held] = Bundle("leases")

    def __init__(self) -> None:
        super().__init__()
        self.temporary = tempfile.TemporaryDirectory(prefix="gate-")
        folders = (Path(self.temporary.name) / str(n) for n in itertools.count())
        self.world = World(next(folders), self.embedded)
        self.world.fence()
        self.oracle = Oracle(self.world, folders)
        self.forged = itertools.count(77000)

    def teardown(self) -> None:
        self.oracle.close()
        self.temporary.cleanup()

    # Proposing and granting

    @rule(target=proposals)
    def propose(self) -> str:
        return self.world.propose()

    @rule(
        target=leases,
        proposal=proposals,
        action=ACTION,
        ttl=st.sampled_from([0.5, 5.0, 30.0, 60.0]),
        lost=st.booleans(),
        hear=st.booleans(),
        grantee=st.sampled_from([None, None, None, "mallory"]),
    )
    def grant(
        self,
        proposal: str,
        action: Action,
        ttl: float,
        lost: bool,
        hear: bool,
        grantee: str | None,
    ) -> Held:
        if hear:
            self.world.hear()
        target, operation, parameters, envelope = action
        lease = self.world.lease(
            proposal, target, operation, envelope, ttl=ttl, grantee=grantee
        )
        grant = self.world.sign(lease)
        if self.embedded or not lost:
            self.world.admit(grant)
        return lease, parameters

    @rule(target=leases, action=ACTION)
    def grant_at_once(self, action: Action) -> Held:
        return self.fresh(action)

    def fresh(self, action: Action) -> Held:
        """Propose and grant with the hub up to date and nothing lost."""
        self.world.hear()
        target, operation, parameters, envelope = action
        return self.world.granted(target, operation, envelope), parameters

    @rule(
        target=leases,
        proposal=proposals,
        action=ACTION,
        fault=st.sampled_from(["zombie", "forged", "unasked"]),
    )
    def grant_wrongly(self, proposal: str, action: Action, fault: str) -> Held:
        """A root of an earlier boot, a stranger's key, or nobody has asked."""
        target, operation, parameters, envelope = action
        boot = max(1, self.world.hub_boot - 1) if fault == "zombie" else None
        if fault == "unasked":
            proposal = f"{self.world.node.name}.{self.world.node.boot}.99999"
        lease = self.world.lease(proposal, target, operation, envelope, boot=boot)
        assume(self.world.model.grant(lease.id) is None)
        if fault == "forged":
            lease = replace(lease, id=f"hub.{self.world.hub_boot}.{next(self.forged)}")
            self.world.admit(self.world.sign(lease, STRANGER_KEY), genuine=False)
        else:
            self.world.admit(self.world.sign(lease))
        return lease, parameters

    @rule(known=leases)
    def forge_over(self, known: Held) -> None:
        """Somebody gives another grant the id of a known one."""
        lease = replace(known[0], ttl=59.0, target=("lamp_b",), grantee="mallory")
        grant = self.world.sign(lease, STRANGER_KEY)
        real = self.world.model.grant(lease.id)
        if real is not None and real["genuine"]:
            assert self.world.gate.admit(grant) is False
        elif not self.embedded:
            self.world.admit(grant, genuine=False)

    # The world goes on

    @rule(lease=leases)
    def revoke(self, lease: Held) -> None:
        self.oracle.happen("revoke", lease[0])

    @rule(event=EVENT)
    def event(self, event: str) -> None:
        self.oracle.happen(event)

    @rule(seconds=st.floats(0, 70))
    def time_passes(self, seconds: float) -> None:
        self.world.clock.advance(seconds)

    @rule(seconds=st.sampled_from([-3600.0, -5.0, 5.0, 3600.0]))
    def wall_clock_is_set(self, seconds: float) -> None:
        self.world.set_wall_clock(seconds)

    @rule(count=st.integers(1, 5))
    def deliver(self, count: int) -> None:
        self.world.deliver(count)

    @rule(told=st.booleans())
    def hub_reboots(self, told: bool) -> None:
        self.world.reboot_hub(told=told)

    @rule(device=st.sampled_from(DEVICES))
    def unavailable(self, device: str) -> None:
        self.world.house.unavailable ^= {device}

    @rule()
    def librarian_commits(self) -> None:
        events = {r.message.id: f"{n:040x}" for n, r in enumerate(self.world.records)}
        self.world.node.view.acknowledge("f" * 40, events)

    @rule(really=st.sampled_from([True, False, False, False]))
    def restart(self, really: bool) -> None:
        if really:
            self.oracle.restart()

    # Executing

    @rule(
        lease=leases,
        tweak=st.sampled_from(["grantee", "target", "operation", "extra", "value"]),
        hostile=st.sampled_from(HOSTILE),
    )
    def execute_wrongly(self, lease: Held, tweak: str, hostile: Any) -> None:
        request = self.oracle.request(*lease)
        match tweak:
            case "grantee":
                request["grantee"] = "rupert"
            case "target":
                request["target"] = ("lamp_b", "lamp_b")
            case "operation":
                request["operation"] = (
                    "light.toggle"
                    if lease[0].operation == "light.turn_off"
                    else "light.turn_off"
                )
            case "extra":
                request["parameters"] = {**request["parameters"], "flash": hostile}
            case "value" if request["parameters"]:
                request["parameters"] = dict.fromkeys(request["parameters"], hostile)
            case "value":
                request["target"] = (*request["target"], "blind")
        self.oracle.execute(lease[0], request)

    @rule(lease=leases, plan=PLAN)
    def execute(self, lease: Held, plan: Plan) -> None:
        self.oracle.execute(lease[0], self.oracle.request(*lease), plan)

    @rule(target=leases, action=ACTION, plan=PLAN)
    def do_at_once(self, action: Action, plan: Plan) -> Held:
        """The usual case from end to end."""
        lease, parameters = self.fresh(action)
        self.oracle.execute(lease, self.oracle.request(lease, parameters), plan)
        return lease, parameters

    # Invariants

    @invariant()
    def executes_once_a_lease(self) -> None:
        leases = [message.lease for message in self.world.executes]
        assert len(leases) == len(set(leases))

    @invariant()
    def acts_only_with_an_execute(self) -> None:
        executes = {message.id for message in self.world.executes}
        assert {permit.execute for permit in self.world.house.acts} <= executes
        leases = [permit.lease for permit in self.world.house.acts]
        assert len(leases) == len(set(leases))


class EmbeddedMachine(GateMachine):
    """The gate of the hub: its journal holds the grants too."""

    embedded = True


LIMITS = settings(
    max_examples=100,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestRemoteGate = GateMachine.TestCase
TestRemoteGate.settings = LIMITS
TestEmbeddedGate = EmbeddedMachine.TestCase
TestEmbeddedGate.settings = LIMITS


def test_the_machine_speaks_of_the_same_things() -> None:
    assert list(GATE_ORDER) == ORDER
    for _, operation, parameters, _ in ACTIONS:
        assert check_parameters(OPERATIONS[operation], parameters) is None
