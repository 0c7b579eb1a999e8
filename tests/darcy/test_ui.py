"""The reader of screens: exact, and safe against what an app may show."""

from pathlib import Path
import time
from xml.sax.saxutils import quoteattr

from hypothesis import given, strategies as st
import pytest

from hearthnet.core.phone.part import Part
from hearthnet.core.phone.selectors import Screen, Selector, plain
from hearthnet.core.reasons import Reason
from hearthnet.darcy.stops import Stop
from hearthnet.darcy.ui import MAX_BYTES, MAX_DEPTH, MAX_NODES, Tree

SCREENS = Path(__file__).parent / "screens"
HEATING = "com.example.thermo"
SIZE = (1080, 2400)


def recorded(name: str) -> Tree:
    return Tree((SCREENS / f"{name}.xml").read_bytes())


def selector(**fields: object) -> Selector:
    return Selector.read(Part(fields))


def stopped(reason: Reason, tree: Tree, one: Selector, package: str = HEATING) -> Stop:
    with pytest.raises(Stop) as stop:
        tree.point(tree.one(one, package), SIZE)
    assert stop.value.reason is reason
    return stop.value


# Recorded screens


def test_a_row_is_found_by_its_label() -> None:
    tree = recorded("native_list")
    row = {"id": "row", "has": {"id": "name", "text": "Küche & Flur"}}

    node = tree.one(selector(id="toggle", child_of=row), HEATING)

    assert tree.point(node, SIZE) == (950, 720)
    assert node.get("checked") == "false"


def test_a_row_without_the_switch_does_not_borrow_its_neighbor_s() -> None:
    xml = (SCREENS / "native_list.xml").read_bytes()
    tree = Tree(xml.replace(b":id/toggle", b":id/gone", 1))
    row = {"id": "row", "has": {"text": "Living room"}}

    stopped(Reason.NODE_NOT_FOUND, tree, selector(id="toggle", child_of=row))


def test_many_of_a_kind_are_ambiguous() -> None:
    text = stopped(
        Reason.AMBIGUOUS_MATCH, recorded("native_list"), selector(id="toggle")
    ).text

    assert text.startswith("3 times")


def test_a_row_is_the_smallest_part_around_its_label() -> None:
    tree = recorded("compose")
    around = selector(has={"text": "Power"})

    # Every view around it has no id and no text to tell it by: the closest counts.
    assert tree.one(around, "com.example.compose").get("resource-id") == "power_card"


def test_compose_names_have_no_package() -> None:
    tree = recorded("compose")

    node = tree.one(selector(id="power_state"), "com.example.compose")
    assert node.get("text") == "On"
    button = tree.one(selector(desc="Volume up"), "com.example.compose")
    assert tree.point(button, SIZE) == (270, 670)


def test_a_label_in_a_clickable_card_is_tapped_itself() -> None:
    tree = recorded("compose")
    label = tree.one(selector(text="Power"), "com.example.compose")

    assert tree.point(label, SIZE) == (340, 380)


def test_the_wrong_app_s_button_does_not_count() -> None:
    tree = recorded("permission")

    assert tree.packages == {"com.android.permissioncontroller"}
    stopped(Reason.NODE_NOT_FOUND, tree, selector(text="Allow"))


def test_sideways_the_display_is_wide() -> None:
    tree = recorded("sideways")

    assert tree.rotation == 1
    assert tree.point(tree.one(selector(id="boost"), HEATING), SIZE) == (2150, 500)


def test_what_is_under_a_sheet_is_not_tapped() -> None:
    stop = stopped(Reason.NODE_COVERED, recorded("sheet"), selector(id="boost"))
    assert "id/sheet" in stop.text


def test_what_is_half_outside_is_not_tapped() -> None:
    stopped(Reason.NODE_OFF_SCREEN, recorded("sheet"), selector(id="more"))


def test_what_is_typed_into_a_password_field_is_not_kept() -> None:
    tree = recorded("sign_in")

    assert tree.one(selector(id="password"), HEATING).get("text") == ""
    assert not any("hunter2" in str(node.attributes) for node in tree.nodes)


def test_an_empty_first_look_is_no_screen() -> None:
    tree = recorded("flutter_first")
    screen = Screen.read(Part({"all": [{"text": "Power"}]}), "com.example.flutter")

    with pytest.raises(Stop) as stop:
        tree.require(screen)
    assert stop.value.reason is Reason.NODE_NOT_FOUND


def test_blanks_and_marks_do_not_matter() -> None:
    tree = recorded("native_list")
    row = {"id": "row", "has": {"text": "Bad"}}

    # The screen has a narrow no-break space before the unit.
    value = selector(id="value", text="21,5 °C", child_of=row)
    assert tree.one(value, HEATING)
    assert plain("\u200e12\u00a0%\u200f ") == "12 %"
    assert plain("e\u0301") == "\u00e9"


# Hostile dumps

HEAD = "<?xml version='1.0' encoding='UTF-8'?>"


def unreadable(xml: bytes) -> None:
    started = time.monotonic()
    with pytest.raises(Stop) as stop:
        Tree(xml)
    assert stop.value.reason is Reason.UI_UNREADABLE
    assert time.monotonic() - started < 5


def bomb(encoding: str = "utf-8") -> bytes:
    levels = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
    text = f'<!DOCTYPE h [<!ENTITY l0 "ha">{levels}]><hierarchy>&l9;</hierarchy>'
    declared = f"<?xml version='1.0' encoding='{encoding}'?>"
    return (declared + text).encode(encoding)


@pytest.mark.parametrize(
    "xml",
    [
        b"",
        b"\0\xff",
        b"<html><body/></html>",
        b"<node/>",
        f"{HEAD}<hierarchy><node></hierarchy>".encode(),
        f"{HEAD}<hierarchy rotation='0'><node text='\x01'/></hierarchy>".encode(),
        bomb(),
        bomb("utf-16"),
        b"<!DOCTYPE h SYSTEM 'file:///etc/passwd'><hierarchy/>",
        b"<!DOCTYPE h [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><hierarchy/>",
        f"{HEAD}<hierarchy>{'<node>' * (MAX_DEPTH + 1)}".encode(),
        f"{HEAD}<hierarchy>{'<node/>' * (MAX_NODES + 1)}</hierarchy>".encode(),
        b" " * (MAX_BYTES + 1),
    ],
    ids=range(13),
)
def test_hostile_dumps(xml: bytes) -> None:
    unreadable(xml)


@given(st.binary(max_size=400))
def test_any_bytes(data: bytes) -> None:
    unreadable(data)


@given(st.text(max_size=200), st.integers(0, 3))
def test_any_bytes_in_a_frame(text: str, rotation: int) -> None:
    xml = f"{HEAD}<hierarchy rotation='{rotation}'>{text}</hierarchy>"
    reason = None
    try:
        Tree(xml.encode("utf-8", "surrogatepass"))
    except Stop as stop:
        reason = stop.reason
    assert reason in {None, Reason.UI_UNREADABLE}


TEXTS = st.text(st.characters(exclude_categories=["C"]), max_size=30)


@given(TEXTS, TEXTS, st.booleans())
def test_any_label_is_only_compared(shown: str, wanted: str, twice: bool) -> None:
    """Whatever a screen says, it matches its own text and no other."""
    node = f"<node package='p' text={quoteattr(shown)} bounds='[0,0][9,9]'/>"
    xml = f"{HEAD}<hierarchy>{node * (2 if twice else 1)}</hierarchy>"
    tree = Tree(xml.encode())
    found = tree.find(Selector(texts=(plain(wanted),)), "p")

    assert len(found) == (plain(shown) == plain(wanted)) * (2 if twice else 1)


@given(TEXTS)
def test_any_bounds(bounds: str) -> None:
    node = f"<node package='p' text='x' enabled='true' bounds={quoteattr(bounds)}/>"
    tree = Tree(f"{HEAD}<hierarchy>{node}</hierarchy>".encode())

    with pytest.raises(Stop) as stop:
        tree.point(tree.nodes[0], SIZE)
    assert stop.value.reason is Reason.NODE_OFF_SCREEN


EDGE = st.integers(-50, 2600)


@given(EDGE, EDGE, EDGE, EDGE)
def test_a_point_is_on_the_node_and_on_the_display(
    left: int, top: int, right: int, bottom: int
) -> None:
    node = (
        f"<node package='p' enabled='true' bounds='[{left},{top}][{right},{bottom}]'/>"
    )
    tree = Tree(f"{HEAD}<hierarchy>{node}</hierarchy>".encode())
    inside = 0 <= left < right <= SIZE[0] and 0 <= top < bottom <= SIZE[1]
    if not inside:
        with pytest.raises(Stop) as stop:
            tree.point(tree.nodes[0], SIZE)
        assert stop.value.reason is Reason.NODE_OFF_SCREEN
        return
    x, y = tree.point(tree.nodes[0], SIZE)
    assert left <= x < right
    assert top <= y < bottom


def test_a_large_screen_is_read_quickly() -> None:
    """A thousand views with long texts: 0.02 s here; a bound against quadratic work."""
    node = (
        "<node package='p' text='" + "x" * 100 + "' resource-id='p:id/a' "
        "clickable='true' enabled='true' bounds='[0,0][9,9]'/>"
    )
    xml = f"{HEAD}<hierarchy>{node * 1000}</hierarchy>".encode()
    started = time.monotonic()
    tree = Tree(xml)
    assert len(tree.find(Selector(ids=("a",)), "p")) == 1000
    assert time.monotonic() - started < 1
