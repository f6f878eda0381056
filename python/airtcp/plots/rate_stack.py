"""Rates of flows on top of each other: what each has of the whole, as flows come and go."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airtcp.plots.stack import check_stack, draw_stack, draw_stack_legend
from airtcp.plots.style import in_style, new_figure, set_caption
from airtcp.quantities.doubt import caption_of
from airtcp.quantities.registry import QUANTITIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class RateLayer:
    """The mean rates of one flow in the bins of the chart, in Mbit/s (10^6)."""

    label: str
    rates_mbps: tuple[float, ...]


@dataclass(frozen=True)
class RateStack:
    """Layers from the bottom up, over bins between the edges."""

    caption: str
    edges_s: tuple[float, ...]
    layers: tuple[RateLayer, ...]

    @property
    def total_mbps(self) -> tuple[float, ...]:
        """The height of the stack in each bin."""
        return tuple(sum(rates) for rates in zip(*(layer.rates_mbps for layer in self.layers), strict=True))


def prepare_rate_stack(edges_s: Sequence[float], layers: Sequence[RateLayer], caption: str) -> RateStack:
    """A chart of these layers; rates that are missing, below 0 or too few are a `ValueError`."""
    check_stack(edges_s, [layer.label for layer in layers], [layer.rates_mbps for layer in layers])
    return RateStack(caption_of(caption, (layer.label for layer in layers)), tuple(edges_s), tuple(layers))


@in_style
def draw_rate_stack(chart: RateStack) -> "Figure":
    """Draws the layers, the first at the bottom; the caption stands under them."""
    figure = new_figure(7.2, 3.6)
    axes = figure.subplots()
    draw_stack(
        axes,
        chart.edges_s,
        [layer.label for layer in chart.layers],
        [layer.rates_mbps for layer in chart.layers],
    )
    draw_stack_legend(axes)
    axes.set_xlim(chart.edges_s[0], chart.edges_s[-1])
    axes.set_xlabel("Time [s]")
    axes.set_ylabel(QUANTITIES["throughput"].label_with_unit)
    set_caption(figure, chart.caption)
    return figure
