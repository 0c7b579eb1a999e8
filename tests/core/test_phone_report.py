"""What a phone says of itself is taken as far as it can be shown, and no further."""

from datetime import UTC, datetime
import json
from typing import Any

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.phone.report import PhoneReport

NOW = datetime(2026, 12, 1, tzinfo=UTC)
TRUE = {
    "battery": 81,
    "temperature": 24.5,
    "light": 12,
    "gyroscope": [0.1, 0, -3],
    "charging": True,
    "screen": False,
    "locked": False,
    "app": "com.example",
}


def told(**fields: Any) -> PhoneReport:
    """Read a report as it comes over the broker."""
    data = json.loads(json.dumps(PhoneReport().as_dict(NOW) | fields))
    return PhoneReport.from_dict(data, NOW)


def test_what_is_true_comes_through() -> None:
    assert told(values=TRUE).values == TRUE


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("battery", float("nan")),
        ("battery", "full"),
        ("battery", True),
        ("temperature", float("inf")),
        ("light", 10**400),
        ("light", None),
        ("gyroscope", [1, 2]),
        ("gyroscope", [1, 2, float("nan")]),
        ("accelerometer", "123"),
        ("charging", 1),
        ("app", "x" * 256),
        ("app", 7),
        ("password", "secret"),
    ],
)
def test_what_nobody_could_show_is_left_out(name: str, value: object) -> None:
    assert told(values=TRUE | {name: value}).values == {
        n: v for n, v in TRUE.items() if n != name
    }


@pytest.mark.parametrize("age", [-1, float("nan"), float("inf"), 1e18, "1", None, True])
def test_an_age_is_an_age(age: object) -> None:
    with pytest.raises(ValueError, match="not an age"):
        told(ages={"tv": {"state": age}})


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)


@given(st.dictionaries(st.sampled_from([*TRUE, "other"]), _JSON))
def test_any_values(values: dict[str, Any]) -> None:
    for name, value in told(values=values).values.items():
        assert name in TRUE
        assert isinstance(value, bool | int | float | str | list)
