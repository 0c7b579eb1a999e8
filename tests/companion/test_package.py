"""The wheel carries the core as it is, and stands without Home Assistant."""

from pathlib import Path
import shutil
import subprocess
import sys
import zipfile

import pytest

ROOT = Path(__file__).parents[2]
CORE = ROOT / "custom_components/hearthnet/core"


def build(source: Path, target: Path, kind: str) -> Path:
    """Build the companion with the locked hatchling and return the artifact."""
    subprocess.run(
        [
            sys.executable,
            "-m",
            "build",
            "--no-isolation",
            f"--{kind}",
            "--outdir",
            target,
            source,
        ],
        check=True,
        capture_output=True,
    )
    (artifact,) = target.iterdir()
    return artifact


def core_of(wheel: Path) -> dict[str, bytes]:
    """Return the content of a wheel's core by path."""
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        assert len(names) == len(set(names))
        prefix = "hearthnet/core/"
        return {
            name.removeprefix(prefix): archive.read(name)
            for name in names
            if name.startswith(prefix)
        }


@pytest.fixture(scope="module")
def core() -> dict[str, bytes]:
    """What is in the integration's core."""
    return {
        path.relative_to(CORE).as_posix(): path.read_bytes()
        for path in CORE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A wheel built from the repository."""
    return build(ROOT / "companion", tmp_path_factory.mktemp("wheel"), "wheel")


def test_wheel_carries_core_byte_for_byte(wheel: Path, core: dict[str, bytes]) -> None:
    assert core_of(wheel) == core


def test_wheel_carries_the_units(wheel: Path) -> None:
    """Whoever installs from a registry has no clone to take them from."""
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for role in ("dewey", "darcy"):
        assert f"hearthnet/systemd/hearthnet-{role}.service" in names


def test_wheel_from_source_archive_is_the_same(
    tmp_path: Path, core: dict[str, bytes]
) -> None:
    archive = build(ROOT / "companion", tmp_path / "sdist", "sdist")
    shutil.unpack_archive(archive, tmp_path / "unpacked", filter="data")
    (source,) = (tmp_path / "unpacked").iterdir()

    assert core_of(build(source, tmp_path / "wheel", "wheel")) == core


def test_wheel_imports_without_home_assistant(wheel: Path, tmp_path: Path) -> None:
    """Import all modules of the unpacked wheel, away from the source tree."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
    program = """
import importlib, pkgutil, sys
sys.path.insert(0, sys.argv[1])
import hearthnet
assert hearthnet.__file__.startswith(sys.argv[1]), hearthnet.__file__
for module in pkgutil.walk_packages(hearthnet.__path__, "hearthnet."):
    if not module.name.endswith("__main__"):
        importlib.import_module(module.name)
assert "homeassistant" not in sys.modules
"""
    result = subprocess.run(
        [sys.executable, "-I", "-c", program, tmp_path],
        check=False,
        capture_output=True,
        text=True,
    )

    assert result.returncode == 0, result.stderr


def test_no_home_assistant_here() -> None:
    """These tests mean something only where Home Assistant cannot be imported."""
    with pytest.raises(ModuleNotFoundError):
        __import__("homeassistant")
