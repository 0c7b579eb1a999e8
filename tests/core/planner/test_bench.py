"""The bench runs, with the model in the process and with the SDK over HTTP."""

from anthropic import AsyncAnthropic

from hearthnet.bench.planner import (
    Prices,
    Profile,
    overhead,
    prompt_report,
    sentences,
)
from hearthnet.core.planner.anthropic import AnthropicModel, Settings
from tests.support.messages_api import KEY, MODEL, MessagesApi, first_light

FAST = Profile(first=0.01, rate=10_000)


def test_prompts() -> None:
    small, large = (prompt_report(count, Prices()) for count in (20, 500))
    assert (small["shown"], large["shown"]) == (20, 60)
    assert large["bytes"] < 3 * small["bytes"]
    assert large["dollars_warm"] < large["dollars_cold"] < 0.02


async def test_whole_sentences() -> None:
    """Each is carried out, and the model's own time is not counted."""
    times = await sentences(20, 2, Profile(first=0.5, rate=10_000))
    assert len(times) == 2
    assert min(times) > 0


async def test_overhead_in_the_process() -> None:
    report = await overhead(20, 3, FAST)
    assert report["adds_ms"]["p50"] > 0


async def test_overhead_over_http() -> None:
    async with MessagesApi(first_light, latency=FAST.first, rate=FAST.rate) as api:
        client = AsyncAnthropic(api_key=KEY, base_url=api.url)
        model = AnthropicModel(client, Settings(model=MODEL))
        report = await overhead(20, 3, FAST, model)
    assert report["output_tokens"] > 10
