"""Claude, through Anthropic's SDK: one streamed call, nothing retried in here.

The SDK is imported only where it is used, so that the core and a Darcy stand
without it. Whoever makes the client has imported it (in Home Assistant: in the
executor, since importing reads many files).
"""

from collections.abc import Mapping
from dataclasses import dataclass
import json
from typing import TYPE_CHECKING, Any, Final, Literal

from ..messages import Json
from ..reasons import Reason
from . import choice
from .candidates import MOST
from .errors import PlannerError
from .model import Repair, Usage
from .prompt import Prompt
from .schema import ANSWER, RULES, TOOL

if TYPE_CHECKING:
    from anthropic import APIStatusError, AsyncAnthropic
    from anthropic.types import RawMessageStreamEvent

MAX_TOKENS: Final = 2000
"""Twelve actions with parameters take about 1,200."""
_CHOICE_TOKENS: Final = 1000
"""For one number, and what a model that always thinks spends before it."""
SECONDS: Final = 30.0
_PROBE_SECONDS: Final = 10.0
_MOST_MODELS: Final = 50
_CALL: Final = "toolu_plan"
"""The id under which the second round names the first answer."""

_BY_TYPE: Mapping[str, tuple[Reason, float | None]] = {
    "authentication_error": (Reason.MODEL_UNAUTHORIZED, None),
    "permission_error": (Reason.MODEL_UNAUTHORIZED, None),
    "not_found_error": (Reason.MODEL_UNKNOWN, None),
    "rate_limit_error": (Reason.MODEL_RATE_LIMITED, 2.0),
    "overloaded_error": (Reason.MODEL_OVERLOADED, 1.0),
    "timeout_error": (Reason.MODEL_TIMEOUT, 1.0),
    "api_error": (Reason.MODEL_FAILED, 1.0),
}
"""What an error of the API means, and seconds after which to try again."""
_BY_STATUS: Mapping[int, str] = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
_BY_STOP: Mapping[str, Reason] = {
    "refusal": Reason.MODEL_REFUSED,
    "max_tokens": Reason.MODEL_TRUNCATED,
    "model_context_window_exceeded": Reason.MODEL_TRUNCATED,
}


@dataclass(frozen=True, kw_only=True)
class Settings:
    """How to ask one model."""

    model: str
    thinking_off: bool = True
    """Tell the model not to think first, and force the tool: the fast way. Models
    that always think take neither."""
    strict: bool = True
    """Have the answer decoded along the schema, where the model can."""
    cache: Literal["5m", "1h"] = "5m"
    """How long the provider keeps the prompt's beginning after each use."""
    max_tokens: int = MAX_TOKENS


async def probe(client: "AsyncAnthropic", model: str) -> Settings:
    """Return how to ask a model; costs nothing but a request without tokens.

    Raises:
        PlannerError: `MODEL_UNAUTHORIZED` for a wrong key, `MODEL_UNKNOWN` for a
            model that is not offered, and the others as for a call.
    """
    errors = _errors()
    try:
        info = await client.models.retrieve(model, timeout=_PROBE_SECONDS)
    except errors as error:
        raise _translated(error) from error
    if info.lifecycle == "retired":
        raise PlannerError(Reason.MODEL_UNKNOWN, f"{model} is retired")
    can = info.capabilities
    if can is None:
        return Settings(model=model)
    return Settings(
        model=model,
        thinking_off=can.thinking.types.disabled.supported,
        strict=can.structured_outputs.supported,
    )


async def offered(client: "AsyncAnthropic") -> tuple[str, ...]:
    """Return the ids of the models that a key may use, the newest first.

    Raises:
        PlannerError: `MODEL_UNAUTHORIZED` for a wrong key, and others as for a call.
    """
    errors = _errors()
    try:
        page = await client.models.list(limit=_MOST_MODELS, timeout=_PROBE_SECONDS)
    except errors as error:
        raise _translated(error) from error
    return tuple(info.id for info in page.data if info.lifecycle != "retired")


class AnthropicModel:
    """A `Model` behind the Messages API."""

    most_devices = MOST

    def __init__(
        self, client: "AsyncAnthropic", settings: Settings, *, seconds: float = SECONDS
    ) -> None:
        """Take a client, which keeps the key, and how to ask."""
        # Retries are the planner's: only it knows whether something was executed.
        self._client = client.with_options(max_retries=0)
        self._settings = settings
        self.seconds = seconds

    @property
    def name(self) -> str:
        """The model's id."""
        return self._settings.model

    async def ask(self, prompt: Prompt, repair: Repair | None, usage: Usage) -> Json:
        """Make one call; see `Model`."""
        return await self._call(
            request_of(prompt, repair, self._settings), _Answer(TOOL, usage)
        )

    async def choose(self, text: str, usage: Usage) -> Json:
        """Make one call; see `Choice`."""
        request = choice_request(text, self._settings)
        return await self._call(request, _Answer(choice.TOOL, usage))

    async def _call(self, request: dict[str, Any], answer: "_Answer") -> Json:
        errors = _errors()
        try:
            stream = await self._client.messages.create(
                **request,
                stream=True,
                timeout=self.seconds,
            )
            async with stream:
                async for event in stream:
                    answer.take(event)
        except errors as error:
            raise _translated(error) from error
        return answer.result()


def request_of(
    prompt: Prompt, repair: Repair | None, settings: Settings
) -> dict[str, Any]:
    """Return the body of the request: the same for the same prompt, always."""
    cached = {"cache_control": {"type": "ephemeral", "ttl": settings.cache}}
    blocks = [
        {"type": "text", "text": prompt.catalogue, **cached},
        {"type": "text", "text": prompt.policy, **cached},
        {"type": "text", "text": prompt.situation},
    ]
    request: dict[str, Any] = {
        "model": settings.model,
        "max_tokens": settings.max_tokens,
        "system": [{"type": "text", "text": RULES, **cached}],
        "messages": [{"role": "user", "content": blocks}, *_second(repair)],
    }
    what = "Hand over the plan. Nothing happens by it."
    return request | _by_tool(TOOL, what, ANSWER, settings)


def choice_request(text: str, settings: Settings) -> dict[str, Any]:
    """Return the body of a request to choose: the same for the same text, always."""
    request: dict[str, Any] = {
        "model": settings.model,
        "max_tokens": _CHOICE_TOKENS,
        "system": [{"type": "text", "text": choice.RULES}],
        "messages": [{"role": "user", "content": [{"type": "text", "text": text}]}],
    }
    what = "Name the number. Nothing happens by it."
    return request | _by_tool(choice.TOOL, what, choice.ANSWER, settings)


def _by_tool(
    name: str, what: str, schema: Mapping[str, Any], settings: Settings
) -> dict[str, Any]:
    """Return what has the answer come as the input of a tool."""
    tool = {
        "name": name,
        "description": what,
        "strict": settings.strict,
        "input_schema": schema,
    }
    if not settings.thinking_off:
        return {"tools": [tool]}
    forced = {"type": "tool", "name": name, "disable_parallel_tool_use": True}
    return {
        "tools": [tool],
        "thinking": {"type": "disabled"},
        "tool_choice": forced,
    }


def _second(repair: Repair | None) -> list[dict[str, Any]]:
    """Return the turns of the second round."""
    if repair is None:
        return []
    faults = json.dumps({"faults": list(repair.faults)}, ensure_ascii=False)
    text = f"The plan was not accepted. Call {TOOL!r} again, whole. {faults}"
    if not isinstance(repair.answer, dict):
        return [{"role": "user", "content": [{"type": "text", "text": text}]}]
    call = {"type": "tool_use", "id": _CALL, "name": TOOL, "input": repair.answer}
    result = {
        "type": "tool_result",
        "tool_use_id": _CALL,
        "is_error": True,
        "content": text,
    }
    return [
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [result]},
    ]


class _Answer:
    """What the stream has brought so far."""

    def __init__(self, tool: str, usage: Usage) -> None:
        self._tool = tool
        self._usage = usage
        self._call = ""
        self._called = False
        self._text = ""
        self._stop: str | None = None

    def take(self, event: "RawMessageStreamEvent") -> None:
        """Take over what an event brings.

        Raises:
            PlannerError: it is none of the API's; the SDK checks no shapes.
        """
        try:
            self._take(event)
        except (AttributeError, TypeError) as error:
            raise PlannerError(Reason.MODEL_FAILED, f"malformed: {error}") from error

    def _take(self, event: "RawMessageStreamEvent") -> None:
        match event.type:
            case "message_start":
                self._count(event.message.usage)
            case "content_block_start":
                block = event.content_block
                self._called |= block.type == "tool_use" and block.name == self._tool
            case "content_block_delta":
                if event.delta.type == "input_json_delta":
                    self._call += event.delta.partial_json
                elif event.delta.type == "text_delta":
                    self._text += event.delta.text
            case "message_delta":
                self._stop = event.delta.stop_reason
                self._count(event.usage)
            case _:
                pass

    def result(self) -> Json:
        """Return the tool's input, or the text where the tool was not called."""
        if (reason := _BY_STOP.get(str(self._stop))) is not None:
            raise PlannerError(reason)
        if self._stop is None:
            raise PlannerError(
                Reason.MODEL_UNREACHABLE, "the answer broke off", wait=0.5
            )
        if not self._called:
            return self._text
        try:
            answer: Json = json.loads(self._call)
        except ValueError as error:
            raise PlannerError(Reason.MODEL_FAILED, f"no JSON: {error}") from None
        return answer

    def _count(self, counted: Any) -> None:
        """Take over the totals; those of a later event include the earlier ones."""
        usage = self._usage
        if counted.input_tokens is not None:
            written = _tokens(counted.cache_creation_input_tokens or 0)
            usage.input_tokens = _tokens(counted.input_tokens) + written
        if counted.cache_read_input_tokens is not None:
            usage.cached_tokens = _tokens(counted.cache_read_input_tokens)
        usage.output_tokens = _tokens(counted.output_tokens)


def _tokens(count: object) -> int:
    """Return a count of tokens; what is none must not get into a budget."""
    if isinstance(count, bool) or not isinstance(count, int) or count < 0:
        raise TypeError(f"{count!r} tokens")
    return count


def _errors() -> tuple[type[Exception], ...]:
    """Return what a call may raise: the SDK's errors, the transport's, bad JSON."""
    import anthropic  # noqa: PLC0415 - see the module's docstring
    import httpx2  # noqa: PLC0415

    return anthropic.AnthropicError, httpx2.HTTPError, ValueError


def _translated(error: Exception) -> PlannerError:
    """Return what an error means for the person who waits."""
    import anthropic  # noqa: PLC0415

    text = str(error)[:300]
    if isinstance(error, anthropic.APIStatusError):
        reason, wait = _BY_TYPE.get(_type_of(error), (Reason.MODEL_FAILED, None))
        if wait is not None:
            wait = _retry_after(error) or wait
        return PlannerError(reason, text, wait=wait)
    if isinstance(error, anthropic.APITimeoutError):
        return PlannerError(Reason.MODEL_TIMEOUT, text)
    if isinstance(error, anthropic.AnthropicError) and not isinstance(
        error, anthropic.APIConnectionError
    ):
        return PlannerError(Reason.MODEL_FAILED, text)
    if isinstance(error, ValueError):
        return PlannerError(Reason.MODEL_FAILED, text)
    return PlannerError(Reason.MODEL_UNREACHABLE, text, wait=0.5)


def _type_of(error: "APIStatusError") -> str:
    """Return the API's own name of an error; in a stream the status is 200."""
    if error.type is not None:
        return error.type
    if error.status_code >= 500:
        return _BY_STATUS.get(error.status_code, "api_error")
    return _BY_STATUS.get(error.status_code, "")


def _retry_after(error: "APIStatusError") -> float | None:
    """Return the seconds that the provider asks to wait."""
    try:
        return max(0.0, float(error.response.headers["retry-after"]))
    except (KeyError, ValueError):
        return None
