"""Map the domain core, which lives in the integration, into the companion package."""

from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CoreMapping(BuildHookInterface[Any]):
    """Put custom_components/hearthnet/core at hearthnet/core of what is built."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Map from the repository, or from a source archive that already has it."""
        if version == "editable":  # sees core through the link that script/setup makes
            return
        root = Path(self.root)
        core = root.parent / "custom_components" / "hearthnet" / "core"
        if not core.is_dir():
            core = root / "hearthnet" / "core"
        build_data["force_include"][str(core)] = "hearthnet/core"
