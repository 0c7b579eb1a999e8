"""Valves of water and gas: a cover in all but what an open one lets through."""

from ..operations import Operation, Risk
from .cover import DEADLINE, POSITION, travel
from .shapes import PERCENT, no_effects, to_attributes

ROWS = (
    Operation(
        name="valve.open_valve",
        effects=travel("open", 100),
        risk=Risk.CONFIRM,
        deadline=DEADLINE,
        moves=True,
    ),
    Operation(
        name="valve.close_valve",
        effects=travel("closed", 0),
        risk=Risk.FREE,
        deadline=DEADLINE,
        moves=True,
        reads_state=False,
    ),
    Operation(
        name="valve.set_valve_position",
        parameters={"position": PERCENT},
        required=frozenset({"position"}),
        effects=to_attributes(position=POSITION),
        risk=Risk.CONFIRM,
        deadline=DEADLINE,
        moves=True,
    ),
    Operation(
        name="valve.stop_valve",
        effects=no_effects,
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    ),
)
