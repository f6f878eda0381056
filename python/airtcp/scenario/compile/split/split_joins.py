"""What keeps nodes of a network in one part when it is split: cells, spectrum, short wires, and traffic."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

from airtcp.plans.types.air_plan import PlanAir, PlanCell, PlanInterferer
from airtcp.plans.types.plan import Plan, PlanInterface
from airtcp.wifi.standard import reach_mhz

# Two guests exchange frames once in the least delay between them. An exchange takes microseconds of real
# time, and a window of a millisecond of virtual time some ten (docs/internals/two-guests.md).
SPLIT_DELAY_MIN_NS = 1_000_000
# What two guests carry over from one part to the other beside pings.
_CROSSING_WORKLOADS = ("bulk", "bytes")


@dataclass(frozen=True)
class Join:
    """Nodes that must be in one part, why, and what would part them."""

    nodes: tuple[str, ...]
    why: str
    remedy: str


@dataclass(frozen=True)
class PlannedWire:
    """A wire of a plan: its number, and the node and interface of each end."""

    number: int
    nodes: tuple[str, str]
    ends: tuple[PlanInterface, PlanInterface]

    @property
    def delay_ns(self) -> int:
        """The shorter delay of its two directions."""
        return min(end["egress"]["delay_ns"] for end in self.ends)


def wires_of(plan: Plan) -> list[PlannedWire]:
    """The wires of a plan, by their numbers."""
    ends: dict[int, list[tuple[str, PlanInterface]]] = {}
    for node in plan["nodes"]:
        for interface in node["interfaces"]:
            if interface["attachment"]["kind"] == "wire":
                ends.setdefault(interface["attachment"]["wire"], []).append((node["name"], interface))
    return [
        PlannedWire(number, (a, b), (at_a, at_b)) for number, ((a, at_a), (b, at_b)) in sorted(ends.items())
    ]


def joins_of(plan: Plan) -> Iterator[Join]:
    """All joins of a plan; first those that a user can change least."""
    yield from _of_cells(plan["air"])
    yield from filter(None, map(wire_join, wires_of(plan)))
    yield from _of_spectrum(plan["air"])
    yield from _of_traffic(plan)


def _of_cells(air: PlanAir) -> Iterator[Join]:
    for number, cell in enumerate(air["cells"]):
        why = f'all radios of cell "{cell["name"]}" share the air'
        yield Join(_members(air, [number]), why, "Write another cell for some of them")


def _members(air: PlanAir, cells: Iterable[int]) -> tuple[str, ...]:
    wanted = set(cells)
    return tuple(nic["node"] for nic in air["nics"] if nic["cell"] in wanted)


def wire_join(wire: PlannedWire) -> Join | None:
    """The join of the ends of a wire; `None`: they may be in different parts."""
    name = f'wire[{wire.number}] between "{wire.nodes[0]}" and "{wire.nodes[1]}"'
    if wire.delay_ns < SPLIT_DELAY_MIN_NS:
        why = f"{name} has a delay of less than 1 ms"
        return Join(wire.nodes, why, "Give it at least 1 ms in both directions")
    if any(end["egress"]["trace"] for end in wire.ends):
        return Join(wire.nodes, f"{name} follows a trace", "Leave the trace out")
    if any(end["rx_interrupt"] for end in wire.ends):
        why = f"interrupts of {name} are moderated"
        return Join(wire.nodes, why, 'Write rx_interrupt = "off" for it')
    return None


def _of_spectrum(air: PlanAir) -> Iterator[Join]:
    for (a, cell), (b, other) in combinations(enumerate(air["cells"]), 2):
        if _may_touch(cell, other):
            why = f'the channels of cells "{cell["name"]}" and "{other["name"]}" overlap or nearly do'
            yield Join(_members(air, [a, b]), why, "Choose channels that are further apart")
    for source in air["channel"]["interferers"]:
        met = [number for number, cell in enumerate(air["cells"]) if _meets(source, cell)]
        if len(met) > 1:
            names = " and ".join(f'"{air["cells"][number]["name"]}"' for number in met)
            why = f'interferer "{source["name"]}" is on channels of cells {names}'
            yield Join(_members(air, met), why, "Write an interferer of its own for each")


def _may_touch(a: PlanCell, b: PlanCell) -> bool:
    """Whether something of what is sent on one channel may reach the other (`RadioChannel::may_touch`)."""
    first, second = a["channel"], b["channel"]
    apart_mhz = abs(first["centre_mhz"] - second["centre_mhz"])
    ways = ((first["width_mhz"], second["width_mhz"]), (second["width_mhz"], first["width_mhz"]))
    return any(apart_mhz < reach_mhz(sent) + received / 2 for sent, received in ways)


def _meets(source: PlanInterferer, cell: PlanCell) -> bool:
    channel = cell["channel"]
    reach_khz = 500 * channel["width_mhz"] + source["bandwidth_khz"] / 2
    return any(abs(centre - 1000 * channel["centre_mhz"]) <= reach_khz for centre in source["centres_khz"])


def _of_traffic(plan: Plan) -> Iterator[Join]:
    remedy = "Only bulk transfers, flows of bytes and pings go between parts: keep it inside of one"
    for flow in plan["flows"]:
        kind = flow["workload"]["kind"]
        if kind not in _CROSSING_WORKLOADS:
            what = f'"{flow["name"]}" from "{flow["from"]}" to "{flow["to"]}" is no bulk transfer'
            yield Join((flow["from"], flow["to"]), what, remedy)
    for stream in plan["datagrams"]:
        ends = (stream["from"], stream["to"])
        yield Join(ends, f'"{stream["name"]}" sends datagrams from "{ends[0]}" to "{ends[1]}"', remedy)
