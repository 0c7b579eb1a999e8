"""What README and docs name is there, and what is there is named."""

from collections.abc import Iterator
import json
from pathlib import Path
import re

import hass_frontend
from homeassistant.util.yaml import load_yaml_dict
import pytest

ROOT = Path(__file__).parents[2]
INTEGRATION = ROOT / "custom_components" / "hearthnet"
README = ROOT / "README.md"
PAGES = sorted((ROOT / "docs").glob("*.md"))
EVERY = [README, ROOT / "CONTRIBUTING.md", *PAGES]
ENGLISH = json.loads((INTEGRATION / "translations" / "en.json").read_text())
ACTIONS = load_yaml_dict(str(INTEGRATION / "services.yaml"))

# Names on the way that neither Home Assistant's frontend nor we have given.
ELSEWHERE = {
    *("HearthNet", "⋮", "your assistant"),
    "Telegram bot",  # of the integration of that name
    *("Debugging", "Reset frontend cache"),  # of the phone's app
}


def page(name: str) -> str:
    return (ROOT / "docs" / f"{name}.md").read_text()


def cells(text: str, column: int = 0) -> Iterator[str]:
    """Return one column of all tables of a page."""
    for line in re.findall(r"^\|(.*)\|$", text, re.MULTILINE):
        yield line.split("|")[column].strip()


def anchors(text: str) -> set[str]:
    """Return the anchors of a page, as GitHub makes them of headings."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.replace(" ", "-") for heading in kept}


def leaves(data: dict[str, object]) -> Iterator[str]:
    for value in data.values():
        if isinstance(value, dict):
            yield from leaves(value)
        elif isinstance(value, str):
            yield value


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_links_lead_somewhere(path: Path) -> None:
    text = path.read_text()
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve() if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text()), link


def test_the_readme_leads_to_every_page() -> None:
    linked = set(re.findall(r"\]\((docs/[\w-]+\.md)\)", README.read_text()))
    assert linked == {f"docs/{path.name}" for path in PAGES}


def test_actions_are_documented() -> None:
    rows = {}
    for line in re.findall(r"^\| (`hearthnet\..*)\|$", page("actions"), re.MULTILINE):
        name, needs, _ = line.split("|", 2)
        rows[name.strip("` ").removeprefix("hearthnet.")] = needs
    assert set(rows) == set(ACTIONS)
    for name, action in ACTIONS.items():
        needed = {f for f, how in action["fields"].items() if how.get("required")}
        assert {*re.findall(r"`(\w+)`", rows[name])} >= needed, name
    named = set(re.findall(r"`hearthnet\.(\w+)`", "".join(map(Path.read_text, PAGES))))
    automations = ENGLISH["triggers"].keys() | ENGLISH["conditions"].keys()
    assert named <= set(ACTIONS) | automations | {"bench"}  # a Python module


def test_the_readme_names_every_action() -> None:
    _, _, rest = README.read_text().partition("## Actions for automations")
    table, _, _ = rest.partition("\n## ")
    named = set(re.findall(r"`(?:hearthnet\.)?(\w+)`", "\n".join(cells(table))))
    assert named == set(ACTIONS)


@pytest.mark.parametrize("kind", ["triggers", "conditions"])
def test_automations_parts_are_documented(kind: str) -> None:
    _, _, rest = page("automations").partition(f"## {kind.capitalize()}")
    table, _, _ = rest.partition("\n## ")
    named = set(re.findall(r"`hearthnet\.(\w+)`", "\n".join(cells(table))))
    assert named == set(ENGLISH[kind])


def test_entities_are_documented() -> None:
    """The phone's are on a page of their own."""
    table = "\n".join(cells(page("entities")))
    phone = page("phone").lower()
    for platform, entities in ENGLISH["entity"].items():
        for key, texts in entities.items():
            name = texts["name"]
            told = f"`{platform}` {name}" in table or name.lower() in phone
            # “Model calls / tokens / time today”
            told |= key.rpartition("_")[2] in {"calls", "tokens", "seconds"}
            assert told, name


def test_options_are_documented() -> None:
    fields = {
        name
        for step in ("user", "behavior")
        for flow in ("config", "options")
        for name in ENGLISH[flow]["step"].get(step, {}).get("data", {}).values()
    }
    menu = set(ENGLISH["options"]["step"]["init"]["menu_options"].values())
    _, _, rest = page("entities").partition("## Set-up and options")
    table, _, _ = rest.partition("\n## ")
    named = {*cells(table)} - {"field", "---"}
    # What is on the first form has rows of its own, and so has the rest of that part.
    assert named == fields | menu - {"Policy and plugs"}


@pytest.mark.parametrize("path", EVERY, ids=lambda path: path.stem)
def test_ways_through_the_frontend_exist(path: Path) -> None:
    """Each step of “*Settings → …*” is a label of this Home Assistant or ours."""
    folder = Path(hass_frontend.where()) / "static/translations"
    known = {*ELSEWHERE, *leaves(ENGLISH)}
    for texts in folder.glob("**/en-*.json"):
        known.update(leaves(json.loads(texts.read_text())))
    for paragraph in re.split(r"\n\s*\n|\|", path.read_text()):
        text = " ".join(paragraph.split())
        for way in re.findall(r"\*(\w[^*]* → [^*]*)\*", text):
            for step in way.rstrip(".").split(" → "):
                assert step in known, f"{step} of {way}"
