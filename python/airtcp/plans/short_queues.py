"""Queues of a plan that cannot fill, because only the host that owns them sends through them."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from airtcp.plans.links import Hop, path
from airtcp.plans.types.plan import Plan, PlanFlow
from airtcp.wifi.standard import bits_per_subcarrier

# TCP small queues let a flow have some two packets below its socket (docs/models/wires.md). So many flows of
# one sender together make a queue that can be seen.
_FLOWS_THAT_FILL = 10
# Of the PHY rate, what TCP gets at most: headers, contention, acknowledgements. A faster wire never queues.
# The first holds at 6 Mbit/s, the second is a download of 53 Mbit/s at HT-MCS 7 in 20 MHz.
_MOST_OF_PHY_RATE, _WITH_AGGREGATION = 0.7, 0.81
# HT-MCS 7 in 20 MHz with a guard interval of 800 ns (IEEE 802.11-2020, table 19-29).
_MBPS_PER_MHZ, _ITS_MCS = 65 / 20, 7


def queues_that_cannot_fill(plan: Plan) -> list[str]:
    """A sentence for each queue in front of a slow wire through which nobody but TCP of its own host sends.

    The slow wire must be the slowest part of the way, as far as a plan tells.
    """
    found = []
    for node, interface, flows in _by_queue(plan):
        if len(flows) >= _FLOWS_THAT_FILL or any(one["from"] == node for one in plan["datagrams"]):
            continue
        names = ", ".join(flow["name"] for flow in flows)
        many = len(flows) > 1
        found.append(
            f"the queue at {node}-{interface} cannot fill: flow{'s' if many else ''} {names} "
            f"{'are' if many else 'is'} sent by {node} itself, whose packets wait in its sockets. To see "
            f"this queue fill, put a switch between {node} and the slow wire"
        )
    return found


def _by_queue(plan: Plan) -> Iterator[tuple[str, str, Sequence[PlanFlow]]]:
    """Hosts with one interface whose wire is the slowest part of flows that they send, with these flows."""
    own = {
        node["name"]: node["interfaces"][0]
        for node in plan["nodes"]
        if len(node["interfaces"]) == 1 and not node["bridges"]
    }
    sent = [flow for flow in plan["flows"] if flow["from"] in own]
    for node, flows in groupby(sorted(sent, key=lambda flow: flow["from"]), key=lambda flow: flow["from"]):
        held = [flow for flow in flows if _begins_at_slowest(plan, path(plan, node, flow["to"]))]
        if held:
            yield node, own[node]["name"], held


def _begins_at_slowest(plan: Plan, hops: Sequence[Hop]) -> bool:
    if not hops or hops[0].there is None or hops[0].there["rate_bps"] is None:
        return False
    own_bps = hops[0].there["rate_bps"]
    wires = [hop.there["rate_bps"] for hop in hops[1:] if hop.there]
    airs = [_air_bps(plan, hop) for hop in hops if hop.there is None]
    return all(rate is None or rate > own_bps for rate in wires) and all(rate > own_bps for rate in airs)


def _air_bps(plan: Plan, hop: Hop) -> float:
    """What TCP gets at most of a hop through the air: at its fixed mode, or else a usual good one."""
    nic, peer = (next(nic for nic in plan["air"]["nics"] if nic["node"] == end) for end in (hop.node, hop.to))
    control = nic["rate_control"]
    mode: Mapping[str, object] = control["mode"] if control["kind"] == "fixed" else {}
    if "rate_bps" in mode:
        return _MOST_OF_PHY_RATE * float(str(mode["rate_bps"]))
    cell = plan["air"]["cells"][nic["cell"]]
    standards = {end.get("standard") or cell["standard"] for end in (nic, peer)}
    if standards & {"11b", "11a", "11g"}:
        return _MOST_OF_PHY_RATE * (11e6 if "11b" in standards else 54e6)
    widths_mhz = [end.get("width_mhz") or cell["channel"]["width_mhz"] for end in (nic, peer)]
    bits = bits_per_subcarrier()
    mcs = int(str(mode.get("mcs", _ITS_MCS)))
    width_mhz, streams = (
        mode.get("width_mhz", min(widths_mhz)),
        mode.get("streams", nic["streams"]),
    )
    usual_mbps = _MBPS_PER_MHZ * float(str(width_mhz)) * float(str(streams))
    return _WITH_AGGREGATION * usual_mbps * 1e6 * bits[min(mcs, len(bits) - 1)] / bits[_ITS_MCS]
