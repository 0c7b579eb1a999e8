"""The safeguards, and how each is taken away: one list a part of the core."""

from . import gate, house, people, phone, record, root, trust
from .kinds import CORE, Mutation

MUTATIONS: tuple[Mutation, ...] = (
    *gate.MUTATIONS,
    *root.MUTATIONS,
    *record.MUTATIONS,
    *trust.MUTATIONS,
    *phone.MUTATIONS,
    *people.MUTATIONS,
    *house.MUTATIONS,
)

__all__ = ("CORE", "MUTATIONS", "Mutation")
