"""The machine that the numbers belong to."""

from collections.abc import Mapping
from dataclasses import dataclass
import os
from pathlib import Path
import platform
from tempfile import TemporaryDirectory
from time import perf_counter

from hearthnet.core.files import datasync
from hearthnet.core.messages import Json

from .rows import percentile

_SYNCS = 50


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What a number depends on besides the code."""

    cores: int
    processor: str
    python: str
    system: str
    sync_ms: tuple[float, float]
    """Median and p95 of a small write with its sync, in the temporary folder."""
    load: float
    """Processes that wanted a core in the last minute, before the bench."""

    def as_dict(self) -> Mapping[str, Json]:
        """Return the JSON form."""
        return {
            "cores": self.cores,
            "processor": self.processor,
            "python": self.python,
            "system": self.system,
            "sync_ms": {"p50": self.sync_ms[0], "p95": self.sync_ms[1]},
            "load": self.load,
        }

    def __str__(self) -> str:
        """Say it in a line."""
        middle, high = self.sync_ms
        return (
            f"{self.cores} cores ({self.processor}), Python {self.python}, "
            f"disk sync {middle} ms (p95 {high} ms), load {self.load}"
        )


def machine() -> Machine:
    """Look at this machine; takes less than a second on most disks."""
    times = _sync_times()
    return Machine(
        cores=os.cpu_count() or 1,
        processor=_processor(),
        python=platform.python_version(),
        system=platform.platform(),
        sync_ms=(round(percentile(times, 50), 2), round(percentile(times, 95), 2)),
        load=round(os.getloadavg()[0], 1),
    )


def _sync_times() -> list[float]:
    times = []
    with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
        file = os.open(Path(folder) / "sync", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC)
        try:
            for number in range(_SYNCS):
                start = perf_counter()
                os.pwrite(file, bytes(300), number * 300)
                datasync(file)
                times.append((perf_counter() - start) * 1000)
        finally:
            os.close(file)
    return times


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if "model name" in line)
    return next(names, platform.machine())
