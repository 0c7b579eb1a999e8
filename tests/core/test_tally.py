"""What was granted lately, counted as a list of all grants would."""

from hypothesis import given, strategies as st

from hearthnet.core.agents.tally import REMEMBERED, Tally

GRANTS = st.lists(
    st.tuples(
        st.sampled_from((1.0, 60.0, REMEMBERED / 2, REMEMBERED)),
        st.sampled_from("ab"),
        st.sampled_from("xy"),
        st.sets(st.sampled_from(("lamp", "plug", "lock")), min_size=1),
    ),
    max_size=20,
)
"""Seconds since the one before, principal, intent, keys."""


@given(GRANTS, st.sampled_from("ab"), st.sets(st.sampled_from(("lamp", "plug"))))
def test_counts_what_a_list_of_all_would(
    grants: list[tuple[float, str, str, set[str]]], asker: str, asked: set[str]
) -> None:
    tally, all_, now = Tally(), list[tuple[float, str, str]](), 0.0
    for pause, principal, intent, keys in grants:
        now += pause
        tally.usage(now, principal, intent, keys)
        tally.count(now, principal, intent, keys)
        all_ += [(now, principal, key) for key in keys]
    usage = tally.usage(now, asker, "x", asked)
    for key in ("lamp", "plug"):
        ages = [
            now - at
            for at, who, what in all_
            if (who, what) == (asker, key) and now - at <= REMEMBERED
        ]
        assert list(usage.ages.get(key, ())) == (ages if key in asked else [])
    moved = {key for _, _, intent, keys in grants if intent == "x" for key in keys}
    assert usage.devices == len(moved - asked)
    tally.forget("x")
    assert tally.usage(now, asker, "x", asked).devices == 0


def test_keeps_nothing_that_no_longer_counts() -> None:
    tally = Tally()
    for number in range(100):
        tally.count(float(number), "anna", "x", {f"lamp {number}"})
    tally.forget("x")
    tally.usage(100 + REMEMBERED, "anna", "y", set())
    assert tally == Tally()
