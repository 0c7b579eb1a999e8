"""What a restart has dropped: it is re-run by nobody, but a person may ask anew."""

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from .devices import Principal
from .intents import Origin, Request, Result
from .messages import Json

SAID = frozenset({Origin.APP, Origin.VOICE, Origin.CHAT})


@dataclass(frozen=True)
class Dropped:
    """An intent that was open when its boot ended."""

    intent: str
    text: str
    """What was asked for; offered again as a new intent, never re-run."""
    open_tasks: int
    request: Request | None = None
    """As it was asked; None where the record has another shape."""
    due: datetime | None = None
    """When a deferred plan should have run; its time passed while nobody was there."""

    @property
    def sayable(self) -> bool:
        """Whether a person said it: a reason for an action is no sentence."""
        asked = self.request
        return asked is not None and asked.sentence and asked.origin in SAID

    def as_dict(self) -> dict[str, Json]:
        """Return the JSON form that the record keeps."""
        request = self.request
        return {
            "intent": self.intent,
            "text": self.text,
            "open_tasks": self.open_tasks,
            "principal": request.principal.as_dict() if request else None,
            "origin": request.origin if request else None,
        }


class Leftovers:
    """What a start has dropped, until somebody asks for it anew or lets it be."""

    def __init__(
        self, ask: Callable[[Request], Awaitable[Result]], changed: Callable[[], None]
    ) -> None:
        """Take the way to a new intent, and whom to tell of changes."""
        self._ask = ask
        self._changed = changed
        self._dropped: dict[str, Dropped] = {}

    @property
    def standing(self) -> tuple[Dropped, ...]:
        """What is still to be decided, the oldest first."""
        return tuple(self._dropped.values())

    def put(self, dropped: Iterable[Dropped]) -> None:
        """Take what a start has dropped."""
        self._dropped = {one.intent: one for one in dropped}

    def get(self, intent: str) -> Dropped | None:
        """Return what stands under an intent's id."""
        return self._dropped.get(intent)

    async def again(self, intent: str, principal: Principal | None = None) -> Result:
        """Ask for it anew, verified like any other wish.

        It is the wish of `principal`, in the app; without one, of who asked first.

        Raises:
            LookupError: it does not stand (any more), or was no sentence.
        """
        request = self.let_go(intent).request
        if request is None:
            raise LookupError(intent)
        if principal is not None:
            request = replace(request, principal=principal, origin=Origin.APP)
        return await self._ask(request)

    def let_go(self, intent: str) -> Dropped:
        """Let it be; LookupError when it does not stand (any more)."""
        dropped = self._dropped.pop(intent)
        self._changed()
        return dropped
