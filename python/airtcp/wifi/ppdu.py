"""Kinds and outcomes of PPDUs: the names of their numbers in records."""

from airtcp.wifi.standard import wifi_table

PPDU_KINDS: tuple[str, ...] = tuple(wifi_table()["ppdu_kinds"])
PPDU_OUTCOMES: tuple[str, ...] = tuple(wifi_table()["ppdu_outcomes"])
