"""Networks to step into: a session with a running network, its commands, and its way back in time."""
