"""What the edges in Home Assistant may construct and call."""

from tests.support.source_code import INTEGRATION, called, mentioned, modules, passed

EDGES = {
    name: tree
    for name, tree in modules(INTEGRATION).items()
    if not name.startswith("core/")
}


def test_no_edge_gets_past_the_gate() -> None:
    assert EDGES
    for name, tree in EDGES.items():
        assert "Permit" not in called(tree), name
        assert "act" not in called(tree), name
        assert "_SEAL" not in mentioned(tree), name
        assert "EXECUTE" not in passed(tree), name
