"""A configuration for Mosquitto: TLS, a user for each node, topics by user.

The signatures already prove who says what. With this a node that is taken over
cannot even disturb the others' topics, and nobody else can listen.
"""

import base64
from collections.abc import Mapping
from hashlib import pbkdf2_hmac
import os
from pathlib import Path

from ..files import make_folder, replace
from .broker import Topics

ROUNDS = 101
"""Mosquitto's own number for its passwords; ours are random and need no more."""


def configuration(folder: Path, port: int, *, tls: bool) -> str:
    """Return `mosquitto.conf`."""
    lines = [
        "# Written by HearthNet; docs/broker.md explains it.",
        "per_listener_settings false",
        f"listener {port}",
        f"password_file {folder / 'passwords'}",
        f"acl_file {folder / 'topics'}",
        "allow_anonymous false",
        "set_tcp_nodelay true",
        "max_queued_messages 100000",
        "max_inflight_messages 64",
        "max_packet_size 4194304",
    ]
    if tls:
        lines += [
            f"cafile {folder / 'ca.crt'}",
            f"certfile {folder / 'server.crt'}",
            f"keyfile {folder / 'server.key'}",
            "tls_version tlsv1.2",
        ]
    return "\n".join(lines) + "\n"


def access(prefix: str, nodes: Mapping[str, str]) -> str:
    """Return the access list; `nodes` maps each user to its role (`hub` too).

    The user's name is the node's. The last level of a topic is who writes it.
    """
    topics = Topics(prefix)
    lines = [
        "# Each may write what ends with its name, and read what is meant for it.",
        f"pattern write {topics.inbox('+', '%u')}",
        f"pattern write {topics.broadcast('%u')}",
        f"pattern write {topics.log('%u')}",
        f"pattern write {topics.status('%u')}",
        f"pattern read {topics.inbox('%u', '+')}",
        f"pattern readwrite {topics.pair('+', '%u')}",
    ]
    shared = (
        topics.broadcast("+"),
        topics.status("+"),
        topics.head("+"),
        topics.pair("+", "hub"),
    )
    for name, role in nodes.items():
        lines += ["", f"user {name}", *(f"topic read {topic}" for topic in shared)]
        if role in ("dewey", "hub"):  # the hub, as long as no Dewey is elsewhere
            lines += [
                f"topic read {topics.log('+')}",
                f"topic write {topics.head(name)}",
            ]
        if role == "hub":
            lines.append(f"topic read {topics.pair('+', '+')}")
    return "\n".join(lines) + "\n"


def password_line(user: str, password: str, salt: bytes) -> str:
    """Return a user's line of the password file (PBKDF2 with SHA-512)."""
    digest = pbkdf2_hmac("sha512", password.encode(), salt, ROUNDS)
    encoded = (base64.b64encode(part).decode() for part in (salt, digest))
    return f"{user}:$7${ROUNDS}${'$'.join(encoded)}"


def users(folder: Path) -> dict[str, str]:
    """Return the users that a folder's password file has, with their lines. Blocks."""
    path = folder / "passwords"
    lines = path.read_text().splitlines() if path.exists() else []
    return {line.partition(":")[0]: line for line in lines}


def write(
    folder: Path,
    prefix: str,
    port: int,
    nodes: Mapping[str, str],
    passwords: Mapping[str, tuple[str, bytes]],
    *,
    tls: bool,
) -> None:
    """Write all three files. Blocks.

    `passwords` maps users to a password and a salt; others keep what they have.
    The files belong to whoever the folder belongs to: the broker, once it was given
    to it.
    """
    make_folder(folder)
    lines = [
        password_line(user, *passwords[user]) if user in passwords else known
        for user, known in {**dict.fromkeys(nodes, ""), **users(folder)}.items()
        if user in nodes
    ]
    texts = {
        "passwords": "\n".join(lines) + "\n",
        "topics": access(prefix, nodes),
        "mosquitto.conf": configuration(folder, port, tls=tls),
    }
    owner = folder.stat()
    for name, text in texts.items():
        replace(folder / name, text.encode())
        (folder / name).chmod(0o600 if name == "passwords" else 0o644)
        if os.geteuid() == 0:
            os.chown(folder / name, owner.st_uid, owner.st_gid)
