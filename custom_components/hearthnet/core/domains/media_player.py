"""Televisions, speakers and players."""

from ..operations import Operation, Parameter, Risk
from .shapes import FLAG, TEXT, no_effects, to_attributes, to_state

DEADLINE = 5.0
"""Players answer slowly."""

ROWS = (
    Operation(name="media_player.turn_on", effects=to_state("on"), deadline=DEADLINE),
    Operation(
        name="media_player.turn_off",
        effects=to_state("off"),
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    ),
    Operation(
        name="media_player.volume_set",
        parameters={"volume_level": Parameter(minimum=0, maximum=1)},
        required=frozenset({"volume_level"}),
        effects=to_attributes(volume_level="volume_level"),
        deadline=DEADLINE,
    ),
    Operation(
        name="media_player.volume_mute",
        parameters={"is_volume_muted": FLAG},
        required=frozenset({"is_volume_muted"}),
        effects=to_attributes(is_volume_muted="is_volume_muted"),
        deadline=DEADLINE,
    ),
    Operation(
        name="media_player.media_play",
        effects=to_state("playing"),
        deadline=DEADLINE,
    ),
    Operation(
        name="media_player.media_pause",
        effects=to_state("paused"),
        risk=Risk.FREE,
        deadline=DEADLINE,
    ),
    Operation(
        name="media_player.media_stop",
        effects=to_state("idle"),
        risk=Risk.FREE,
        deadline=DEADLINE,
        reads_state=False,
    ),
    # What plays is no value of the player, so there is nothing to read back; and
    # twice is two tracks.
    Operation(
        name="media_player.media_next_track",
        effects=no_effects,
        deadline=DEADLINE,
        absolute=False,
    ),
    Operation(
        name="media_player.media_previous_track",
        effects=no_effects,
        deadline=DEADLINE,
        absolute=False,
    ),
    Operation(
        name="media_player.select_source",
        parameters={"source": TEXT},
        required=frozenset({"source"}),
        effects=to_attributes(source="source"),
        deadline=DEADLINE,
    ),
)
