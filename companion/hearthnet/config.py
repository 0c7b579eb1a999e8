"""A companion's configuration: one TOML file that only its owner can read.

It holds the companion's private key, so whoever has it can speak for it.
"""

import base64
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
            name, role = data.pop("name"), data.pop("role")
            if not NAME.fullmatch(name) or role not in ROLES:
                raise ValueError("name or role")
            seed = base64.b64decode(data.pop("key"))
            identity = Identity(
                name=name,
                role=role,
                key=SigningKey(seed),
                hub=VerifyKey.from_text(data.pop("hub")),
                broker=Broker.from_dict(data.pop("broker")),
            )
            folder = Path(data.pop("data"))
        except (KeyError, TypeError, ValueError) as error:
            raise ConfigError(f"{path}: {error}") from error
        return cls(path=path, seed=seed, identity=identity, data=folder, settings=data)

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


def _table(name: str, values: dict[str, Any]) -> list[str]:
    """Return the lines of a table; JSON's texts, numbers and lists are TOML's too."""
    lines = [f"[{name}]"]
    lines += [f"{key} = {json.dumps(value)}" for key, value in values.items()]
    return [*lines, ""]
