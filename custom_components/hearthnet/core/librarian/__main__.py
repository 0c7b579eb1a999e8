"""Start the librarian as a child process.

The hub starts this file by its name: it must not import the integration (that
would pull in Home Assistant), nor put the integration's folder in the search
path (its `select.py` would take the place of Python's).
"""

import argparse
import asyncio
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
import logging
import os
from pathlib import Path
import sys

_PACKAGE = "hearthnet_core"


def main() -> int:
    """Serve until standard input ends; return the exit code."""
    parser = argparse.ArgumentParser(prog="dewey", description=__doc__)
    parser.add_argument("--repository", type=Path, required=True)
    parser.add_argument("--library", action="append", default=[], metavar="FOLDER")
    arguments = parser.parse_args()
    sys.path.extend(arguments.library)
    os.nice(5)  # nothing waits for the record; the house comes first
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    package = _core()
    librarian = import_module(f"{package}.librarian")
    service = import_module(f"{package}.librarian.service")
    try:
        asyncio.run(service.serve_stdio(arguments.repository))
    except librarian.LibrarianError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def _core() -> str:
    """Return the name under which the core is imported."""
    if __package__:
        return __package__.rpartition(".")[0]
    folder = Path(__file__).resolve().parents[1]
    spec = spec_from_file_location(
        _PACKAGE, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert spec
    assert spec.loader
    sys.modules[_PACKAGE] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return _PACKAGE


if __name__ == "__main__":
    sys.exit(main())
