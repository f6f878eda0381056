"""How two guests may compute a network: which node is in which part."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from airtcp.plans.types.plan import Plan, PlanSplit
from airtcp.scenario.compile.split.split_joins import Join, joins_of, wire_join, wires_of
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario

_KEY = "guest.split"
PARTS = 2


def compile_split(scenario: Scenario, plan: Plan) -> PlanSplit | None:
    """The parts of the plan's network, if the scenario asks for them.

    What two guests can't compute, and a network that is one part, is a `ScenarioError`.
    """
    if not scenario.guest.split:
        return None
    _refuse(scenario)
    names = [node["name"] for node in plan["nodes"]]
    components, last = _components(names, joins_of(plan))
    if len(components) < PARTS:
        raise _one_component(plan, last)
    part_of = _parts(components, _ends(plan))
    crossing = [wire.delay_ns for wire in wires_of(plan) if part_of[wire.nodes[0]] != part_of[wire.nodes[1]]]
    if not crossing:
        what = "no wire joins the two parts of the network"
        raise ScenarioError(_KEY, what, "Join them by a wire, or write a scenario for each")
    return {"parts": [part_of[name] for name in names], "lookahead_ns": min(crossing)}


def _refuse(scenario: Scenario) -> None:
    """Refuses what needs one guest that has the whole network."""
    refused = [
        ("program", bool(scenario.program), "programs run"),
        ("session", bool(scenario.session), "sessions run"),
        ("capture", bool(scenario.capture), "packets are captured"),
        ("ends_with", scenario.ends_with is not None, "flows end a run"),
        ("sampling.delays", scenario.sampling.delays, "one-way delays are measured"),
    ]
    refused += [
        (f"wifi.{name}.mac", cell.mac == "linux", "mac80211 runs") for name, cell in scenario.wifi.items()
    ]
    for key, is_there, subject in refused:
        if is_there:
            what = f"{subject} only where one guest has the whole network, and [guest] splits it"
            instead = 'Write mac = "airtcp"' if key.startswith("wifi.") else "Leave it out"
            raise ScenarioError(key, what, f"{instead}, or leave split out of [guest]")


def _components(names: Sequence[str], joins: Iterable[Join]) -> tuple[list[list[str]], Join | None]:
    """The nodes that must stay together, in the plan's order, and the last join that united two."""
    of = {name: [name] for name in names}
    last = None
    for join in joins:
        for name in join.nodes[1:]:
            kept, other = of[join.nodes[0]], of[name]
            if kept is other:
                continue
            last = join
            kept += other
            of |= dict.fromkeys(other, kept)
    order = {name: place for place, name in enumerate(names)}
    found = {id(component): sorted(component, key=order.__getitem__) for component in of.values()}
    return list(found.values()), last


def _one_component(plan: Plan, last: Join | None) -> ScenarioError:
    if last is None or all(wire_join(wire) for wire in wires_of(plan)):
        a_cut = "at least 1 ms of delay in both directions, without a trace or rx_interrupt"
        what = f"the network is one part: none of its wires has {a_cut}"
        remedy = 'Write delay = "1 ms" or more for the wires between two parts, or leave split out'
        return ScenarioError(_KEY, what, remedy)
    return ScenarioError(_KEY, f"the network is one part: {last.why}", f"{last.remedy}, or leave split out")


def _ends(plan: Plan) -> Mapping[str, int]:
    """How often traffic begins or ends at each node."""
    kinds: list[Sequence[Mapping[str, object]]] = [plan["flows"], plan["datagrams"], plan["pings"]]
    return Counter(str(one[end]) for kind in kinds for one in kind for end in ("from", "to"))


@dataclass(frozen=True, order=True)
class _Weight:
    """What makes a component slow to compute: its traffic first."""

    ends: int = 0
    nodes: int = 0

    def __add__(self, other: "_Weight") -> "_Weight":
        return _Weight(self.ends + other.ends, self.nodes + other.nodes)


def _parts(components: Iterable[Sequence[str]], ends: Mapping[str, int]) -> dict[str, int]:
    """The part of each node: the heaviest component first, each into the part that is lighter so far."""
    weights = [(_Weight(sum(ends[name] for name in nodes), len(nodes)), nodes) for nodes in components]
    # Sorting keeps the order of the plan between equal weights.
    weights.sort(key=lambda one: one[0], reverse=True)
    sums = [_Weight()] * PARTS
    part_of: dict[str, int] = {}
    for weight, nodes in weights:
        part = sums.index(min(sums))
        sums[part] += weight
        part_of |= dict.fromkeys(nodes, part)
    return part_of
