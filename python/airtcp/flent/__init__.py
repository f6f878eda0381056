"""Tests of Flent, unmodified, between nodes of a scenario, on virtual time."""
