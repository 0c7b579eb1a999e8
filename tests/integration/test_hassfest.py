"""What hassfest would check of actions, texts, icons and blueprints, offline."""

from collections.abc import Iterator
import json
from pathlib import Path
import re
from string import Formatter
from typing import Any

import homeassistant
from homeassistant.components.automation.config import AUTOMATION_BLUEPRINT_SCHEMA
from homeassistant.components.blueprint.models import Blueprint
from homeassistant.helpers import config_validation as cv
from homeassistant.helpers.selector import validate_selector
from homeassistant.util.yaml import load_yaml_dict
import pytest

from custom_components.hearthnet import issues, phone_issues, routes
from custom_components.hearthnet.const import (
    GUARDS,
    PLANNERS,
    PLATFORMS,
    POLICIES,
    VOICE_ROLES,
)
from custom_components.hearthnet.core.domains import OPERATIONS
from custom_components.hearthnet.core.messages import MessageType
from custom_components.hearthnet.core.policy.load import load
from custom_components.hearthnet.core.policy.model import RuleEffect
from custom_components.hearthnet.core.reasons import Outcome
from custom_components.hearthnet.services import ACTIONS as REGISTERED

ROOT = Path(__file__).parents[2]
INTEGRATION = ROOT / "custom_components" / "hearthnet"
ENGLISH = json.loads((INTEGRATION / "translations" / "en.json").read_text())
ICONS = json.loads((INTEGRATION / "icons.json").read_text())
ACTIONS = load_yaml_dict(str(INTEGRATION / "services.yaml"))
SOURCES = "\n".join(
    path.read_text()
    for path in INTEGRATION.rglob("*.py")
    if INTEGRATION / "core" not in path.parents
)
BLUEPRINTS = sorted((INTEGRATION / "blueprints").rglob("*.yaml"))


def texts(data: dict[str, Any], path: str = "") -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        if isinstance(value, dict):
            yield from texts(value, f"{path}/{key}")
        else:
            yield f"{path}/{key}", value


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name}


def used(pattern: str) -> set[str]:
    return set(re.findall(pattern, SOURCES, re.MULTILINE))


# Actions


def test_actions_are_described_and_registered() -> None:
    assert set(ACTIONS) == {action.name for action in REGISTERED}
    assert set(ACTIONS) == set(ENGLISH["services"]) == set(ICONS["services"])


@pytest.mark.parametrize("name", ACTIONS)
def test_action_fields(name: str) -> None:
    fields = ACTIONS[name]["fields"]
    described = ENGLISH["services"][name]
    assert described["name"]
    assert described["description"]
    assert set(fields) == set(described["fields"])
    for field, definition in fields.items():
        validate_selector(definition["selector"])
        assert described["fields"][field].keys() == {"name", "description"}


@pytest.mark.parametrize("name", ACTIONS)
def test_action_schema_knows_the_fields(name: str) -> None:
    action = next(action for action in REGISTERED if action.name == name)
    schema: Any = action.schema
    schema = schema.schema
    # An action with a target wraps its fields in a check of the target.
    keys = getattr(schema, "validators", [schema])[0]
    keys = getattr(keys, "schema", keys)
    target = {"metadata", *map(str, cv.ENTITY_SERVICE_FIELDS)}
    extra = target if "target" in ACTIONS[name] else set()
    assert {str(key) for key in keys} - extra == set(ACTIONS[name]["fields"]) - extra


@pytest.mark.parametrize("name", ["propose", "request_lease"])
def test_every_device_can_be_a_target(name: str) -> None:
    """What the picker leaves out cannot be chosen."""
    entity = ACTIONS[name]["target"]["entity"]
    known = {operation.split(".")[0] for operation in OPERATIONS}
    assert entity["domain"] == sorted(known | {"group"})


def test_the_example_of_a_policy_is_one() -> None:
    policy = load(str(ACTIONS["set_policy"]["fields"]["text"]["example"]))
    assert any(rule.effect is RuleEffect.ALLOW for rule in policy.rules)


# Triggers and conditions


@pytest.mark.parametrize("kind", ["trigger", "condition"])
def test_automations_parts_are_described(kind: str) -> None:
    found = load_yaml_dict(str(INTEGRATION / f"{kind}s.yaml"))
    assert set(found) == set(ENGLISH[f"{kind}s"]) == set(ICONS[f"{kind}s"])
    for name, described in ENGLISH[f"{kind}s"].items():
        fields = found[name].get("fields", {})
        assert set(fields) == set(described.get("fields", {}))
        for definition in fields.values():
            validate_selector(definition["selector"])
            # The editor breaks on one where it offers several.
            several = any(
                (how or {}).get("multiple") for how in definition["selector"].values()
            )
            assert isinstance(definition["example"], list) is several
            options = definition["selector"].get("select", {})
            if "translation_key" in options:
                known = ENGLISH["selector"][options["translation_key"]]["options"]
                assert list(known) == options["options"]


# Texts


@pytest.mark.parametrize("language", ["de", "zh-Hans"])
def test_translations_are_complete(language: str) -> None:
    path = INTEGRATION / "translations" / f"{language}.json"
    theirs = dict(texts(json.loads(path.read_text())))
    mine = dict(texts(ENGLISH))
    assert list(theirs) == list(mine)
    for key, text in mine.items():
        assert placeholders(theirs[key]) == placeholders(text), key


@pytest.mark.parametrize("path", sorted((INTEGRATION / "translations").glob("*.json")))
def test_texts_are_plain(path: Path) -> None:
    for key, text in texts(json.loads(path.read_text())):
        assert text.strip() == text, key
        assert text, key
        assert not re.search(r"<[a-zA-Z/]|https?://|\[%key", text), key
        assert not re.search(r"'\{[^}]*\}'", text), key


def test_exceptions_are_those_used() -> None:
    known = set(ENGLISH["exceptions"])
    entities = {key for keys in ENGLISH["entity"].values() for key in keys}
    keys = used(r'translation_key="(\w+)"')
    keys |= used(r'translation_key="\w+" if \w+ else "(\w+)"')
    assert known <= keys
    assert keys <= known | entities | set(ENGLISH["selector"])


def test_issues_are_those_used() -> None:
    keys = {
        *(issues.JOURNAL, issues.LIBRARIAN, issues.PLAYBOOKS, issues.POLICY),
        *(issues.BUDGET, issues.CLOCK, issues.COMPANION, issues.DROPPED),
        *(issues.BURST, issues.MODEL, issues.RECIPES),
        *(issues.REJECTED, issues.REVIEW, issues.STRAYS, issues.TWIN, issues.UNUSABLE),
        *(routes.PREFERS_LOCAL, routes.UNGATED_AGENT),
    }
    keys |= {phone_issues.AWAY, phone_issues.CLOCK, *phone_issues.PHONE_ISSUES.values()}
    keys |= set(phone_issues.APP_ISSUES.values())
    assert set(ENGLISH["issues"]) == keys


def test_entity_texts_are_those_used() -> None:
    keys = {key for keys in ENGLISH["entity"].values() for key in keys}
    assert keys <= used(r'translation_key\s*=\s*"(\w+)"')


def test_outcomes_are_translated() -> None:
    outcomes = {outcome.value for outcome in Outcome} - {"planned"}
    entity = ENGLISH["entity"]
    event = entity["event"]["decision"]["state_attributes"]["event_type"]
    assert set(event["state"]) == outcomes
    assert set(entity["sensor"]["last_decision"]["state"]) == outcomes


def test_choices_are_translated() -> None:
    selector = ENGLISH["selector"]
    assert set(selector["policy"]["options"]) == set(POLICIES)
    assert set(selector["guard"]["options"]) == set(GUARDS)
    assert set(selector["planner"]["options"]) == set(PLANNERS)
    assert set(selector["voice_role"]["options"]) == set(VOICE_ROLES)
    types = {kind.value for kind in MessageType}
    assert set(selector["message_type"]["options"]) == types
    field = ACTIONS["timeline"]["fields"]["type"]["selector"]["select"]
    assert set(field["options"]) == types


@pytest.mark.parametrize("flow", ["config", "options"])
def test_flow_texts(flow: str) -> None:
    for step, described in ENGLISH[flow]["step"].items():
        assert f"async_step_{step}" in SOURCES
        if "menu_options" in described:
            assert described["menu_options"].keys() <= ENGLISH[flow]["step"].keys()
            assert described["menu_option_descriptions"].keys() == (
                described["menu_options"].keys()
            )
            continue
        assert described["data"].keys() == described["data_description"].keys()
    assert set(ENGLISH[flow]["error"]) <= used(r'"(\w+)"')


# Icons


def test_icons() -> None:
    for path, icon in texts(ICONS):
        assert re.fullmatch(r"mdi:[a-z0-9-]+", icon), path
    for platform, keys in ICONS["entity"].items():
        assert set(keys) <= set(ENGLISH["entity"][platform])


def test_platforms_set_parallel_updates() -> None:
    for platform in PLATFORMS:
        assert "PARALLEL_UPDATES = 0" in (INTEGRATION / f"{platform}.py").read_text()


# Quality scale


def test_quality_scale() -> None:
    """The rules are those that core's own integrations answer to."""
    rules = load_yaml_dict(str(INTEGRATION / "quality_scale.yaml"))["rules"]
    model = Path(homeassistant.__file__).parent / "components/fumis/quality_scale.yaml"
    assert set(rules) == set(load_yaml_dict(str(model))["rules"])
    for rule, answer in rules.items():
        if answer != "done":
            assert answer["status"] == "exempt", rule
            assert answer["comment"].endswith("."), rule
    for kind in ("trigger", "condition"):
        there = (INTEGRATION / f"{kind}.py").exists()
        assert (rules[f"docs-{kind}s"] == "done") is there


# Blueprints


@pytest.mark.parametrize("path", BLUEPRINTS, ids=lambda path: path.stem)
def test_blueprints_load(path: Path) -> None:
    data = load_yaml_dict(str(path))
    blueprint = Blueprint(
        data,
        expected_domain=path.parent.parent.name,
        schema=AUTOMATION_BLUEPRINT_SCHEMA,
    )
    assert blueprint.validate() is None
    assert blueprint.metadata["source_url"].endswith(str(path.relative_to(ROOT)))
