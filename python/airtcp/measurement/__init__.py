"""Measurements of real networks: a scenario's traffic on real machines, run folders of the same form."""
