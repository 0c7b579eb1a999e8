"""What a start dropped, until somebody decides about it."""

import pytest

from hearthnet.core.devices import Principal
from hearthnet.core.intents import Origin, PlanKind, Request, Result
from hearthnet.core.leftovers import Dropped, Leftovers

ANNA = Principal(kind="user", id="anna", name="Anna", role="owner")
BEN = Principal(kind="user", id="ben", name="Ben", role="resident")
SAID = Request(text="light", principal=ANNA, origin=Origin.VOICE, language="de")


class Asked:
    """Takes requests, as a hub does, and counts what is told."""

    def __init__(self) -> None:
        self.requests: list[Request] = []
        self.changes = 0
        self.leftovers = Leftovers(self.ask, self.changed)
        said = Dropped("hub.1.2", "light", 0, SAID)
        self.leftovers.put((said, Dropped("hub.1.9", "other", 1)))

    async def ask(self, request: Request) -> Result:
        self.requests.append(request)
        return Result(intent="hub.2.2", kind=PlanKind.COMMAND, language="de")

    def changed(self) -> None:
        self.changes += 1


async def test_it_is_asked_anew_once() -> None:
    asked = Asked()
    await asked.leftovers.again("hub.1.2")
    assert asked.requests == [SAID]
    assert asked.changes == 1
    with pytest.raises(LookupError):
        await asked.leftovers.again("hub.1.2")
    assert asked.requests == [SAID]


async def test_it_becomes_the_wish_of_who_asks_anew() -> None:
    """With the words and their language, and the strength of the app, not the voice."""
    asked = Asked()
    await asked.leftovers.again("hub.1.2", BEN)
    (request,) = asked.requests
    assert (request.principal, request.origin) == (BEN, Origin.APP)
    assert (request.text, request.language) == ("light", "de")


async def test_what_is_not_known_cannot_be_asked() -> None:
    asked = Asked()
    with pytest.raises(LookupError):
        await asked.leftovers.again("hub.1.9")
    assert asked.requests == []


def test_it_may_be_let_go() -> None:
    asked = Asked()
    assert asked.leftovers.let_go("hub.1.2").text == "light"
    assert [one.intent for one in asked.leftovers.standing] == ["hub.1.9"]
    assert asked.requests == []
