"""Chromium, logged in to a Home Assistant under test."""

import json
import shutil
import time
from typing import Any, Self

from playwright.sync_api import BrowserContext, Page, sync_playwright

from .hass_server import HassServer

_ARGUMENTS = [
    "--no-sandbox",  # root cannot have one
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
    # Whatever else a page wants fails at once instead of waiting for a closed network.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]


class Browser:
    """Debian's Chromium, driven by Playwright; each page has a profile of its own."""

    def __init__(self) -> None:
        self.errors: list[str] = []

    def __enter__(self) -> Self:
        program = shutil.which("chromium")
        assert program, "chromium is missing: run script/setup"
        self._playwright = sync_playwright().start()
        self._chromium = self._playwright.chromium.launch(
            executable_path=program, args=_ARGUMENTS
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._chromium.close()
        self._playwright.stop()

    def page(
        self,
        hass: HassServer,
        path: str,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        tokens: dict[str, Any] | None = None,
        locale: str = "en-GB",
    ) -> Page:
        """Open a page as the owner or by others' tokens, and wait until it shows."""
        context = self._chromium.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
            service_workers="block",  # its caches would carry one test into the next
            locale=locale,
            timezone_id="Europe/Berlin",
        )
        self._log_in(context, hass, tokens or hass.tokens)
        page = context.new_page()
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on(
            "console",
            lambda line: (
                self.errors.append(line.text) if line.type == "error" else None
            ),
        )
        page.goto(hass.url + path, wait_until="commit")
        page.wait_for_selector("#ha-launch-screen", state="detached", timeout=60_000)
        return page

    def blank(self) -> Page:
        """Open an empty page, in a profile of its own, for what is no home."""
        return self._chromium.new_context().new_page()

    @staticmethod
    def _log_in(
        context: BrowserContext, hass: HassServer, tokens: dict[str, Any]
    ) -> None:
        # Where the frontend looks for them.
        stored = tokens | {
            "hassUrl": hass.url,
            "clientId": hass.client_id,
            "expires": int((time.time() + tokens["expires_in"]) * 1000),
        }
        context.add_init_script(
            f"if (location.origin === {json.dumps(hass.url)})"
            f" localStorage.setItem('hassTokens', {json.dumps(json.dumps(stored))});"
        )
