"""Loopback ports for servers that tests start."""

import random
import socket

# Below the range from which the kernel takes ports for outgoing connections, so that a
# server can be restarted on its port.
_RANGE = range(20_000, 30_000)


def free_port() -> int:
    """Return a loopback port that nothing listens on."""
    for port in random.sample(_RANGE, 100):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return port
    raise RuntimeError("a hundred ports in a row are in use")


def listening(port: int) -> bool:
    """Return whether a server accepts connections on a loopback port."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
