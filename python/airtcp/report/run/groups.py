"""Groups: what their flows have together, and which rows of tables they stand for."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.data.run_folder import Run
from airtcp.plans.groups import is_in
from airtcp.quantities.goodput import Goodput, goodput_of
from airtcp.quantities.named_number import number
from airtcp.quantities.registry import QUANTITIES
from airtcp.report.run.flows import FlowRecord
from airtcp.report.run.latency import LatencyRecord
from airtcp.report.table import Table
from airtcp.report.table import number as text_of

# A table with more members of a group shows the group alone.
MEMBERS_MOST = 10


@dataclass(frozen=True)
class GroupRecord:
    """The flows, streams and pings of a group of the scenario or of `--group`."""

    group: str
    """Its name."""
    flows: list[str]
    """Its flows."""
    streams: list[str]
    """Its streams of datagrams."""
    pings: list[str]
    """Its pings."""
    goodput_mbps: float
    """Of its flows together, from the first one's start to the last one's end; `null` without flows."""
    goodput_least_mbps: float
    """Least of whole bins of 1 s of all of them together."""
    goodput_most_mbps: float
    """Most of them."""
    bytes_received: int
    """By all of its flows."""
    retransmits: int
    """Segments that all of its flows sent again."""
    jain_index: float
    """Of the mean goodputs of its flows, each over its own time; `null` of one flow."""
    in_control: int
    """How many of its flows were in control."""
    not_in_control: int
    """How many were not; the others are not judged."""
    latency: list[LatencyRecord]
    """Latency of all its members together, by kind."""


def group_records(
    run: Run, flows: Sequence[FlowRecord], latency: Sequence[LatencyRecord]
) -> list[GroupRecord]:
    """Each group; `flows` and `latency` are what is known of flows and groups."""
    sampled = run.plan["sampling"]["flows_interval_ns"] > 0
    made = []
    for group, patterns in run.groups.items():
        numbers = [place for place, flow in enumerate(flows) if is_in(flow.flow, patterns)]
        own = [flows[place] for place in numbers]
        rate = goodput_of(run, numbers) if sampled and own else Goodput()
        jain = number(run, "jain_index", group=list(patterns)) if sampled and own else float("nan")
        made.append(
            GroupRecord(
                group=group,
                flows=[flow.flow for flow in own],
                streams=_names(run, "datagrams", patterns),
                pings=_names(run, "pings", patterns),
                goodput_mbps=rate.mean_mbps,
                goodput_least_mbps=rate.least_mbps,
                goodput_most_mbps=rate.most_mbps,
                bytes_received=sum(flow.bytes_received for flow in own),
                retransmits=sum(flow.retransmits or 0 for flow in own),
                jain_index=jain,
                in_control=sum(flow.in_control is True for flow in own),
                not_in_control=sum(flow.in_control is False for flow in own),
                latency=[one for one in latency if one.name == group],
            )
        )
    return made


def _names(run: Run, kind: str, patterns: Sequence[str]) -> list[str]:
    return [one["name"] for one in run.plan.get(kind, ()) if is_in(one["name"], patterns)]


def group_table(groups: Sequence[GroupRecord]) -> Table:
    """One row per group that has flows."""
    rate, again, jain = (
        QUANTITIES[name].label_with_unit for name in ("throughput", "retransmits", "jain_index")
    )
    columns = ("group", "flows", rate, "min", "max", "MB", again, jain, "in control")
    table = Table("Groups (flows together)", columns)
    for group in groups:
        if group.flows:
            rates = (group.goodput_mbps, group.goodput_least_mbps, group.goodput_most_mbps)
            judged = group.in_control + group.not_in_control
            table.add(
                group.group,
                str(len(group.flows)),
                *map(text_of, rates),
                text_of(group.bytes_received / 1e6),
                str(group.retransmits),
                text_of(group.jain_index, QUANTITIES["jain_index"].digits),
                f"{group.in_control} of {judged}",
            )
    return table


def left_out(groups: Sequence[GroupRecord], names: Sequence[str], most: int | None) -> set[str]:
    """Those of the names of a table for which a group stands: it has more than `most` of them."""
    hidden: set[str] = set()
    for group in groups:
        own = set(names) & {*group.flows, *group.streams, *group.pings}
        hidden.update(own if most is not None and len(own) > most else ())
    return hidden
