"""Flows of a run: goodput, retransmissions, what limited each, and UDP flows of programs.

Columns that are a quantity have its label. Counts of a whole run have words of their own: the quantities are
rates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airtcp.data.program_flows import NO_CONGESTION_CONTROL, TCP, UDP, is_udp
from airtcp.data.run_folder import Run
from airtcp.metrics.control import LIMITERS, Control
from airtcp.quantities.flows import flow_control
from airtcp.quantities.goodput import Goodput, goodput_of
from airtcp.quantities.registry import QUANTITIES
from airtcp.report.table import Table, number


@dataclass(frozen=True)
class FlowRecord:
    """A flow, those of programs included."""

    flow: str
    """Its name."""
    from_: str
    """Node that the data comes from; of UDP with `:` and port."""
    to: str
    """Node that gets it, likewise."""
    protocol: str
    """`tcp`, or `udp` of programs."""
    congestion_control: str | None
    """As the kernel said; `null` of UDP."""
    goodput_mbps: float
    """At the receiver: bytes over the flow's own time, from its start to its end."""
    goodput_least_mbps: float
    """Least of whole bins of 1 s from its start."""
    goodput_most_mbps: float
    """Most of them."""
    bytes_received: int
    """Delivered in order to the application, over the whole run."""
    retransmits: int | None
    """Segments that the sender sent again, over the whole run; `null` of UDP."""
    in_control: bool | None
    """Whether the congestion control limited it; `null` where that can't be judged."""
    verdict: str
    """The same in words, as the table has it: `yes`, `no` and why, `not judged` and why, `not sampled`."""
    reasons: list[str]
    """What limited it instead, the longest first; or why it is not judged."""
    judged_share: float | None
    """Part of its time that was judged: all of it, or of a sender with pauses that with data to send."""
    limited_share: Mapping[str, float] | None
    """Share of its time by what limited it: `congestion_window`, `pacing`, `receivers_window`,
    `send_buffer`, `tcp_small_queues`, `application`, `other`; `null` where that was not recorded."""
    datagrams_sent: int | None
    """Of UDP flows of programs; `null` of TCP."""
    datagrams_received: int | None
    """Likewise."""
    not_received_share: float | None
    """Likewise: share of the datagrams that were not received. Those under way at the end are among them,
    for only numbers are known of the datagrams of programs."""
    error: str | None
    """What went wrong with its connection."""


def flow_records(run: Run) -> list[FlowRecord]:
    """Every flow of the plan, then those of programs."""
    return [_record(run, flow) for flow in range(len(run.flow_plans))]


def _record(run: Run, flow: int) -> FlowRecord:
    planned, report = run.flow_plans[flow], run.flow_reports[flow]
    sampled, udp = run.plan["sampling"]["flows_interval_ns"] > 0, is_udp(report)
    rate = goodput_of(run, (flow,)) if sampled else Goodput()
    control = flow_control(run, flow) if sampled else None
    sent, received = (report["datagrams_sent"], report["datagrams_received"]) if udp else (None, None)
    return FlowRecord(
        flow=report["name"],
        from_=_end(report["from"]) if udp else planned["from"],
        to=_end(report["to"]) if udp else planned["to"],
        protocol=UDP if udp else TCP,
        congestion_control=None if udp else report["congestion_control"],
        goodput_mbps=rate.mean_mbps,
        goodput_least_mbps=rate.least_mbps,
        goodput_most_mbps=rate.most_mbps,
        bytes_received=report["bytes_received"],
        retransmits=None if udp else report["retransmits"],
        in_control=None if control is None else control.in_control,
        verdict="not sampled" if control is None else control.text(),
        reasons=[] if control is None else list(control.reasons),
        judged_share=None if control is None or not control.shares else control.judged_share,
        limited_share=_limited(control),
        datagrams_sent=sent,
        datagrams_received=received,
        not_received_share=max(0, sent - received) / sent if sent else None,
        error=report["error"],
    )


def _end(end: Mapping[str, Any]) -> str:
    return f"{end['node']}:{end['port']}"


# The keys of `limited_share`, by the names in tables.
LIMITER_KEYS = {name.lower().replace(" ", "_").replace("'", ""): name for name in LIMITERS.values()}


def _limited(control: Control | None) -> dict[str, float] | None:
    """Shares of exact times; those by samples are others."""
    if control is None or not control.exact or not control.shares:
        return None
    return {key: control.shares[name] for key, name in LIMITER_KEYS.items()}


def flow_table(flows: Sequence[FlowRecord]) -> Table:
    """One row per flow."""
    rate, again = (QUANTITIES[name].label_with_unit for name in ("throughput", "retransmits"))
    columns = ("flow", "CCA", rate, "min", "max", "MB", again, "in control")
    title = "Flows (at the receiver: mean, and bins of 1 s)"
    table = Table(title, columns, left=("CCA", "in control"))
    for flow in flows:
        table.add(
            flow.flow,
            flow.congestion_control or NO_CONGESTION_CONTROL,
            *(number(v) for v in (flow.goodput_mbps, flow.goodput_least_mbps, flow.goodput_most_mbps)),
            number(flow.bytes_received / 1e6),
            "-" if flow.retransmits is None else str(flow.retransmits),
            flow.verdict,
        )
    return table


def limits_table(flows: Sequence[FlowRecord]) -> Table:
    """One row per flow with exact times (`metrics/control.py`); empty if the run recorded none."""
    columns = ("flow", "CCA", *LIMITERS.values())
    title = f"{QUANTITIES['limits'].label} (share of each flow's time)"
    table = Table(title, columns, left=("CCA",))
    for flow in flows:
        if flow.limited_share is not None:
            shares = (f"{flow.limited_share[key]:.1%}" for key in LIMITER_KEYS)
            table.add(flow.flow, flow.congestion_control or NO_CONGESTION_CONTROL, *shares)
    return table


def udp_table(flows: Sequence[FlowRecord]) -> Table:
    """One row per UDP flow of a program."""
    columns = ("flow", "from", "to", "sent", "received", "not received")
    table = Table("UDP flows of programs (datagrams)", columns, left=("from", "to"))
    for flow in flows:
        if flow.protocol == UDP:
            share = flow.not_received_share
            missing = "-" if share is None else f"{share:.2%}"
            counts = (str(count) for count in (flow.datagrams_sent, flow.datagrams_received))
            table.add(flow.flow, flow.from_, flow.to, *counts, missing)
    return table
