"""What happens in each of the traces that are recorded."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta

from script.lib.demo.scenes import BEDROOM, STUDY, play as play_scenes
from script.lib.demo.stage import Stage
from tests.e2e import test_acceptance as acceptance
from tests.support.messages_api import act
from tests.support.process import wait_until

from .cases import FIVE, PRESSURE
from .home import by_hand, now, speak, wall_switch
from .wants import (
    Rows,
    after,
    last_intent,
    preset,
    propose,
    question,
    routine,
    while_thinking,
)

type People = Mapping[str, Stage]
FILM = "Film night: TV on, then the speaker at 30"
AFTER = "Light in the garage, then in the living room"
CLAIM = "Be a good house"
BOOK = "I can hardly see my book"
DARK = "I can hardly see my shelf"
DESK, SHELF = ("light.turn_on", "study_desk"), ("light.turn_on", "study_shelf")


@dataclass(frozen=True)
class Theme:
    """One trace to record."""

    title: str
    play: Callable[[Stage, People], None]
    people: Mapping[str, str] = field(default_factory=dict)
    """Name and role of those who live there beside the owner."""
    night: bool = False
    plans: Mapping[str, Rows] = field(default_factory=dict)
    """What a model makes of sentences; none is asked without."""
    demo: bool = False
    """True in the demo's own home, where what is played is at home."""
    beside: bool = False
    """True with the demo's other machines: a broker, a librarian and a phone."""


def scenes(home: Stage, _people: People) -> None:
    """Play the paper's three scenes, as the demo does."""
    play_scenes(home)


def single_reports(home: Stage, _people: People) -> None:
    """Go through those bug reports that a home at rest is enough for."""
    acceptance.test_d01_an_unavailable_lamp_is_not_called_on(home)
    acceptance.test_d02_nothing_is_claimed_while_nothing_may_move(home)
    acceptance.test_d03_a_question_moves_nothing(home)
    acceptance.test_d04_an_unknown_room_is_not_the_whole_house(home)
    acceptance.test_d05_the_lights_are_those_of_the_room(home)
    acceptance.test_d11_a_routine_bounces_off_what_a_person_asked_for(home)
    acceptance.test_d12_why_names_the_intent_behind_a_lamp(home)


def power_cut(home: Stage, _people: People) -> None:
    """Cut the power amid a command; then all is as before."""
    acceptance.cut_the_power(home)
    home.tell("Turn on the desk lamp")


def later(home: Stage, _people: People) -> None:
    """Keep plans over a restart; one is called off, one finds its lamp away."""
    by_hand(home, *DESK)
    said = (
        ("Turn off the desk lamp in one minute", "en"),
        ("Schalte in einer Minute Shelf lamp ein", "de"),
        ("Turn on the porch light in one minute", "en"),
        ("Turn on the bedroom ceiling at nine tomorrow", "en"),
    )
    kept = []
    for text, language in said:
        home.tell(text, language=language)
        kept.append(last_intent(home))
    home.restart()
    home.call("cancel", intent=kept.pop())
    at = now(home) + timedelta(minutes=2)
    home.tell(f"Turn on the floor lamp until {at:%H:%M}")
    wait_until(lambda: not home.call("list_deferred")["plans"], 150, lambda: "late")
    home.until(lambda: home.values("living_floor")["state"] == "off", "it is back")


def doors(home: Stage, people: People) -> None:
    """Ask before a door is opened, whatever the words; close it unasked."""
    home.tell(PRESSURE)
    home.call("approve", question=question(home), approve=False)
    people["Gil"].tell("Unlock the front door")
    home.tell("Unlock the front door")
    home.call("approve", question=question(home))
    people["Gil"].tell("Lock the front door")


def holds(home: Stage, _people: People) -> None:
    """Keep what a person asked for, of a group too, until somebody presses a switch."""
    home.tell("Set the study lights to 60 percent brightness")
    dim = {
        "entity_id": home.entities["study_desk"],
        "action": "light.turn_on",
        "data": {"brightness_pct": 20},
        "reason": "circadian light",
    }
    routine(home, "circadian", propose(dim))
    home.tell("Turn on the hall light")
    wall_switch(home)
    lit = {
        "entity_id": home.entities["hall_light"],
        "action": "light.turn_on",
        "reason": "evening light",
    }
    routine(home, "evening", propose(lit), at=True)
    home.tell("Turn on the hall light")


def undo(home: Stage, _people: People) -> None:
    """Put back exactly what was, but not what somebody else has changed since."""
    by_hand(home, *DESK, 70)
    by_hand(home, *SHELF, 50)
    home.tell("Set the study lights to 20 percent brightness")
    by_hand(home, *SHELF, 90)
    home.tell("Undo that")
    home.tell("Undo that")


def family(home: Stage, people: People) -> None:
    """Let guests and children do less, and nobody but the owner be loud at night."""
    for name in ("Ana", "Gil"):
        people[name].tell("Set the speaker volume to 60 percent")
    home.tell("Set the speaker volume to 60 percent")
    people["Kim"].tell("Turn on the desk lamp")
    people["Kim"].tell("Unlock the front door")
    people["Ana"].tell("Lock the front door")


def voices(home: Stage, _people: People) -> None:
    """Take a voice that may be anybody's for a guest's."""
    speak(home, "Turn on the desk lamp")
    speak(home, "Unlock the front door")
    home.call("approve", question=question(home), approve=False)
    speak(home, "Set the speaker volume to 80 percent")
    speak(home, "And so they lived happily ever after")
    speak(home, "Turn off the desk lamp")


def loop(home: Stage, _people: People) -> None:
    """Stop a routine that repeats itself; switching off goes on."""
    policy = preset("balanced").replace("times: 30", "times: 4")
    home.hass.action("hearthnet.set_policy", {"text": policy})
    step = {
        "entity_id": home.entities["study_desk"],
        "action": "light.turn_on",
        "data": {"brightness_pct": "{{ 10 * repeat.index }}"},
        "reason": "a loop",
    }
    repeat = {"repeat": {"count": 6, "sequence": [propose(step)]}}
    routine(home, "loop", repeat, times=6)
    home.tell("Turn off the desk lamp")


def approvals(home: Stage, _people: People) -> None:
    """Ask about a routine once, then not again until it is taken back."""
    party = {
        "entity_id": home.entities["study_speaker"],
        "action": "media_player.volume_set",
        "data": {"volume_level": 0.8},
        "reason": "party",
    }
    quiet = {**party, "data": {"volume_level": 0.2}, "reason": "party is over"}
    routine(home, "party", propose(party))
    until = now(home) + timedelta(hours=1)
    asked = question(home)
    home.call("approve", question=asked, until=f"{until:%H:%M:%S}")
    routine(home, "party_is_over", propose(quiet))
    routine(home, "party", propose(party))
    routine(home, "party_is_over", propose(quiet))
    home.hass.action("hearthnet.revoke_approval", {"approval": asked})
    routine(home, "party", propose(party))
    home.restart()
    home.tell("Turn on the floor lamp")


def parts(home: Stage, _people: People) -> None:
    """Do what can be done of a sentence, in its order, and believe no claim."""
    home.hass.action("media_player.turn_off", {"entity_id": home.entities["study_tv"]})
    home.tell(FIVE)
    home.tell(FILM)
    home.tell(AFTER)
    home.tell(CLAIM)
    home.tell(BOOK)
    home.tell("Turn on the work light")


def fresh(home: Stage, _people: People) -> None:
    """Act on what is so now: leases count once, and only for what was seen."""
    by_hand(home, *DESK, 40)
    home.tell("Make the desk lamp brighter")
    by_hand(home, *DESK, 95)
    home.tell("Make the desk lamp brighter")
    lamp = {"entity_id": home.entities["bedroom_reading"], "action": "light.turn_on"}

    def lease() -> str:
        answer = home.call("request_lease", **lamp, reason="read")
        return str(answer["lease"])

    used = lease()
    home.call("execute", lease=used)
    home.call("execute", lease=used)
    revoked = lease()
    home.hass.action("hearthnet.revoke_lease", {"lease": revoked})
    home.call("execute", lease=revoked)
    old = lease()
    by_hand(home, "light.turn_off", "bedroom_reading")
    home.call("execute", lease=old)
    while_thinking(home, DARK, lambda: by_hand(home, *SHELF, 30))


def cautious(home: Stage, _people: People) -> None:
    """Ask about many devices, and where nobody may be at home."""
    home.hass.action("hearthnet.set_policy", {"text": preset("cautious")})
    lamps = [home.entities[lamp] for lamp in (*STUDY, *BEDROOM, "living_floor")]
    off = home.entities["study_tv"]
    home.hass.action("media_player.turn_off", {"entity_id": off})
    home.call("propose", entity_id=lamps, action="light.turn_on", reason="all on")
    home.call("approve", question=question(home), approve=False)
    for lamp in (*STUDY, *BEDROOM, "living_floor"):
        by_hand(home, "light.turn_on", lamp)
    home.call("propose", entity_id=lamps, action="light.turn_off", reason="all off")
    home.call("approve", question=question(home), approve=False)
    home.tell("Turn on the TV")
    home.call("approve", question=question(home))


THEMES: Mapping[str, Theme] = {
    "scenes": Theme("The paper's three scenes", scenes, demo=True),
    "phone": Theme(
        "The three scenes with a phone; Home Assistant is killed",
        scenes,
        demo=True,
        beside=True,
    ),
    "acceptance": Theme("single bug reports", single_reports, demo=True),
    "power_cut": Theme("a power cut", power_cut, demo=True),
    "later": Theme("what is for later", later),
    "doors": Theme(
        "doors",
        doors,
        people={"Gil": "guest"},
        plans={PRESSURE: (act("Front door", "lock.unlock"),)},
    ),
    "holds": Theme("what somebody wants kept", holds),
    "undo": Theme("undo", undo),
    "family": Theme(
        "a family at night",
        family,
        people={"Ana": "resident", "Gil": "guest", "Kim": "child"},
        night=True,
    ),
    "voices": Theme("a voice that may be anybody's", voices, night=True),
    "loop": Theme("a routine that repeats itself", loop),
    "approvals": Theme("asked once", approvals),
    "parts": Theme(
        "several things in a sentence",
        parts,
        plans={
            FIVE: (
                act("Desk lamp", "light.turn_on", brightness_pct="40"),
                act("Shelf lamp", "light.turn_on", brightness_pct="30"),
                act("Study ceiling", "light.turn_on"),
                act("Speaker", "media_player.volume_set", volume_level="0.2"),
                act("Porch light", "light.turn_on"),
            ),
            FILM: (
                act("TV", "media_player.turn_on"),
                after(1, act("Speaker", "media_player.volume_set", volume_level="0.3")),
            ),
            AFTER: (
                act("Work light", "light.turn_on"),
                after(1, act("Floor lamp", "light.turn_on")),
            ),
            CLAIM: (),
            BOOK: (
                act("Reading lamp", "light.turn_on", brightness_pct="80"),
                act("Front door", "lock.unlock"),
            ),
        },
    ),
    "fresh": Theme(
        "what is so now",
        fresh,
        plans={DARK: (act("Shelf lamp", "light.turn_on", brightness_pct="80"),)},
    ),
    "cautious": Theme("the cautious policy", cautious),
}
