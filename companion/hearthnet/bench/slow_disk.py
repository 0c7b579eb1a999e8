"""A disk whose syncs take long, for one process and its children."""

from pathlib import Path
import shutil
import subprocess

from .rows import UnavailableError

_SOURCE = Path(__file__).with_suffix(".c")


class SlowDisk:
    """Compiles the shim once and tells what to add to an environment."""

    def __init__(self, directory: Path) -> None:
        """Put the shim into `directory`.

        Raises:
            UnavailableError: there is no C compiler.
        """
        if (compiler := shutil.which("cc")) is None:
            raise UnavailableError("no C compiler (cc) for the slow disk")
        self._library = directory / "slow_disk.so"
        subprocess.run(  # noqa: S603 - our own source
            [compiler, "-shared", "-fPIC", "-O2", "-o", self._library, _SOURCE, "-ldl"],
            check=True,
        )

    def env(self, milliseconds: int) -> dict[str, str]:
        """Return the variables that make each fsync, fdatasync and syncfs slow."""
        return {
            "LD_PRELOAD": str(self._library),
            "SLOW_DISK_MS": str(milliseconds),
        }
