"""Scripts, and scenes that a bridge keeps for itself: what they do is their secret.

They exist only where the policy declares which things they move and what can go
wrong. The lease names all of these; what came of it nobody can read back.
"""

from ..operations import Operation, Risk
from .shapes import no_effects

DEADLINE = 5.0

ROWS = tuple(
    Operation(
        name=f"{domain}.turn_on",
        effects=no_effects,
        risk=Risk.CONFIRM,
        deadline=DEADLINE,
        absolute=False,
    )
    for domain in ("script", "scene")
)
DOMAINS = frozenset(row.domain for row in ROWS)
