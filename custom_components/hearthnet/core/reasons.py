"""Every outcome and reason code of HearthNet, once.

Entities, translations, pages and tests use these names; nothing else defines
one. The gate's codes are listed in the order in which the gate checks them.
"""

from enum import StrEnum


class Outcome(StrEnum):
    """What became of one action on one device."""

    CHANGED = "changed"
    ALREADY_SO = "already_so"
    RUNNING = "running"
    """Moving toward the goal when the read-back's deadline came (a blind)."""
    PARTIAL = "partial"
    """Some members or attributes reached the goal, others did not."""
    UNREACHABLE = "unreachable"
    FAILED = "failed"
    """The device was told and a read shows that the goal was not met."""
    UNVERIFIED = "unverified"
    """The device reports no state of its own: the command was only sent."""
    UNKNOWN = "unknown"
    """An execute has no receipt: only a read can tell."""
    REFUSED = "refused"
    """HearthNet did not let the action happen; a `Reason` says why."""
    PLANNED = "planned"
    """A dry run: it would be granted as things stand."""
    GRANTED = "granted"
    """A lease was asked for and granted; it has not been used yet."""
    WAITING = "waiting"
    """A person has been asked to confirm."""


DONE = frozenset({Outcome.CHANGED, Outcome.ALREADY_SO})
"""Outcomes that may be told as done: values were read back (invariant 7)."""


class Reason(StrEnum):
    """Why something was refused, denied or dropped."""

    # Checked by the gate, in this order.
    NO_LEASE = "no_lease"
    BAD_SIGNATURE = "bad_signature"
    WRONG_GRANTEE = "wrong_grantee"
    NOT_ASKED = "not_asked"
    FENCED = "fenced"
    REVOKED = "revoked"
    EXPIRED = "expired"
    CONSUMED = "consumed"
    SUPERSEDED = "superseded"
    WRONG_TARGET = "wrong_target"
    WRONG_OPERATION = "wrong_operation"
    OUT_OF_ENVELOPE = "out_of_envelope"
    STALE_POLICY = "stale_policy"
    STALE_STATE = "stale_state"
    UNREACHABLE = "unreachable"

    # Decided by the root before a lease exists.
    OUT_OF_SCOPE = "out_of_scope"
    UNKNOWN_TARGET = "unknown_target"
    UNKNOWN_OPERATION = "unknown_operation"
    BAD_PARAMETER = "bad_parameter"
    UNSUPPORTED = "unsupported"
    """The device has no such operation, or does not take such a value."""
    NO_VALUE = "no_value"
    """There is nothing to change by a difference: it is off, or tells no value."""
    NOT_PERMITTED = "not_permitted"
    """Home Assistant itself does not let the requester control the device."""
    POLICY_DENIED = "policy_denied"
    CONFIRMATION_REQUIRED = "confirmation_required"
    CONFLICT = "conflict"
    """A hold of a stronger or newer source covers a changed attribute."""
    RESERVED = "reserved"
    """Another lease on the target is live and did not end in time."""
    RATE_LIMITED = "rate_limited"
    UNVERIFIABLE_STATE = "unverifiable_state"
    """An earlier execute on the device is unknown: only reads until one succeeds."""

    # Decided before or beside any proposal.
    STARTING = "starting"
    STOPPING = "stopping"
    ACTUATION_DISABLED = "actuation_disabled"
    JOURNAL_UNWRITABLE = "journal_unwritable"
    UNRECORDED = "unrecorded"
    """The librarian has been away too long for an action of this risk."""
    CLOCK_BEHIND = "clock_behind"
    """The wall clock is behind the record: what depends on a time is uncertain."""
    DEADLINE = "deadline"
    UNANSWERED = "unanswered"
    """A person was asked, and nobody answered in time."""
    MANAGER_OFFLINE = "manager_offline"
    NOT_UNDERSTOOD = "not_understood"
    AMBIGUOUS = "ambiguous"
    CHANGED_SINCE = "changed_since"
    """Undo: somebody else has changed it since; left alone."""
    NOTHING_TO_UNDO = "nothing_to_undo"
    NOT_RECORDED = "not_recorded"
    """Nothing is on record of how it was then."""
    NO_WAY_BACK = "no_way_back"
    """No operation gives it the values that it had."""
    NOTHING_PLANNED = "nothing_planned"
    """No plan for later is meant by that."""
    CANCELED = "canceled"
    RESTARTED = "restarted"
    """The hub booted while the intent was open; nothing is re-run."""
    FAULT = "fault"
    """A bug or a broken disk stopped it; the log says more."""
    MALFORMED = "malformed"
    """The message broke its schema and was quarantined."""
    LATER = "later"
    """The request is about a later time, and nothing can be kept until then."""

    # Why a model made no plan. Nothing was touched.
    MODEL_TIMEOUT = "model_timeout"
    MODEL_OVERLOADED = "model_overloaded"
    MODEL_RATE_LIMITED = "model_rate_limited"
    MODEL_UNREACHABLE = "model_unreachable"
    MODEL_REFUSED = "model_refused"
    """The model would not answer."""
    MODEL_TRUNCATED = "model_truncated"
    """The answer was longer than allowed, so that its end is missing."""
    MODEL_UNAUTHORIZED = "model_unauthorized"
    MODEL_UNKNOWN = "model_unknown"
    """The provider does not offer the model, or not any more."""
    MODEL_FAILED = "model_failed"
    """Any other fault of the provider, or an answer that cannot be used."""
    BUDGET_SPENT = "budget_spent"
    """A cap on calls, tokens or seconds was reached."""

    # Met by Darcy on a phone.
    ADB_OFFLINE = "adb_offline"
    ADB_UNAUTHORIZED = "adb_unauthorized"
    """The phone asks its owner whether to allow Darcy's key."""
    ADB_TLS_PORT = "adb_tls_port"
    """The port is that of wireless debugging, which Darcy does not speak."""
    PHONE_TIMEOUT = "phone_timeout"
    APP_NOT_INSTALLED = "app_not_installed"
    APP_VERSION_UNVERIFIED = "app_version_unverified"
    """Outside the versions that the recipe was checked with: it is not driven."""
    APP_SIGNER_MISMATCH = "app_signer_mismatch"
    LAUNCH_FAILED = "launch_failed"
    SCREEN_OFF = "screen_off"
    SCREEN_LOCKED = "screen_locked"
    OWNER_ACTIVE = "owner_active"
    """Somebody uses the phone; Darcy lets go of it."""
    WRONG_FOREGROUND = "wrong_foreground"
    INTERRUPTED = "interrupted"
    """A known dialog stands in front of the app."""
    UI_NOT_IDLE = "ui_not_idle"
    """The screen never stops moving, so it cannot be read."""
    UI_UNREADABLE = "ui_unreadable"
    NODE_NOT_FOUND = "node_not_found"
    AMBIGUOUS_MATCH = "ambiguous_match"
    NODE_DISABLED = "node_disabled"
    NODE_OFF_SCREEN = "node_off_screen"
    NODE_COVERED = "node_covered"
    VALUE_UNMAPPED = "value_unmapped"
    INPUT_REJECTED = "input_rejected"
    POSTCONDITION_FAILED = "postcondition_failed"
    """It was tapped, and the app does not show the goal."""
    RESULT_UNKNOWN = "result_unknown"
    """The link failed during an input: it may have had its effect."""
    RECIPE_MISMATCH = "recipe_mismatch"
    SENSOR_UNAVAILABLE = "sensor_unavailable"


GATE_ORDER: tuple[Reason, ...] = (
    Reason.NO_LEASE,
    Reason.BAD_SIGNATURE,
    Reason.WRONG_GRANTEE,
    Reason.NOT_ASKED,
    Reason.FENCED,
    Reason.REVOKED,
    Reason.EXPIRED,
    Reason.CONSUMED,
    Reason.SUPERSEDED,
    Reason.WRONG_TARGET,
    Reason.WRONG_OPERATION,
    Reason.OUT_OF_ENVELOPE,
    Reason.STALE_POLICY,
    Reason.STALE_STATE,
)
"""The order in which the gate answers: the first failing code is the code."""
