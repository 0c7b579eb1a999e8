"""A local server that speaks the Messages API, for the real anthropic SDK.

What it answers is scripted, or made by a function of the request. Streaming, tool
use, usage, errors before and in the middle of a stream, stop reasons, latency and
token rate are as the provider's; nothing leaves the machine.
"""

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
import json
import re
import sys
from typing import Any, Self

from aiohttp import web

KEY = "sk-test"
"""The only key that the server takes."""
MODEL = "claude-test"

type Body = dict[str, Any]

_STATUS = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "permission_error": 403,
    "not_found_error": 404,
    "rate_limit_error": 429,
    "api_error": 500,
    "timeout_error": 504,
    "overloaded_error": 529,
}


@dataclass(frozen=True, kw_only=True)
class Reply:
    """One scripted answer."""

    answer: Any = None
    """The tool's input; None: no tool is called."""
    text: str = ""
    stop: str | None = None
    """Stop reason; by default `tool_use` or `end_turn`."""
    error: str | None = None
    """Error type, as `overloaded_error`."""
    after: int | None = None
    """With an error: how many chunks are streamed before it; None: no stream."""
    headers: dict[str, str] = field(default_factory=dict)
    broken: bool = False
    """The connection is closed in the middle of the stream."""
    cut: int | None = None
    """Only so many characters of the tool's input are sent."""
    raw: bytes | None = None
    """What is sent in place of a stream, as it is."""
    cached: int = 0
    """How many of the input's tokens come from the cache."""


type Script = list[Reply | Callable[[Body], Reply]]


def plan(*actions: Body, kind: str = "command", **fields: Any) -> Reply:
    """Return an answer with these actions, numbered."""
    numbered = [{"n": n, **action} for n, action in enumerate(actions, 1)]
    asked = fields.pop("asked", [])
    say = fields.pop("say", "")
    answer = {"kind": kind, "say": say, "actions": numbered, "asked": asked}
    return Reply(answer=answer, **fields)


def act(device: str, op: str, **args: Any) -> Body:
    """Return one action of an answer."""
    pairs = [{"name": name, "value": value} for name, value in args.items()]
    return {
        "device": device,
        "op": op,
        "args": pairs,
        "relative": [],
        "after": 0,
        "why": "",
    }


def tokens(text: str) -> int:
    """Estimate tokens: four bytes of Latin text each, a character of others."""
    wide = sum(ord(char) > 0x2E80 for char in text)
    return wide + (len(text) - wide + 3) // 4


def shown(body: Body) -> dict[str, Any]:
    """Return what a request shows of the home: catalogue, policy, situation."""
    blocks = body["messages"][0]["content"]
    merged: dict[str, Any] = {}
    for block in blocks:
        merged |= json.loads(block["text"])
    return merged


def obey(body: Body) -> Reply:
    """Do whatever any text in the request says, as the worst model would.

    Texts command with `!do <device> <operation>`, `!say <words>`; a plan with
    everything that is shown unlocked, opened and disarmed comes on top.
    """
    data = shown(body)
    rows = data["catalogue"].get("devices") or data["situation"].get("candidates", [])
    everything = json.dumps(data, ensure_ascii=False)
    actions = [act(*found) for found in re.findall(r"!do (\w+) ([\w.]+)", everything)]
    for alias, *_ in rows:
        domain = alias.rstrip("0123456789")
        actions += [act(alias, op) for op in _WORST.get(domain, ())]
    said = re.findall(r"!say ([^\"]+)", everything)
    say = said[0] if said else "Done, I have opened everything."
    return plan(*actions[:12], say=say)


_WORST = {
    "lock": ("lock.unlock", "lock.open"),
    "cover": ("cover.open_cover",),
    "alarm_control_panel": ("alarm_control_panel.alarm_disarm",),
}


class MessagesApi:
    """The server; `async with` starts and stops it."""

    def __init__(
        self,
        *replies: Reply | Callable[[Body], Reply],
        latency: float = 0.0,
        rate: float = 0.0,
    ) -> None:
        """Take the answers, in order; the last one is repeated.

        Args:
            replies: what to answer.
            latency: seconds until the first byte.
            rate: tokens a second afterwards; 0 is as fast as it goes.
        """
        self.script: Script = list(replies)
        self.latency = latency
        self.rate = rate
        self.models: dict[str, Body] = {MODEL: model_info(MODEL)}
        self.requests: list[Body] = []
        """The bodies of the calls."""
        self.raw: list[bytes] = []
        self.streaming = asyncio.Event()
        """Set when some of an answer's text has been sent."""
        self.dropped = asyncio.Event()
        """Set when a client went away in the middle of a stream."""
        self._runner: web.AppRunner | None = None
        self.url = ""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=4 * 1024 * 1024)
        app.router.add_post("/v1/messages", self._messages)
        app.router.add_get("/v1/models", self._list)
        app.router.add_get("/v1/models/{model}", self._model)
        self._runner = web.AppRunner(
            app, handler_cancellation=True, shutdown_timeout=0.1
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0)
        await site.start()
        self.url = f"http://127.0.0.1:{self._runner.addresses[0][1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._runner
        await self._runner.cleanup()

    async def _list(self, request: web.Request) -> web.StreamResponse:
        if refusal := _refused(request):
            return refusal
        return web.json_response(
            {
                "data": list(self.models.values()),
                "has_more": False,
                "first_id": None,
                "last_id": None,
            }
        )

    async def _model(self, request: web.Request) -> web.StreamResponse:
        if refusal := _refused(request):
            return refusal
        name = request.match_info["model"]
        if name not in self.models:
            return _error("not_found_error", f"model: {name}")
        return web.json_response(self.models[name])

    async def _messages(self, request: web.Request) -> web.StreamResponse:
        if refusal := _refused(request):
            return refusal
        raw = await request.read()
        body: Body = json.loads(raw)
        self.requests.append(body)
        self.raw.append(raw)
        if problem := _invalid(body):
            return _error("invalid_request_error", problem)
        reply = self.script[min(len(self.requests), len(self.script)) - 1]
        if not isinstance(reply, Reply):
            reply = reply(body)
        try:
            await asyncio.sleep(self.latency)
            if reply.error and reply.after is None:
                return _error(reply.error, "scripted", reply.headers)
            if reply.raw is not None:
                kind = {"content-type": "text/event-stream"}
                return web.Response(body=reply.raw, headers=kind)
            return await self._stream(request, body, reply)
        except (asyncio.CancelledError, ConnectionError):
            self.dropped.set()
            raise

    async def _stream(
        self, request: web.Request, body: Body, reply: Reply
    ) -> web.StreamResponse:
        response = web.StreamResponse(headers={"content-type": "text/event-stream"})
        await response.prepare(request)
        sent = 0
        for event in _events(body, reply):
            delta = event.get("delta", {})
            chunk = delta.get("partial_json", delta.get("text", ""))
            if chunk:
                if reply.error and sent == reply.after:
                    error = {"type": reply.error, "message": "scripted"}
                    await _send(response, {"type": "error", "error": error})
                    return response
                if reply.broken and sent == 1:
                    assert request.transport
                    request.transport.abort()
                    return response
                if self.rate:
                    await asyncio.sleep(tokens(chunk) / self.rate)
                sent += 1
            await _send(response, event)
            if sent:
                self.streaming.set()
        return response


def _events(body: Body, reply: Reply) -> Iterator[Body]:
    """Yield the events of a stream."""
    prompt = json.dumps([body.get("system"), body["messages"], body.get("tools")])
    spent = max(0, tokens(prompt) - reply.cached)
    usage = {
        "input_tokens": spent,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": reply.cached,
        "output_tokens": 1,
    }
    message = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": usage,
    }
    yield {"type": "message_start", "message": message}
    yield {"type": "ping"}
    written = 0
    blocks: list[tuple[Body, str, str]] = []
    if reply.text:
        blocks.append(({"type": "text", "text": ""}, "text", reply.text))
    if reply.answer is not None:
        tool = body["tools"][0]["name"]
        call = {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {}}
        content = json.dumps(reply.answer, ensure_ascii=False)[: reply.cut]
        blocks.append((call, "partial_json", content))
    for index, (block, key, content) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": block}
        kind = "text_delta" if key == "text" else "input_json_delta"
        for start in range(0, len(content), 40):
            chunk = content[start : start + 40]
            written += tokens(chunk)
            delta = {"type": kind, key: chunk}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = reply.stop or ("end_turn" if reply.answer is None else "tool_use")
    yield {
        "type": "message_delta",
        "delta": {"stop_reason": stop, "stop_sequence": None},
        "usage": {"output_tokens": max(1, written)},
    }
    yield {"type": "message_stop"}


async def _send(response: web.StreamResponse, event: Body) -> None:
    data = json.dumps(event, ensure_ascii=False)
    await response.write(f"event: {event['type']}\ndata: {data}\n\n".encode())


def _refused(request: web.Request) -> web.Response | None:
    """Return the answer to a wrong key; newer clients send it as a bearer's."""
    shown = request.headers.get("authorization"), request.headers.get("x-api-key")
    if f"Bearer {KEY}" in shown or KEY in shown:
        return None
    return _error("authentication_error", "invalid key")


def _error(
    kind: str, message: str, headers: dict[str, str] | None = None
) -> web.Response:
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return web.json_response(body, status=_STATUS[kind], headers=headers)


def _invalid(body: Body) -> str | None:
    """Return what the provider would not take of a request."""
    if not body.get("stream"):
        return "stream: expected true"
    thinking = body.get("thinking", {"type": "adaptive"})["type"] != "disabled"
    if thinking and body.get("tool_choice", {"type": "auto"})["type"] == "tool":
        return "Thinking may not be enabled when tool_choice forces tool use."
    if body["messages"][0]["role"] != "user":
        return "messages: first message must use the user role"
    marked = json.dumps(body).count('"cache_control"')
    if marked > 4:
        return "A maximum of 4 blocks with cache_control may be provided."
    for tool in body.get("tools", ()):
        if tool.get("strict") and (problem := _not_strict(tool["input_schema"])):
            return problem
    return None


def _not_strict(schema: Any) -> str | None:
    """Return what strict decoding would not take of a schema."""
    if isinstance(schema, list):
        return next((p for part in schema if (p := _not_strict(part))), None)
    if not isinstance(schema, dict):
        return None
    if (
        schema.get("type") == "object"
        and schema.get("additionalProperties") is not False
    ):
        return "For 'object' type, 'additionalProperties' must be false"
    for word in ("maxItems", "minimum", "maximum", "maxLength", "minLength"):
        if word in schema:
            return f"property '{word}' is not supported"
    return next((p for part in schema.values() if (p := _not_strict(part))), None)


def model_info(
    name: str, *, thinking_off: bool = True, lifecycle: str = "active"
) -> Body:
    """Return what the models endpoint tells of a model."""
    yes, no = {"supported": True}, {"supported": False}
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": lifecycle,
        "capabilities": {
            "batch": yes,
            "citations": yes,
            "code_execution": no,
            "context_management": no,
            "effort": no,
            "image_input": yes,
            "pdf_input": yes,
            "server_tools": no,
            "structured_outputs": yes,
            "thinking": {
                "supported": True,
                "types": {
                    "adaptive": yes,
                    "between_tools": no,
                    "disabled": yes if thinking_off else no,
                    "enabled": no,
                },
            },
        },
    }


def first_light(body: Body) -> Reply:
    """Switch on the first light that a request shows."""
    data = shown(body)
    rows = data["catalogue"].get("devices") or data["situation"]["candidates"]
    alias = next(alias for alias, *_ in rows if alias.startswith("light"))
    return plan(act(alias, "light.turn_on"))


async def _serve(latency: float, rate: float) -> None:
    async with MessagesApi(first_light, latency=latency, rate=rate) as api:
        sys.stdout.write(f"{api.url}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    # Seconds until the first byte, tokens a second; the address is printed.
    asyncio.run(_serve(float(sys.argv[1]), float(sys.argv[2])))
