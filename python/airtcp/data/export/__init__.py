"""Runs as files of other programs."""
