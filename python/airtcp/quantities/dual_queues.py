"""DualPI2 (RFC 9332): its probability, what waits in its two queues for how long, and what it marks."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from airtcp.quantities.entity import Entity, Kind
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.run_view import RunView

# Names of the two queues, by the prefix of their columns.
QUEUES = {"c": "classic", "l": "low latency"}
# `MAX_PROB` of net/sched/sch_dualpi2.c.
LARGEST_PROBABILITY = 2**32 - 1


def _of_disciplines(column: str) -> Callable[[RunView], list[Entity]]:
    """A column of each DualPI2, named by node and interface."""

    def entities(view: RunView) -> list[Entity]:
        view.series("dual_queues", column)
        made = []
        parts = view.run.parts("dual_queues", "node", "interface", "handle", named=True)
        places = [(part["node"][0], part["interface"][0]) for part in parts.values()]
        for own, number in zip(parts.values(), places, strict=True):
            interface = own["interface_name"][0] or f"interface {own['interface'][0]}"
            place = (own["node_name"][0], interface)
            handle = f" {own['handle'][0]:x}:" if places.count(number) > 1 else ""
            label = f"{' '.join(place)}{handle}"
            values = own[column].to_numpy().astype(np.int64)
            made.append(Entity(label, own["time_ns"].to_numpy(), values, label, *place))
        return made

    return entities


def _of_queues(column: str) -> Callable[[RunView], list[Entity]]:
    """A column that both queues of each DualPI2 have."""

    def entities(view: RunView) -> list[Entity]:
        made = []
        for prefix, name in QUEUES.items():
            for own in _of_disciplines(f"{prefix}_{column}")(view):
                made.append(replace(own, name=f"{own.name} {name}", label=f"{own.label} {name}"))
        return made

    return entities


_SERIES = ("dual_queues",)

QUANTITIES = {
    "dual_queue_delay": Quantity(
        "Delay in queues of DualPI2",
        "ms",
        "how long the first packets of the classic and of the low latency queue have waited, at each sample",
        _SERIES,
        entities=_of_queues("delay_us"),
        scale=1e-3,
        higher_is_better=False,
    ),
    "dual_queue_packets": Quantity(
        "Packets into queues of DualPI2",
        "1/s",
        "packets that entered each queue per second; number: both together",
        _SERIES,
        1,
        entities=_of_queues("packets"),
        kind=Kind.RATE,
        across="sum",
        busy_only=True,
    ),
    "dual_queue_probability": Quantity(
        "Base probability of DualPI2",
        "",
        "the probability of its PI controller: the classic queue marks or drops with its square, that of low "
        "latency marks with `coupling_factor` times it",
        _SERIES,
        3,
        entities=_of_disciplines("probability"),
        scale=1 / LARGEST_PROBABILITY,
        most=1.0,
    ),
    "dual_queue_marks": Quantity(
        "ECN marks of DualPI2",
        "1/s",
        "marks of both queues per second, which the kernel counts together",
        _SERIES,
        1,
        entities=_of_disciplines("marks"),
        kind=Kind.RATE,
        across="sum",
    ),
    "dual_queue_step_marks": Quantity(
        "ECN marks by the step of DualPI2",
        "1/s",
        "of these, the marks of packets of low latency that waited longer than `step_thresh`",
        _SERIES,
        1,
        entities=_of_disciplines("step_marks"),
        kind=Kind.RATE,
        across="sum",
    ),
}
