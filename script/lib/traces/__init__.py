"""Records the traces that come with the package; see `docs/traces.md`."""
