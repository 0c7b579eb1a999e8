"""Darcy on a phone: what Termux does not have, Darcy does not want."""

import subprocess
import sys

ABSENT = (
    *(
        "yaml",
        "pygit2",
        "anthropic",
        "orjson",
        "pydantic",
        "PIL",
        "lxml",
        "homeassistant",
    ),
    *("voluptuous", "aiohttp", "numpy"),
)

PROGRAM = """
import importlib, pkgutil, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in sys.argv[1:]:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Absent())
import hearthnet.darcy, hearthnet.core.phone
for package in (hearthnet.darcy, hearthnet.core.phone):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if module.name != "hearthnet.core.phone.compile":
            importlib.import_module(module.name)
"""


def test_darcy_needs_nothing_that_termux_lacks() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *ABSENT],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr


def test_the_compiler_alone_needs_yaml() -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM + "import hearthnet.core.phone.compile", "yaml"],
        capture_output=True,
        text=True,
        check=False,
    )

    assert "ModuleNotFoundError: yaml" in done.stderr
