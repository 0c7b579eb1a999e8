"""A furnished home without hardware: devices with delay, failure and silence.

Every device is backed by helpers, so it reports what it was told only when it
has really “done” it, as a lamp on a radio does.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.support.hass_server import HOME_YAML, HassServer
from tests.support.hass_websocket import HassWebsocket

OPTIMISTIC_DELAY = "00:00:00.3"
SLOW = "00:00:01.2"


@dataclass(frozen=True)
class Lamp:
    """A template lamp."""

    id: str
    name: str
    area: str
    delay: str | None = None
    """How long it takes until it shows what it was told."""
    fails: bool = False
    available: bool = True


LAMPS = (
    Lamp("study_desk", "Desk lamp", "Study"),
    Lamp("study_shelf", "Shelf lamp", "Study", delay=OPTIMISTIC_DELAY),
    Lamp("study_ceiling", "Study ceiling", "Study", delay=SLOW),
    Lamp("bedroom_ceiling", "Bedroom ceiling", "Bedroom"),
    Lamp("bedroom_reading", "Reading lamp", "Bedroom", delay=OPTIMISTIC_DELAY),
    Lamp("living_floor", "Floor lamp", "Living room"),
    Lamp("kitchen_counter", "Counter light", "Kitchen"),
    Lamp("garage_work", "Work light", "Garage", fails=True),
    Lamp("porch", "Porch light", "Outside", available=False),
)
PLAYERS = (
    ("study_speaker", "Speaker", "Study", "speaker"),
    ("study_tv", "TV", "Study", "tv"),
)
DOOR = ("front_door", "Front door", "Hall")
AREAS = ("Study", "Bedroom", "Living room", "Kitchen", "Garage", "Outside", "Hall")

_MORE = """
blueprint:
automation: !include automations.yaml
"""

_LAMP = """
- light:
    - name: {name}
      unique_id: {id}
      state: "{{{{ is_state('input_boolean.{id}', 'on') }}}}"
      level: "{{{{ states('input_number.{id}_level') | int(0) }}}}"
      temperature: "{{{{ states('input_number.{id}_mireds') | int(370) }}}}"
      availability: "{{{{ {available} }}}}"
      turn_on:
        {delay}
        - action: input_boolean.turn_on
          target: {{entity_id: input_boolean.{id}}}
      turn_off:
        {delay}
        - action: input_boolean.turn_off
          target: {{entity_id: input_boolean.{id}}}
      set_level:
        {delay}
        - action: input_boolean.turn_on
          target: {{entity_id: input_boolean.{id}}}
        - action: input_number.set_value
          target: {{entity_id: input_number.{id}_level}}
          data: {{value: "{{{{ brightness }}}}"}}
      set_temperature:
        {delay}
        - action: input_boolean.turn_on
          target: {{entity_id: input_boolean.{id}}}
        - action: input_number.set_value
          target: {{entity_id: input_number.{id}_mireds}}
          data: {{value: "{{{{ color_temp }}}}"}}
        - if: "{{{{ brightness is defined }}}}"
          then:
            - action: input_number.set_value
              target: {{entity_id: input_number.{id}_level}}
              data: {{value: "{{{{ brightness }}}}"}}
"""

_DOOR = """
- lock:
    - name: {name}
      unique_id: {id}
      state: "{{{{ states('input_boolean.{id}') }}}}"
      lock:
        action: input_boolean.turn_on
        target: {{entity_id: input_boolean.{id}}}
      unlock:
        action: input_boolean.turn_off
        target: {{entity_id: input_boolean.{id}}}
"""

_PLAYER = """
- platform: universal
  name: {name}
  unique_id: {id}
  device_class: {kind}
  state_template: >-
    {{{{ 'playing' if is_state('input_boolean.{id}', 'on') else 'off' }}}}
  attributes:
    volume_level: input_number.{id}_volume
  commands:
    turn_on:
      action: input_boolean.turn_on
      target: {{entity_id: input_boolean.{id}}}
    turn_off:
      action: input_boolean.turn_off
      target: {{entity_id: input_boolean.{id}}}
    volume_set:
      action: input_number.set_value
      target: {{entity_id: input_number.{id}_volume}}
      data: {{value: "{{{{ volume_level }}}}"}}
"""


def configuration(*, television: bool = True) -> str:
    """Return the home's configuration.yaml; without a `television` it has an app."""
    players = [p for p in PLAYERS if television or p[0] != "study_tv"]
    door, name, _ = DOOR
    return "\n".join(
        [
            HOME_YAML.replace("demo:\n", ""),
            _MORE,
            "input_boolean:",
            *(f"  {lamp.id}: {{name: {lamp.name} relay}}" for lamp in LAMPS),
            *(
                f"  {id_}: {{name: {name} relay, initial: true}}"
                for id_, name, *_ in PLAYERS
            ),
            f"  {door}: {{name: {name} bolt, initial: true}}",
            "input_number:",
            *_numbers(),
            "template:",
            *(_lamp(lamp) for lamp in LAMPS),
            _DOOR.format(id=door, name=name),
            "media_player:",
            *(
                _PLAYER.format(id=id_, name=name, kind=kind)
                for id_, name, _, kind in players
            ),
        ]
    )


def _numbers() -> Iterator[str]:
    level, mireds = "min: 0, max: 255, initial: 255", "min: 100, max: 600, initial: 250"
    for lamp in LAMPS:
        yield f"  {lamp.id}_level: {{name: {lamp.name} level, {level}}}"
        yield f"  {lamp.id}_mireds: {{name: {lamp.name} color, {mireds}}}"
    volume = "min: 0, max: 1, step: 0.01, initial: 0.6"
    for id_, name, *_ in PLAYERS:
        yield f"  {id_}_volume: {{name: {name} volume, {volume}}}"


def _lamp(lamp: Lamp) -> str:
    delay = f"- delay: '{lamp.delay}'" if lamp.delay else ""
    if lamp.fails:
        delay = "- stop: the lamp's radio does not answer\n          error: true"
    text = _LAMP.format(
        id=lamp.id,
        name=lamp.name,
        available="true" if lamp.available else "false",
        delay=delay,
    )
    return "\n".join(line for line in text.splitlines() if line.strip())


def furnish(hass: HassServer) -> dict[str, str]:
    """Put the devices into their areas and expose them to Assist.

    Returns:
        Unique id to entity id.
    """
    with hass.websocket() as socket:
        # Home Assistant makes some areas of its own at the first start.
        areas = _areas(socket)
        for name in AREAS:
            if name.casefold() not in areas:
                socket.call("config/area_registry/create", name=name)
        areas = _areas(socket)
        entities = {
            entry["unique_id"]: entry["entity_id"]
            for entry in socket.call("config/entity_registry/list")
            if entry["platform"] in ("template", "universal")
        }
        rooms = {lamp.id: lamp.area for lamp in LAMPS}
        rooms |= {id_: area for id_, _, area, _ in PLAYERS if id_ in entities}
        rooms[DOOR[0]] = DOOR[2]
        for unique_id, room in rooms.items():
            socket.call(
                "config/entity_registry/update",
                entity_id=entities[unique_id],
                area_id=areas[room.casefold()],
            )
        socket.call(
            "homeassistant/expose_entity",
            assistants=["conversation"],
            entity_ids=[entities[unique_id] for unique_id in rooms],
            should_expose=True,
        )
    return {unique_id: entities[unique_id] for unique_id in rooms}


def _areas(socket: HassWebsocket) -> dict[str, str]:
    """Return the areas' ids by their names in lower case."""
    areas = socket.call("config/area_registry/list")
    return {area["name"].casefold(): area["area_id"] for area in areas}
