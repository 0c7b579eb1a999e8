"""The recipes that the hub has sent to this phone."""

from collections.abc import Iterator
from dataclasses import dataclass

from hearthnet.core.operations import Operation
from hearthnet.core.phone.capabilities import Capability
from hearthnet.core.phone.part import RecipeError
from hearthnet.core.phone.recipe import Recipe, device_id, digest


@dataclass(frozen=True)
class Entry:
    """A recipe and the digest that leases name it by."""

    recipe: Recipe
    digest: str


class Shelf:
    """Keeps one recipe for each appliance; operations have one recipe each."""

    def __init__(self, node: str) -> None:
        """Start empty; `node` is the name of the phone's node."""
        self.operations: dict[str, Operation] = {}
        """The operations table of this node. Always the same object."""
        self._node = node
        self._entries: dict[str, Entry] = {}
        self._by_operation: dict[str, Entry] = {}

    def put(self, compiled: bytes) -> str:
        """Take in a compiled recipe, in place of its appliance's present one.

        Returns:
            The appliance's device id.

        Raises:
            RecipeError: it is no recipe, or another one has an operation of its.
        """
        entry = Entry(Recipe.load(compiled), digest(compiled))
        target = device_id(self._node, entry.recipe.device)
        for name in entry.recipe.capabilities:
            other = self._by_operation.get(name)
            if other and other.recipe.device != entry.recipe.device:
                text = f"{name} belongs to {other.recipe.device} already"
                raise RecipeError(("capabilities", name), text)
        self.remove(target)
        self._entries[target] = entry
        for name, operation in entry.recipe.operations().items():
            self.operations[name] = operation
            self._by_operation[name] = entry
        return target

    def remove(self, target: str) -> None:
        """Forget an appliance, if it is known."""
        if entry := self._entries.pop(target, None):
            for name in entry.recipe.capabilities:
                del self.operations[name], self._by_operation[name]

    def digest_of(self, operation: str) -> str | None:
        """Return the digest of the recipe that an operation would run."""
        entry = self._by_operation.get(operation)
        return entry.digest if entry else None

    def capability(
        self, target: str, operation: str
    ) -> tuple[Entry, Capability] | None:
        """Return what an operation runs on an appliance, None if it has it not."""
        entry = self._entries.get(target)
        capability = entry and entry.recipe.capabilities.get(operation)
        return (entry, capability) if entry and capability else None

    def entry(self, target: str) -> Entry | None:
        """Return an appliance's recipe."""
        return self._entries.get(target)

    def __iter__(self) -> Iterator[tuple[str, Entry]]:
        yield from tuple(self._entries.items())
