"""A companion's configuration: one TOML file that only its owner can read.

It holds the companion's private key, so whoever has it can speak for it.
"""

import base64
from collections.abc import Callable
from dataclasses import dataclass, replace
import json
import os
from pathlib import Path
import sys
import tomllib
from typing import Any, Self

from .core.bus.broker import Broker
from .core.companion import Identity
from .core.enrolled import ROLES
from .core.files import make_folder, sync_folder
from .core.keys import SigningKey, VerifyKey
from .core.messages import NAME
from .core.phone.part import Part, RecipeError


class ConfigError(Exception):
    """The configuration cannot be used; the text says what is wrong."""


def default_path(role: str) -> Path:
    """Return where a companion's configuration is, unless told otherwise."""
    base = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
    return Path(base) / "hearthnet" / f"{role}.toml"


def default_data(name: str) -> Path:
    """Return where a companion keeps its journal and, if it has one, the record."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share"
    return Path(base) / "hearthnet" / name


@dataclass(frozen=True, kw_only=True)
class Config:
    """What `hearthnet pair` writes."""

    path: Path
    seed: bytes
    identity: Identity
    data: Path
    """The folder for the journal."""
    settings: dict[str, Any]
    """The rest, by table: what a person may add for Dewey or Darcy."""

    @property
    def repository(self) -> Path:
        """Where a librarian keeps the record."""
        told = self.settings.get("dewey", {}).get("repository")
        return Path(told or self.data / "repository.git")

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a configuration. Blocks.

        Raises:
            ConfigError: there is none, others can read it, or it is malformed.
        """
        try:
            if sys.platform != "win32" and path.stat().st_mode & 0o077:
                raise ConfigError(f"others can read {path}: chmod 600 {path}")
            data = tomllib.loads(path.read_text())
        except FileNotFoundError:
            raise ConfigError(f"there is no {path}: run `hearthnet pair`") from None
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise ConfigError(f"{path}: {error}") from error
        try:
            return cls._from(Part(data), path)
        except RecipeError as error:
            raise ConfigError(f"{path}: {error}") from error

    @classmethod
    def _from(cls, part: Part, path: Path) -> Self:
        """Check the fields; RecipeError naming the one that is wrong."""
        needed = ("name", "role", "key", "hub", "broker", "data")
        fields = part.fields(required=needed, optional=("dewey", "phone"))
        seed = _made(fields["key"], "a private key", base64.b64decode)
        identity = Identity(
            name=fields["name"].text(NAME, "a name of small letters"),
            role=fields["role"].choice(*ROLES),
            key=_made(fields["key"], "a private key", lambda _text: SigningKey(seed)),
            hub=_made(fields["hub"], "a public key", VerifyKey.from_text),
            broker=_broker(fields["broker"]),
        )
        settings: dict[str, Any] = {}
        if "dewey" in fields:
            told = fields["dewey"].fields(optional=("repository", "api", "mirror"))
            settings["dewey"] = {name: one.text() for name, one in told.items()}
        if "phone" in fields:
            settings["phone"] = fields["phone"].data
        return cls(
            path=path,
            seed=seed,
            identity=identity,
            data=Path(fields["data"].text()),
            settings=settings,
        )

    def write(self) -> None:
        """Store it, whole or not at all, readable by its owner only. Blocks."""
        identity = self.identity
        lines = [
            "# Written by `hearthnet pair`. It holds a private key: show it to nobody.",
            f"name = {json.dumps(identity.name)}",
            f"role = {json.dumps(identity.role)}",
            f"key = {json.dumps(base64.b64encode(self.seed).decode())}",
            f"hub = {json.dumps(identity.hub.text)}",
            f"data = {json.dumps(str(self.data))}",
            "",
            *_table("broker", identity.broker.as_dict()),
            *(
                line
                for name, table in self.settings.items()
                if isinstance(table, dict)
                for line in _table(name, table)
            ),
        ]
        make_folder(self.path.parent)
        new = self.path.with_name(f"{self.path.name}.new")
        new.unlink(missing_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write("\n".join(lines))
            file.flush()
            os.fsync(file.fileno())
        new.replace(self.path)
        sync_folder(self.path.parent)

    def trust(self, hub: VerifyKey) -> None:
        """Store a new key of the hub. Blocks for a moment."""
        replace(self, identity=replace(self.identity, hub=hub)).write()


def _broker(part: Part) -> Broker:
    texts = ("username", "password", "ca", "prefix")
    fields = part.fields(required=("host", "prefix"), optional=(*texts, "port", "tls"))
    fields["host"].text()
    if "port" in fields:
        fields["port"].integer(1, 65535)
    if "tls" in fields:
        fields["tls"].flag()
    for name in texts:
        if name in fields:
            _made(fields[name], "a text", str)
    try:
        return Broker.from_dict({name: one.data for name, one in fields.items()})
    except ValueError as error:
        raise fields["prefix"].error(str(error)) from None


def _made[T](part: Part, what: str, make: Callable[[str], T]) -> T:
    """Return what a text stands for. An error does not show it: it may be a secret."""
    try:
        if isinstance(part.data, str):
            return make(part.data)
    except ValueError:
        pass
    raise part.error(f"expected {what}, in quotation marks")


def _table(name: str, values: dict[str, Any]) -> list[str]:
    """Return the lines of a table; JSON's texts, numbers and lists are TOML's too."""
    lines = [f"[{name}]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return [*lines, ""]
