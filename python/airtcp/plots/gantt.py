"""Which radio transmits when: the PPDUs of a short interval, a lane for each radio."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from airtcp.plots.paper import points
from airtcp.plots.style import Look, in_style, new_figure, set_caption

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# More are a grey band; the CSMA of 10 ms of a busy channel has a few hundred.
PPDUS_MOST = 1500
WIDTH_IN, LANE_HEIGHT_IN, MARGIN_IN, HEIGHT_MOST_IN = 10.0, 0.42, 1.25, 20.0
# Width of a figure or letter of the small type in the boxes, of a figure as wide as this one.
LETTER_IN = 0.065
NAMES_IN = 0.9


# Colour (Okabe and Ito's), hatch, height of the box: in grey, hatch and height distinguish the kinds.
KIND_LOOKS = {
    "data": ("#56B4E9", "", 0.8),
    "Ack": ("#009E73", "", 0.45),
    "BlockAck": ("#F0E442", "", 0.45),
    "RTS": ("#CC79A7", "////", 0.6),
    "CTS": ("#E69F00", "\\\\\\\\", 0.6),
    "BlockAckReq": ("#0072B2", "", 0.6),
    "beacon": ("#BBBBBB", "----", 0.8),
    "management": ("#999999", "||||", 0.8),
    "trigger": ("#0072B2", "////", 0.6),
}
OUTCOME_LOOKS = {"collision": ("#D55E00", "xxxx"), "corrupted": ("#000000", "....")}


class TooManyPpdusError(ValueError):
    """An interval in which nothing could be distinguished; `fitting_ns` is how long it may be."""

    def __init__(self, count: int, fitting_ns: int) -> None:
        self.count = count
        self.fitting_ns = fitting_ns
        super().__init__(f"{count} PPDUs are too many for one figure, which shows {PPDUS_MOST} at most")


@dataclass(frozen=True)
class Ppdu:
    """One PPDU: when, who sent it (a lane), who it is for (a lane; `None`: a group), what became of it."""

    start_ns: int
    end_ns: int
    lane: int
    to: int | None
    kind: str
    attempt: int
    outcome: str


@dataclass(frozen=True)
class Gantt:
    """PPDUs that touch the interval, in lanes from the top."""

    caption: str
    lanes: tuple[str, ...]
    ppdus: tuple[Ppdu, ...]
    start_ns: int
    end_ns: int


def prepare_gantt(
    lanes: Sequence[str], ppdus: Sequence[Ppdu], interval_ns: tuple[int, int], caption: str
) -> Gantt:
    """A chart of the PPDUs that touch the interval, and of the lanes that send in it.

    More than `PPDUS_MOST` are a `TooManyPpdusError`; an empty interval or a lane that is not there a
    `ValueError`.
    """
    start_ns, end_ns = interval_ns
    if not start_ns < end_ns:
        raise ValueError(f"the interval from {start_ns} ns to {end_ns} ns is empty")
    chosen = [ppdu for ppdu in ppdus if ppdu.start_ns < end_ns and ppdu.end_ns > start_ns]
    for ppdu in chosen:
        if ppdu.end_ns <= ppdu.start_ns:
            raise ValueError(f"a PPDU from {ppdu.start_ns} ns to {ppdu.end_ns} ns")
        if not 0 <= ppdu.lane < len(lanes) or not (ppdu.to is None or 0 <= ppdu.to < len(lanes)):
            raise ValueError(f"a PPDU from {ppdu.lane} to {ppdu.to}, of {len(lanes)} radios")
    if len(chosen) > PPDUS_MOST:
        starts = sorted(ppdu.start_ns for ppdu in chosen)
        raise TooManyPpdusError(len(chosen), starts[PPDUS_MOST] - start_ns)
    return Gantt(caption, tuple(lanes), tuple(chosen), start_ns, end_ns)


def box_text(chart: Gantt, ppdu: Ppdu, room_letters: float) -> str:
    """What is written in a PPDU's box: who it is for and the attempt, as far as there is room."""
    attempt = str(ppdu.attempt) if ppdu.kind in ("data", "RTS") and ppdu.attempt else ""
    to = "" if ppdu.to is None else f"to {chart.lanes[ppdu.to]}"
    both = f"{to}, {attempt}" if to and attempt else to or attempt
    return next((text for text in (both, attempt) if text and len(text) <= room_letters), "")


@in_style
def draw_gantt(chart: Gantt) -> "Figure":
    """Draws a box for each PPDU; the caption stands under them."""
    # Radios that are silent in the interval would only take room, unless there are few.
    active = {ppdu.lane for ppdu in chart.ppdus}
    shown = [n for n in range(len(chart.lanes)) if len(chart.lanes) <= 12 or n in active]
    figure = new_figure(WIDTH_IN, min(HEIGHT_MOST_IN, MARGIN_IN + LANE_HEIGHT_IN * len(shown)))
    axes = figure.subplots()
    for ppdu in chart.ppdus:
        _draw_box(axes, chart, ppdu, shown.index(ppdu.lane))
    axes.set_yticks(range(len(shown)), [chart.lanes[n] for n in shown])
    axes.set_ylim(len(shown) - 0.5, -0.5)
    axes.set_xlim(0, (chart.end_ns - chart.start_ns) / 1e6)
    axes.set_xlabel(f"Time after {chart.start_ns / 1e9:.6f} s [ms]")
    _draw_legend(figure, chart)
    set_caption(figure, chart.caption)
    return figure


def _draw_box(axes: "Axes", chart: Gantt, ppdu: Ppdu, lane: int) -> None:
    from matplotlib.patches import Rectangle

    start_ms, length_ms = (ppdu.start_ns - chart.start_ns) / 1e6, (ppdu.end_ns - ppdu.start_ns) / 1e6
    face, hatch, height = KIND_LOOKS[ppdu.kind]
    place = (start_ms, lane - height / 2)
    look: Look = {"facecolor": face, "hatch": hatch, "edgecolor": "black", "linewidth": 0.4}
    axes.add_patch(Rectangle(place, length_ms, height, **look))
    if ppdu.outcome in OUTCOME_LOOKS:
        edge, hatch = OUTCOME_LOOKS[ppdu.outcome]
        look = {"fill": False, "hatch": hatch, "edgecolor": edge, "linewidth": 1.2}
        axes.add_patch(Rectangle(place, length_ms, height, **look))
    _write_in_box(axes, chart, ppdu, lane)


def _write_in_box(axes: "Axes", chart: Gantt, ppdu: Ppdu, lane: int) -> None:
    # Of the part that is inside the figure.
    start_ns, end_ns = max(ppdu.start_ns, chart.start_ns), min(ppdu.end_ns, chart.end_ns)
    share = (end_ns - start_ns) / (chart.end_ns - chart.start_ns)
    text = box_text(chart, ppdu, (WIDTH_IN - NAMES_IN) * share / LETTER_IN)
    if text:
        behind = {"facecolor": KIND_LOOKS[ppdu.kind][0], "edgecolor": "none", "pad": 0.8}
        middle_ms = ((start_ns + end_ns) / 2 - chart.start_ns) / 1e6
        hatched = ppdu.outcome in OUTCOME_LOOKS or KIND_LOOKS[ppdu.kind][1]
        look: Look = {
            "ha": "center",
            "va": "center",
            "fontsize": points(7),
            "bbox": behind if hatched else None,
        }
        axes.text(middle_ms, lane, text, **look)


def _draw_legend(figure: "Figure", chart: Gantt) -> None:
    from matplotlib.patches import Patch

    kinds, outcomes = {ppdu.kind for ppdu in chart.ppdus}, {ppdu.outcome for ppdu in chart.ppdus}
    handles = []
    for kind, (face, hatch, _) in KIND_LOOKS.items():
        if kind in kinds:
            look: Look = {"facecolor": face, "hatch": hatch, "edgecolor": "black", "linewidth": 0.4}
            handles.append(Patch(label=kind, **look))
    for outcome, (edge, hatch) in OUTCOME_LOOKS.items():
        if outcome in outcomes:
            handles.append(Patch(fill=False, edgecolor=edge, hatch=hatch, linewidth=1.2, label=outcome))
    if handles:
        figure.legend(
            handles=handles, loc="outside upper right", ncols=len(handles), frameon=False, fontsize=points(8)
        )
