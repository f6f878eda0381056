"""A search for scenarios that change when they are watched."""
