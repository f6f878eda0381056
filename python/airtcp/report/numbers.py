"""Numbers as tables show them."""

import math

from airtcp.metrics.survival import Estimate


def number(value: float | None, digits: int = 2) -> str:
    """A number for a table; a dash where there is none."""
    return "-" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def estimate(value: Estimate, scale: float = 1.0) -> str:
    """An estimate for a table; with ">" where only a lower bound is known."""
    return f"{'> ' if value.at_least else ''}{number(value.value * scale)}"
