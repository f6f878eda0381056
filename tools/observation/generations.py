"""Stations of other generations, for random scenarios.

They have a chance of their own and come to a scenario when it is drawn, so that the scenarios of `make
unchanged` stay what they are.
"""

from random import Random

from observation.scenarios import Tables, if_legal

STANDARDS = ("11b", "11g", "11a", "11n", "11ac", "11ax", "11be")
WIDTHS = ("20 MHz", "40 MHz", "80 MHz")


def with_generations(seed: int, tables: Tables) -> Tables:
    """The scenario of a seed in which some stations have a standard, or a width, of their own."""
    dice = Random(f"generations of {seed}")
    for name, cell in tables["wifi"].items():
        for node in _stations(cell):
            if dice.random() < 0.4:
                own = {"standard": dice.choice(STANDARDS)}
                tables = if_legal(tables, {"wifi": {name: {"radio": {node: own}}}})
            if dice.random() < 0.1:
                own = {"width": dice.choice(WIDTHS)}
                tables = if_legal(tables, {"wifi": {name: {"radio": {node: own}}}})
        if dice.random() < 0.2:
            protection = {"ht_protection": dice.choice(["cts_to_self", "rts_cts"])}
            tables = if_legal(tables, {"wifi": {name: protection}})
    return tables


def _stations(cell: Tables) -> list[str]:
    stations = cell["stations"]
    return [f"sta{number + 1}" for number in range(stations)] if isinstance(stations, int) else stations
