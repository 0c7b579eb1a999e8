"""What if a model had planned a recorded day's sentences: it is asked for each.

The day's time stands still meanwhile, and each plan takes as long as the recorded one
did: what differs is what the model makes of the words.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from anthropic import AsyncAnthropic

from hearthnet.core.intents import Plan, Request
from hearthnet.core.planner import Planner, Situation
from hearthnet.core.planner.anthropic import AnthropicModel, Settings
from hearthnet.core.planner.budget import Amount, Budget
from hearthnet.core.planner.model import ModelPlanner

_UNLIMITED = Amount(calls=10**6, tokens=10**9, seconds=1e9)


def claude(model: str) -> Callable[[], Planner]:
    """Return what makes a planner that asks Claude; the key is in the environment."""

    def make() -> Planner:
        # A client belongs to the loop that it is used in.
        budget = Budget(per_intent=_UNLIMITED, per_day=_UNLIMITED)
        asked = AnthropicModel(AsyncAnthropic(), Settings(model=model))
        return ModelPlanner(asked, budget, keeps_later=True)

    return make


def planned(
    make: Callable[[], Planner], request: Request, situation: Situation
) -> Plan | None:
    """Return the plan that a planner makes. Blocks, in a loop whose time passes.

    What it took is left out: a played day is the same every time.
    """

    async def ask() -> Plan | None:
        return await make().plan(request, situation)

    with ThreadPoolExecutor(1) as thread:
        plan = thread.submit(asyncio.run, ask()).result()
    return None if plan is None else replace(plan, consultation=None)
