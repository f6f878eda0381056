"""`airtcp plot`: figures of runs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.group_option import Group, asked_groups
from airtcp.cli.option_lists import words
from airtcp.cli.say import say
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airtcp.plots.paper import Paper
    from airtcp.quantities.run_view import RunView
    from airtcp.report.run.crowd import Crowd


DEFAULT_WHAT = ("throughput", "cwnd", "srtt", "backlog")


class Kind(Enum):
    """Kinds of figures."""

    TIME = "time"
    CDF = "cdf"
    STACK = "stack"
    GANTT = "gantt"
    MAP = "map"
    LATENCY = "latency"


Folders = Annotated[
    list[Path], typer.Argument(help="Folder of a run; for cdf and latency also several.", show_default=False)
]
KindOption = Annotated[
    Kind,
    typer.Option(
        help="time: stacked axes on one clock; cdf: distributions; stack: stacked rates of the flows; "
        "gantt: each PPDU on the air; map: the floor plan; "
        "latency: boxes of what each application waits for."
    ),
]
What = Annotated[
    str,
    typer.Option(
        help="Quantities of time and cdf, separated by commas: throughput, cwnd, srtt, rtt, backlog, ...; "
        "`all`: what the run has. Default: throughput,cwnd,srtt,backlog; cdf: rtt.",
        show_default=False,
    ),
]
Start = Annotated[str, typer.Option("--from", help='Begin at this time, as "1.5 s".', show_default=False)]
Stop = Annotated[str, typer.Option("--to", help='End at this time, as "2 s".', show_default=False)]
Flows = Annotated[
    str,
    typer.Option(help="Only these flows: names or patterns (sta*), separated by commas.", show_default=False),
]
Nodes = Annotated[
    str,
    typer.Option(
        help="Only lines of these nodes, and of flows that begin or end there: names or patterns (sta1*), "
        "separated by commas.",
        show_default=False,
    ),
]
Each = Annotated[
    bool,
    typer.Option(
        "--each", help="Small panels on the same axes, one for each flow, or for each group (time)."
    ),
]
Bin = Annotated[
    str,
    typer.Option(
        "--bin",
        help='Rates are means over this time, as "500 ms"; default: by the length.',
        show_default=False,
    ),
]
Log = Annotated[bool, typer.Option("--log", help="Logarithmic axis of values (cdf, latency).")]
Formats = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="Files, of png, svg, pdf, csv (the data). Default: that of --out, else png,svg,csv.",
    ),
]
Width = Annotated[
    str,
    typer.Option(
        help="Width: ieee-column, ieee-page, acm-column, acm-page, lncs, elsevier-column, elsevier-page, "
        'or a length as "88 mm". Default: 7.2 in.',
        show_default=False,
    ),
]
FontSize = Annotated[float, typer.Option("--font-size", min=4, max=20, help="Size of the text in points.")]
Serif = Annotated[bool, typer.Option("--serif", help="A font that goes with Times and LaTeX.")]
Caption = Annotated[bool, typer.Option("--caption/--no-caption", help="The caption inside the figure.")]
Out = Annotated[
    Path | None,
    typer.Option(
        help="File, with one of the suffixes or without. Default: the run's name, here.", show_default=False
    ),
]


# Endings that mean a picture of another format; any other ending is part of the name.
_OTHER_FORMATS = ("jpg", "jpeg", "gif", "webp", "tif", "tiff", "bmp", "eps", "ps", "html")


@dataclass(frozen=True)
class _Request:
    """The parsed options."""

    kind: Kind
    what: tuple[str, ...]
    start_ns: int | None
    stop_ns: int | None
    log: bool
    grouped: bool
    each: bool


def plot(
    run_folders: Folders,
    kind: KindOption = Kind.TIME,
    what: What = "",
    start: Start = "",
    stop: Stop = "",
    flows: Flows = "",
    nodes: Nodes = "",
    group: Group = None,
    each: Each = False,
    bin_length: Bin = "",
    log: Log = False,
    formats: Formats = None,
    width: Width = "",
    font_size: FontSize = 9,
    serif: Serif = False,
    caption: Caption = True,
    out: Out = None,
) -> None:
    """Draw figures of runs: over time, as distributions, per flow, or per PPDU."""
    if words(what) == [Kind.MAP.value]:
        kind, what = Kind.MAP, ""
    options = {name: value for name, value in locals().items() if name != "run_folders"}
    request = _Request(
        kind,
        tuple(words(what)),
        _time(start, "--from"),
        _time(stop, "--to"),
        log,
        bool(group),
        each,
    )
    _check(request, len(run_folders), bin_length)
    out, files = output_files(out, formats)
    bin_ns = _time(bin_length, "--bin")

    from airtcp.report.kept_answer import KeptAnswer

    kept = KeptAnswer(run_folders, options)
    if (there := kept.files()) is not None:
        _say_figures(there)
        return

    from airtcp.data.run_folder import open_run
    from airtcp.plots.paper import on_paper
    from airtcp.plots.style import save_figure
    from airtcp.quantities.run_view import RunView

    groups = asked_groups(group)
    runs = [open_run(folder).with_groups(groups) for folder in run_folders]
    views = [
        RunView(
            run,
            request.start_ns or 0,
            request.stop_ns,
            flows=tuple(words(flows)),
            nodes=tuple(words(nodes)),
            bin_ns=bin_ns,
        )
        for run in runs
    ]
    target = out or Path(_name(views, kind))
    with on_paper(paper_of(width, font_size, serif, caption)):
        figure, data = _draw(views, request)
        target.parent.mkdir(parents=True, exist_ok=True)
        written = save_figure(figure, target, files, data)
    kept.put_files(written)
    _say_figures(written)


def _say_figures(files: Sequence[Path]) -> None:
    for file in files:
        say(f"Figure: {file}")


def paper_of(width: str, font_size: float, serif: bool, caption: bool) -> "Paper":
    """The paper of the options of figures."""
    from airtcp.plots.paper import Paper, read_width

    try:
        width_in = read_width(width) if width else None
    except ValueError as error:
        raise AirtcpError(str(error), "--width") from None
    return Paper(width_in, font_size, "serif" if serif else "sans", caption)


def _draw(views: "Sequence[RunView]", request: _Request) -> "tuple[Figure, str]":
    """The figure and its data."""
    from airtcp.plots.chart_data import chart_csv

    draw, chart = _prepare(views, request)
    return draw(chart), chart_csv(chart)


def _prepare(views: "Sequence[RunView]", request: _Request) -> "tuple[Callable[[Any], Figure], Any]":
    """What draws the chart, and the chart."""
    from airtcp.report.run.crowd import Crowd

    crowd = Crowd(views[0], request.grouped)
    if request.kind is Kind.CDF:
        from airtcp.plots.cdf import draw_cdf
        from airtcp.report.run.cdf import run_cdf

        pinged = all(view.has("pings") and view.run.plan["pings"] for view in views)
        return draw_cdf, run_cdf(views, request.what or ("rtt" if pinged else "srtt",), request.log, crowd)
    if request.kind is Kind.STACK:
        from airtcp.plots.rate_stack import draw_rate_stack
        from airtcp.report.run.stacks import run_stack

        return draw_rate_stack, run_stack(views[0], crowd)
    if request.kind is Kind.GANTT:
        from airtcp.plots.gantt import draw_gantt
        from airtcp.report.run.gantt import run_gantt

        return draw_gantt, run_gantt(views[0], stop_given=request.stop_ns is not None)
    if request.kind is Kind.MAP:
        from airtcp.plots.floor_map import draw_floor_map
        from airtcp.report.run.map import run_map

        return draw_floor_map, run_map(views[0].run)
    if request.kind is Kind.LATENCY:
        return _latency(views, request.log, crowd)
    if request.each:
        from airtcp.plots.small_multiples import draw_small_multiples
        from airtcp.report.run.each import each_chart

        return draw_small_multiples, each_chart(views[0], request.what or ("throughput",), crowd)
    from airtcp.plots.time_series import draw_time_series
    from airtcp.report.run.figure import run_chart

    return draw_time_series, run_chart(views[0], request.what or DEFAULT_WHAT, crowd)


def _latency(
    views: "Sequence[RunView]", logarithmic: bool, crowd: "Crowd"
) -> "tuple[Callable[[Any], Figure], Any]":
    from airtcp.plots.boxes import draw_boxes
    from airtcp.report.run.figure import run_caption
    from airtcp.report.run.latency_boxes import latency_boxes

    runs = [view.run for view in views]
    panel, notes = latency_boxes(views, logarithmic, crowd)
    if not panel.groups:
        remedy = "Add a [[ping]], [[udp]], [[voip]], [[request]], [[web]] or [[video]]"
        raise AirtcpError(
            "has no pings, datagrams or transfers, so there is no latency to draw",
            str(runs[0].folder),
            remedy,
        )
    caption = " ".join([run_caption(views[0]) if len(views) == 1 else f"{len(views)} runs.", *notes])
    return (lambda chart: draw_boxes([chart], caption)), panel


def _check(request: _Request, runs: int, bin_length: str) -> None:
    """Refuses options that would have no effect."""
    kind = request.kind
    if runs > 1 and kind not in (Kind.CDF, Kind.LATENCY):
        remedy = "Draw the runs one by one, or use --kind cdf or latency"
        raise AirtcpError(
            f"{runs} runs do not fit into one figure of this kind", f"--kind {kind.value}", remedy
        )
    if request.what and kind in (Kind.STACK, Kind.GANTT, Kind.MAP, Kind.LATENCY):
        raise AirtcpError(f"--what has no effect on --kind {kind.value}", "--what", "Remove one of the two")
    if request.log and kind not in (Kind.CDF, Kind.LATENCY):
        raise AirtcpError(f"--log has no effect on --kind {kind.value}", "--log", "Remove one of the two")
    if request.grouped and (kind in (Kind.GANTT, Kind.MAP) or (runs > 1 and kind is Kind.CDF)):
        what = f"of {runs} runs" if runs > 1 else f"on --kind {kind.value}"
        raise AirtcpError(f"--group has no effect {what}", "--group", "Remove it")
    if request.each and kind is not Kind.TIME:
        raise AirtcpError(f"--each has no effect on --kind {kind.value}", "--each", "Remove one of the two")
    if request.each and len(request.what) > 1:
        raise AirtcpError("--each draws one quantity", "--what", "Name one of them")
    if bin_length and kind in (Kind.GANTT, Kind.MAP, Kind.LATENCY):
        raise AirtcpError(f"--bin has no effect on --kind {kind.value}", "--bin", "Remove one of the two")


def _time(text: str, option: str) -> int | None:
    from airtcp.scenario.values.units import TIME

    if not text:
        return None
    try:
        return int(TIME.read(text))
    except ValueError as error:
        raise AirtcpError(str(error), option) from None


def output_files(out: Path | None, formats: str | None) -> tuple[Path | None, tuple[str, ...]]:
    """The file without suffix, and its formats: a suffix of `out` is one."""
    from airtcp.plots.style import FORMATS

    own = out.suffix.removeprefix(".") if out is not None else ""
    if out is not None and own in FORMATS:
        return out.with_suffix(""), _formats(formats or own)
    if out is not None and own.lower() in _OTHER_FORMATS:
        raise AirtcpError(f'there is no format "{own}"', f"--out {out}", f"Known: {', '.join(FORMATS)}")
    return out, _formats("png,svg,csv" if formats is None else formats)


def _formats(text: str) -> tuple[str, ...]:
    from airtcp.plots.style import FORMATS

    names = tuple(words(text))
    for name in names or (text,):
        if name not in FORMATS:
            raise AirtcpError(f'there is no format "{name}"', "--format", f"Known: {', '.join(FORMATS)}")
    return names


def _name(views: "Sequence[RunView]", kind: Kind) -> str:
    first = views[0].run
    name = f"{first.plan['name']}-{first.name}" if len(views) == 1 else f"{len(views)}-runs"
    return name if kind is Kind.TIME else f"{name}-{kind.value}"
