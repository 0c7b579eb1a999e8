"""The whole campaign: `script/faults [--kills N] [--seed N]`."""

import argparse
import asyncio
from pathlib import Path
import sys
import tempfile

from .campaign import Campaign


def main() -> int:
    """Run it; return 1 if something was lost, done twice, or not seen in time."""
    parser = argparse.ArgumentParser(prog="script/faults", description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hearthnet-faults-") as folder:
        campaign = Campaign(Path(folder), options.seed)
        outcome = asyncio.run(campaign.run(options.kills))
    sys.stdout.write(f"{outcome.text()}\n")
    return 1 if outcome.faults or outcome.late else 0


if __name__ == "__main__":
    sys.exit(main())
