"""Measurements of real networks: the scenario's traffic on real machines, and run folders of the same form."""
