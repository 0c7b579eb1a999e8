"""The form that asks where the broker is."""

from collections.abc import Mapping
import os
from typing import Any

from homeassistant.const import CONF_HOST, CONF_PASSWORD, CONF_PORT, CONF_USERNAME
from homeassistant.helpers.selector import (
    BooleanSelector,
    NumberSelector,
    NumberSelectorConfig,
    NumberSelectorMode,
    SelectSelector,
    SelectSelectorConfig,
    SelectSelectorMode,
    TextSelector,
    TextSelectorConfig,
    TextSelectorType,
)
import voluptuous as vol

from ..checks import Trouble
from ..companions import async_try_broker
from ..const import CONF_TRANSPORT, TRANSPORTS
from ..core.bus.broker import Broker

CONF_TLS = "tls"
CONF_CA = "ca"
PREFIX = "prefix"

TRANSPORT: dict[vol.Marker, Any] = {
    vol.Required(CONF_TRANSPORT, default="none"): SelectSelector(
        SelectSelectorConfig(
            options=list(TRANSPORTS),
            translation_key=CONF_TRANSPORT,
            mode=SelectSelectorMode.DROPDOWN,
        )
    )
}
BROKER: dict[vol.Marker, Any] = {
    vol.Required(CONF_HOST): TextSelector(),
    vol.Required(CONF_PORT, default=1883): NumberSelector(
        NumberSelectorConfig(min=1, max=65535, mode=NumberSelectorMode.BOX)
    ),
    vol.Optional(CONF_USERNAME): TextSelector(),
    vol.Optional(CONF_PASSWORD): TextSelector(
        TextSelectorConfig(type=TextSelectorType.PASSWORD)
    ),
    vol.Required(CONF_TLS, default=False): BooleanSelector(),
    vol.Optional(CONF_CA): TextSelector(TextSelectorConfig(multiline=True)),
    vol.Optional(PREFIX): TextSelector(),
}


def shown(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a form starts with."""
    names = map(str, BROKER)
    return {name: known[name] for name in names if known.get(name) is not None}


async def async_check_broker(
    given: Mapping[str, Any], prefix: str | None
) -> Broker | Trouble:
    """Return the broker that a form names, or why it cannot be used.

    Without a `prefix`, given or known, one is drawn: two homes may share a broker.
    """
    prefix = given.get(PREFIX) or prefix or f"hearthnet/{os.urandom(4).hex()}"
    try:
        broker = Broker.from_dict({**given, PREFIX: prefix})
        problem = await async_try_broker(broker)
    except ValueError as error:  # a certificate that is none
        problem = str(error)
    if problem is None:
        return broker
    return Trouble(
        key="broker_unreachable",
        placeholders={
            "error": problem,
            "address": f"{given[CONF_HOST]}:{given[CONF_PORT]:.0f}",
        },
    )
