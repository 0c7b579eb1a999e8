"""Questions to the librarian over HTTP, for enrolled nodes.

Read-only JSON. A request proves whose it is by a signature over a challenge, so
that neither a password lies about nor two machines' clocks have to agree:

    GET /challenge                     -> {"challenge": "…"}
    GET /timeline?limit=5
    Authorization: HearthNet node=hub,challenge=…,number=1,signature=…

The signature is over `<challenge> <number> <method> <path and query>`; a number
is good once. What is answered is not encrypted: let it listen on this machine
only, or put a TLS proxy before it.
"""

import asyncio
import base64
from collections.abc import Awaitable, Callable, Mapping
import re
import secrets
import time
from typing import Any

from aiohttp import web

from ..keys import SigningKey, VerifyKey
from . import LibrarianError

LIFE = 600.0
"""Seconds that a challenge is good for."""
RETRY_SECONDS = 30.0
MAX_CHALLENGES = 100
MAX_USES = 1000
_FIELDS = re.compile(r'(node|challenge|number|signature)=([^,\s"]+)')

type Ask = Callable[..., Awaitable[Any]]


def authorization(
    node: str, key: SigningKey, challenge: str, number: int, path: str
) -> str:
    """Return the header that proves a GET to be a node's."""
    signature = base64.b64encode(key.sign(_proof(challenge, number, path))).decode()
    return (
        f"HearthNet node={node},challenge={challenge},"
        f"number={number},signature={signature}"
    )


class Api:
    """Serves the librarian's answers."""

    def __init__(
        self,
        ask: Ask,
        key: Callable[[str], VerifyKey | None],
        address: str,
        tell: Callable[[str | None], None],
    ) -> None:
        """`key` gives the key of an enrolled node; `address` is HOST:PORT.

        `tell` hears why nobody can ask, None: one can.
        """
        self._ask = ask
        self._tell = tell
        self._key = key
        host, _, port = address.rpartition(":")
        self._host, self._port = host.strip("[]"), int(port)
        self._challenges: dict[str, tuple[float, set[int]]] = {}
        self._runner: web.AppRunner | None = None

    @property
    def port(self) -> int:
        """The port that is served."""
        assert self._runner
        return int(self._runner.addresses[0][1])

    async def run(self) -> None:
        """Serve until canceled; an address that cannot be had is tried again.

        Another program may have it for a while, or the network may not be up yet.
        The record needs none of this.
        """
        try:
            while True:
                try:
                    await self._listen()
                except OSError as error:
                    self._tell(f"the HTTP API: {error}")
                    await self._close()
                    await asyncio.sleep(RETRY_SECONDS)
                else:
                    self._tell(None)
                    await asyncio.Event().wait()
        finally:
            await self._close()

    async def _listen(self) -> None:
        app = web.Application()
        app.add_routes(
            [
                web.get("/challenge", self._challenge),
                web.get("/head", self._serve("head")),
                web.get("/view", self._serve("state")),
                web.get("/events/{event}", self._serve("event")),
                web.get("/timeline", self._serve("timeline")),
                web.get("/chain/{intent}", self._serve("chain")),
                web.get("/explain/{event}", self._serve("explain")),
            ]
        )
        self._runner = web.AppRunner(app, access_log=None)
        await self._runner.setup()
        await web.TCPSite(self._runner, self._host, self._port).start()

    async def _close(self) -> None:
        if self._runner is not None:
            await self._runner.cleanup()

    async def _challenge(self, _request: web.Request) -> web.Response:
        now = time.monotonic()
        self._challenges = {
            text: one for text, one in self._challenges.items() if now - one[0] < LIFE
        }
        while len(self._challenges) >= MAX_CHALLENGES:
            del self._challenges[next(iter(self._challenges))]
        challenge = secrets.token_urlsafe(16)
        self._challenges[challenge] = now, set()
        return web.json_response({"challenge": challenge})

    def _serve(self, what: str) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def answer(request: web.Request) -> web.Response:
            if not self._allowed(request):
                raise web.HTTPUnauthorized(headers={"WWW-Authenticate": "HearthNet"})
            args: dict[str, Any] = {**request.query, **request.match_info}
            args.pop("what", None)
            try:
                if "limit" in args:
                    args["limit"] = int(args["limit"])
                result = await self._ask(what, **args)
            except (LibrarianError, ValueError) as error:
                return web.json_response({"error": str(error)}, status=404)
            return web.json_response(result)

        return answer

    def _allowed(self, request: web.Request) -> bool:
        scheme, _, rest = request.headers.get("Authorization", "").partition(" ")
        given: Mapping[str, str] = dict(_FIELDS.findall(rest))
        try:
            challenge, number = given["challenge"], int(given["number"])
            signature = base64.b64decode(given["signature"], validate=True)
            key = self._key(given["node"])
            since, used = self._challenges[challenge]
        except (KeyError, ValueError):
            return False
        if scheme != "HearthNet" or key is None or time.monotonic() - since >= LIFE:
            return False
        if number in used or len(used) >= MAX_USES:
            return False
        if not key.verifies(_proof(challenge, number, request.path_qs), signature):
            return False
        used.add(number)
        return True


def _proof(challenge: str, number: int, path: str) -> bytes:
    # No message and no frame starts like this, so neither passes for a proof.
    return f"hearthnet api {challenge} {number} GET {path}".encode()
