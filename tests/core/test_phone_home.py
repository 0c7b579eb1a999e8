"""The recipes of a home: what they add up to, and what people see of them."""

from hearthnet.core.messages import Message, MessageType
from hearthnet.core.phone.compile import compile_all
from hearthnet.core.phone.controls import (
    Button,
    Number,
    Select,
    Switch,
    Value,
    controls_of,
)
from hearthnet.core.phone.recipe import canonical, digest
from hearthnet.core.view import View

from .recipes import MUSIC, TV
from .records import MOMENT


def test_each_operation_has_one_recipe() -> None:
    twice = {"phone": {"a.yaml": TV, "b.yaml": TV}, "tablet": {"c.yaml": TV}}
    recipes, mistakes = compile_all(twice)
    assert list(recipes.by_device) == ["phone.living_room_tv"]
    other, taken = mistakes
    assert other == (
        "phone/b.yaml, device: phone has another recipe for living_room_tv; rename one"
    )
    assert taken == (
        "tablet/c.yaml, capabilities.tv.power_off: phone has it for living_room_tv "
        "already; rename one"
    )


def test_the_digest_is_of_what_the_phone_gets() -> None:
    recipes, mistakes = compile_all({"phone": {"tv.yaml": TV, "music.yaml": MUSIC}})
    assert mistakes == []
    (tv,) = (placed for placed in recipes if placed.recipe.device == "living_room_tv")
    assert recipes.digest_of("tv.power_off") == digest(canonical(tv.recipe.data()))
    assert recipes.digest_of("music.play_playlist") != tv.digest
    assert recipes.digest_of("light.turn_on") is None


def test_only_what_differs_is_put_on_record() -> None:
    view = View()
    both, _ = compile_all({"phone": {"tv.yaml": TV, "music.yaml": MUSIC}})
    first = dict(both.changes(view))
    assert sorted(first) == [
        "recipes/phone/living_room_tv.json",
        "recipes/phone/phone_music.json",
    ]
    message = Message(
        id="hub.1.1",
        sender="rupert",
        to="rupert",
        type=MessageType.RESOLUTION,
        at=MOMENT,
        content="Two recipes.",
        writes=first,
    )
    view.apply(Message.decode(message.encode()))
    assert dict(both.changes(view)) == {}

    wider = TV.replace("[1200, 1299]", "[1200, 1399]")
    one, _ = compile_all({"phone": {"tv.yaml": wider}})
    changes = dict(one.changes(view))
    assert changes.pop("recipes/phone/phone_music.json") is None
    assert list(changes) == ["recipes/phone/living_room_tv.json"]


def test_controls() -> None:
    recipes, _ = compile_all({"phone": {"tv.yaml": TV}})
    (tv,) = recipes
    switch, muted, volume, source, night, lit = controls_of(tv.recipe)
    assert switch == Switch(attribute="state", on="tv.power_on", off="tv.power_off")
    assert muted == Switch(attribute="is_volume_muted", on="tv.mute", off="tv.unmute")
    assert isinstance(volume, Number)
    assert (volume.attribute, volume.operation) == ("volume_level", "tv.set_volume")
    assert (volume.minimum, volume.maximum, volume.scale) == (0, 40, 0.01)
    assert isinstance(source, Select)
    assert source.options == ("hdmi1", "hdmi2", "tv")
    assert isinstance(night, Button)
    assert night.operation == "tv.night_mode_on"
    assert isinstance(lit, Value)
    assert lit.attribute == "night_mode"
