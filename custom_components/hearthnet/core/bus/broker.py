"""Where the broker is, and the names that HearthNet uses on it."""

from collections.abc import Mapping
from dataclasses import dataclass
import re
import ssl
from typing import Any, Self

_PREFIX = re.compile(r"[^#+\s/\0]{1,60}(/[^#+\s/\0]{1,60}){0,5}")


@dataclass(frozen=True, kw_only=True)
class Broker:
    """What a node needs to reach its home's broker."""

    host: str
    port: int = 1883
    username: str | None = None
    password: str | None = None
    tls: bool = False
    ca: str | None = None
    """Certificate, as text, of who signed the broker's; None: the usual ones."""
    prefix: str = "hearthnet/home"
    """The first levels of every topic, one home's own."""

    def __post_init__(self) -> None:
        """Check the prefix; ValueError when it cannot start a topic."""
        if not _PREFIX.fullmatch(self.prefix):
            raise ValueError(f"not the start of a topic: {self.prefix!r}")

    def context(self) -> ssl.SSLContext | None:
        """Return how to check the broker's certificate. Blocks."""
        return ssl.create_default_context(cadata=self.ca) if self.tls else None

    def as_dict(self) -> dict[str, Any]:
        """Return the JSON form, without what is not set."""
        data = {
            "host": self.host,
            "port": self.port,
            "username": self.username,
            "password": self.password,
            "tls": self.tls,
            "ca": self.ca,
            "prefix": self.prefix,
        }
        return {name: value for name, value in data.items() if value is not None}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Read the JSON form; KeyError, TypeError or ValueError when malformed."""
        return cls(
            host=str(data["host"]),
            port=int(data.get("port", 1883)),
            username=data.get("username"),
            password=data.get("password"),
            tls=bool(data.get("tls", False)),
            ca=data.get("ca"),
            prefix=str(data["prefix"]),
        )


@dataclass(frozen=True)
class Topics:
    """The topics of one home."""

    prefix: str

    def inbox(self, to: str, sender: str) -> str:
        """Return where `sender` puts what is meant for the node `to`."""
        return f"{self.prefix}/inbox/{to}/{sender}"

    def broadcast(self, sender: str) -> str:
        """Return where `sender` puts what is meant for everybody."""
        return f"{self.prefix}/broadcast/{sender}"

    def log(self, node: str) -> str:
        """Return where a node's journal is streamed."""
        return f"{self.prefix}/log/{node}"

    def status(self, node: str) -> str:
        """Return where a node says that it is there."""
        return f"{self.prefix}/status/{node}"

    def head(self, node: str) -> str:
        """Return where a librarian says what is recorded."""
        return f"{self.prefix}/head/{node}"

    def pair(self, name: str, sender: str) -> str:
        """Return where a pairing's two sides put what they say."""
        return f"{self.prefix}/pair/{name}/{sender}"

    def parse(self, topic: str) -> tuple[str, str] | None:
        """Return the kind of a topic and the node that may write it.

        None when it is no topic of this home. The writer is always the last
        level, so that one pattern of a broker's access list covers each kind.
        """
        start = f"{self.prefix}/"
        if not topic.startswith(start):
            return None
        match topic.removeprefix(start).split("/"):
            case ["inbox", _, sender]:
                return "inbox", sender
            case ["broadcast" | "log" | "status" | "head" as kind, sender]:
                return kind, sender
        return None
