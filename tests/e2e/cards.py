"""The timeline card in a page: on a dashboard, or mounted over rows of a test's own."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playwright.sync_api import Locator, Page

from tests.support.hass_server import HassServer

TAG = "hearthnet-timeline-card"
AXE = Path(__file__).parents[2] / "frontend/node_modules/axe-core/axe.min.js"

# The card gets Home Assistant's own `hass`, except for what it is told by the server.
_MOUNT = """
(options) => {
  const real = document.querySelector("home-assistant").hass;
  const told = window.told = { requests: [], calls: [], fails: options.fails ?? null };
  const listeners = {};
  const connection = {
    subscribeMessage: async (callback, request) => {
      told.requests.push(request);
      if (told.fails) throw told.fails;
      told.send = callback;
      if (options.snapshot) queueMicrotask(() => callback(options.snapshot));
      return async () => undefined;
    },
    addEventListener: (type, listener) => (listeners[type] ??= []).push(listener),
    removeEventListener: () => undefined,
  };
  told.emit = (type) => listeners[type]?.forEach((listener) => listener());
  const hass = {
    ...real,
    connection,
    language: options.language ?? real.language,
    services: {
      ...real.services,
      hearthnet: {
        ...real.services.hearthnet,
        ...Object.fromEntries((options.actions ?? []).map((name) => [name, {}])),
      },
    },
    callWS: async (message) => {
      told.calls.push(message);
      const answer = options.answers?.[message.type];
      if (answer === undefined) throw { code: "not_found" };
      return answer;
    },
    callService: async (...call) => (told.calls.push(call), { response: {} }),
  };
  document.getElementById("mounted")?.remove();
  const host = document.createElement("div");
  host.id = "mounted";
  host.dir = options.dir ?? "ltr";
  host.style = `position: fixed; inset: 0 auto auto 0; z-index: 99; height: 700px;
    width: ${options.width}px; color: var(--primary-text-color);
    background: var(--primary-background-color); line-height: 1.5;
    font-family: var(--ha-font-family-body); font-size: 14px`;
  const card = document.createElement("TAG");
  card.setConfig({ type: "custom:TAG", ...options.config });
  card.hass = hass;
  host.append(card);
  document.body.append(host);
}
""".replace("TAG", TAG)


def dashboard(hass: HassServer, name: str = "e2e-card", **config: Any) -> str:
    """Save a dashboard with the card alone and return its path."""
    card = {
        "type": f"custom:{TAG}",
        "grid_options": {"columns": "full", "rows": 11},
        **config,
    }
    section = {"type": "grid", "cards": [card]}
    view = {"title": "Timeline", "type": "sections", "sections": [section]}
    return hass.dashboard(name, {"views": [{**view, "max_columns": 1}]})


def old_dashboard(hass: HassServer, kind: str) -> str:
    """Save a dashboard of a kind that gives cards no height of their own."""
    view = {"title": kind, "type": kind, "cards": [{"type": f"custom:{TAG}"}]}
    return hass.dashboard(f"e2e-{kind}", {"views": [view]})


def card_of(page: Page) -> Locator:
    """Return the dashboard's card once it is live."""
    card = page.locator(TAG)
    card.get_by_role("status").get_by_text("Live").wait_for()
    return card


def row_of(card: Locator, text: str) -> Locator:
    """Return the newest row that has a text."""
    return card.locator("li.row").filter(has_text=text).first


@dataclass
class Mounted:
    """A card over a page, told what to show by the test."""

    page: Page
    card: Locator

    @classmethod
    def on(cls, page: Page, width: int = 520, **options: Any) -> Mounted:
        """Put the card over a page that has loaded it."""
        page.evaluate(_MOUNT, {"width": width, **options})
        return cls(page, page.locator(f"#mounted {TAG}"))

    def send(self, message: dict[str, Any]) -> None:
        """Send an event of the subscription."""
        self.page.evaluate("(message) => told.send(message)", message)

    def emit(self, event: str) -> None:
        """Let the connection be lost or ready."""
        self.page.evaluate("(event) => told.emit(event)", event)

    def told(self, name: str) -> Any:
        """Return what the card has asked for."""
        return self.page.evaluate("(name) => told[name]", name)

    def faults(self) -> list[str]:
        """Return what axe finds wrong with the card."""
        self.page.add_script_tag(path=AXE)
        found = self.page.evaluate("async () => (await axe.run('#mounted')).violations")
        return [
            f"{fault['id']}: {node['html'][:120]} {node['failureSummary']}"
            for fault in found
            for node in fault["nodes"]
        ]


def row(number: int, **part: Any) -> dict[str, Any]:
    """Return a row as the server sends it, each an older one than the last."""
    return {
        "id": f"hub.1.{number}",
        "event": f"hub.1.{number}",
        "intent": "hub.1.1",
        "at": 1_796_000_000 - number,
        "outcome": "changed",
        "cause": None,
        "reason": None,
        "why": "",
        "detail": "",
        "rule": None,
        "targets": [{"entity_id": None, "name": f"Lamp {number}"}],
        "wanted": "on",
        "seen": "on, 40 % bright",
        "asked": "movie night",
        "again": True,
        "by": "Anna",
        "origin": "voice",
        "agent": "jeeves",
        "until": None,
        "hold": None,
        "undid": [],
        "commit": "0123456789abcdef0123456789abcdef01234567",
        **part,
    }


def status(**part: Any) -> dict[str, Any]:
    """Return a status as the server sends it."""
    return {
        "now": 1_796_000_000,
        "open": True,
        "enabled": True,
        "journal": True,
        "may_decide": True,
        "agents": [
            {"name": "rupert", "online": True, "open_tasks": 0},
            {"name": "jeeves", "online": True, "open_tasks": 2},
            {"name": "darcy", "online": False, "open_tasks": 0},
        ],
        "holds": [],
        "questions": [],
        "approvals": [],
        "plans": [],
        "dropped": [],
        "record": {
            "connected": True,
            "behind": 0,
            "problem": None,
            "bad_commit": None,
            "bad_since": None,
        },
        **part,
    }


def snapshot(*rows: dict[str, Any], **part: Any) -> dict[str, Any]:
    """Return a snapshot as the server sends it."""
    cursor = part.pop("cursor", None)
    return {
        "type": "snapshot",
        "rows": list(rows),
        "cursor": cursor,
        "card": None,
        "status": status(**part),
    }


def rows(*changed: dict[str, Any], gone: Iterable[str] = ()) -> dict[str, Any]:
    """Return a live event as the server sends it."""
    return {"type": "rows", "rows": list(changed), "gone": list(gone)}


def every_kind() -> list[dict[str, Any]]:
    """Return a row of each kind."""
    held = {"by": "Ben", "since": 1_795_999_000, "until": 1_796_003_600}
    refused: dict[str, Any] = {"outcome": "refused", "seen": ""}
    return [
        row(1),
        row(2, **refused, reason="conflict", hold=held),
        row(3, **refused, reason="policy_denied", why="quiet", rule="night/lights"),
        row(4, outcome=None, cause="device", undid=["hub.1.1"], asked="", agent=""),
        row(5, outcome="waiting", reason="confirmation_required", seen=""),
        row(6, outcome="failed", seen=""),
        row(7, outcome="unverified", seen=""),
        row(8, **refused, reason="not_understood", targets=[], wanted="", commit=None),
        row(9, targets=[{"entity_id": "light.gone", "name": "Gone lamp"}]),
    ]
