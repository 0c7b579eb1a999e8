"""Blinds, shutters, garage doors and gates."""

from ..devices import Values
from ..effects import STATE
from ..operations import EffectsOf, Operation, Parameters, Risk
from .shapes import PERCENT, Pairs, no_effects, to_attributes

DEADLINE = 3.0
"""Until `running` is told; the journey itself takes what it takes."""
POSITION = "current_position"
TILT = "current_tilt_position"


def travel(state: str, position: int) -> EffectsOf:
    """Return the effects of going all the way; a position only where one shows."""

    def effects(_parameters: Parameters, values: Values) -> Pairs:
        if values.get(POSITION) is None:
            return ((STATE, state),)
        return ((STATE, state), (POSITION, position))

    return effects


def _tilt(position: int) -> EffectsOf:
    """Return the effects of tilting all the way."""

    def effects(_parameters: Parameters, _values: Values) -> Pairs:
        return ((TILT, position),)

    return effects


ROWS = (
    Operation(
        name="cover.open_cover",
        effects=travel("open", 100),
        risk=Risk.CONFIRM,
        deadline=DEADLINE,
        moves=True,
    ),
    Operation(
        name="cover.close_cover",
        effects=travel("closed", 0),
        risk=Risk.FREE,
        deadline=DEADLINE,
        moves=True,
        reads_state=False,
    ),
    Operation(
        name="cover.set_cover_position",
        parameters={"position": PERCENT},
        required=frozenset({"position"}),
        effects=to_attributes(position=POSITION),
        risk=Risk.CONFIRM,
        deadline=DEADLINE,
        moves=True,
    ),
    Operation(
        name="cover.stop_cover",
        effects=no_effects,
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    ),
    Operation(
        name="cover.open_cover_tilt",
        effects=_tilt(100),
        deadline=DEADLINE,
        moves=True,
    ),
    Operation(
        name="cover.close_cover_tilt",
        effects=_tilt(0),
        risk=Risk.FREE,
        deadline=DEADLINE,
        moves=True,
        reads_state=False,
    ),
    Operation(
        name="cover.set_cover_tilt_position",
        parameters={"tilt_position": PERCENT},
        required=frozenset({"tilt_position"}),
        effects=to_attributes(tilt_position=TILT),
        deadline=DEADLINE,
        moves=True,
    ),
    Operation(
        name="cover.stop_cover_tilt",
        effects=no_effects,
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    ),
)
