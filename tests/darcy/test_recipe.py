"""Recipes: what is accepted, what is refused and where, and that both sides agree."""

import json
from pathlib import Path
import subprocess
import sys
from typing import Any

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.effects import STATE
from hearthnet.core.messages import Json
from hearthnet.core.operations import Risk
from hearthnet.core.phone.compile import RecipeFileError, compile_recipe
from hearthnet.core.phone.denied import why_denied
from hearthnet.core.phone.part import MAX_TEXT, Part, RecipeError
from hearthnet.core.phone.recipe import MAX_BYTES, Recipe, digest
from hearthnet.core.phone.selectors import Selector
from hearthnet.core.phone.values import Shown, UnmappedError

from .conftest import RECIPES, recipe_named

TV = (RECIPES / "living_room_tv.yaml").read_text("utf-8")
SHIPPED = sorted(path.stem for path in RECIPES.glob("*.yaml"))


def broken(text: str) -> RecipeFileError:
    with pytest.raises(RecipeFileError) as error:
        compile_recipe(text)
    return error.value


def with_line(old: str, new: str) -> str:
    assert TV.count(old) == 1, old
    return TV.replace(old, new)


# What is shipped


@pytest.mark.parametrize("name", SHIPPED)
def test_shipped_recipes_compile(name: str) -> None:
    recipe = recipe_named(name)

    assert recipe.capabilities
    assert all(
        row.name.startswith(recipe.domain) for row in recipe.operations().values()
    )


def test_yes_and_no_are_what_they_say(tv_recipe: Recipe) -> None:
    """YAML 1.1 would make on and off truth values."""
    assert set(tv_recipe.values["power"].texts) == {"on", "off"}
    assert tv_recipe.capabilities["tv.power_off"].goal == {"power": "off"}


# Operations and devices


def test_operations_have_effects_in_home_assistants_terms(tv_recipe: Recipe) -> None:
    rows = tv_recipe.operations()

    off = rows["tv.power_off"]
    assert off.effects({}, {}) == ((STATE, "off"),)
    assert (off.risk, off.absolute, off.reads_state) == (Risk.FREE, True, False)
    assert 20 < off.deadline < 60, "a lease has to cover it"

    volume = rows["tv.set_volume"]
    assert volume.effects({"level": 30}, {}) == (("volume_level", 0.3),)
    assert volume.required == {"level"}
    assert volume.reads_state

    source = rows["tv.set_input"]
    assert source.effects({"input": "hdmi2"}, {}) == (("source", "hdmi2"),)
    assert source.absolute
    assert rows["tv.unmute"].effects({}, {}) == (("is_volume_muted", False),)


def test_the_appliance_is_a_device(tv_recipe: Recipe) -> None:
    device = tv_recipe.as_device("phone", "darcy", "registry_id_of_the_tv")

    assert (device.id, device.key) == ("phone.living_room_tv", "registry_id_of_the_tv")
    assert (device.domain, device.manager) == ("tv", "darcy")
    assert sorted(device.features or ()) == sorted(
        [*tv_recipe.capabilities, "level", "input"]
    )
    assert not device.assumed_state
    assert recipe_named("music_player").as_device("p", "darcy", None).assumed_state


# Both sides have the same bytes


@pytest.mark.parametrize("name", SHIPPED)
def test_the_compiled_form_says_the_same(name: str) -> None:
    recipe = recipe_named(name)

    assert Recipe.load(recipe.compiled()) == recipe
    assert Recipe.load(recipe.compiled()).compiled() == recipe.compiled()


def test_the_digest_does_not_depend_on_how_it_is_written() -> None:
    shuffled = compile_recipe(
        with_line("{wake: true, unlock: swipe}", "{unlock: 'swipe', wake: true}")
        + "\n# A comment.\n"
    )

    assert digest(shuffled.compiled()) == digest(compile_recipe(TV).compiled())


def test_the_digest_depends_on_every_word() -> None:
    changed = compile_recipe(with_line("off: Standby", "off: Stand-by"))

    assert digest(changed.compiled()) != digest(compile_recipe(TV).compiled())


def test_another_process_compiles_the_same_bytes() -> None:
    code = (
        "import sys; from hearthnet.core.phone.compile import compile_recipe;"
        "sys.stdout.buffer.write(compile_recipe(sys.stdin.read()).compiled())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=TV.encode(),
        capture_output=True,
        check=True,
        env={"PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"},
    )

    assert done.stdout == compile_recipe(TV).compiled()


def test_the_compiled_form_is_json_without_surprises(tv_recipe: Recipe) -> None:
    compiled = tv_recipe.compiled()

    assert b"\n" not in compiled
    assert json.loads(compiled)["interrupts"][1]["max"] == 1, "defaults are written out"


# Errors name line and field


@pytest.mark.parametrize(
    ("old", "new", "line_of", "field", "text"),
    [
        ("schema: hearthnet.recipe/1", "schema: 2", "schema:", "schema", "text"),
        ("device: living_room_tv", "device: Living Room", "device:", "device", "small"),
        ("start: fresh", "strat: fresh", "strat:", "app.strat", "mean start"),
        ("[1200, 1299]", "[1299, 1200]", "version_code:", "app.version_code", "lowest"),
        ("[1200, 1299]", "[1200]", "version_code:", "app.version_code", "2 to 2"),
        ("com.example.tvremote", "tvremote", "package: t", "app.package", "a package"),
        ("com.example.tvremote", "com.whatsapp", "package: c", "package", "messenger"),
        ("{wake: true,", "{wake: yes,", "require:", "require.wake", "true or false"),
        ("[{id: sound_title}]", "[]", "all: []", "screens.sound.all", "1 to 10"),
        ("[{id: sound_title}]", "[{}]", "all: [{}]", "sound.all[0]", "needs id"),
        ("off: Standby", "off: Ein", "off: Ein", "map.off", "stands for on"),
        ("scale: 0.01", "scale: 0", "scale: 0", "values.volume.scale", "from 1e-06"),
        ("goal: {power: on}", "goal: {power: warm}", "warm", "power", "on or off"),
        ("goal: {power: on}", "goal: {powr: on}", "powr", "goal.powr", "no value of"),
        ("max: 40,", "max: 140,", "level}", "goal.volume", "0 to 100"),
        ("max_taps: 20", "max_taps: 99", "max_taps", "repeat.max_taps", "1 to 50"),
        ("input_{input}", "input_{inptu}", "inptu", "[0].tap.id", "no parameter here"),
        ("blind: true", "blind: false", "tv.set_input:", "set_input", "needs either"),
        ("opens: sound", "opens: main", "night_mode_on:", "mode_on", "next is on"),
        (", opens: sound", "", "tv.night_mode_on:", "night_mode_on", "must say opens"),
        ("tv.mute:", "mute:", " mute:", "capabilities.mute", "such as tv.power_off"),
        ("tv.mute:", "telly.mute:", "capabilities:", "capabilities", "one domain"),
        ("every: 900", "every: 5", "every: 5", "read.every", "60 to 86400"),
        ("values: [power, muted,", "values: [powr, muted,", "[powr", "[0]", "power or"),
        ("attribute: is_volume_muted", "attribute: state", "values:", "values", "both"),
        ("off: Standby", "off: 12", "off: 12", "map.off", 'in "quotes"'),
    ],
    ids=range(26),
)  # fmt: skip
def test_an_error_names_line_and_field(
    old: str, new: str, line_of: str, field: str, text: str
) -> None:
    changed = with_line(old, new)

    error = broken(changed)

    assert error.field.endswith(field)
    assert text in error.text
    assert line_of in changed.splitlines()[error.line - 1]
    assert f"line {error.line}" in str(error)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "empty"),
        ("# only a comment\n", 1, "empty"),
        ("- a list\n", 1, "expected fields"),
        ("schema: [\n", 2, "not YAML"),
        ("schema: a\n\tdevice: b\n", 2, "not YAML"),
        ("\0", 1, "not YAML"),
        ("a: 1\na: 2\n", 2, "given twice"),
        ("a: !x y\n", 1, "not supported"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n", 3, "unknown field"),
        ("? [1]\n: 2\n", 1, "a name must be"),
        ("x" * 64_001, 1, "longer than"),
        ("[" * 30 + "]" * 30, 1, "nested too deeply"),
        ("[" * 9999, 1, "nested too deeply"),
    ],
    ids=range(13),
)
def test_what_is_no_recipe(text: str, line: int, why: str) -> None:
    error = broken(text)

    assert why in error.text
    assert error.line <= line


def test_anchors_cannot_blow_a_recipe_up() -> None:
    rows = [f"k{i}: &k{i} [{', '.join([f'*k{i - 1}'] * 9)}]" for i in range(1, 9)]
    error = broken("\n".join(["k0: &k0 [x]", *rows]))

    assert "endless" in error.text


def test_a_domain_of_home_assistants_is_not_taken() -> None:
    assert "light is taken" in broken(TV.replace("tv.", "light.")).text


@pytest.mark.parametrize("compiled", [b"", b"[]", b"{", b"\xff", b"{}", b"[" * 9999])
def test_what_is_no_compiled_recipe(compiled: bytes) -> None:
    with pytest.raises(RecipeError):
        Recipe.load(compiled)


def test_a_compiled_recipe_fits_into_a_message() -> None:
    with pytest.raises(RecipeError, match="longer than"):
        Recipe.load(b" " * (MAX_BYTES + 1))


# Denied in code


@pytest.mark.parametrize(
    "package",
    [
        "io.homeassistant.companion.android",
        "com.whatsapp",
        "com.whatsapp.w4b",
        "org.telegram.messenger.web",
        "com.google.android.apps.messaging",
        "com.android.settings",
        "com.android.settings.intelligence",
        "com.android.systemui",
        "com.google.android.permissioncontroller",
        "com.android.vending",
        "com.google.android.packageinstaller",
        "org.fdroid.fdroid",
        "com.termux",
        "com.termux.api",
        "com.paypal.android.p2pmobile",
        "de.sparkasse.app",
        "com.db.pwcc.dbmobile.Bank",
        "com.x8bit.bitwarden",
        "com.google.android.dialer",
    ],
)
def test_denied_packages(package: str) -> None:
    assert why_denied(package)
    with pytest.raises(RecipeFileError, match="never drive it"):
        compile_recipe(with_line("com.example.tvremote", package))


def test_what_the_phone_gets_is_denied_as_well(tv_recipe: Recipe) -> None:
    data: Any = tv_recipe.data()
    data["app"]["package"] = "com.android.settings"

    with pytest.raises(RecipeError, match="never drive it"):
        Recipe.load(json.dumps(data).encode())


def test_no_way_around_through_a_screen_or_an_interrupt() -> None:
    screen = with_line("  sound:\n", "  sound:\n    package: com.android.settings\n")
    assert "never drive it" in broken(screen).text
    back = with_line("do: fail", "do: back")
    assert "never drive it" in broken(back).text


@pytest.mark.parametrize("package", ["com.lge.app1", "com.sec.android.easyMover.tv"])
def test_others_are_not_denied(package: str) -> None:
    assert why_denied(package) is None


# Values and selectors


def number(**fields: Json) -> Shown:
    node: Json = {"id": "x"}
    return Shown.read("level", Part({"node": node, "number": fields}))


@pytest.mark.parametrize(
    ("text", "value"),
    [("21", 21), ("21,5", 21.5), ("-3.0", -3.0), ("0", 0), ("٢٣", 23)],
)
def test_numbers(text: str, value: float) -> None:
    assert number(min=-10, max=99).value(text) == value


def test_numbers_with_words_around() -> None:
    shown = number(min=0, max=100, before=["Volume", "Lautstärke"], after="%")

    assert shown.value("Volume 7 %") == 7
    assert shown.value("Lautstärke 7%") == 7
    for text in ("7 %", "Volume 7", "Volume %", "Volume 7 % %", "Volume 101 %", "--"):
        with pytest.raises(UnmappedError):
            shown.value(text)


@given(st.text(max_size=40))
def test_any_text_is_a_known_number_or_an_error(text: str) -> None:
    shown = number(min=0, max=100, after="%")
    try:
        value = shown.value(text)
    except UnmappedError:
        return
    assert isinstance(value, int | float)
    assert 0 <= value <= 100


LABEL = st.text(st.characters(exclude_categories=["C", "Z"]), min_size=1, max_size=20)


@given(LABEL, st.one_of(st.integers(), LABEL))
def test_a_parameter_is_put_in_as_it_is(label: str, value: Json) -> None:
    """No format string: whatever is put in is never read again."""
    selector = Selector(texts=("{it}" + label.replace("{", "("),))

    (filled,) = selector.fill({"it": value}).texts

    assert filled == str(value) + label.replace("{", "(")


# Arbitrary data

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=12), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(JSON)
def test_any_data_is_a_recipe_or_an_error(data: Json) -> None:
    with pytest.raises(RecipeError):
        Recipe.read(data)


def places(data: Json, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return every place in a recipe."""
    found = [path]
    if isinstance(data, dict):
        for key, value in data.items():
            found += places(value, (*path, key))
    elif isinstance(data, list):
        for i, value in enumerate(data):
            found += places(value, (*path, i))
    return found


PLACES = places(recipe_named("living_room_tv").data())[1:]


@given(st.sampled_from(PLACES), JSON)
def test_any_change_gives_a_recipe_or_an_error(
    place: tuple[Any, ...], value: Json
) -> None:
    """What is still accepted compiles to a form that reads back as the same."""
    data: Any = recipe_named("living_room_tv").data()
    outer = data
    for step in place[:-1]:
        outer = outer[step]
    outer[place[-1]] = value
    try:
        recipe = Recipe.read(data)
    except RecipeError:
        return
    assert Recipe.load(recipe.compiled()) == recipe


@given(st.text(max_size=300))
def test_any_text_is_a_recipe_or_an_error(text: str) -> None:
    with pytest.raises(RecipeFileError):
        compile_recipe(text)


def test_texts_are_bounded() -> None:
    with pytest.raises(RecipeError):
        Part("x" * (MAX_TEXT + 1)).text()


def test_the_recipes_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs/phone.md").read_text("utf-8")

    for word in ("child_of", "has", "opens", "max_taps", "version_code", "same_as"):
        assert f"`{word}`" in page
    example = page.split("```yaml\n")[1].split("```")[0]
    assert compile_recipe(example).device == "living_room_tv"
