"""The order of the planners, and what ships."""

from homeassistant.core import HomeAssistant
from homeassistant.setup import async_setup_component
from homeassistant.util import dt as dt_util

from custom_components.hearthnet.core.devices import Principal
from custom_components.hearthnet.core.intents import Origin, Plan, PlanKind, Request
from custom_components.hearthnet.core.planner import Situation
from custom_components.hearthnet.core.planner.playbooks import Playbooks
from custom_components.hearthnet.core.reasons import Reason
from custom_components.hearthnet.house import HassHouse
from custom_components.hearthnet.planners import async_shipped_playbooks, planner

from .home import device_id, lamp, place, set_up


class Model:
    """A model that has a plan for anything."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    async def plan(self, request: Request, situation: Situation) -> Plan | None:
        self.asked.append(request.text)
        return Plan(kind=PlanKind.QUESTION, source="model")


async def test_playbooks_then_sentences_then_a_model(hass: HomeAssistant) -> None:
    await set_up(hass, [lamp("desk")])
    place(hass, "Office", "light.desk")
    assert await async_setup_component(hass, "conversation", {})
    assert await async_setup_component(hass, "intent", {})
    await hass.async_block_till_done()
    house = HassHouse(hass)
    await house.async_start()
    playbooks = Playbooks()
    assert playbooks.load(await async_shipped_playbooks(hass)) == {}
    situation = Situation(house=house, now=dt_util.now())

    def request(text: str) -> Request:
        ana = Principal(kind="user", id="ana", name="Ana")
        return Request(text=text, principal=ana, origin=Origin.APP, area="Office")

    model = Model()
    with_model = planner(hass, house, playbooks, model)
    plan = await with_model.plan(request("I'm working from home"), situation)
    assert plan is not None
    assert plan.source == "playbook:working_from_home"
    assert plan.actions[0].targets == (device_id(hass, "light.desk"),)
    plan = await with_model.plan(request("turn on the desk"), situation)
    assert plan is not None
    assert plan.source == "sentences"
    assert model.asked == []

    # What is not known goes to the model, and without one is told so.
    text = "turn on the bathroom lights"
    plan = await with_model.plan(request(text), situation)
    assert plan is not None
    assert plan.source == "model"
    assert model.asked == [text]
    plan = await planner(hass, house, playbooks).plan(request(text), situation)
    assert plan is not None
    assert (plan.kind, plan.reason) == (PlanKind.UNCLEAR, Reason.UNKNOWN_TARGET)
