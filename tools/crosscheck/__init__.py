"""Holds airtcp's air against ns-3: same scenes, goodput and cost beside each other."""
