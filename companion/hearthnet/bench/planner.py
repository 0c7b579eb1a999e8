"""What HearthNet adds on top of a model, how large prompts are, what a sentence costs.

`hearthnet bench planner` gives the rows. `python -m hearthnet.bench.planner` asks a
model in this process that takes exactly as long as the profile says. With `--url` the
real SDK asks a server that speaks the Messages API (`python -m
tests.support.messages_api` in the repository) with the same profile; then HTTP,
streaming and parsing are in the numbers too.
"""

import argparse
import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
import json
from pathlib import Path
import sys
from tempfile import TemporaryDirectory
import time
from typing import Any

from hearthnet.core.devices import Device, Principal
from hearthnet.core.intents import Origin, Request
from hearthnet.core.messages import Json
from hearthnet.core.planner import Situation
from hearthnet.core.planner.anthropic import AnthropicModel, Settings
from hearthnet.core.planner.budget import Amount, Budget
from hearthnet.core.planner.model import Model, ModelPlanner, Repair, Usage
from hearthnet.core.planner.prompt import Prompt, build_prompt
from hearthnet.core.planner.schema import ANSWER, RULES
from hearthnet.simulation import SimulatedHouse

from .home import running
from .rows import Row, Scale

SIZES = (20, 60, 500)
"""Devices of the houses whose prompts are compared."""
NOW = datetime(2026, 11, 30, 18, 0, tzinfo=UTC)
OWNER = Principal(kind="user", id="owner", name="Owner", role="owner")
KINDS = (
    *("light", "light", "light", "light", "switch", "cover", "media_player"),
    *("climate", "fan", "lock", "light", "input_boolean"),
)
"""What a room of the simulated house has."""
CHARACTERS_PER_TOKEN = 4
"""An estimate for Latin text and JSON; providers' own counts differ by a tenth."""
ANSWERED = 90
"""Tokens of an answer, where its cost is reckoned."""
UNLIMITED = Amount(calls=10**9, tokens=10**12, seconds=1e9)


@dataclass(frozen=True)
class Profile:
    """How fast a model is."""

    first: float = 0.6
    """Seconds until the answer begins."""
    rate: float = 120.0
    """Tokens a second from then on."""

    def seconds(self, tokens: int) -> float:
        """Return how long an answer takes."""
        return self.first + tokens / self.rate


@dataclass(frozen=True)
class Prices:
    """Dollars for a million tokens. Assumed: look up your model's."""

    input: float = 1.0
    cached: float = 0.1
    output: float = 5.0

    def cost(self, taken: int, cached: int, output: int) -> float:
        """Return dollars."""
        price = taken * self.input + cached * self.cached + output * self.output
        return price / 1e6


@dataclass(frozen=True)
class Server:
    """A server that speaks the Messages API."""

    url: str
    key: str
    name: str

    def model(self) -> Model:
        """Return the model behind it, through the real SDK."""
        from anthropic import AsyncAnthropic  # noqa: PLC0415 - only for a server

        client = AsyncAnthropic(api_key=self.key, base_url=self.url)
        return AnthropicModel(client, Settings(model=self.name))


class ProfiledModel(Model):
    """Switches on the first lamp it is shown, after exactly the profile's time."""

    name = "profiled"
    most_devices = 60
    seconds = 60.0

    def __init__(self, profile: Profile) -> None:
        """Take the profile."""
        self._profile = profile
        self.waited = 0.0
        """Seconds that the last call waited."""

    async def ask(self, prompt: Prompt, repair: Repair | None, usage: Usage) -> Json:
        """Answer; see `Model`."""
        lamp = next(
            a for a, d in prompt.candidates.aliases.items() if d.domain == "light"
        )
        answer: Json = {
            "kind": "command",
            "say": "",
            "actions": [{"n": 1, "device": lamp, "op": "light.turn_on"}],
            "asked": [],
        }
        usage.input_tokens = tokens(prompt.encode().decode())
        usage.output_tokens = tokens(json.dumps(answer))
        started = time.perf_counter()
        await asyncio.sleep(self._profile.seconds(usage.output_tokens))
        self.waited = time.perf_counter() - started
        return answer


def house_of(count: int) -> SimulatedHouse:
    """Return a house of so many devices, twelve to a room."""
    house = SimulatedHouse()
    for number in range(1, count + 1):
        domain = KINDS[number % len(KINDS)]
        thing = Device(
            id=f"id{number:04}",
            entity_id=f"{domain}.n{number}",
            name=f"{domain.replace('_', ' ').title()} {number}",
            domain=domain,
            area=f"Room {number // len(KINDS) + 1}",
        )
        house.add(thing, state="on" if number % 3 else "off")
    return house


def request(text: str) -> Request:
    """Return a request of the owner."""
    return Request(text=text, principal=OWNER, origin=Origin.APP)


def tokens(text: str) -> int:
    """Estimate tokens."""
    return len(text) // CHARACTERS_PER_TOKEN


def prompt_report(count: int, prices: Prices) -> dict[str, Any]:
    """Return how large the prompt is, how long it takes to build, what it costs."""
    situation, times = Situation(house=house_of(count), now=NOW), []
    for room in range(1, 41):
        asked = request(f"Turn on the light in room {room}")
        started = time.process_time()
        prompt = build_prompt(asked, situation)
        times.append(time.process_time() - started)
    fixed = tokens(RULES + json.dumps(ANSWER))
    stable = tokens(prompt.catalogue + prompt.policy)
    new = tokens(prompt.situation)
    return {
        "devices": count,
        "shown": len(prompt.candidates.devices),
        "bytes": len(prompt.encode()),
        "tokens": {"rules": fixed, "catalogue": stable, "situation": new},
        "build_cpu_ms": percentiles(times[1:]),
        "dollars_cold": round(prices.cost(fixed + stable + new, 0, ANSWERED), 6),
        "dollars_warm": round(prices.cost(new, fixed + stable, ANSWERED), 6),
    }


async def overhead(
    count: int, rounds: int, profile: Profile, model: Model | None = None
) -> dict[str, Any]:
    """Return what planning adds to the model's own time, for one sentence at a time.

    Args:
        count: devices in the house.
        rounds: sentences.
        profile: how long the model takes; what a given `model` is assumed to take.
        model: a model behind a server; by default one in this process.
    """
    profiled = ProfiledModel(profile)
    budget = Budget(per_intent=UNLIMITED, per_day=UNLIMITED)
    planner = ModelPlanner(model or profiled, budget)
    situation, times = Situation(house=house_of(count), now=NOW), []
    for number in range(rounds + 1):
        started = time.perf_counter()
        plan = await planner.plan(
            request(f"Light on in room {number % 2 + 1}"), situation
        )
        total = time.perf_counter() - started
        if plan is None or not plan.actions or plan.consultation is None:
            raise RuntimeError(f"no plan: {plan}")
        output = plan.consultation.output_tokens
        own = profiled.waited if model is None else profile.seconds(output)
        times.append(total - own)
    return {
        "devices": count,
        "model": planner.model.name,
        "profile": {"first_s": profile.first, "tokens_per_s": profile.rate},
        "output_tokens": output,
        "model_ms": round(own * 1e3, 1),
        "adds_ms": percentiles(times[1:]),
    }


def rows(scale: Scale) -> list[Row]:
    """Look at prompts and their cost, and at sentences from start to receipts."""
    profile, prices = Profile(), Prices()
    prompts = [prompt_report(count, prices) for count in SIZES]
    adds = asyncio.run(sentences(SIZES[-1], scale.of(20, 5), profile))
    told = percentiles(adds)
    sizes = [sum(report["tokens"].values()) for report in prompts]
    homes = " / ".join(map(str, SIZES))
    cold, warm = (
        " / ".join(f"${report[name]:.4f}" for report in prompts)
        for name in ("dollars_cold", "dollars_warm")
    )
    assumed = (
        f"an answer of {ANSWERED} tokens; prices are assumed: ${prices.input:g} in, "
        f"${prices.cached:g} cached, ${prices.output:g} out for a million tokens"
    )
    return [
        Row(
            what=f"prompt with {homes} devices in the home",
            target="flat: at most twice",
            measured=f"{' / '.join(f'{size:,}' for size in sizes)} tokens",
            met=sizes[-1] <= 2 * sizes[0],
            exact=True,
            numbers={"prompts": [*prompts]},
            note=f"estimated at {CHARACTERS_PER_TOKEN} characters a token",
        ),
        Row(
            what=f"a first sentence's cost, {homes} devices",
            target="",
            measured=cold,
            met=None,
            note=assumed,
        ),
        Row(
            what=f"a next one's cost within five minutes, {homes} devices",
            target="",
            measured=warm,
            met=None,
            note="the beginning of the prompt then comes from the provider's cache",
        ),
        Row(
            what=f"added to the model's time, {SIZES[-1]} devices, p50 / p95",
            target="",
            measured=f"{told['p50']:.1f} / {told['p95']:.1f} ms",
            met=None,
            numbers={"sentences": len(adds), "adds_ms": dict[str, Json](told)},
            note=f"a sentence from start to receipt, less the model, which takes "
            f"{profile.first:g} s and then gives {profile.rate:g} tokens a second",
        ),
    ]


async def sentences(count: int, number: int, profile: Profile) -> list[float]:
    """Return the seconds that sentences took besides the model.

    A whole hub with its journal and librarian; the lamps obey at once.

    Args:
        count: devices in the house.
        number: sentences.
        profile: how long the model takes.
    """
    model = ProfiledModel(profile)
    budget = Budget(per_intent=UNLIMITED, per_day=UNLIMITED)
    times: list[float] = []
    with TemporaryDirectory(prefix="hearthnet-bench-") as folder:
        house = house_of(count)
        planner = ModelPlanner(model, budget)
        async with running(Path(folder), house, planner=planner) as home:
            for asked in range(number + 1):
                house.change("id0001", state="off")
                started = time.perf_counter()
                result = await home.hub.wishes.ask(request(f"Number {asked} of room 1"))
                times.append(time.perf_counter() - started - model.waited)
                if not result.complete:
                    raise RuntimeError(f"not done: {result}")
    return times[1:]


def percentiles(seconds: list[float]) -> dict[str, float]:
    """Return the middle and the slow end, in milliseconds."""
    ordered = sorted(seconds)
    return {
        "p50": round(ordered[len(ordered) // 2] * 1e3, 2),
        "p95": round(ordered[int(len(ordered) * 0.95)] * 1e3, 2),
    }


def measure(
    devices: Sequence[int] = (20, 60, 500),
    *,
    rounds: int = 20,
    profile: Profile = Profile(),
    prices: Prices = Prices(),
    server: Server | None = None,
) -> dict[str, Any]:
    """Return the sizes and prices of prompts, and what planning adds to the model.

    Args:
        devices: sizes of the house.
        rounds: sentences for each size.
        profile: how fast the model is; the server's is set where it is started.
        prices: of the model.
        server: one that speaks the Messages API; None: a model in this process.
    """

    async def overheads() -> list[dict[str, Any]]:
        model = None if server is None else server.model()
        return [await overhead(count, rounds, profile, model) for count in devices]

    return {
        "prompts": [prompt_report(count, prices) for count in devices],
        "overhead": asyncio.run(overheads()),
    }


def main(arguments: list[str] | None = None) -> int:
    """Write the reports to standard output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--devices", type=int, nargs="+", default=[20, 60, 500])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--first", type=float, default=Profile.first)
    parser.add_argument("--rate", type=float, default=Profile.rate)
    parser.add_argument("--price-in", type=float, default=Prices.input)
    parser.add_argument("--price-cached", type=float, default=Prices.cached)
    parser.add_argument("--price-out", type=float, default=Prices.output)
    parser.add_argument("--url", help="a server that speaks the Messages API")
    parser.add_argument("--key", default="sk-test")
    parser.add_argument("--model", default="claude-test")
    options = parser.parse_args(arguments)
    report = measure(
        options.devices,
        rounds=options.rounds,
        profile=Profile(options.first, options.rate),
        prices=Prices(options.price_in, options.price_cached, options.price_out),
        server=Server(options.url, options.key, options.model) if options.url else None,
    )
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
