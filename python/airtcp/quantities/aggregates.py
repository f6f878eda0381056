"""How much a data PPDU carries: MPDUs for each of its users, and users.

Both are of the data PPDUs that the chosen nodes (`node`) sent in the span, and need `[sampling] ppdus =
true`.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

DATA = 0


def _by_radio(
    view: RunView, column: str, of: "Callable[[polars.DataFrame], polars.DataFrame]"
) -> list[Entity]:
    """What `of` makes of the data PPDUs of each radio: a value in `column` at each `start_ns`."""
    data = view.series("ppdus").filter(kind=DATA)
    made = []
    for nic, name in enumerate(view.radio_names):
        frame = of(data.filter(nic=nic)).sort("start_ns", maintain_order=True)
        times_ns, values = (frame[name_].to_numpy().astype("int64") for name_ in ("start_ns", column))
        nothing = np.zeros(times_ns.size, bool)
        made.append(Entity(name, times_ns, values, node=view.node_of(nic), at_least=nothing))
    return [entity for entity in made if entity.times_ns.size]


def mpdus_by_radio(view: RunView) -> list[Entity]:
    """MPDUs in the PSDU of each user of each data PPDU. Runs of older versions did not count them."""
    if "mpdus" not in view.series("ppdus").columns:
        return []
    return _by_radio(view, "mpdus", lambda frame: frame)


def users_by_radio(view: RunView) -> list[Entity]:
    """Users of each data PPDU."""
    return _by_radio(view, "len", lambda frame: frame.group_by("start_ns").len())


_PPDUS = ("ppdus",)

QUANTITIES = {
    "aggregate_size": Quantity(
        "MPDUs of an aggregate",
        "",
        "MPDUs that a data PPDU of the chosen nodes carries for each of its users",
        _PPDUS,
        1,
        entities=mpdus_by_radio,
        kind=Kind.EVENT,
    ),
    "ppdu_users": Quantity(
        "Users of a PPDU",
        "",
        "users of each data PPDU of the chosen nodes: more than one with OFDMA",
        _PPDUS,
        1,
        entities=users_by_radio,
        kind=Kind.EVENT,
    ),
}
