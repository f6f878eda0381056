"""Figures inside a page."""

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airtcp.plots.style import svg_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BEFORE_SVG = re.compile(r"^.*?(?=<svg[\s>])", re.DOTALL)
_METADATA = re.compile(r"<metadata>.*?</metadata>", re.DOTALL)
# What the name of a part follows, where it is given and where it is used.
_NAMED = (' id="', 'href="#', "url(#")
_STYLE = re.compile(r'(<style type="text/css">)\s*\*')


@dataclass(frozen=True)
class PageFigure:
    """A figure: what it shows, and its SVG, which is trusted and not escaped."""

    title: str
    svg: str


def page_figure(title: str, figure: "Figure") -> PageFigure:
    """A figure of matplotlib, which holds no date, so that equal data makes equal pages."""
    return PageFigure(title, svg_text(figure))


def inline_svg(svg: str, number: int) -> str:
    """The SVG as part of a page: without prolog and metadata, its names and its style its own."""
    text = _METADATA.sub("", _BEFORE_SVG.sub("", svg, count=1))
    # No pattern of all: it would be tried at every letter of some megabytes.
    for before in _NAMED:
        text = text.replace(before, f"{before}f{number}-")
    return _STYLE.sub(rf"\1#figure-{number} *", text).replace("<svg ", f'<svg id="figure-{number}" ', 1)
