"""Finds the values of a scenario's keys from measured runs, and predicts runs that it has not seen."""
