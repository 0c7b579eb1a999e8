"""Fixtures of the tests inside Home Assistant's harness."""

import pytest

# The harness brings a custom_components of its own, which wins unless ours comes first.
import custom_components.hearthnet  # noqa: F401


@pytest.fixture(autouse=True)
def _custom_integrations(enable_custom_integrations: None) -> None:
    """Let Home Assistant load HearthNet."""
