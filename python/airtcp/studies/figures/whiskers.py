"""A value with the ends that a figure asks for."""

from collections.abc import Sequence

from airtcp.metrics.summary import EQUAL
from airtcp.plots.bars import Bar, ErrorBars, Whiskers
from airtcp.quantities.doubt import DOUBT_MARK
from airtcp.studies.results import Key, Results, Value
from airtcp.studies.study_file import FigureFile, Where

_KINDS = {
    "none": Whiskers.NONE,
    "interval": Whiskers.CONFIDENCE_95,
    "extremes": Whiskers.EXTREMES,
    "deviation": Whiskers.DEVIATION,
}

Bars = dict[Key, Bar]


def with_whiskers(
    results: Results, figure: FigureFile, metric: str, where: Where, keep: list[str]
) -> tuple[Bars, ErrorBars]:
    """A metric by the levels of `keep`, and what the ends of its values are; unknown values are left out."""

    def of(name: str) -> dict[Key, Value]:
        return results.values(figure.part, name, where, keep) if name else {}

    values = {key: value for key, value in of(metric).items() if value.summary.count}
    least, most, deviation = of(figure.least), of(figure.most), of(figure.deviation)
    bars: Bars = {}
    for key, value in values.items():
        low = high = value.mean
        # A bound has no interval.
        known = value.summary.error_bars is not None and not value.at_least
        if figure.whiskers == "interval" and known and value.summary.error_bars is not None:
            below, above = value.summary.error_bars
            low, high = value.mean - below, value.mean + above
        elif figure.whiskers == "extremes":
            low, high = least[key].summary.min, most[key].summary.max
        elif figure.whiskers == "deviation" and deviation[key].summary.count:
            low, high = value.mean - deviation[key].mean, value.mean + deviation[key].mean
        note = doubt_note(value)
        whole = Bar(value.mean, min(low, value.mean), max(high, value.mean), note)
        bars[key] = whole.within(*results.number(metric).range)
    return bars, _said(results, figure, list(values.values()))


def doubt_note(value: Value) -> str:
    """What is set beside a value: that it is only a bound, and that a run of it is doubtful."""
    return ("≥" if value.at_least else "") + (DOUBT_MARK if value.doubtful else "")


def all_said(each: Sequence[ErrorBars]) -> ErrorBars:
    """What the ends are in all panels of a figure: their methods together."""
    drawn = [one for one in each if one.whiskers is not Whiskers.NONE] or list(each)
    methods = dict.fromkeys(method for one in drawn for method in one.method.split(", ") if method)
    return ErrorBars(drawn[0].whiskers, drawn[0].over, ", ".join(methods))


def _said(results: Results, figure: FigureFile, values: list[Value]) -> ErrorBars:
    kind = _KINDS[figure.whiskers]
    if kind is Whiskers.CONFIDENCE_95:
        methods = {value.summary.method for value in values if value.summary.low is not None}
        if not methods - {EQUAL}:
            return ErrorBars(Whiskers.NONE)
        return ErrorBars(kind, f"{results.seeds} seeds", ", ".join(sorted(methods - {EQUAL})))
    return ErrorBars(kind, figure.over)
