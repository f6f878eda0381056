"""Formats of other programs: one reader each, for measurements, traces and what is measured live."""
