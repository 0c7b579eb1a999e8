"""The recipes of a home: its phones' appliances and their operations. Hub only."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ..messages import Json
from ..operations import Operation
from ..paths import RECIPES, recipe_path
from ..view import View
from .recipe import Recipe, canonical, device_id, digest


@dataclass(frozen=True)
class Placed:
    """A recipe on the phone that runs it."""

    node: str
    recipe: Recipe
    digest: str

    @property
    def id(self) -> str:
        """The appliance's device id."""
        return device_id(self.node, self.recipe.device)

    @property
    def path(self) -> str:
        """Where the record keeps the recipe."""
        return recipe_path(self.node, self.recipe.device)


@dataclass
class Recipes:
    """All recipes that are good, each once."""

    by_device: dict[str, Placed] = field(default_factory=dict)
    operations: dict[str, Operation] = field(default_factory=dict)
    """What they add to the table of operations."""
    _by_operation: dict[str, Placed] = field(default_factory=dict)

    def digest_of(self, operation: str) -> str | None:
        """Return the digest of the recipe that an operation runs, if it is one's."""
        placed = self._by_operation.get(operation)
        return placed.digest if placed else None

    def asks_vision(self, operation: str) -> bool:
        """Tell whether a model may have to be asked when an operation runs."""
        placed = self._by_operation.get(operation)
        return placed is not None and placed.recipe.capabilities[operation].vision

    def changes(self, view: View) -> Iterator[tuple[str, Json]]:
        """Yield path and value of what the record has otherwise; None: to be gone."""
        wanted = {placed.path: placed.recipe.data() for placed in self}
        for path in view.paths(f"{RECIPES}/"):
            if path not in wanted:
                yield path, None
        for path, data in wanted.items():
            kept = view.get(path)
            if kept is None or canonical(kept) != canonical(data):
                yield path, data

    def __iter__(self) -> Iterator[Placed]:
        return iter(self.by_device.values())

    def put(self, node: str, recipe: Recipe) -> str | None:
        """Take a recipe in, or return why not."""
        placed = Placed(node, recipe, digest(recipe.compiled()))
        if placed.id in self.by_device:
            return f"device: {node} has another recipe for {recipe.device}; rename one"
        for name in recipe.capabilities:
            if (other := self._by_operation.get(name)) is not None:
                return (
                    f"capabilities.{name}: {other.node} has it for "
                    f"{other.recipe.device} already; rename one"
                )
        self.by_device[placed.id] = placed
        for name, operation in recipe.operations().items():
            self.operations[name] = operation
            self._by_operation[name] = placed
        return None
