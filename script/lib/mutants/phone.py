"""The phone: what stands between a lease and a tap."""

from .kinds import instead, never, without

_DARCY = "../../../companion/hearthnet/darcy"
_DRIVER = f"{_DARCY}/driver.py"
_GUARDS = "darcy/test_guards.py"
_SCENARIOS = "darcy/test_scenarios.py"
_SIGHT = "darcy/test_sight.py"
_VISION = "darcy/test_vision.py"

MUTATIONS = (
    without(
        "a lease before each input",
        _DRIVER,
        "        self._recheck()\n        self._touched = True\n",
        _GUARDS,
    ),
    never("exactly one node", f"{_DARCY}/ui.py", "len(found) > 1", _SCENARIOS),
    instead(
        "what a lease on the phone rests on is told when it changes",
        "outside.py",
        "self._sharing.tell(peer, sorted(changed))",
        "pass",
        "darcy/test_darcy.py::test_what_changed_in_home_assistant_makes_a_lease_on_the_phone_stale",
    ),
    instead(
        "wireless debugging of the phone's own address only",
        f"{_DARCY}/wireless.py",
        "if port is not None and _same(source, address):",
        "if port is not None:",
        "darcy/test_wireless.py",
    ),
    instead(
        "no text of a screen in the record",
        "phone/values.py",
        "{len(text)} letters that are not in the recipe",
        "{text} is not in the recipe",
        _SCENARIOS,
    ),
    instead(
        "another app in front",
        _DRIVER,
        "if glance.shade or glance.package != package:",
        "if glance.shade:",
        _GUARDS,
    ),
    instead(
        "a screen that changed since the look",
        _DRIVER,
        "elif glance.frame == tree.frame:",
        "else:",
        _GUARDS,
    ),
    never("the owner comes first", f"{_DARCY}/watch.py", "foreign", _GUARDS),
    instead(
        "a version that nobody has checked",
        _DRIVER,
        "if not (any_version or low <= package.version <= high):",
        "if False:",
        _SCENARIOS,
    ),
    never(
        "the app's signer",
        _DRIVER,
        "signer != app.signer_sha256",
        "darcy/test_signer.py",
    ),
    never(
        "the recipe that was granted",
        f"{_DARCY}/adapter.py",
        "permit.recipe != entry.digest",
        "darcy/test_adapter.py",
    ),
    never(
        "denied packages",
        "phone/selectors.py",
        "why := why_denied(package)",
        "darcy/test_recipe.py::test_denied_packages",
    ),
    instead(
        "a broken link at the tap is unknown",
        f"{_DARCY}/stops.py",
        "return Outcome.FAILED if seen else Outcome.UNKNOWN",
        "return Outcome.FAILED",
        _GUARDS,
    ),
    instead(
        "no tap over a new connection",
        f"{_DARCY}/phone.py",
        "self.pace.command, reconnect=False)",
        "self.pace.command)",
        _GUARDS,
    ),
    never("a dark phone stays dark", _DRIVER, "not require.wake", _GUARDS),
    without(
        "back to the home screen",
        f"{_DARCY}/driver.py",
        "                await self.phone.home()\n",
        _SCENARIOS,
    ),
    instead(
        "vision, only if the lease carries it",
        f"{_DARCY}/adapter.py",
        "if self.choose is not None and permit.vision:",
        "if self.choose is not None:",
        _VISION,
    ),
    instead(
        "vision, only if the recipe's step has it",
        _DRIVER,
        "if not vision or self._eye is None or",
        "if self._eye is None or",
        _SIGHT,
    ),
    instead(
        "vision, only if the policy names the appliance",
        "hub.py",
        "return named <= self.state.in_force.policy.vision",
        "return True",
        _VISION,
    ),
    never(
        "a number among the candidates",
        "planner/choice.py",
        "not 0 <= number <= count",
        _SIGHT,
        _VISION,
    ),
    never(
        "the chosen one is looked at again",
        f"{_DARCY}/sight.py",
        "len(same) != 1",
        _SIGHT,
    ),
    instead(
        "no candidate that the recipe knows otherwise",
        f"{_DARCY}/sight.py",
        "[node for node in clickable if node not in others]",
        "list(clickable)",
        _SIGHT,
    ),
    instead(
        "one question a lease",
        "agents/choosing.py",
        "lease is None or lease.grantee != phone or lease.id in self._asked",
        "lease is None or lease.grantee != phone",
        _VISION,
    ),
)
