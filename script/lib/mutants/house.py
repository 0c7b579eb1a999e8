"""Home Assistant's side: who asks, and what they may see and change.

Each takes a start of Home Assistant's harness, so each names the one test it needs.
"""

from .kinds import instead, never, without

_ACTIONS = "../actions"
_SERVICES = "integration/test_services.py"
_WEBSOCKET = "integration/test_websocket_api.py"
_TELEGRAM = "integration/test_telegram.py"
_TEXTS = "integration/test_owner_texts.py::test_policy"

MUTATIONS = (
    instead(
        "exposed to Assist",
        "../house.py",
        "if async_should_expose(self.hass, ASSISTANT, entity_id)",
        "if True",
        "integration/test_house.py::test_only_exposed_devices_are_named",
    ),
    without(
        "a user's right to control",
        "../people.py",
        "            and user.permissions.check_entity(entity_id, POLICY_CONTROL)\n",
        "integration/test_house.py::test_users_have_their_own_rights",
    ),
    without(
        "a user's right to read",
        "../people.py",
        "            and user.permissions.check_entity(entity_id, POLICY_READ)\n",
        "integration/test_house.py::test_users_have_their_own_rights",
    ),
    instead(
        "a row about what one may read",
        "../viewer.py",
        "return self.may_read(line.devices)",
        "return True",
        f"{_WEBSOCKET}::test_rows_of_what_may_not_be_read_are_left_out",
    ),
    never(
        "an action in a script is no person's answer",
        f"{_ACTIONS}/wishes.py",
        "not coordinator.origins.began_with(call.context, DOMAIN)",
        f"{_SERVICES}::test_a_script_does_not_approve",
    ),
    instead(
        "a policy of the owner's",
        f"{_ACTIONS}/texts.py",
        'put it into force, whole or not at all."""\n'
        "    if caller.principal.role != OWNER:",
        'put it into force, whole or not at all."""\n    if False:',
        _TEXTS,
    ),
    never(
        "what only residents may end",
        "../principal.py",
        "not caller.principal.decides",
        f"{_SERVICES}::test_guests",
    ),
    instead(
        "nobody is believed without a context",
        "../principal.py",
        'kind="agent", id="unknown", name="an unknown caller", role="agent"',
        'kind="user", id="unknown", name="an unknown caller", role="owner"',
        f"{_SERVICES}::test_person_and_nobody",
    ),
    instead(
        "an agent's tools are no person's hand",
        "../principal.py",
        "return replace(caller, origin=Origin.CHAT)",
        "return caller",
        "integration/test_llm_api.py::test_the_requester_is_whom_the_agent_acts_for",
    ),
    instead(
        "a chat's stranger",
        "../channels/telegram.py",
        'person = data.get("user_id")\n        user_id = self._users.get(person or 0)\n'
        "        try:",
        'person = data.get("user_id")\n'
        "        user_id = next(iter(self._users.values()))\n        try:",
        f"{_TELEGRAM}::test_a_stranger_is_refused_politely_and_once",
    ),
    instead(
        "a button in its own chat",
        "../channels/telegram.py",
        "elif button is None or button[0] is not chat:",
        "elif button is None:",
        f"{_TELEGRAM}::test_a_button_is_good_in_its_own_chat",
    ),
    never(
        "nothing old becomes live in a chat",
        "../channels/telegram.py",
        'is_old(data["date"], self._listening, dt_util.utcnow())',
        f"{_TELEGRAM}::test_nothing_old_becomes_live",
    ),
    instead(
        "a guest decides nothing on the card",
        "../websocket_api.py",
        "may_decide=caller.principal.decides,",
        "may_decide=True,",
        f"{_WEBSOCKET}::test_guests_decide_nothing",
    ),
    instead(
        "diagnostics tell nobody's words",
        "../diagnostics.py",
        "async_redact_data(entry.as_dict(), TO_REDACT)",
        "entry.as_dict()",
        "integration/test_entities.py::test_diagnostics",
    ),
)
