"""Measurements of other programs as measured runs: a folder of files, and what each of them is."""
