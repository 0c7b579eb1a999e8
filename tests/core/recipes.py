"""The shipped recipes, and the operations of a home that has them."""

from pathlib import Path

from hearthnet.core.domains import OPERATIONS
from hearthnet.core.phone.compile import compile_all

SHIPPED = Path(__file__).parents[2] / "custom_components/hearthnet/recipes"
TV = (SHIPPED / "living_room_tv.yaml").read_text("utf-8")
MUSIC = (SHIPPED / "music_player.yaml").read_text("utf-8")
RECIPES, _ = compile_all({"phone": {"tv.yaml": TV, "music.yaml": MUSIC}})
WITH_RECIPES = {**OPERATIONS, **RECIPES.operations}
