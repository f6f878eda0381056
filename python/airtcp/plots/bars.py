"""Grouped bars with whiskers, which say what they are."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from airtcp.plots.paper import points
from airtcp.plots.style import Look, area_style, in_style, new_figure, set_caption, set_panel_title
from airtcp.quantities.doubt import caption_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Height of a figure with one panel, and what each more takes.
FIRST_PANEL_IN = 3.6
MORE_PANEL_IN = 2.6
# Letters of the ticks' size in an inch, and the share of a figure's width that its axis has.
LETTERS_PER_INCH = 14
AXIS_SHARE = 0.85
# Letters of a legend in an inch, in the style's size, and the room that an entry's sample takes, in letters.
LEGEND_LETTERS_PER_INCH = 16
LEGEND_HANDLE_LETTERS = 9


class Whiskers(Enum):
    """What the ends of a bar's whiskers are; the value is the text in captions."""

    NONE = ""
    EXTREMES = "least and most"
    CONFIDENCE_95 = "95 % confidence interval of the mean"
    DEVIATION = "one standard deviation to each side"


@dataclass(frozen=True)
class ErrorBars:
    """What the whiskers of a chart are, over what (`bins of 1 s`, `10 seeds`), and how they were computed."""

    whiskers: Whiskers
    over: str = ""
    method: str = ""

    def text(self) -> str:
        """The sentence under the chart."""
        over = f" of {self.over}" if self.over else ""
        method = f" ({self.method})" if self.method else ""
        if self.whiskers is Whiskers.NONE:
            return f"Bars: mean{over}."
        if self.whiskers is Whiskers.CONFIDENCE_95:
            return f"Bars: mean{over}; whiskers: {self.whiskers.value}{method}."
        return f"Bars: mean; whiskers: {self.whiskers.value}{over}{method}."


@dataclass(frozen=True)
class Bar:
    """A value with the ends of its whiskers; a `note` is set over the bar (`DOUBT_MARK`: a doubtful run).

    `below` and `above`: the whisker reaches further than the value can, and ends there with an arrow.
    """

    mean: float
    least: float
    most: float
    note: str = ""
    below: bool = False
    above: bool = False

    def within(self, least: float, most: float) -> "Bar":
        """The bar with whiskers that end where a value can be, as far as the mean itself is there."""
        low, high = min(self.mean, max(self.least, least)), max(self.mean, min(self.most, most))
        return replace(self, least=low, most=high, below=low > self.least, above=high < self.most)


@dataclass(frozen=True)
class BarSeries:
    """The bars of one series, by group; `None` where there is no value. `look`: its number, if other figures
    give it one.
    """

    label: str
    bars: tuple[Bar | None, ...]
    look: int | None = None


@dataclass(frozen=True)
class BarChart:
    """Everything a grouped bar chart shows; its caption says what its whiskers and marks are.

    `title`: of what it is, beside other charts of the same value; `group_label`: what the groups are.
    """

    caption: str
    value_label: str
    groups: tuple[str, ...]
    series: tuple[BarSeries, ...]
    error_bars: ErrorBars
    title: str = ""
    group_label: str = ""


def prepare_bars(
    groups: Sequence[str],
    series: Mapping[str, Mapping[str, Bar]],
    caption: str,
    value_label: str,
    error_bars: ErrorBars,
) -> BarChart:
    """A chart of `series[label][group]`, in the order given; an inconsistent bar is a `ValueError`."""
    for label, bars in series.items():
        for group, bar in bars.items():
            if group not in groups:
                raise ValueError(f"{label} has a bar for {group}, which is not a group")
            _check(bar, f"{label}, {group}", error_bars.whiskers)
    made = tuple(
        BarSeries(label, tuple(bars.get(group) for group in groups)) for label, bars in series.items()
    )
    every = [bar for bars in series.values() for bar in bars.values()]
    text = caption_of(f"{caption} {error_bars.text()}{arrows_text(every)}", (bar.note for bar in every))
    return BarChart(text, value_label, tuple(groups), made, error_bars)


def arrows_text(bars: Iterable[Bar]) -> str:
    """What the arrows at whiskers say, if there are any."""
    cut = any(bar.below or bar.above for bar in bars)
    return "\nArrows: the whisker would reach beyond what the value can be." if cut else ""


def _check(bar: Bar, place: str, whiskers: Whiskers) -> None:
    numbers = (bar.least, bar.mean, bar.most)
    if not bar.least <= bar.mean <= bar.most or not all(map(math.isfinite, numbers)):
        raise ValueError(f"{place}: {bar.least}, {bar.mean}, {bar.most} are not in order")
    below, above = bar.mean - bar.least, bar.most - bar.mean
    if whiskers is Whiskers.NONE and (below or above):
        raise ValueError(f"{place}: has whiskers, and the chart has none")
    # A bootstrap's interval may be skew, a standard deviation not.
    clipped = bar.below or bar.above
    if (
        whiskers is Whiskers.DEVIATION
        and not clipped
        and not math.isclose(below, above, rel_tol=1e-6, abs_tol=1e-12)
    ):
        raise ValueError(f"{place}: whiskers of {below} and {above} are no standard deviation")


@in_style
def draw_bars(*charts: BarChart) -> "Figure":
    """Draws charts of the same groups and series under each other; the captions stand under them."""
    figure = new_figure(7.2, FIRST_PANEL_IN + MORE_PANEL_IN * (len(charts) - 1))
    every = figure.subplots(len(charts), 1, squeeze=False)[:, 0]
    for axes, chart in zip(every, charts, strict=True):
        _draw_panel(axes, chart)
    share_axes(list(every), [chart.value_label for chart in charts], [chart.groups for chart in charts])
    place_legend(figure, every[0], [series.label for series in charts[0].series])
    set_caption(figure, *(chart.caption for chart in charts))
    return figure


def _draw_panel(axes: "Axes", chart: BarChart) -> None:
    width = 0.8 / max(1, len(chart.series))
    for number, series in enumerate(chart.series):
        offset = (number - (len(chart.series) - 1) / 2) * width
        drawn = [(i, bar) for i, bar in enumerate(series.bars) if bar is not None]
        places = [i + offset for i, _ in drawn]
        colour, hatch = area_style(number if series.look is None else series.look)
        means = [bar.mean for _, bar in drawn]
        look: Look = {"color": colour, "hatch": hatch, "edgecolor": "black", "linewidth": 0.5}
        axes.bar(places, means, width * 0.92, label=series.label, **look)
        _draw_whiskers(axes, places, [bar for _, bar in drawn], chart.error_bars.whiskers)
    set_groups(axes, chart.groups)
    axes.set_xlabel(chart.group_label)
    axes.set_ylabel(chart.value_label)
    set_panel_title(axes, chart.title)
    axes.margins(y=0.08)
    start_at_zero(axes, [bar for series in chart.series for bar in series.bars if bar is not None])


def share_axes(every: Sequence["Axes"], values: Sequence[str], groups: Sequence[object]) -> None:
    """Panels of one value have one scale; where all have the same groups, only the lowest names them."""
    for axes, value in zip(every, values, strict=True):
        first = every[values.index(value)]
        if axes is not first:
            (low, high), (own_low, own_high) = first.get_ylim(), axes.get_ylim()
            axes.sharey(first)
            first.set_ylim(min(low, own_low), max(high, own_high))
    if all(own == groups[0] for own in groups):
        for axes in every[:-1]:
            axes.tick_params(labelbottom=False)
            axes.set_xlabel("")


def set_groups(axes: "Axes", groups: Sequence[str]) -> None:
    """Names groups at 0, 1, ... on the x axis: upright where there is room for them, else slanted."""
    turned: Look = {"rotation": 35, "ha": "right", "rotation_mode": "anchor"}
    figure = axes.get_figure(root=True)
    width_in = figure.get_figwidth() if figure is not None else 0.0
    # Of the width some goes to the axis of values; names are not to touch.
    letters = width_in * AXIS_SHARE * LETTERS_PER_INCH / max(1, len(groups)) - 1
    broken = [_broken(group, letters) for group in groups]
    upright = all(len(line) <= letters for name in broken for line in name.split("\n"))
    axes.set_xticks(range(len(groups)), broken if upright else groups, **({} if upright else turned))
    axes.set_xlim(-0.6, len(groups) - 0.4)


def _broken(name: str, letters: float) -> str:
    """A name that is too long on two lines, if it has words."""
    if len(name) <= letters or " " not in name:
        return name
    spaces = [at for at, letter in enumerate(name) if letter == " "]
    middle = min(spaces, key=lambda at: abs(2 * at - len(name)))
    return f"{name[:middle]}\n{name[middle + 1 :]}"


def place_legend(figure: "Figure", axes: "Axes", labels: Sequence[str]) -> None:
    """A legend of an axis above the figure, in as many columns as there is room for; none of one nameless
    thing.
    """
    if any(labels):
        columns = _legend_columns(labels, figure.get_figwidth())
        handles = axes.get_legend_handles_labels()
        figure.legend(*handles, loc="outside upper right", ncols=columns, frameon=False, fontsize=points(9))


def _legend_columns(labels: Sequence[str], width_in: float) -> int:
    """As many columns, four at most, as a figure of this width has room for."""
    widest = max(map(len, labels)) + LEGEND_HANDLE_LETTERS
    return max(1, min(4, len(labels), int(width_in * LEGEND_LETTERS_PER_INCH / widest)))


def start_at_zero(axes: "Axes", every: Sequence[Bar]) -> None:
    """The axis of values begins at 0; if values are below, a line is there."""
    if all(bar.least >= 0 for bar in every):
        axes.set_ylim(bottom=0)
    else:
        axes.axhline(0, color="black", linewidth=0.8)


def draw_arrows(axes: "Axes", places: Sequence[float], bars: Sequence[Bar], colour: str) -> None:
    """At the ends of whiskers that reach further than the value can."""
    look: Look = {"linestyle": "none", "markersize": 4, "color": colour, "clip_on": False, "zorder": 5}
    for place, bar in zip(places, bars, strict=True):
        if bar.below:
            axes.plot(place, bar.least, marker="v", **look)
        if bar.above:
            axes.plot(place, bar.most, marker="^", **look)


def _draw_whiskers(axes: "Axes", places: Sequence[float], bars: Sequence[Bar], whiskers: Whiskers) -> None:
    if whiskers is not Whiskers.NONE:
        means = [bar.mean for bar in bars]
        errors = [[bar.mean - bar.least for bar in bars], [bar.most - bar.mean for bar in bars]]
        axes.errorbar(places, means, errors, fmt="none", ecolor="black", elinewidth=0.8, capsize=2)
        draw_arrows(axes, places, bars, "black")
    for place, bar in zip(places, bars, strict=True):
        if bar.note:
            axes.annotate(bar.note, (place, bar.most), (0, 2), textcoords="offset points", ha="center")
