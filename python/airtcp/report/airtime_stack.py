"""How the time of each medium is shared over time: stacked to 100 %."""

import numpy as np

from airtcp.data.read_once import NotRecorded
from airtcp.plots.time_series import Panel
from airtcp.quantities.line import Line
from airtcp.quantities.radios import per_second_of_radios
from airtcp.quantities.run_view import RunView

# ns per s to %.
PERCENT = 1e-7
REST = "nobody: idle, waiting, interframe spaces"


def airtime_panels(view: RunView) -> list[Panel]:
    """A stack for each medium: the airtime of each of its radios' own PPDUs, and the rest up to 100 %.

    PPDUs that collide take their time twice, so that a stack may rise above. A run without samples of the air
    has none.
    """
    try:
        lines = per_second_of_radios("airtime_ns", PERCENT)(view)
    except NotRecorded:
        return []
    media = _media(view)
    several = len(set(media)) > 1
    panels = []
    for medium in dict.fromkeys(media):
        own = [line for line, of in zip(lines, media, strict=True) if of == medium and line.values]
        if own and all(line.times_s == own[0].times_s for line in own):
            label = f"Airtime at {medium} MHz\n[%]" if several else "Airtime\n[%]"
            panels.append(Panel(label, (*own, _rest(own)), stacked=True))
    return panels


def _media(view: RunView) -> list[int]:
    """The frequency of each radio's channel."""
    air = view.run.plan["air"]
    cells = [int(cell["channel"]["primary_mhz"]) for cell in air.get("cells", ())]
    return [cells[nic["cell"]] if cells else 0 for nic in air["nics"]]


def _rest(lines: list[Line]) -> Line:
    taken = np.sum([line.values for line in lines], axis=0)
    values = np.maximum(0.0, 100.0 - taken)
    return Line(REST, lines[0].times_s, tuple(values.tolist()), join=lines[0].join)
