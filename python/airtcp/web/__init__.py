"""Pages that live, on loopback: the runs of a store, and a running session."""
