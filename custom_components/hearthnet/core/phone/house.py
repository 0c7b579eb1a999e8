"""What phones control, as the hub knows it: by recipes, and by what phones tell."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from datetime import datetime

from ..devices import Device, House, Principal, Reading
from ..operations import Operation
from ..paths import device_path
from ..view import View
from .camera import OPERATION, TAKE_PICTURE, camera_id, camera_of
from .recipes import Placed, Recipes


class PhoneHouse:
    """The appliances behind the apps. Implements `House`."""

    def __init__(
        self,
        recipes: Recipes,
        view: View,
        *,
        reachable: Callable[[str], bool],
        seen: Callable[[str, str], Mapping[str, datetime]],
        cameras: Callable[[], Collection[str]],
        same: Callable[[str], tuple[str, Device | None]],
        at: Callable[[Device], Device],
        may_control: Callable[[Principal, str], bool],
    ) -> None:
        """Take the recipes, and the record with what the apps have shown.

        Args:
            recipes: which appliances there are.
            view: the hub's.
            reachable: tells by node whether its phone answers.
            seen: tells by node and appliance when its app showed which attribute.
            cameras: names the nodes whose phones have a camera that can be asked.
            same: from the entity id of a recipe's `same_as` to the id of its device
                and, where it is one of the house, the device.
            at: returns an appliance in the area where its owner has put it.
            may_control: tells whether Home Assistant lets a principal control what
                has an entity id.
        """
        self.recipes = recipes
        self._view = view
        self._reachable = reachable
        self._seen = seen
        self._cameras = cameras
        self._operations = {**recipes.operations, TAKE_PICTURE: OPERATION}
        self._same = same
        self._at = at
        self._may_control = may_control

    @property
    def operations(self) -> Mapping[str, Operation]:
        """What recipes and cameras add to the table of operations."""
        return self._operations

    def device(self, device_id: str) -> Device | None:
        """Return an appliance."""
        if (placed := self.recipes.by_device.get(device_id)) is not None:
            return self._build(placed)
        node = self._node(device_id)
        return camera_of(node, node) if node else None

    def devices(self) -> Iterable[Device]:
        """Return all appliances, for a recipe is written to be used; and cameras."""
        cameras = (camera_of(node, node) for node in self._cameras())
        return (*map(self._build, self.recipes), *cameras)

    def read(self, device_id: str) -> Reading:
        """Return what the app has shown last, whenever that was."""
        node = self._node(device_id)
        kept = self._view.get(device_path(device_id))
        values = kept.get("values") if isinstance(kept, dict) else None
        placed = self.recipes.by_device.get(device_id)
        return Reading(
            available=node is not None and self._reachable(node),
            values=values if isinstance(values, dict) else {},
            seen=self._seen(placed.node, placed.recipe.device) if placed else None,
        )

    def may_control(self, principal: Principal, device_id: str) -> bool:
        """Tell whether the principal may; also as regards the same appliance."""
        if (device := self.device(device_id)) is None:
            return False
        placed = self.recipes.by_device.get(device_id)
        names = [device.entity_id, placed.recipe.same_as if placed else None]
        return all(self._may_control(principal, name) for name in names if name)

    def _node(self, device_id: str) -> str | None:
        """Return the node that has an appliance or a camera."""
        if (placed := self.recipes.by_device.get(device_id)) is not None:
            return placed.node
        return next((n for n in self._cameras() if camera_id(n) == device_id), None)

    def _build(self, placed: Placed) -> Device:
        recipe, node = placed.recipe, placed.node
        if recipe.same_as is None:
            return self._at(recipe.as_device(node, node, None))
        main, known = self._same(recipe.same_as)
        device = recipe.as_device(node, node, known.key if known else main)
        if known is not None:
            device = replace(
                device, area=known.area, floor=known.floor, labels=known.labels
            )
        return self._at(device)


class JointHouse:
    """Several houses as one: Home Assistant's and the phones'. Implements `House`."""

    def __init__(self, *houses: House) -> None:
        """Take the houses; their devices have different ids."""
        self._houses = houses
        self._operations = {
            name: row for house in houses for name, row in house.operations.items()
        }

    @property
    def operations(self) -> Mapping[str, Operation]:
        """The table of all."""
        return self._operations

    def device(self, device_id: str) -> Device | None:
        """Return a device by id."""
        found = (house.device(device_id) for house in self._houses)
        return next((device for device in found if device is not None), None)

    def devices(self) -> Iterable[Device]:
        """Return the devices of all, in the order of the houses."""
        return tuple(device for house in self._houses for device in house.devices())

    def read(self, device_id: str) -> Reading:
        """Return the live values of a device."""
        return self._of(device_id).read(device_id)

    def may_control(self, principal: Principal, device_id: str) -> bool:
        """Tell whether the principal itself has the right to control the device."""
        return self._of(device_id).may_control(principal, device_id)

    def _of(self, device_id: str) -> House:
        """Return the house of a device; the first one answers for what is gone."""
        there = (h for h in self._houses if h.device(device_id) is not None)
        return next(there, self._houses[0])
