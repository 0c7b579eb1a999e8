"""kill -9 of a whole Home Assistant amid requests: the record stays sound."""

from pathlib import Path
from random import Random
from threading import Event, Thread

import pytest

from hearthnet.audit.history import audit
from script.lib.demo.stage import Stage, stage
from tests.support.hass_websocket import HassWebsocket

ROUNDS = 3
SAID = (
    *("Turn on the desk lamp", "Turn off the desk lamp", "Undo that"),
    *("Turn on the floor lamp", "Turn off the floor lamp"),
    *("I'm working from home today", "Set the desk lamp to 40 percent brightness"),
    *("Turn off the counter light in five minutes",),
)


class Crowd:
    """Several people who speak at once, each over a connection of their own."""

    def __init__(self, home: Stage, seed: int) -> None:
        self._home = home
        self._over = Event()
        self.heard = 0
        self.talking = Event()
        self._threads = [
            Thread(target=self._talk, args=(home.hass.websocket(), Random(seed + n)))
            for n in range(3)
        ]
        for thread in self._threads:
            thread.start()

    def _talk(self, socket: HassWebsocket, draw: Random) -> None:
        while not self._over.is_set():
            try:
                socket.call(
                    "conversation/process",
                    text=draw.choice(SAID),
                    agent_id=self._home.agent,
                    language="en",
                )
            except Exception:  # noqa: BLE001 - however the socket ends
                return  # Home Assistant is gone
            self.heard += 1
            if self.heard > draw.randrange(4, 20):
                self.talking.set()

    def end(self) -> None:
        self._over.set()
        for thread in self._threads:
            thread.join()


@pytest.mark.slow
def test_the_record_is_sound_after_each_kill(tmp_path: Path) -> None:
    with stage(tmp_path, lambda _text: None) as home:
        # What was just set up is on Home Assistant's disk only after a while.
        home.hass.restart()
        home.reconnect()
        for number in range(ROUNDS):
            crowd = Crowd(home, 10 * number)
            assert crowd.talking.wait(60)
            home.hass.kill()
            crowd.end()
            home.hass.start()
            home.reconnect()
            home.committed()
            found = audit(home.repository, {})
            assert found.findings == []
            assert not found.fsck
        assert found.ledger.leases.executes > ROUNDS
        assert home.hass.errors() == []
        answer = home.tell("Turn on the shelf lamp")
        assert "Shelf lamp" in answer["response"]["speech"]["plain"]["speech"]
