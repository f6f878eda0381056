"""Compares airtcp's air with ns-3: goodput and cost of the same scenes."""
