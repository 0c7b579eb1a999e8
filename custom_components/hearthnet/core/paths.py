"""Which node may write which path of the state.

One writing node a path makes the versions of a path comparable without asking
anyone. The librarian and every view use the same rule, so that they fold the
same events to the same state.
"""

from collections.abc import Iterable
from hashlib import sha256

HUB = "hub"
"""The name of the node that runs inside Home Assistant."""
RECIPES = "recipes"
_HUB_FOLDERS = frozenset(
    {
        *("holds", "tasks", "deferred", "approvals", "reviews", "playbooks"),
        *(RECIPES, "settings"),
    }
)
_DEVICES = "devices"
_SUFFIX = ".json"


def device_path(device: str) -> str:
    """Return where the state keeps a device.

    Two hex digits shard the folder: Git rewrites a whole folder at each commit.
    They come from a hash because some identifiers start alike.
    """
    return f"{_DEVICES}/{sha256(device.encode()).hexdigest()[:2]}/{device}{_SUFFIX}"


def device_of(path: str) -> str | None:
    """Return the device that a path keeps, None when it keeps something else."""
    match path.split("/"):
        case [folder, _, name] if folder == _DEVICES and name.endswith(_SUFFIX):
            return name.removesuffix(_SUFFIX)
    return None


def recipe_path(node: str, device: str) -> str:
    """Return where the state keeps the recipe by which a phone drives an appliance."""
    return f"{RECIPES}/{node}/{device}{_SUFFIX}"


def node_path(node: str) -> str:
    """Return where the state keeps what a node says of itself."""
    return f"nodes/{node}{_SUFFIX}"


def owner_allows(node: str, path: str, writer: str | None = None) -> bool:
    """Tell whether `node` may write `path`.

    `writer` is the node that wrote the path's present value, None when it has
    none: a device belongs to whoever wrote it first, until it is deleted.
    """
    if path == "policy.yaml":
        return node == HUB
    folder = path.partition("/")[0]
    if folder in _HUB_FOLDERS:
        return node == HUB and "/" in path
    if folder == "nodes":
        return path == node_path(node)
    return device_of(path) is not None and writer in (None, node)


def foreign(node: str, paths: Iterable[str], writers: dict[str, str]) -> str | None:
    """Return the first path that `node` may not write, None when it may write all.

    `writers` maps those of the paths that have a value to who wrote it. An
    event's writes count together or not at all.
    """
    return next(
        (p for p in sorted(paths) if not owner_allows(node, p, writers.get(p))), None
    )
