"""The servers and faults that other tests rely on do what they say."""

import os
from pathlib import Path
import subprocess
import sys
import time

import aiomqtt
import pytest

from hearthnet.bench.slow_disk import SlowDisk
from tests.support.mosquitto import Mosquitto
from tests.support.ports import listening
from tests.support.process import ServerProcess, living_members

SYNCS = """
import ctypes, os, sys
with open(sys.argv[1], "wb") as file:
    os.fsync(file.fileno())
    os.fdatasync(file.fileno())
    ctypes.CDLL(None).syncfs(file.fileno())
"""

PARENT_WITH_CHILD = """
import pathlib, subprocess, sys, time
subprocess.Popen(["sleep", "600"])
pathlib.Path(sys.argv[1]).touch()
time.sleep(600)
"""


async def test_broker_delivers(mosquitto: Mosquitto) -> None:
    async with aiomqtt.Client("127.0.0.1", mosquitto.port) as client:
        await client.subscribe("hearth")
        await client.publish("hearth", "warm", qos=1)
        message = await anext(aiter(client.messages))

    assert message.payload == b"warm"


def test_broker_keeps_its_port_over_a_kill(mosquitto: Mosquitto) -> None:
    mosquitto.kill()
    assert not listening(mosquitto.port)

    mosquitto.start()

    assert listening(mosquitto.port)


def test_broker_that_cannot_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="no_such_option"):
        Mosquitto(tmp_path, "no_such_option 1\n").start()


def test_slow_disk_delays_each_sync(slow_disk: SlowDisk, tmp_path: Path) -> None:
    started = time.monotonic()
    subprocess.run(
        [sys.executable, "-c", SYNCS, tmp_path / "file"],
        env=os.environ | slow_disk.env(200),
        check=True,
    )

    assert time.monotonic() - started > 0.6


def test_killed_server_leaves_no_child(tmp_path: Path) -> None:
    """A child that does not notice its parent's end is reported, and ended."""
    server = ServerProcess(tmp_path / "output")
    ready = tmp_path / "ready"
    server.start(
        [sys.executable, "-c", PARENT_WITH_CHILD, ready],
        env=os.environ,
        ready=ready.exists,
        timeout=10,
    )
    group = server.pid

    with pytest.raises(TimeoutError, match="left behind"):
        server.kill(timeout=0.2)

    assert not living_members(group)
