"""`hearthnet darcy`: serve a phone, examine it, or show what is on its screen."""

import argparse
import asyncio
from collections.abc import Iterable
from functools import partial
from importlib import import_module
from importlib.metadata import version
import json
import logging
from pathlib import Path
import sys

from hearthnet.config import Config, ConfigError, default_path
from hearthnet.core.companion import FencedError
from hearthnet.core.enrolled import DARCY
from hearthnet.core.journal import JournalError
from hearthnet.core.phone.part import RecipeError
from hearthnet.core.phone.recipe import Recipe
from hearthnet.service import serve

from .adbkey import AdbKey
from .darcy import Darcy
from .doctor import examine
from .link import Link, LinkError
from .node import WIRELESS, PhoneSettings
from .phone import Pace, Phone
from .stops import Stop
from .ui import Tree

DEFAULT_KEY = Path.home() / ".config/hearthnet/adbkey"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Describe the command line."""
    parser.add_argument(
        "--config",
        type=Path,
        help="serve the phone, as `hearthnet pair` has set it up (the default)",
    )
    actions = parser.add_subparsers(dest="action", metavar="[action]")
    doctor = actions.add_parser("doctor", help="examine a phone and say what to do")
    doctor.add_argument(
        "--recipe",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="also check that this recipe fits the phone (YAML or compiled JSON)",
    )
    doctor.add_argument(
        "--open",
        action="store_true",
        help="open each recipe's app and read it; nothing is tapped but what navigates",
    )
    doctor.add_argument("--json", type=Path, metavar="FILE", help="write the report")
    screen = actions.add_parser("screen", help="show what selectors can name")
    for one in (doctor, screen):
        one.add_argument("--host", default="127.0.0.1", help="where the phone is")
        one.add_argument(
            "--port",
            type=read_port,
            default=5555,
            help=f"its adbd's port, or {WIRELESS!r}",
        )
        one.add_argument("--key", type=Path, default=DEFAULT_KEY, help="Darcy's key")


def run(arguments: argparse.Namespace) -> int:
    """Do what the command line asks for; return the exit code."""
    if arguments.action == "screen":
        return asyncio.run(_screen(arguments))
    if arguments.action == "doctor":
        return asyncio.run(_doctor(arguments))
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        asyncio.run(_serve(arguments.config or default_path("darcy")))
    except (ConfigError, JournalError, OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    except FencedError as error:
        # Whatever starts it again must not: a person has to choose between the two.
        sys.stderr.write(f"{error}\n")
        return 3
    return 0


async def _serve(path: Path) -> None:
    config = await asyncio.to_thread(Config.read, path)
    if config.identity.role != DARCY:
        raise ConfigError(f"{path} is of a {config.identity.role}")
    try:
        settings = PhoneSettings.read(config.settings.get("phone", {}), path.parent)
    except RecipeError as error:
        raise ConfigError(f"{path}, phone: {error}") from None
    darcy = await asyncio.to_thread(
        partial(
            Darcy.open,
            config.identity,
            config.data / "journal",
            settings,
            version=version("hearthnet"),
            renewed=config.trust,
        )
    )
    await serve(darcy)


async def _doctor(arguments: argparse.Namespace) -> int:
    try:
        recipes = [read_recipe(path) for path in arguments.recipe]
    except (OSError, ValueError) as error:
        sys.stderr.write(f"{error}\n")
        return 2
    key = AdbKey.load_or_create(arguments.key)
    sys.stdout.write(
        f"Darcy's key: {key.fingerprint}\n"
        "If the phone asks whether to allow debugging, compare and allow always.\n\n"
    )
    sys.stdout.flush()
    link = Link(arguments.host, arguments.port, key.signer, key.tls)
    report = await examine(link, key.fingerprint, recipes, open_apps=arguments.open)
    await link.close()
    sys.stdout.write(report.text())
    if arguments.json:
        text = json.dumps(report.as_dict(), indent=2, ensure_ascii=False)
        arguments.json.write_text(f"{text}\n", "utf-8")
    return 0 if report.healthy else 1


async def _screen(arguments: argparse.Namespace) -> int:
    key = AdbKey.load_or_create(arguments.key)
    link = Link(arguments.host, arguments.port, key.signer, key.tls)
    try:
        await link.connect(60)
        tree = await Phone(link, Pace(dump=12.0)).look()
    except (LinkError, Stop) as error:
        sys.stderr.write(f"{error}\n")
        return 1
    finally:
        await link.close()
    sys.stdout.writelines(describe(tree))
    return 0


def read_port(text: str) -> int | None:
    """Read a port's number, or the word for that of wireless debugging."""
    return None if text == WIRELESS else int(text)


def read_recipe(path: Path) -> Recipe:
    """Read a recipe's file: compiled JSON anywhere, YAML where PyYAML is.

    Raises:
        OSError: it cannot be read.
        ValueError: it is no recipe, or PyYAML is missing.
    """
    if path.suffix == ".json":
        try:
            return Recipe.load(path.read_bytes())
        except RecipeError as error:
            raise ValueError(f"{path}: {error}") from None
    try:
        # PyYAML is not for Termux, so nothing of Darcy's imports it by itself.
        compiler = import_module("hearthnet.core.phone.compile")
    except ModuleNotFoundError:
        raise ValueError(f"{path}: reading YAML needs PyYAML") from None
    try:
        recipe = compiler.compile_recipe(path.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    assert isinstance(recipe, Recipe)
    return recipe


def describe(tree: Tree) -> Iterable[str]:
    """Go through what a selector can name, a row each, in the order of drawing."""
    yield f"apps on the screen: {', '.join(sorted(tree.packages))}\n"
    for node in tree.nodes:
        named = {
            name: node.get(attribute)
            for name, attribute in (
                ("id", "resource-id"),
                ("text", "text"),
                ("desc", "content-desc"),
            )
        }
        told = ", ".join(
            f"{name}: {json.dumps(v, ensure_ascii=False)}"
            for name, v in named.items()
            if v
        )
        if told:
            depth = sum(1 for _ in node.ancestors())
            marks = [m for m in ("clickable", "checked") if node.get(m) == "true"]
            if not node.enabled:
                marks.append("disabled")
            note = f"  ({', '.join(marks)})" if marks else ""
            yield f"{'  ' * min(depth, 10)}{{{told}}}{note}\n"
