"""A real Home Assistant with a configuration of its own, set up without a human."""

from collections.abc import Mapping
import json
import os
from pathlib import Path
import sys
from typing import Any, Self
import urllib.error
import urllib.parse
import urllib.request

from .hass_websocket import HassWebsocket
from .ports import free_port
from .process import ServerProcess, wait_until

INTEGRATION = Path(__file__).parents[2] / "custom_components" / "hearthnet"

# Without default_config, which looks for hardware and clouds. demo is a furnished home.
HOME_YAML = """\
homeassistant:
  name: Test home
  latitude: 52.5
  longitude: 13.4
  elevation: 30
  unit_system: metric
  time_zone: Europe/Berlin
  country: DE
  currency: EUR
  language: en
frontend:
config:
lovelace:
conversation:
logbook:
history:
demo:
"""

# Home Assistant keeps its HTTP settings here. Given in YAML they are a trial that it
# takes back after five minutes by ending itself.
_HTTP = {
    "server_host": ["127.0.0.1"],
    "cors_allowed_origins": [],
    "login_attempts_threshold": -1,
    "ip_ban_enabled": True,
    "ssl_profile": "intermediate_v6",
    "use_x_frame_options": True,
    "created_at": "2026-11-01T00:00:00+00:00",
    "error": None,
    "error_message": None,
}

# The step core_config would start config flows that need the internet.
_ONBOARDING = {"done": ["core_config", "analytics", "integration"]}

# What Home Assistant itself says here, whatever a test does.
_HARMLESS = (
    "haffmpeg",  # no ffmpeg on the machine
    "libturbojpeg",
    "components.marketplace",  # it wants the internet now and then
    "aiohttp.server",  # the demo's media players have pictures on the internet
    "Unauthorized (unauthorized)",  # tests try what a user may not do
)


class HttpError(Exception):
    """Home Assistant answered a request with an error."""

    def __init__(self, path: str, status: int, body: str) -> None:
        super().__init__(f"{path}: {status}: {body}")
        self.status = status


class HassServer:
    """A Home Assistant process; its configuration outlives restarts and kills."""

    username = "owner"
    password = "a-test-password"

    def __init__(
        self,
        config: Path,
        *,
        yaml: str = HOME_YAML,
        components: Mapping[str, Path] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self.config = config
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.process = ServerProcess(config / "hass.out")
        self.tokens: dict[str, Any] = {}
        self._yaml = yaml
        self._components = components or {"hearthnet": INTEGRATION}
        self._env = env or {}
        self._sockets: list[HassWebsocket] = []

    # The process

    def start(self, timeout: float = 120) -> None:
        """Start Home Assistant; wait until it answers and, with an owner, runs."""
        self._prepare()
        env = {**os.environ, "NO_PROXY": "*", **self._env}
        # Without bytecode every start takes four seconds longer.
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        options = ["--config", str(self.config), "--log-no-color", "--skip-pip"]
        self.process.start(
            # -P: a custom_components in the working directory would win over ours.
            [sys.executable, "-P", "-m", "homeassistant", *options],
            env=env,
            ready=self._answers,
            timeout=timeout,
        )
        if self.tokens:
            self.login()

    def stop(self) -> None:
        """Stop Home Assistant in order."""
        self._close_sockets()
        self.process.stop()

    def kill(self) -> None:
        """End Home Assistant as a power cut would."""
        self.process.kill()
        self._close_sockets()

    def restart(self) -> None:
        """Stop and start Home Assistant."""
        self.stop()
        self.start()

    def log(self) -> str:
        """Return what Home Assistant has logged, over all its starts."""
        return self.process.log()

    def errors(self) -> list[str]:
        """Return the errors in the log that are not this machine's or the demo's."""
        return [
            line
            for line in self.log().splitlines()
            if " ERROR " in line and not any(name in line for name in _HARMLESS)
        ]

    def __enter__(self) -> Self:
        self.start()
        self.onboard()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    # Users

    def onboard(self) -> None:
        """Create the owner, log in and wait until Home Assistant runs."""
        answer = self.request(
            "POST",
            "/api/onboarding/users",
            {
                "client_id": self.client_id,
                "name": "Owner",
                "username": self.username,
                "password": self.password,
                "language": "en",
            },
        )
        self.tokens = self._exchange(answer["auth_code"])
        self._wait_until_running()

    def login(self) -> None:
        """Log in as the owner, for fresh tokens, and wait until Home Assistant runs."""
        self.tokens = self.tokens_of(self.username, self.password)
        self._wait_until_running()

    def tokens_of(self, username: str, password: str) -> dict[str, Any]:
        """Log a user in and return the tokens, as a browser keeps them."""
        flow = self.request(
            "POST",
            "/auth/login_flow",
            {
                "client_id": self.client_id,
                "handler": ["homeassistant", None],
                "redirect_uri": self.client_id,
            },
        )
        answer = self.request(
            "POST",
            f"/auth/login_flow/{flow['flow_id']}",
            {"client_id": self.client_id, "username": username, "password": password},
        )
        return self._exchange(answer["result"])

    def add_user(self, name: str, password: str, *, admin: bool = False) -> str:
        """Create a user who can log in and return the id."""
        group = "system-admin" if admin else "system-users"
        with self.websocket() as socket:
            user = socket.call("config/auth/create", name=name, group_ids=[group])
            socket.call(
                "config/auth_provider/homeassistant/create",
                user_id=user["user"]["id"],
                username=name.lower(),
                password=password,
            )
        return str(user["user"]["id"])

    # The API

    @property
    def client_id(self) -> str:
        """What a browser calls itself: the address that it was opened with."""
        return f"{self.url}/"

    def request(
        self, method: str, path: str, body: Any = None, *, token: str | None = None
    ) -> Any:
        """Call the REST API, as the owner or with another's token."""
        headers = {"Content-Type": "application/json"}
        if token or self.tokens:
            headers["Authorization"] = f"Bearer {token or self.tokens['access_token']}"
        return self._send(
            urllib.request.Request(
                self.url + path,
                data=None if body is None else json.dumps(body).encode(),
                headers=headers,
                method=method,
            )
        )

    def websocket(self, token: str | None = None) -> HassWebsocket:
        """Open a websocket connection, as the owner or with another's token."""
        socket = HassWebsocket(self.url, token or self.tokens["access_token"])
        self._sockets.append(socket)
        return socket

    def action(
        self,
        action: str,
        data: Mapping[str, Any] | None = None,
        *,
        answer: bool = False,
    ) -> Any:
        """Call an action, such as light.turn_on; return its response if asked to."""
        path = "/api/services/" + action.replace(".", "/")
        if not answer:
            return self.request("POST", path, data or {})
        return self.request("POST", f"{path}?return_response", data or {})[
            "service_response"
        ]

    def state(self, entity_id: str) -> dict[str, Any]:
        """Return an entity's state and attributes."""
        state: dict[str, Any] = self.request("GET", f"/api/states/{entity_id}")
        return state

    def configure(self, handler: str, *steps: Mapping[str, Any]) -> dict[str, Any]:
        """Walk a config flow, one answer a step, and return where it got."""
        flows = "/api/config/config_entries/flow"
        result: dict[str, Any] = self.request("POST", flows, {"handler": handler})
        for step in steps:
            result = self.request("POST", f"{flows}/{result['flow_id']}", step)
        return result

    def dashboard(self, url_path: str, config: Mapping[str, Any]) -> str:
        """Create or overwrite a dashboard and return the path of its first view."""
        with self.websocket() as socket:
            known = socket.call("lovelace/dashboards/list")
            if not any(board["url_path"] == url_path for board in known):
                socket.call(
                    "lovelace/dashboards/create",
                    url_path=url_path,  # must have a hyphen
                    title=url_path,
                    mode="storage",
                )
            socket.call("lovelace/config/save", url_path=url_path, config=config)
        return f"/{url_path}/0"

    def _prepare(self) -> None:
        (self.config / "configuration.yaml").write_text(self._yaml)
        stable = {**_HTTP, "server_port": self.port}
        http = {"stable": stable, "pending": None, "yaml_migration_done": True}
        self._store("http", 3, http)
        self._store("onboarding", 4, _ONBOARDING)
        components = self.config / "custom_components"
        components.mkdir(exist_ok=True)
        for domain, source in self._components.items():
            link = components / domain
            if not link.exists():
                link.symlink_to(source.resolve(), target_is_directory=True)

    def _store(self, key: str, version: int, data: Mapping[str, Any]) -> None:
        path = self.config / ".storage" / key
        path.parent.mkdir(exist_ok=True)
        if not path.exists():
            store = {"version": version, "minor_version": 1, "key": key, "data": data}
            path.write_text(json.dumps(store))

    def _answers(self) -> bool:
        # This needs no token; asking /api/ without one would be logged each time.
        try:
            self.request("GET", "/manifest.json")
        except OSError:
            return False
        return True

    def _wait_until_running(self) -> None:
        def running() -> bool:
            state: str = self.request("GET", "/api/core/state")["state"]
            return state == "RUNNING"

        wait_until(running, 60, self.process.tail)

    def _exchange(self, code: str) -> dict[str, Any]:
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "client_id": self.client_id,
        }
        tokens: dict[str, Any] = self._send(
            urllib.request.Request(
                f"{self.url}/auth/token", data=urllib.parse.urlencode(form).encode()
            )
        )
        return tokens

    def _send(self, request: urllib.request.Request) -> Any:
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                raw = response.read()
                kind = response.headers.get_content_type()
        except urllib.error.HTTPError as error:
            raise HttpError(
                request.selector, error.code, error.read().decode(errors="replace")
            ) from error
        return json.loads(raw) if kind.endswith("json") else raw

    def _close_sockets(self) -> None:
        while self._sockets:
            self._sockets.pop().close()
