"""Cameras: on, off and motion detection. Pictures are no operation.

Off is no safe direction, since a camera guards. Its state tells whether somebody
watches, not whether it is on, so switching one cannot be read back.
"""

from ..devices import Values
from ..operations import EffectsOf, Operation, Parameters
from .shapes import Pairs, no_effects

DEADLINE = 5.0


def _motion_detection(on: bool) -> EffectsOf:
    def effects(_parameters: Parameters, _values: Values) -> Pairs:
        return (("motion_detection", on),)

    return effects


ROWS = (
    Operation(name="camera.turn_on", effects=no_effects, deadline=DEADLINE),
    Operation(
        name="camera.turn_off",
        effects=no_effects,
        deadline=DEADLINE,
        reads_state=False,
    ),
    Operation(
        name="camera.enable_motion_detection",
        effects=_motion_detection(True),
        deadline=DEADLINE,
    ),
    Operation(
        name="camera.disable_motion_detection",
        effects=_motion_detection(False),
        deadline=DEADLINE,
    ),
)
