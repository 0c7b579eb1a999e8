"""Reading our own source, for tests of who may use what."""

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
INTEGRATION = ROOT / "custom_components" / "hearthnet"
COMPANION = ROOT / "companion" / "hearthnet"


def modules(folder: Path) -> dict[str, ast.Module]:
    """Return the modules under a folder by their path from there.

    The companion's `core` is the integration's own and is left out there.
    """
    paths = (path.relative_to(folder) for path in sorted(folder.rglob("*.py")))
    return {
        str(path): ast.parse((folder / path).read_text())
        for path in paths
        if folder != COMPANION or path.parts[0] != "core"
    }


def imported(tree: ast.Module) -> Iterator[str]:
    """Names of the absolute modules that a module imports, at any place."""
    for node in ast.walk(tree):
        match node:
            case ast.Import(names):
                yield from (name.name for name in names)
            case ast.ImportFrom(module=str(module), level=0):
                yield module


def called(tree: ast.Module) -> Iterator[str]:
    """Names and attributes that a module calls."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(ast.Name(name)) | ast.Call(ast.Attribute(attr=name)):
                yield name


def mentioned(tree: ast.Module) -> Iterator[str]:
    """Names that a module uses or imports."""
    for node in ast.walk(tree):
        match node:
            case ast.Name(name) | ast.Attribute(attr=name):
                yield name
            case ast.Import(names) | ast.ImportFrom(names=names):
                yield from (name.name for name in names)


def passed(tree: ast.Module) -> Iterator[str]:
    """Names and attributes that a module passes as arguments."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
            match argument:
                case ast.Name(name) | ast.Attribute(attr=name):
                    yield name
