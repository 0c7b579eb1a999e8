"""Print what the installed Home Assistant pip-installs when it starts.

With these installed beforehand, `hass --skip-pip` boots without a network.

    python script/lib/ha_requirements.py [DOMAIN ...]
"""

import json
from pathlib import Path
import sys

from homeassistant import bootstrap, components
from homeassistant.auth.mfa_modules import totp

# camera imports numpy through stream although its manifest does not say so; hassio is
# imported for its types alone, so its requirement counts and its dependencies do not.
ALWAYS = ("hassio", "stream")


def requirements(domains: list[str]) -> set[str]:
    """Return the requirements of the domains, the defaults and all they depend on."""
    root = Path(components.__path__[0])
    found = set(totp.REQUIREMENTS)
    todo = [
        *domains,
        *ALWAYS,
        *bootstrap.CORE_INTEGRATIONS,
        *bootstrap.DEFAULT_INTEGRATIONS,
    ]
    seen: set[str] = set()
    while todo:
        domain = todo.pop()
        path = root / domain / "manifest.json"
        if domain in seen or not path.exists():
            continue
        seen.add(domain)
        manifest = json.loads(path.read_text())
        found.update(manifest.get("requirements", []))
        if domain != "hassio":
            todo += manifest.get("dependencies", [])
    return found


if __name__ == "__main__":
    print("\n".join(sorted(requirements(sys.argv[1:]), key=str.lower)))
