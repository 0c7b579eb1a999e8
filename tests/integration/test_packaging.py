"""What hassfest and the Marketplace would check, without them."""

import json
from pathlib import Path
import re
import struct
import subprocess

from awesomeversion import AwesomeVersion
import homeassistant
from homeassistant.components.marketplace.repositories.base import RepositoryArchive
from homeassistant.components.marketplace.repositories.integration import (
    _check_loadable_manifest,
)
from homeassistant.components.marketplace.utils.filters import (
    get_first_directory_in_directory,
)
from homeassistant.loader import Manifest
from homeassistant.util.package import is_installed
from packaging.requirements import Requirement
import pytest

HOME_ASSISTANT = Path(homeassistant.__file__).parent
ROOT = Path(__file__).parents[2]
INTEGRATION = ROOT / "custom_components" / "hearthnet"
MANIFEST = json.loads((INTEGRATION / "manifest.json").read_text())


def core_pins() -> dict[str, str]:
    """Return the exact versions that core's manifests and constraints ask for."""
    lines = (HOME_ASSISTANT / "package_constraints.txt").read_text().splitlines()
    for path in (HOME_ASSISTANT / "components").glob("*/manifest.json"):
        lines += json.loads(path.read_text()).get("requirements", [])
    pins = (re.fullmatch(r"([\w.-]+)(?:\[.*\])?==([\w.]+)", line) for line in lines)
    return {pin[1].lower(): pin[2] for pin in pins if pin}


def test_manifest_keys() -> None:
    assert list(MANIFEST) == [
        "domain",
        "name",
        *sorted(MANIFEST.keys() - {"domain", "name"}),
    ]
    assert MANIFEST.keys() <= Manifest.__annotations__.keys()
    assert AwesomeVersion(MANIFEST["version"]).valid
    for key in ("documentation", "issue_tracker"):
        assert MANIFEST[key].startswith("https://")


def test_dependencies_exist() -> None:
    for domain in MANIFEST["dependencies"] + MANIFEST["after_dependencies"]:
        assert (HOME_ASSISTANT / "components" / domain / "manifest.json").exists()


@pytest.mark.parametrize("requirement", MANIFEST["requirements"])
def test_requirement_admits_what_core_pins(requirement: str) -> None:
    """An own pin would make Home Assistant reinstall one or the other at each start."""
    parsed = Requirement(requirement)
    pin = core_pins().get(parsed.name)

    assert is_installed(requirement)
    assert pin is None or pin in parsed.specifier
    assert not any(part.operator == "==" for part in parsed.specifier)


def test_versions_agree() -> None:
    companion = (ROOT / "companion" / "pyproject.toml").read_text()

    assert f'version = "{MANIFEST["version"]}"' in companion


def test_marketplace_description() -> None:
    description = json.loads((ROOT / "hacs.json").read_text())

    assert description["name"] == MANIFEST["name"]
    assert description["homeassistant"] == "2026.11.0"
    assert "zip_release" not in description  # nobody would make the archive


def test_the_marketplace_installs_it(tmp_path: Path) -> None:
    """Unpack what GitHub serves for a commit as the Marketplace does it."""
    served = subprocess.run(
        ["git", "archive", "--format=zip", "--prefix=hearthnet-main/", "HEAD"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    archive = RepositoryArchive(served)
    assert (
        get_first_directory_in_directory(archive.tree, "custom_components")
        == (MANIFEST["domain"])
    )
    archive.extract_directory(f"custom_components/{MANIFEST['domain']}", str(tmp_path))
    _check_loadable_manifest(tmp_path, MANIFEST["domain"])
    written = {path.relative_to(tmp_path) for path in tmp_path.rglob("*")}
    for needed in ("brand/icon.png", "frontend/de.js", "translations/en.json"):
        assert Path(needed) in written
    for source in INTEGRATION.rglob("*.py"):
        assert source.relative_to(INTEGRATION) in written


@pytest.mark.parametrize(
    ("image", "height", "square"),
    [
        ("icon", 256, True),
        ("icon@2x", 512, True),
        ("logo", 128, False),
        ("logo@2x", 256, False),
    ],
)
@pytest.mark.parametrize("theme", ["", "dark_"])
def test_brand_images(theme: str, image: str, height: int, square: bool) -> None:
    data = (INTEGRATION / "brand" / f"{theme}{image}.png").read_bytes()
    assert data.startswith(b"\x89PNG\r\n")

    size = struct.unpack(">II", data[16:24])

    assert size[1] == height
    assert (size[0] == height) is square
