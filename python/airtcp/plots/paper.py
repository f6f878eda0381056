"""How a figure stands on paper: width, font, caption. What is drawn within `on_paper` has it."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

# Inches. IEEE: "Preparation of papers", 2020; ACM: acmart.cls (sigconf, \columnwidth and \textwidth); LNCS:
# llncs.cls, \textwidth of 122 mm; Elsevier: artwork sizing, 90 mm and 190 mm.
WIDTHS_IN = {
    "ieee-column": 3.5,
    "ieee-page": 7.16,
    "acm-column": 3.33,
    "acm-page": 7.0,
    "lncs": 4.8,
    "elsevier-column": 3.54,
    "elsevier-page": 7.48,
}
_IN_INCHES = {"in": 1.0, "mm": 1 / 25.4, "cm": 1 / 2.54, "pt": 1 / 72.27}
# A figure narrower than this has no room for a legend beside it.
NARROW_IN = 5.0
FONT_SIZE = 9.0
# STIX is Times in width and look, and is part of matplotlib: the same on every machine.
FONTS: dict[str, dict[Any, Any]] = {
    "sans": {"font.family": "sans-serif"},
    "serif": {"font.family": "STIXGeneral", "mathtext.fontset": "stix"},
}
WIDTH_LEAST_IN, WIDTH_MOST_IN = 1.5, 40.0


@dataclass(frozen=True)
class Paper:
    """Width in inches (`None`: the figure's own), size of text in points, font, and the caption or not."""

    width_in: float | None = None
    font_size: float = FONT_SIZE
    font: str = "sans"
    caption: bool = True


_USUAL = Paper()
_PAPER: ContextVar[Paper] = ContextVar("paper", default=_USUAL)


def paper() -> Paper:
    """That on which is drawn now."""
    return _PAPER.get()


@contextmanager
def on_paper(chosen: Paper) -> Iterator[None]:
    """Draws on this paper."""
    token = _PAPER.set(chosen)
    try:
        yield
    finally:
        _PAPER.reset(token)


def points(size: float) -> float:
    """A size of text for text of the usual `FONT_SIZE`, at the paper's."""
    return size * paper().font_size / FONT_SIZE


def is_narrow() -> bool:
    """Whether legends go above."""
    width_in = paper().width_in
    return width_in is not None and width_in < NARROW_IN


def read_width(text: str) -> float:
    """Inches of a width: a name of `WIDTHS_IN`, or a length such as `88 mm`; else a `ValueError`."""
    if text in WIDTHS_IN:
        return WIDTHS_IN[text]
    match = re.fullmatch(r"\s*([\d.]+)\s*(in|mm|cm|pt)\s*", text)
    known = f'known: {", ".join(WIDTHS_IN)}, and lengths such as "88 mm" or "3.5 in"'
    if match is None:
        raise ValueError(f'there is no width "{text}"; {known}')
    width_in = float(match[1]) * _IN_INCHES[match[2]]
    if not WIDTH_LEAST_IN <= width_in <= WIDTH_MOST_IN:
        limits = f"{WIDTH_LEAST_IN:g} to {WIDTH_MOST_IN:g} in"
        raise ValueError(f'"{text}" is not a width for a figure; possible: {limits}')
    return width_in
