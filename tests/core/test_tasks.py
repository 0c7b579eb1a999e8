"""Tasks and their scope."""

from hypothesis import given, settings, strategies as st
import pytest

from hearthnet.core.messages import MalformedError
from hearthnet.core.reasons import Reason
from hearthnet.core.tasks import Scope, Task, TaskState

SCOPE = Scope(
    devices=frozenset({"desk", "sofa"}),
    operations=frozenset({"light.turn_on", "light.turn_off"}),
    count=2,
)


@pytest.mark.parametrize(
    ("operation", "targets", "field"),
    [
        ("light.turn_on", ["desk"], None),
        ("light.turn_off", ["desk", "sofa", "desk"], None),
        ("lock.unlock", ["desk"], "operation"),
        ("light.turn_on", ["door"], "target"),
        ("light.turn_on", ["desk", "door"], "target"),
        ("light.turn_on", [], "target"),
    ],
)
def test_nothing_outside_the_scope(
    operation: str, targets: list[str], field: str | None
) -> None:
    problem = SCOPE.admits(operation, targets)
    assert (problem.field if problem else None) == field
    if problem:
        assert problem.reason is Reason.OUT_OF_SCOPE
        assert problem.text


def test_a_count_is_a_count_of_devices() -> None:
    one = Scope(devices=SCOPE.devices, operations=SCOPE.operations, count=1)
    assert one.admits("light.turn_on", ["desk", "desk"]) is None
    assert one.admits("light.turn_on", ["desk", "sofa"]) is not None


IDS = st.sampled_from(["desk", "sofa", "door"])
NAMES = st.sampled_from(["light.turn_on", "light.turn_off", "lock.unlock"])
SCOPES = st.builds(
    Scope,
    devices=st.frozensets(IDS),
    operations=st.frozensets(NAMES),
    count=st.integers(0, 3),
)


@settings(deadline=None)
@given(SCOPES, SCOPES, NAMES, st.lists(IDS))
def test_a_narrower_scope_admits_no_more(
    one: Scope, other: Scope, operation: str, targets: list[str]
) -> None:
    both = Scope(
        devices=one.devices & other.devices,
        operations=one.operations & other.operations,
        count=min(one.count, other.count),
    )
    alone = [scope.admits(operation, targets) for scope in (one, other)]
    assert (both.admits(operation, targets) is None) == (alone == [None, None])


@settings(deadline=None)
@given(
    st.builds(
        Task,
        id=st.just("hub.1.5"),
        intent=st.just("hub.1.1"),
        manager=st.just("jeeves"),
        goal=st.text(max_size=20),
        scope=SCOPES,
        state=st.sampled_from(TaskState),
        reason=st.none() | st.text(max_size=20),
    )
)
def test_a_task_survives_the_record(task: Task) -> None:
    assert Task.from_dict(task.as_dict()) == task
    assert task.path == "tasks/hub.1.5.json"


@pytest.mark.parametrize(
    "change",
    [
        {"state": "running"},
        {"scope": None},
        {"scope": {"devices": "desk", "operations": [], "count": 1}},
        {"scope": {"devices": [5], "operations": [], "count": 1}},
        {"scope": {"devices": [], "operations": []}},
    ],
)
def test_a_task_of_another_shape_is_refused(change: dict[str, object]) -> None:
    task = Task(
        id="hub.1.5", intent="hub.1.1", manager="jeeves", goal="Light", scope=SCOPE
    )
    with pytest.raises(MalformedError):
        Task.from_dict({**task.as_dict(), **change})
    with pytest.raises(MalformedError):
        Task.from_dict({})
