"""Records traces: `script/traces [--into FOLDER] [NAME...]`."""

import argparse
from collections.abc import Sequence
from pathlib import Path
import sys
from tempfile import TemporaryDirectory

from .recording import ROOT, record
from .themes import THEMES

SHIPPED = ROOT / "companion/hearthnet/traces/shipped"


def main(arguments: Sequence[str] | None = None) -> int:
    """Record; return 1 if a trace is not as it should be."""
    parser = argparse.ArgumentParser(prog="script/traces", description=__doc__)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"of {', '.join(THEMES)}; else all"
    )
    parser.add_argument("--into", type=Path, default=SHIPPED, help="else the package")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(THEMES):
        parser.error(f"no trace {min(unknown)!r}")
    for name in options.names or THEMES:
        with TemporaryDirectory(prefix="hearthnet-trace-") as folder:
            print(f"{name}: {THEMES[name].title}", flush=True)
            (home := Path(folder) / "home").mkdir()
            record(name, home, options.into / f"{name}.json", print)
    return 0


if __name__ == "__main__":
    sys.exit(main())
