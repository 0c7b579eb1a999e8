"""The card with rows of the test's own: its states, its looks, its speed."""

from collections.abc import Callable, Iterator
import re
from typing import Any

from playwright.sync_api import Page, expect
import pytest

from tests.support.browser import Browser
from tests.support.hass_server import HassServer

from .cards import (
    Mounted,
    card_of,
    dashboard,
    every_kind,
    row,
    rows,
    snapshot,
    status,
)
from .conftest import REPORT, RESULTS, OpenPage

STARTING = {"code": "unknown_command", "message": "Unknown command."}
DRAWN_MS = 150
CHAIN: dict[str, Any] = {
    "complete": True,
    "nodes": [
        {
            "id": f"hub.1.{number}",
            "cause": f"hub.1.{number - 1}" if number > 1 else None,
            "task": None if type_ == "intent" else "hub.1.2",
            "type": type_,
            "at": 1_796_000_000 + number / 10,
            "from": sender,
            "to": to,
            "status": "no" if type_ == "refusal" else "ok",
            "text": text,
            "targets": [{"entity_id": None, "name": "Lamp 4"}] if number > 1 else [],
            "evidence": [{"text": "the lease is over", "commit": "abcdef0123"}]
            if type_ == "refusal"
            else [],
            "until": 1_796_000_030 if type_ == "grant" else None,
            "commit": "0123456789abcdef",
        }
        for number, type_, sender, to, text in (
            (1, "intent", "Anna", "rupert", "movie night"),
            (2, "task", "rupert", "jeeves", "Lamp 4: on"),
            (3, "proposal", "jeeves", "rupert", "Lamp 4: on"),
            (4, "grant", "rupert", "jeeves", "Lamp 4: on"),
            (5, "refusal", "jeeves", "rupert", "Lamp 4: the lease has expired"),
        )
    ],
}
QUESTION: dict[str, Any] = {
    "ids": ["q"],
    "targets": [{"entity_id": None, "name": "Door"}],
    "wanted": "unlocked",
    "by": "Gus",
    "until": 1_796_000_100,
    "now": "Now it is locked.",
    "evening": None,
}
PLAN = {
    "intent": "hub.1.7",
    "text": "light off in five minutes",
    "by": "Ben",
    "due": 1_796_000_300,
}
DROPPED = [
    {"intent": "hub.1.2", "text": "movie night", "by": "Anna", "again": True},
    {"intent": "hub.1.3", "text": "dusk", "by": "Dusk", "again": False},
]
FAILED = row(4, event="hub.1.5", outcome="refused", reason="expired", seen="")


@pytest.fixture(scope="module")
def shared(browser: Browser, hearth: HassServer) -> Iterator[Page]:
    """A dashboard that has loaded the card."""
    page = browser.page(hearth, dashboard(hearth))
    card_of(page)
    yield page
    page.context.close()


@pytest.fixture
def page(
    shared: Page, browser: Browser, request: pytest.FixtureRequest
) -> Iterator[Page]:
    """The shared page; on failure, a picture."""
    browser.errors.clear()
    yield shared
    report = request.node.stash.get(REPORT, None)
    if report and report.failed:
        shared.screenshot(path=RESULTS / f"{request.node.name}.png")


# States


def test_loading_and_empty(page: Page) -> None:
    mounted = Mounted.on(page)
    assert mounted.card.locator(".skeleton i").count() == 3
    mounted.send(snapshot())
    mounted.card.get_by_text("No decisions yet").wait_for()


def test_starting_offline_and_back(page: Page) -> None:
    mounted = Mounted.on(page, fails=STARTING, snapshot=snapshot(row(1)))
    mounted.card.get_by_text("This card connects by itself").wait_for()
    page.evaluate("told.fails = null")
    mounted.card.get_by_text("Lamp 1").wait_for()

    mounted.emit("disconnected")
    mounted.card.get_by_text(re.compile(r"Offline since \d")).wait_for()
    mounted.card.get_by_text("Lamp 1").wait_for()
    mounted.emit("ready")
    mounted.card.get_by_text("Live").wait_for()
    mounted.send({"type": "reset"})
    mounted.card.get_by_text("Starting", exact=True).wait_for()
    mounted.card.get_by_text("Live").wait_for()


def test_starting_for_long_asks_whether_it_is_set_up(
    open_page: OpenPage, hearth: HassServer
) -> None:
    page = open_page(dashboard(hearth), hass=hearth)
    card_of(page)
    page.clock.install()
    mounted = Mounted.on(page, fails=STARTING)
    mounted.card.get_by_text("This card connects by itself").wait_for()
    page.clock.run_for(70_000)
    link = mounted.card.get_by_role("link", name="Open integrations")
    assert link.get_attribute("href") == "/config/integrations/dashboard"


def test_an_error_is_told(page: Page) -> None:
    fails = {"code": "unknown_error", "message": "It broke."}
    mounted = Mounted.on(page, fails=fails)
    alert = mounted.card.get_by_role("alert")
    expect(alert).to_contain_text("Cannot read decisions")
    expect(alert).to_contain_text("It broke.")


@pytest.mark.parametrize(
    ("part", "told"),
    [
        ({"journal": False}, "The journal cannot be written"),
        ({"enabled": False}, "Actuation is switched off"),
        ({"open": False}, "Home Assistant is still starting"),
    ],
)
def test_banners(page: Page, part: dict[str, Any], told: str) -> None:
    mounted = Mounted.on(page, snapshot=snapshot(row(1), **part))
    mounted.card.get_by_text(told).wait_for()
    mounted.send({"type": "status", "status": status()})
    expect(mounted.card.locator(".banner")).to_have_count(0)


def test_a_failed_audit_marks_what_came_after(page: Page) -> None:
    bad = {"bad_commit": "abcdef0123456789", "bad_since": 1_796_000_000 - 1.5}
    record = {"connected": True, "behind": 0, "problem": None, **bad}
    mounted = Mounted.on(page, snapshot=snapshot(row(1), row(2), record=record))
    alert = mounted.card.get_by_role("alert")
    expect(alert).to_contain_text("failed its check at commit abcdef0")
    marked = mounted.card.locator("li.row", has_text="after the failed check")
    expect(marked).to_have_count(1)
    expect(marked).to_contain_text("Lamp 1")


def test_words_are_never_markup(page: Page) -> None:
    attack = "<img src=x onerror='window.hacked = 1'><b>bold</b>"
    node = {**CHAIN["nodes"][0], "text": attack, "from": attack}
    evil = row(
        1,
        asked=attack,
        by=attack,
        why=attack,
        wanted=attack,
        seen=attack,
        rule=attack,
        targets=[{"entity_id": None, "name": attack}],
    )
    hold = {
        "ids": ["h"],
        "target": {"entity_id": None, "name": attack},
        "value": attack,
        "by": attack,
        "since": 1_796_000_000,
        "until": None,
    }
    chain = {"nodes": [node, {**node, "id": "b"}], "complete": True}
    mounted = Mounted.on(
        page,
        snapshot=snapshot(evil, holds=[hold]),
        answers={"hearthnet/timeline/chain": chain},
    )
    mounted.card.locator("button.main").click()
    mounted.card.get_by_text("What happened").wait_for()
    assert mounted.card.locator("img").count() == 0
    assert page.evaluate("window.hacked") is None


# Rows


def test_refused_by_us_and_overridden_by_others(page: Page) -> None:
    mounted = Mounted.on(page, snapshot=snapshot(*every_kind()))
    shown = mounted.card.locator("li.row")
    expect(shown.nth(0)).to_contain_text("Overridden at")
    expect(shown.nth(0)).to_contain_text("changed at the device or its switch")
    expect(shown.nth(1)).to_contain_text("An earlier request won: Ben asked at")
    expect(shown.nth(2)).to_contain_text("Not allowed: quiet night/lights")
    expect(shown.nth(3)).to_contain_text("Not by HearthNet")
    expect(shown.nth(7)).to_contain_text("Not understood")
    expect(mounted.card.locator(".gone")).to_have_text("Gone lamp")


def test_filters_count_and_search(page: Page) -> None:
    mounted = Mounted.on(page, snapshot=snapshot(*every_kind()))
    card, shown = mounted.card, mounted.card.locator("li.row")
    card.get_by_role("button", name="Not changed 3").click()
    expect(shown).to_have_count(3)
    card.get_by_role("button", name="Waiting 1").click()
    expect(shown).to_have_count(1)
    card.get_by_role("button", name="By others").click()
    expect(shown).to_have_count(1)
    card.get_by_role("searchbox").fill("nothing like it")
    card.get_by_role("button", name="Clear filters").click()
    expect(shown).to_have_count(9)
    card.get_by_role("searchbox").fill("quiet")
    expect(shown).to_have_count(1)


def test_a_search_finds_what_is_older(page: Page) -> None:
    older = {"rows": [row(700, detail="sofa")], "cursor": None}
    mounted = Mounted.on(
        page,
        snapshot=snapshot(row(1), cursor="hub.1.1"),
        answers={"hearthnet/timeline/page": older},
    )
    mounted.card.get_by_role("searchbox").fill("sofa")
    mounted.card.get_by_text("Lamp 700").wait_for()
    (call,) = mounted.told("calls")
    assert call["text"] == "sofa"
    mounted.card.get_by_role("searchbox").fill("")
    expect(mounted.card.locator("li.row")).to_have_count(1)


def test_older_rows_are_loaded_on_demand(page: Page) -> None:
    older = {"rows": [row(n) for n in range(51, 80)], "cursor": None}
    mounted = Mounted.on(
        page,
        snapshot=snapshot(*(row(n) for n in range(1, 51)), cursor="hub.1.50"),
        answers={"hearthnet/timeline/page": older},
    )
    mounted.card.get_by_role("button", name="Load older").click()
    expect(mounted.card.locator("li.row")).to_have_count(79)
    expect(mounted.card.get_by_role("button", name="Load older")).to_have_count(0)
    (call,) = mounted.told("calls")
    assert call["cursor"] == "hub.1.50"


def test_nothing_moves_under_the_readers_eye(page: Page) -> None:
    mounted = Mounted.on(page, snapshot=snapshot(*(row(n) for n in range(10, 60))))
    shown = mounted.card.locator("li.row")
    expect(shown).to_have_count(50)
    page.evaluate(
        "document.querySelector('#mounted > *').shadowRoot"
        ".querySelector('.list').scrollTop = 300"
    )
    mounted.send(rows(row(1), row(2), row(12, seen="off")))
    mounted.card.get_by_role("button", name="2 new").wait_for()
    expect(shown).to_have_count(50)
    expect(shown.filter(has_text="Lamp 12")).to_contain_text("off")
    mounted.card.get_by_role("button", name="2 new").click()
    expect(shown).to_have_count(52)
    mounted.send(rows(row(0), gone=["hub.1.59"]))
    expect(shown).to_have_count(52)
    expect(shown.first).to_contain_text("Lamp 0")


# Chains


def test_a_chain_is_replayed(page: Page) -> None:
    mounted = Mounted.on(
        page, snapshot=snapshot(FAILED), answers={"hearthnet/timeline/chain": CHAIN}
    )
    card = mounted.card
    card.get_by_role("button", expanded=False).filter(has_text="Lamp 4").click()
    steps = card.locator(".step")
    expect(steps).to_have_count(5)
    expect(steps.nth(4)).to_contain_text("the lease is over")
    expect(steps.nth(3)).to_contain_text("until")
    drawing = card.get_by_role("img", name=re.compile("Who spoke with whom"))
    assert drawing.get_attribute("aria-label") == (
        "Who spoke with whom: Anna \u2013 Rupert; Rupert \u2013 Jeeves"
    )

    card.get_by_label("Speed").select_option("4")
    card.get_by_role("button", name="Play").click()
    expect(card.locator(".step.now")).to_contain_text("movie night")
    expect(card.locator(".step.ahead")).to_have_count(4)
    expect(card.locator(".step.now")).to_contain_text("the lease has expired")
    card.get_by_role("button", name="Play").wait_for()
    card.get_by_label("Step", exact=True).fill("2")
    expect(card.locator(".step.now")).to_contain_text("task")
    card.get_by_role("button", expanded=True).first.click()
    expect(steps).to_have_count(0)


def test_a_chain_that_cannot_be_read(page: Page) -> None:
    mounted = Mounted.on(page, snapshot=snapshot(FAILED))
    mounted.card.locator("button.main").click()
    mounted.card.get_by_text("The chain could not be read.").wait_for()


def test_the_keyboard_reaches_everything(page: Page) -> None:
    mounted = Mounted.on(
        page, snapshot=snapshot(FAILED), answers={"hearthnet/timeline/chain": CHAIN}
    )
    mounted.card.locator("button.main").focus()
    page.keyboard.press("Enter")
    expect(mounted.card.locator(".step")).to_have_count(5)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    expect(mounted.card.locator(".step.now")).to_have_count(1)


# Above the list


def test_holds_run_down_and_can_be_released(page: Page) -> None:
    now = page.evaluate("Date.now() / 1000")
    hold = {
        "target": {"entity_id": None, "name": "Lamp"},
        "value": "off",
        "by": "Ben",
        "since": now,
    }
    # The server's clock is an hour ahead of this browser's.
    holds = [
        {**hold, "ids": ["h-0", "h-1"], "until": now + 3600 + 90},
        {**hold, "ids": ["h-2"], "until": now + 3600 + 2},
    ]
    mounted = Mounted.on(page, snapshot=snapshot(now=now + 3600, holds=holds))
    strip = mounted.card.get_by_role("list", name="What is held")
    clocks = strip.get_by_role("timer")
    expect(clocks.first).to_have_text(re.compile(r"1:(30|2\d)"))
    expect(clocks).to_have_count(1)
    strip.get_by_role("button", name="Release Lamp, off; held for Ben").click()
    calls = mounted.told("calls")
    assert [call[:3] for call in calls] == [
        ["hearthnet", "release_hold", {"hold": hold}] for hold in ("h-0", "h-1")
    ]


def test_who_may_not_decide_gets_no_buttons(page: Page) -> None:
    part: dict[str, Any] = {"questions": [QUESTION]}
    mounted = Mounted.on(page, snapshot=snapshot(**part, may_decide=False))
    section = mounted.card.get_by_role("region", name="Waits for you")
    expect(section).to_contain_text("Door: unlocked")
    expect(section).to_contain_text("Now it is locked.")
    expect(section.get_by_role("button")).to_have_count(0)
    mounted.send({"type": "status", "status": status(**part)})
    expect(section.get_by_role("button")).to_have_text(["Reject", "Approve"])
    section.get_by_role("button", name="Approve").click()
    (call,) = mounted.told("calls")
    assert (call["questions"], call["approve"]) == (["q"], True)


@pytest.mark.parametrize("decides", [True, False])
def test_many_questions_leave_room_and_can_be_reached(
    page: Page, *, decides: bool
) -> None:
    """More than fit: the list keeps a row, and the last question comes into view."""
    many = [
        {
            **QUESTION,
            "ids": [f"q{n}"],
            "targets": [{"entity_id": None, "name": f"D{n}"}],
        }
        for n in range(20)
    ]
    mounted = Mounted.on(
        page,
        snapshot=snapshot(*every_kind(), questions=many, may_decide=decides),
    )
    section = mounted.card.get_by_role("region", name="Waits for you")
    last = section.get_by_text("D19: unlocked")
    last.scroll_into_view_if_needed()
    expect(last).to_be_in_viewport(ratio=1)
    shown = mounted.card.locator(".list").bounding_box()
    assert shown
    assert shown["height"] >= 72
    assert shown["y"] + shown["height"] <= 701
    assert mounted.faults() == []


def test_what_is_put_as_one_is_answered_as_one(page: Page) -> None:
    names = ("Blind", "\u202eGate")
    targets = [{"entity_id": None, "name": name} for name in names]
    question = {**QUESTION, "ids": ["q1", "q2"], "targets": targets, "wanted": "open"}
    mounted = Mounted.on(page, snapshot=snapshot(questions=[question]))
    section = mounted.card.get_by_role("region", name="Waits for you")
    # A name turns nothing that stands beside it.
    expect(section.locator("b")).to_have_text("Blind, Gate: open")
    section.get_by_role("button", name="Reject").click()
    (call,) = mounted.told("calls")
    assert (call["questions"], call["approve"]) == (["q1", "q2"], False)


def test_a_clock_that_is_set_is_looked_at_again(page: Page) -> None:
    """What runs down runs against the server's clock, whatever this one says."""
    mounted = Mounted.on(page, snapshot=snapshot(questions=[QUESTION]))
    section = mounted.card.get_by_role("region", name="Waits for you")
    clock = section.get_by_role("timer")
    expect(clock).to_have_text(re.compile(r"1:(40|3\d)"))
    page.evaluate("() => { const now = Date.now; Date.now = () => now() + 3.6e6; }")
    page.wait_for_function("told.requests.length === 2")
    expect(clock).to_have_text(re.compile(r"1:(40|3\d)"))


def test_plans_for_later_can_be_canceled(page: Page) -> None:
    mounted = Mounted.on(page, snapshot=snapshot(plans=[PLAN]), actions=["cancel"])
    strip = mounted.card.get_by_role("list", name="Planned for later")
    expect(strip).to_contain_text("“light off in five minutes”")
    strip.get_by_role("button", name="Cancel: light off in five minutes").click()
    (call,) = mounted.told("calls")
    assert call[:3] == ["hearthnet", "cancel", {"intent": "hub.1.7"}]
    mounted.send({"type": "status", "status": status()})
    expect(strip).to_have_count(0)


def test_a_routines_question_is_answered_for_the_evening(page: Page) -> None:
    """One button more; what was agreed to is shown with its end, and taken back."""
    evening = page.evaluate("Date.now() / 1000") + 3600
    question = {**QUESTION, "by": "Night round", "evening": evening}
    mounted = Mounted.on(
        page, snapshot=snapshot(questions=[question]), actions=["revoke_approval"]
    )
    section = mounted.card.get_by_role("region", name="Waits for you")
    section.get_by_role("button", name="until").click()
    (call,) = mounted.told("calls")
    assert (call["questions"], call["until"]) == (["q"], evening)

    approval = {
        "id": "hub.1.20",
        "targets": question["targets"],
        "wanted": "unlocked",
        "for": "Night round",
        "by": "Anna",
        "until": 1_796_000_000 + 90,
    }
    mounted.send({"type": "status", "status": status(approvals=[approval])})
    strip = mounted.card.get_by_role("list", name="Agreed to in advance")
    expect(strip).to_contain_text("Door: unlocked Night round")
    expect(strip.get_by_role("timer")).to_have_text(re.compile(r"1:(30|2\d)"))
    strip.get_by_role("button", name="Revoke: Door: unlocked").click()
    call = mounted.told("calls")[-1]
    assert call[:3] == ["hearthnet", "revoke_approval", {"approval": "hub.1.20"}]


def test_what_a_restart_dropped_is_offered_again(page: Page) -> None:
    told = {"hearthnet/timeline/dropped": {"speech": "It is dark."}}
    mounted = Mounted.on(page, snapshot=snapshot(dropped=DROPPED), answers=told)
    section = mounted.card.get_by_role("region", name="Dropped by a restart")
    expect(section).to_contain_text("Restarted: 2 dropped, nothing re-run")
    assert mounted.told("calls") == []
    expect(section.get_by_role("button")).to_have_text(
        ["Let it be", "Ask again", "Let it be"]
    )
    section.get_by_role("button", name="Ask again").click()
    section.get_by_role("button", name="Let it be").last.click()
    calls = mounted.told("calls")
    assert [(call["intent"], call["again"]) for call in calls] == [
        ("hub.1.2", True),
        ("hub.1.3", False),
    ]


def test_agents_are_shown_with_what_they_do(page: Page) -> None:
    mounted = Mounted.on(page, snapshot=snapshot(row(1)))
    agents = mounted.card.get_by_role("list", name="Agents").get_by_role("listitem")
    expect(agents).to_have_text(["Rupert", "Jeeves 2 open tasks", "Darcy offline"])


# Looks


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_axe_finds_nothing(open_page: OpenPage, hearth: HassServer, dark: bool) -> None:
    page = open_page(dashboard(hearth), hass=hearth, dark=dark)
    card_of(page)
    hold = {
        "ids": ["h"],
        "target": {"entity_id": None, "name": "Lamp"},
        "value": "off",
        "by": "Ben",
        "since": 1_796_000_000,
        "until": 1_796_000_900,
    }
    bad = {"bad_commit": "abcdef0123456789", "bad_since": 1_796_000_000 - 5}
    record = {"connected": True, "behind": 3, "problem": "the disk is full", **bad}
    mounted = Mounted.on(
        page,
        snapshot=snapshot(
            *every_kind(),
            FAILED,
            holds=[hold],
            questions=[QUESTION],
            plans=[PLAN],
            dropped=DROPPED,
            record=record,
            enabled=False,
        ),
        answers={"hearthnet/timeline/chain": CHAIN},
    )
    mounted.card.locator("button.main", has_text="Ran out of time").click()
    expect(mounted.card.locator(".step")).to_have_count(5)
    mounted.card.get_by_role("button", name="Play").click()
    assert mounted.faults() == []


@pytest.mark.parametrize(
    ("language", "title", "label"),
    [
        ("de-CH", "Was HearthNet entschieden hat", "Ein früherer Wunsch ging vor"),
        ("zh-Hans", "HearthNet 的决定", "更早的要求优先"),
    ],
)
def test_languages(page: Page, language: str, title: str, label: str) -> None:
    mounted = Mounted.on(page, snapshot=snapshot(*every_kind()), language=language)
    mounted.card.get_by_role("heading", name=title).wait_for()
    mounted.card.get_by_text(label).wait_for()
    (request,) = mounted.told("requests")
    assert request["language"] == language


@pytest.mark.parametrize("language", ["en", "de", "zh-Hans"])
def test_a_narrow_card_shows_what_can_be_done(page: Page, language: str) -> None:
    """A long name leaves room for the button; the search does not hide the chips."""
    hold = {
        "ids": ["h"],
        "target": {"entity_id": None, "name": "The lamp above the table " * 4},
        "value": "20 % bright",
        "by": "Anna",
        "since": 1_795_999_000,
        "until": 1_796_003_600,
    }
    mounted = Mounted.on(
        page,
        width=300,
        language=language,
        actions=["release_hold"],
        snapshot=snapshot(row(1), holds=[hold]),
    )
    button = mounted.card.locator(".holds button")
    expect(button).to_be_visible()
    seen = button.bounding_box()
    assert seen
    assert seen["x"] + seen["width"] <= 300 - 12
    chips = mounted.card.locator(".filters .chips").bounding_box()
    search = mounted.card.get_by_role("searchbox").bounding_box()
    assert chips
    assert search
    assert search["y"] >= chips["y"] + chips["height"]


def test_a_name_that_runs_the_other_way(page: Page) -> None:
    """It turns neither the line's words around nor the line to the other side."""
    name = {"entity_id": None, "name": "مصباح غرفة المعيشة"}
    mounted = Mounted.on(page, snapshot=snapshot(row(1, targets=[name])))
    line = mounted.card.locator(".line1")
    told, seen = line.locator("b").bounding_box(), line.locator(".soft").bounding_box()
    frame = line.bounding_box()
    assert told
    assert seen
    assert frame
    assert frame["x"] == told["x"] < seen["x"]


def test_what_came_to_no_device_is_none_that_was_not_changed(page: Page) -> None:
    unclear = {"outcome": "refused", "reason": "not_understood", "targets": []}
    late = {"outcome": "refused", "reason": "unanswered", "why": "nobody answered"}
    mounted = Mounted.on(page, snapshot=snapshot(row(1, **unclear), row(2, **late)))
    mounted.card.get_by_role("button", name="Not changed 1").click()
    expect(mounted.card.locator("li.row")).to_have_count(1)
    expect(mounted.card.locator(".line2")).to_have_text("Nobody answered")
    mounted.card.get_by_role("button", name="No device", exact=True).click()
    expect(mounted.card.locator("li.row")).to_contain_text("Not understood")


@pytest.mark.parametrize("width", [300, 520])
@pytest.mark.parametrize("direction", ["ltr", "rtl"])
def test_nothing_sticks_out(page: Page, width: int, direction: str) -> None:
    mounted = Mounted.on(
        page,
        width=width,
        dir=direction,
        snapshot=snapshot(
            row(1, wanted="x" * 90), *every_kind(), FAILED, dropped=DROPPED
        ),
        answers={"hearthnet/timeline/chain": CHAIN},
    )
    mounted.card.locator("button.main", has_text="Ran out of time").click()
    expect(mounted.card.locator(".step")).to_have_count(5)
    outside = page.evaluate(
        """() => {
          const card = document.querySelector("#mounted > *");
          const frame = card.getBoundingClientRect();
          const found = card.shadowRoot.querySelectorAll(".row *, .head *, .banner *");
          const seen = [...found];
          return seen.map((one) => one.getBoundingClientRect()).filter((box) =>
            box.width && (box.left < frame.left - 1 || box.right > frame.right + 1)
          ).length;
        }"""
    )
    assert outside == 0
    badge = mounted.card.locator(".badge").first.bounding_box()
    chevron = mounted.card.locator(".chevron").first.bounding_box()
    assert badge
    assert chevron
    assert (badge["x"] < chevron["x"]) is (direction == "ltr")
    # Its words are English there too, and end with their full stop.
    expect(mounted.card.locator(".line3").first).to_have_css(
        "unicode-bidi", "plaintext"
    )
    expect(mounted.card.locator(".chevron").first).to_have_css(
        "transform", "none" if direction == "ltr" else "matrix(-1, 0, 0, 1, 0, 0)"
    )


# Speed


def test_five_hundred_rows(
    open_page: OpenPage,
    hearth: HassServer,
    browser: Browser,
    record_property: Callable[[str, object], None],
) -> None:
    """In a page that has never drawn a row, so that templates are compiled too."""
    page = open_page(dashboard(hearth, "e2e-empty", entity="light.none"), hass=hearth)
    card_of(page)
    page.bring_to_front()  # one behind another gets no frames
    mounted = Mounted.on(page, snapshot=snapshot())
    mounted.card.get_by_text("No decisions yet").wait_for()
    first, whole, again = page.evaluate(
        """async ([snapshot, row]) => {
          const card = document.querySelector("#mounted > *");
          const list = card.shadowRoot.querySelector(".list");
          const drawn = () => list.querySelectorAll(".row").length;
          const began = performance.now();
          told.send(snapshot);
          await card.updateComplete;
          list.scrollHeight;
          const first = performance.now() - began;
          let whole = first;
          while (drawn() < snapshot.rows.length) {
            const before = performance.now();
            list.scrollTop = list.scrollHeight;
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            await card.updateComplete;
            list.scrollHeight;
            whole += performance.now() - before;
          }
          list.scrollTop = 0;
          const changed = performance.now();
          told.send({ type: "rows", rows: [row], gone: [] });
          await card.updateComplete;
          list.scrollHeight;
          return [first, whole, performance.now() - changed];
        }""",
        [snapshot(*(row(n) for n in range(500))), row(0, seen="off")],
    )
    record_property("500 rows, first drawn, ms", round(first))
    record_property("500 rows, scrolled to the end, ms", round(whole))
    record_property("one of 500 rows changed, ms", round(again))
    assert first < DRAWN_MS
    assert again < DRAWN_MS
    assert browser.errors == []
