"""What is told of the past, from Git and from what Git has not taken yet."""

from pathlib import Path
from typing import Any

from hearthnet.core.chronicle import Chronicle
from hearthnet.core.librarian import LibrarianError
from hearthnet.core.librarian.answers import Answers
from hearthnet.core.messages import MessageType
from hearthnet.core.node import Node

from .records import library, make_node, say


class Library:
    """A librarian that has taken events up to some number, or is away."""

    def __init__(self, folder: Path, node: Node) -> None:
        self.folder = folder
        self.node = node
        self.away = False
        self.asked = 0

    async def take(self, last: int) -> None:
        with library(self.folder) as opened:
            for entry in await self.node.read((0, 0), 100):
                if (entry.boot, entry.seq) <= opened.durable.get("hub", (0, 0)):
                    continue
                if entry.seq <= last:
                    offer = opened.intake.offer("hub", [entry], trusted=True)
                    commits = opened.write(offer.accepted)
                    self.node.view.acknowledge(opened.repository.tip, commits)

    async def query(self, what: str, **args: Any) -> Any:
        self.asked += 1
        if self.away:
            raise LibrarianError("away")
        answers = Answers(self.folder)
        try:
            return answers.ask(what, args)
        finally:
            answers.close()


def ids(told: dict[str, Any]) -> list[int]:
    return [int(row["id"].rpartition(".")[2]) for row in told["events"]]


async def test_git_and_the_tail_are_told_as_one(tmp_path: Path) -> None:
    node = make_node(tmp_path / "journal")
    librarian = Library(tmp_path / "record", node)
    chronicle = Chronicle(node, librarian)
    for number in range(2, 9):
        kind = MessageType.ALERT if number % 2 else MessageType.OBSERVATION
        device = "lamp" if number % 3 else "fan"
        say(node, f"Number {number}.", type=kind, body={"device": device})
    await node.sync()

    for recorded in (1, 4, 8):
        await librarian.take(recorded)
        told = await chronicle.timeline(limit=5)
        assert told["complete"]
        assert ids(told) == [8, 7, 6, 5, 4]
        assert [row["commit"] is not None for row in told["events"]] == [
            number <= recorded for number in (8, 7, 6, 5, 4)
        ]
        assert ids(await chronicle.timeline(type="alert")) == [7, 5, 3]
        assert ids(await chronicle.timeline(device="fan")) == [6, 3]
        assert ids(await chronicle.timeline(text="NUMBER 4")) == [4]
        assert ids(await chronicle.timeline(device="fan", type="alert")) == [3]
        assert ids(await chronicle.timeline(limit=2, before="hub.1.5")) == [4, 3]


async def test_the_memory_answers_while_the_librarian_is_away(tmp_path: Path) -> None:
    node = make_node(tmp_path / "journal")
    librarian = Library(tmp_path / "record", node)
    chronicle = Chronicle(node, librarian)
    for number in range(2, 9):
        say(node, f"Number {number}.")
    await node.sync()
    await librarian.take(6)
    librarian.away = True

    told = await chronicle.timeline(limit=3)

    assert not told["complete"]
    assert ids(told) == [8, 7, 6]
    assert ids(await chronicle.timeline(before="hub.1.4")) == [3, 2]
    assert ids(await chronicle.timeline(text="number 5")) == [5]
