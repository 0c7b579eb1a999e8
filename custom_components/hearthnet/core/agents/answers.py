"""What a question is answered with: live readings, and why things are as they are.

Nothing is recorded here and nothing moves.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..chronicle import Chronicle
from ..clock import from_text
from ..devices import House, Principal
from ..effects import STATE
from ..intents import Answer, Because, Origin, Plan
from ..messages import MessageType
from ..reasons import DONE, Outcome
from ..status import Cause
from .preview import look

LOOKED_BACK = 100
"""Events of a device in which the change that explains its state is looked for."""
EXPLAINED = (STATE, "temperature", "humidity")
"""What is asked about who asks why. A thermostat heats all winter: of it, it is the
target; of a lamp it is whether it is lit, and not how bright."""
_SPOKEN = frozenset({Origin.APP, Origin.VOICE, Origin.CHAT})

type Row = Mapping[str, Any]


class Answers:
    """Answers the questions that plans are."""

    def __init__(self, house: House, chronicle: Chronicle) -> None:
        """Take what shows how things are, and what knows how they came about."""
        self._house = house
        self._chronicle = chronicle

    async def of(self, plan: Plan, reader: Principal) -> tuple[Answer, ...]:
        """Return the answers for somebody, who may not know of all others' wishes."""
        answers = tuple(look(plan.asked, self._house))
        if not plan.why:
            return answers
        return tuple(
            [replace(one, because=await self._because(one, reader)) for one in answers]
        )

    async def _because(self, answer: Answer, reader: Principal) -> Because | None:
        """Return what brought about a device's state; None if that is not on record."""
        told = await self._chronicle.timeline(
            device=answer.device, limit=LOOKED_BACK, messages=True
        )
        row = _origin(told["events"], answer)
        if row is None:
            return None
        at = from_text(row["at"])
        if row["type"] == MessageType.RECEIPT:
            return await self._asked(row, Because(at=at), reader)
        body = row["message"]["body"]
        because = Because(at=at, cause=Cause(body["cause"]))
        by = (body.get("principal") or {}).get("name")
        if by is None and because.cause == Cause.AUTOMATION:
            by = body["detail"]  # an automation's name
        return replace(because, who=by or "") if reader.decides else because

    async def _asked(self, row: Row, because: Because, reader: Principal) -> Because:
        """Say whose wish it was, to those who live here and to who wished it."""
        wish = await self._chronicle.request(row["intent"])
        if wish is None:
            return because
        principal = Principal.from_dict(wish["principal"])
        if not (reader.decides or principal.is_same_as(reader)):
            return because
        text = wish["text"] if wish["origin"] in _SPOKEN else ""
        return replace(because, who=principal.name, text=text)


def _origin(rows: list[Row], answer: Answer) -> Row | None:
    """Return the oldest of the changes since which a device is as it is.

    Rows come newest first. An effect that only showed after a receipt goes back to
    that receipt.
    """
    found: Row | None = None
    for row in rows:
        body = (row.get("message") or {}).get("body", {})
        if row["type"] == MessageType.RECEIPT:
            outcome = body["members"].get(answer.device, Outcome.UNKNOWN)
            if found is not None and _is_late(found):
                return row
            if outcome not in DONE:
                continue
            values = body["values"].get(answer.device, {})
            counts = outcome == Outcome.CHANGED
        elif row["type"] == MessageType.OBSERVATION and "cause" in body:
            values, counts = body["values"], True
        else:
            continue
        present = {name: answer.values.get(name) for name in EXPLAINED}
        if any(values.get(name, value) != value for name, value in present.items()):
            return found
        found = row if counts else found
    return found


def _is_late(row: Row) -> bool:
    """Tell whether a change is an effect of ours that the receipt did not see."""
    return bool(row["message"]["body"].get("cause") == Cause.OWN)
