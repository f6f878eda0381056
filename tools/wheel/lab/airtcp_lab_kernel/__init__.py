"""Holds `kernels/6.12-lab`, which airtcp finds by the entry point of this package; nothing is imported."""
