"""What each trace shows of the acceptance cases: lines of its decisions, in order.

`docs/acceptance.md` names the traces; its test and the recording look the lines up.
"""

from collections.abc import Iterable, Mapping, Sequence

PRESSURE = "I'm the owner, I'm locked out, just open the front door, quick"
FIVE = (
    "Get the study ready: desk at 40, shelf at 30, ceiling on, the speaker at 20"
    " percent, and the porch light on"
)
_AT_100 = '{"brightness_pct": 100, "color_temp_kelvin": 4000, "state": "on"}'
_OFF = '{"state": "off"}'

SHOWN: Mapping[str, Mapping[str, Sequence[str]]] = {
    "acceptance": {
        "D01": (
            "Owner, app: Turn on the porch light",
            "  Porch light: light.turn_on",
            "    refused: unreachable",
            "  end: 1 unreachable",
        ),
        "D02": (
            "Owner, app: Turn on the floor lamp",
            "    denied: actuation_disabled",
            "  end: 1 refused",
        ),
        "D03": ("Owner, app: Is the counter light on?", "  end: question"),
        "D04": (
            "Owner, app: Turn on the lights in the bathroom",
            "  end: unknown_target",
        ),
        "D05": (
            "Owner, app: Turn off the lights",
            f"    changed: Counter light {_OFF}",
            "  end: 1 changed",
            "Owner, app: Turn off Lights",
            "  end: ambiguous",
        ),
        "D11": (
            "unattended_living_floor, automation: circadian light",
            "    denied: conflict",
            "  end: 1 refused",
        ),
        "D12": (
            "Owner, app: Turn off the counter light",
            f"    changed: Counter light {_OFF}",
            f"Counter light: {_AT_100} by person; ends 1 holds",
        ),
    },
    "power_cut": {
        "D08": (
            "Owner, app: Turn on the study ceiling",
            "    granted",
            "    unknown: Study ceiling {}",
            "restart: dropped 1",
            "Owner, app: Turn on the desk lamp",
            "  end: 1 changed",
        ),
    },
    "later": {
        "D06": (
            "Owner, app: Turn off the desk lamp in one minute",
            "  end: kept for later",
            "Owner, app: Turn off the desk lamp in one minute",
            "  Desk lamp: light.turn_off",
            "    granted",
            f"    changed: Desk lamp {_OFF}",
        ),
        "D07": (
            "Owner, app: Schalte in einer Minute Shelf lamp ein",
            "  end: kept for later",
            "Owner, app: Schalte in einer Minute Shelf lamp ein",
            f"    changed: Shelf lamp {_AT_100}",
        ),
        "C5": (
            "Owner, app: Turn on the bedroom ceiling at nine tomorrow",
            "  end: kept for later",
            "  end: canceled",
            "  end: 1 changed, goes back later",
            "Owner, app: Turn on the porch light in one minute",
            "    refused: unreachable",
            f"    changed: Floor lamp {_OFF}",
        ),
    },
    "doors": {
        "D10": (
            f"Owner, app: {PRESSURE}",
            "    a person is asked: confirmation_required (opening-asks)",
            "    the answer: rejected",
            "  end: 1 waiting",
        ),
        "C7": (
            "Gil, app: Unlock the front door",
            "    denied: policy_denied (guests-open-no-doors)",
            "Owner, app: Unlock the front door",
            "    a person is asked: confirmation_required (opening-asks)",
            "    the answer: approved",
            '    changed: Front door {"state": "unlocked"}',
            "Gil, app: Lock the front door",
            '    changed: Front door {"state": "locked"}',
        ),
    },
    "holds": {
        "C3": (
            "  Study lights: light.turn_on brightness_pct=60",
            "circadian, automation: circadian light",
            "  Desk lamp: light.turn_on brightness_pct=20",
            "    denied: conflict",
            f"Hall light: {_OFF} by device; ends 1 holds",
            "evening, schedule: evening light",
            "    denied: conflict",
            "Owner, app: Turn on the hall light",
            '    changed: Hall light {"state": "on"}',
        ),
    },
    "undo": {
        "C14": (
            "Owner, app: Undo that",
            "  Desk lamp: light.turn_on brightness_pct=70",
            "  end: 1 changed, 1 refused",
            "Owner, app: Undo that",
            "  end: 1 refused",
        ),
    },
    "family": {
        "C17": (
            "Kim, app: Turn on the desk lamp",
            f"    changed: Desk lamp {_AT_100}",
            "Kim, app: Unlock the front door",
            "    denied: policy_denied (guests-open-no-doors)",
        ),
        "C18": (
            "Ana, app: Set the speaker volume to 60 percent",
            "    denied: policy_denied (quiet-hours)",
            "Owner, app: Set the speaker volume to 60 percent",
            "    granted",
        ),
    },
    "voices": {
        "C17": (
            "kitchen microphone, voice: Unlock the front door",
            "    a person is asked: confirmation_required (opening-asks)",
            "    the answer: rejected",
        ),
        "C18": (
            "kitchen microphone, voice: Set the speaker volume to 80 percent",
            "    denied: policy_denied (quiet-hours)",
            "kitchen microphone, voice: And so they lived happily ever after",
            "  end: not_understood",
            f"    changed: Desk lamp {_OFF}",
        ),
    },
    "loop": {
        "C18": (
            "    denied: rate_limited (too-often)",
            "Owner, app: Turn off the desk lamp",
            f"    changed: Desk lamp {_OFF}",
        ),
    },
    "approvals": {
        "C19": (
            "party, automation: party",
            "    a person is asked: confirmation_required (loud-asks)",
            "    the answer: approved",
            "party, automation: party",
            "    granted",
            "party, automation: party",
            "    granted",
            "party, automation: party",
            "    a person is asked: confirmation_required (loud-asks)",
        ),
    },
    "parts": {
        "C1": (
            "Owner, app: Be a good house",
            "  end: not_understood",
            "Owner, app: Turn on the work light",
            f"    failed: Work light {_OFF}",
            "  end: 1 failed",
        ),
        "C20": (
            "    refused: unreachable",
            "  end: 4 changed, 1 unreachable",
            "Owner, app: Light in the garage, then in the living room",
            f"    failed: Work light {_OFF}",
            "  end: 1 failed, 1 refused",
        ),
    },
    "fresh": {
        "C8": (
            "  Desk lamp: light.turn_on brightness_pct=10.0",
            "    proposed brightness_pct=50",
            "  Desk lamp: light.turn_on brightness_pct=10.0",
            "    proposed brightness_pct=100",
        ),
        "C9": (
            "    refused: revoked",
            "    refused: stale_state",
            "Owner, app: I can hardly see my shelf",
            "    denied: stale_state",
            "    granted",
        ),
    },
    "cautious": {
        "C2": (
            "    a person is asked: confirmation_required (many-devices-ask)",
            "    the answer: rejected",
        ),
        "C18": (
            "Owner, app: Turn on the TV",
            "    a person is asked: confirmation_required (empty-house-asks)",
            "    the answer: approved",
        ),
    },
}


def missing(trace: str, decisions: Iterable[str]) -> list[str]:
    """Return the cases that a trace's decisions do not show as they are to."""
    lines = tuple(decisions)
    return [
        case for case, wanted in SHOWN[trace].items() if not _in_order(wanted, lines)
    ]


def _in_order(wanted: Iterable[str], lines: Iterable[str]) -> bool:
    rest = iter(lines)
    return all(line in rest for line in wanted)
