"""One measurement in a process of its own, where the environment decides.

    python -m hearthnet.bench.child MODULE '{"argument": 1}'

calls `measure` of that module of this package and prints the JSON that it returns.
"""

from collections.abc import Mapping
from importlib import import_module
import json
import os
import subprocess
import sys
from typing import Any

from hearthnet.core.messages import Json


def in_child(
    module: str, environment: Mapping[str, str], **arguments: Json
) -> dict[str, Any]:
    """Return what `measure` of a module of this package says in another process."""
    done = subprocess.run(  # noqa: S603 - our own module
        [sys.executable, "-m", __name__, module, json.dumps(arguments)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **environment},
        stdout=subprocess.PIPE,
        check=True,
    )
    return dict(json.loads(done.stdout))


if __name__ == "__main__":
    told = import_module(f"{__package__}.{sys.argv[1]}").measure(
        **json.loads(sys.argv[2])
    )
    sys.stdout.write(json.dumps(told))
