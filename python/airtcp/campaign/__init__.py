"""Campaigns: thousands of runs of a scenario with varied keys, computed once each, wherever there is room."""
