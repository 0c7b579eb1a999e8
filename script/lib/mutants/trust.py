"""The bus and enrolment: whom to believe, over a broker that nobody need trust."""

from .kinds import instead, never, without

_INBOUND = "bus/inbound.py"
_RULES = "core/test_inbound.py"
_PAIRING = "core/test_pairing.py"

MUTATIONS = (
    instead(
        "signatures",
        "keys.py",
        "        except InvalidSignature:\n            return False\n",
        "        except InvalidSignature:\n            return True\n",
        "core/test_gate_failures.py",
    ),
    never(
        "signatures on the bus",
        "bus/envelope.py",
        "not key.verifies(data, signature)",
        _RULES,
    ),
    never("nothing retained is obeyed", _INBOUND, "live and retained", _RULES),
    never(
        "a message of whom the topic names", _INBOUND, "event.node != sender", _RULES
    ),
    never(
        "an agent of its own node",
        _INBOUND,
        "self._owner(message.sender) not in (None, sender)",
        _RULES,
    ),
    instead(
        "a frame of whom the topic names",
        _INBOUND,
        'if frame.get("node") == sender:',
        "if True:",
        _RULES,
    ),
    never(
        "a duplicate is known",
        _INBOUND,
        "(known := memory.digests.get(message.id)) is not None",
        _RULES,
    ),
    never(
        "nothing older is obeyed", _INBOUND, "event.position <= memory.floor", _RULES
    ),
    never(
        "nothing late is obeyed",
        _INBOUND,
        "message.expires_at and now > message.expires_at + SKEW",
        _RULES,
    ),
    without(
        "a new key is named by the old one",
        "keys.py",
        " and trusted.verifies(data, signature)",
        _PAIRING,
    ),
    never(
        "a code proves that it was seen",
        "pairing.py",
        "not hmac.compare_digest(proof, expected)",
        _PAIRING,
    ),
    never(
        "nobody is answered with his own words",
        "pairing.py",
        'said.get("side") != side',
        _PAIRING,
    ),
    never(
        "a companion has the key that it names",
        "pairing.py",
        "not key.verifies(self.code.topic.encode(), signature)",
        _PAIRING,
    ),
    never("few tries", "pairing.py", "self.wrong >= TRIES", _PAIRING),
    instead(
        "ten minutes",
        "pairing.py",
        'return "expired" if now - self.since >= LIFE else None',
        "return None",
        _PAIRING,
    ),
    never("a code is good once", "pairing.py", "self.over", _PAIRING),
    never(
        "the hub that the code names",
        "pairing.py",
        "not code.hub.verifies(_agreed(code, key.public.text), signature)",
        _PAIRING,
    ),
    never(
        "the companion that was accepted",
        "pairing.py",
        'said.get("key") != key.public.text',
        _PAIRING,
    ),
)
