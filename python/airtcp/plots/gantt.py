"""Which radio transmits when: the PPDUs of a short interval, a lane for each radio."""

from collections import Counter
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
# Height of a box with one line of it.
LINE_IN = 0.12


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
    "QoS Null": ("#56B4E9", "....", 0.45),
    "multi-STA BlockAck": ("#F0E442", "////", 0.45),
}
OUTCOME_LOOKS = {"collision": ("#D55E00", "xxxx"), "corrupted": ("#000000", "....")}


class TooManyPpdusError(ValueError):
    """An interval in which nothing could be distinguished; `fitting_ns` is how long it may be."""

    def __init__(self, count: int, fitting_ns: int) -> None:
        self.count = count
        self.fitting_ns = fitting_ns
        super().__init__(f"{count} PPDUs are too many for one figure, which shows {PPDUS_MOST} at most")


@dataclass(frozen=True)
class PlacedRu:
    """A resource unit: its name, and where it begins and ends, as shares of the width from below."""

    name: str
    low: float
    high: float


@dataclass(frozen=True)
class Ppdu:
    """A user of a PPDU: when, who sent it (a lane), who it is for (a lane; `None`: a group), its outcome.

    Users of one PPDU have the same times and lane, and a resource unit each, if it is not for all of them.
    """

    start_ns: int
    end_ns: int
    lane: int
    to: int | None
    kind: str
    attempt: int
    outcome: str
    ru: PlacedRu | None = None


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


def box_text(chart: Gantt, users: Sequence[Ppdu], room_letters: float) -> str:
    """What is written in the box of these users: who they are, RU, attempt, as far as there is room."""
    first = users[0]
    attempt = str(first.attempt) if first.kind in ("data", "RTS") and first.attempt else ""
    to = "" if first.to is None else f"to {chart.lanes[first.to]}"
    if len(users) > 1:
        to = f"to {len(users)} stations"
    ru = f"RU {first.ru.name}" if first.ru else ""
    texts = ((to, ru, attempt), (to, attempt), (attempt,))
    joined = (", ".join(part for part in text if part) for text in texts)
    return next((text for text in joined if text and len(text) <= room_letters), "")


@in_style
def draw_gantt(chart: Gantt) -> "Figure":
    """Draws a box for each PPDU, or for each of its users with an RU; the caption stands under them."""
    lanes = _lanes(chart)
    total = sum(lane.height for lane in lanes.values())
    figure = new_figure(WIDTH_IN, min(HEIGHT_MOST_IN, MARGIN_IN + LANE_HEIGHT_IN * total))
    axes = figure.subplots()
    for users in _boxes(chart):
        _draw_box(axes, chart, users, lanes[users[0].lane])
    axes.set_yticks([lane.middle for lane in lanes.values()], [chart.lanes[n] for n in lanes])
    axes.set_ylim(total, 0)
    axes.set_xlim(0, (chart.end_ns - chart.start_ns) / 1e6)
    axes.set_xlabel(f"Time after {chart.start_ns / 1e9:.6f} s [ms]")
    _draw_legend(figure, chart)
    set_caption(figure, chart.caption)
    return figure


@dataclass(frozen=True)
class _Lane:
    """Where a lane is, in heights of one whose PPDUs have one user."""

    top: float
    height: float
    is_shared: bool

    @property
    def middle(self) -> float:
        return self.top + self.height / 2

    def box(self, ppdu: Ppdu) -> tuple[float, float]:
        """Top and height of the box of a PPDU or, of several users, of one: its RU, low frequencies below."""
        height = KIND_LOOKS[ppdu.kind][2] * self.height
        top = self.middle - height / 2
        if ppdu.ru is None or not self.is_shared:
            return top, height
        return top + (1 - ppdu.ru.high) * height, (ppdu.ru.high - ppdu.ru.low) * height


def _lanes(chart: Gantt) -> dict[int, _Lane]:
    """The lanes that are drawn, from the top, by their numbers: higher ones for those with several users."""
    beside = Counter((ppdu.lane, ppdu.start_ns) for ppdu in chart.ppdus if ppdu.ru)
    heights = [1.0] * len(chart.lanes)
    shared: set[int] = set()
    for ppdu in chart.ppdus:
        if ppdu.ru and beside[ppdu.lane, ppdu.start_ns] > 1:
            needed = LINE_IN / (ppdu.ru.high - ppdu.ru.low) / (KIND_LOOKS["data"][2] * LANE_HEIGHT_IN)
            heights[ppdu.lane] = max(heights[ppdu.lane], needed)
            shared.add(ppdu.lane)
    # Radios that are silent in the interval would only take room, unless there are few.
    active = {ppdu.lane for ppdu in chart.ppdus}
    lanes: dict[int, _Lane] = {}
    top = 0.0
    for number, height in enumerate(heights):
        if len(chart.lanes) <= 12 or number in active:
            lanes[number] = _Lane(top, height, number in shared)
            top += height
    return lanes


def _boxes(chart: Gantt) -> list[list[Ppdu]]:
    """The users that a box stands for: one with its RU, or all to whom the same is sent."""
    boxes: dict[tuple[object, ...], list[Ppdu]] = {}
    for ppdu in chart.ppdus:
        boxes.setdefault((ppdu.lane, ppdu.start_ns, ppdu.end_ns, ppdu.ru), []).append(ppdu)
    return list(boxes.values())


def _draw_box(axes: "Axes", chart: Gantt, users: Sequence[Ppdu], lane: _Lane) -> None:
    from matplotlib.patches import Rectangle

    ppdu = users[0]
    start_ms, length_ms = (ppdu.start_ns - chart.start_ns) / 1e6, (ppdu.end_ns - ppdu.start_ns) / 1e6
    face, hatch, _ = KIND_LOOKS[ppdu.kind]
    top, height = lane.box(ppdu)
    place = (start_ms, top)
    look: Look = {"facecolor": face, "hatch": hatch, "edgecolor": "black", "linewidth": 0.4}
    axes.add_patch(Rectangle(place, length_ms, height, **look))
    lost = next((user.outcome for user in users if user.outcome in OUTCOME_LOOKS), "")
    if lost:
        edge, hatch = OUTCOME_LOOKS[lost]
        look = {"fill": False, "hatch": hatch, "edgecolor": edge, "linewidth": 1.2}
        axes.add_patch(Rectangle(place, length_ms, height, **look))
    # Of the part that is inside the figure.
    start_ns, end_ns = max(ppdu.start_ns, chart.start_ns), min(ppdu.end_ns, chart.end_ns)
    share = (end_ns - start_ns) / (chart.end_ns - chart.start_ns)
    text = box_text(chart, users, (WIDTH_IN - NAMES_IN) * share / LETTER_IN)
    if text:
        behind = {"facecolor": face, "edgecolor": "none", "pad": 0.8}
        look = {
            "ha": "center",
            "va": "center",
            "fontsize": points(7),
            "bbox": behind if lost or KIND_LOOKS[ppdu.kind][1] else None,
        }
        axes.text(((start_ns + end_ns) / 2 - chart.start_ns) / 1e6, top + height / 2, text, **look)


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
