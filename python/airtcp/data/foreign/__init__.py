"""Measurements of other programs, as tidy frames: one file per format."""
