"""What the kernel records of flows: samples, segments that reach the sender, and delays of packets.

Names of `struct tcp_info` are those of Linux's `include/uapi/linux/tcp.h`, congestion control states those of
`enum tcp_ca_state` there.
"""

from typing import TYPE_CHECKING

from airtcp.data.program_flows import is_udp
from airtcp.data.series.series import (
    TIME,
    JsonObject,
    Series,
    counter,
    end_ns,
    first_ns,
    last_ns,
    names_by_number,
    place_in,
    widest_gap_ns,
)
from airtcp.formats.column import Column

if TYPE_CHECKING:
    import polars

FLOW = place_in("flows", "flow", "the flow")
FLOW_LABELS = (
    Column("flow_name", "text", "", "name of the flow"),
    Column("cca", "text", "", "its planned and verified congestion control"),
)
# The columns that a UDP flow has.
_OF_UDP = ("time_ns", "flow", "bytes_received")


def label_flows(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":
    """Adds name and congestion control of the flow in column `flow`."""
    names = [flow["name"] for flow in plan["flows"]]
    ccas = [flow["congestion_control"] for flow in agent["flows"]]
    frame = _without_tcp(frame, [n for n, flow in enumerate(plan["flows"]) if is_udp(flow)])
    return frame.with_columns(
        names_by_number(names, "flow_name", frame["flow"]), names_by_number(ccas, "cca", frame["flow"])
    )


def _without_tcp(frame: "polars.DataFrame", flows: list[int]) -> "polars.DataFrame":
    """Removes the values that UDP flows do not have: all but the bytes received."""
    import polars

    if not flows:
        return frame
    known = polars.col("flow").is_in(flows).not_()
    others = [name for name in frame.columns if name not in _OF_UDP]
    return frame.with_columns(polars.when(known).then(polars.col(name)).alias(name) for name in others)


def _missing_of_flows(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:
    """Each connected flow has a row at every instant until it has finished, the last at the run's end."""
    interval, end = plan["sampling"]["flows_interval_ns"], end_ns(plan, agent)
    # No query: it would cost more than all other checks.
    parts = frame[["flow", "time_ns"]].partition_by("flow", maintain_order=True)
    times_of = {part["flow"][0]: part["time_ns"] for part in parts}
    for number, report in enumerate(agent["flows"]):
        # A connection that failed has samples for as long as the kernel kept it.
        if report["error"]:
            continue
        connected, finished = report["connected_ns"], report["finished_ns"]
        times = times_of.get(number)
        last_needed = end if finished is None else min(end, finished) - interval
        if times is None:
            # A flow may begin and end between two instants; one that never connected has no row.
            if connected is not None and last_needed >= connected + interval:
                return f"flow {report['name']} has none"
            continue
        if widest_gap_ns(times) > interval or (
            connected is not None and first_ns(times) > connected + interval
        ):
            return f"flow {report['name']} has a gap"
        if last_ns(times) < last_needed:
            return f"flow {report['name']} ends at {last_ns(times) / 1e9:g} s"
    return ""


def _label_mptcp(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    return frame.with_columns(
        names_by_number([one["name"] for one in agent["mptcp"]], "connection_name", frame["connection"])
    )


def _ecn_count(name: str, unit: str, meaning: str) -> Column:
    return counter(name, "u32", unit, meaning, later=True)


def _ecn_bytes(of: str, meaning: str) -> tuple[Column, ...]:
    """Bytes by the code point that they arrived with: no counters, for the kernel guesses and corrects itself
    by AccECN's options (`tcp_accecn_process_option` of net/ipv4/tcp_input.c), and they wrap at 2^32.
    """
    return tuple(
        Column(
            f"{of}_{point}_bytes", "u32", "byte", f"{meaning} with {name} (AccECN); may go back", later=True
        )
        for point, name in (("e0", "ECT(0)"), ("e1", "ECT(1)"), ("ce", "CE"))
    )


# What TCP tells of ECN. Kernels without AccECN have zeros from `received_ce` on.
_ECN = (
    _ecn_count("delivered", "segment", "delivered, those that were sent again too, as the kernel counts"),
    _ecn_count("delivered_ce", "segment", "of these, marked with congestion experienced, as far as it knows"),
    Column("ecn", "u32", "", "agreed on: 0 none, 1 classic ECN (RFC 3168), 2 AccECN (RFC 9768)", later=True),
    Column("ecn_seen", "u32", "", "1: the sender has received a packet that is ECN-capable", later=True),
    _ecn_count("received_ce", "segment", "that the sender received with congestion experienced: its ACKs"),
    *_ecn_bytes("delivered", "delivered"),
    *_ecn_bytes("received", "that the sender received"),
    Column(
        "accecn_opt_seen", "u32", "", "AccECN options: 0 none seen, 1 empty, 2 counters, 3 failed", later=True
    ),
    Column(
        "accecn_fail_mode",
        "u32",
        "",
        "what of AccECN does not pass: sum of 1 ACE sent, 2 ACE received, 4 option sent, 8 option received",
        later=True,
    ),
)


def _limited(name: str, meaning: str) -> Column:
    return counter(f"{name}_ns", "u64", "ns", f"time since established in which {meaning}", later=True)


FLOWS = Series(
    "flows",
    "Each flow at every sampling instant, as its sender's and its receiver's TCP see it, and once more when "
    "the receiver has seen the flow's end.",
    (
        TIME,
        FLOW,
        counter("bytes_received", "u64", "byte", "received in order by the receiver's TCP (the FIN is one)"),
        counter(
            "bytes_acked",
            "u64",
            "byte",
            "acknowledged, as the sender counts (FIN is one, SYN too if it connects)",
        ),
        Column("cwnd", "u32", "segment", "congestion window"),
        Column("ssthresh", "u32", "segment", "slow start threshold; 2147483647 before there is one"),
        Column("srtt_us", "u32", "us", "smoothed round-trip time (RFC 6298); 0 before the first"),
        Column("rttvar_us", "u32", "us", "variation of the round-trip time (RFC 6298)"),
        Column(
            "min_rtt_us", "u32", "us", "least round-trip time in the kernel's window (`tcp_min_rtt_wlen`)"
        ),
        Column("rto_us", "u32", "us", "retransmission timeout (RFC 6298)"),
        Column("unacked", "u32", "segment", "sent and not acknowledged"),
        Column("sacked", "u32", "segment", "selectively acknowledged (RFC 2018)"),
        Column("lost", "u32", "segment", "deemed lost and not yet acknowledged"),
        Column("retrans", "u32", "segment", "sent again and not yet acknowledged"),
        counter("total_retrans", "u32", "segment", "sent again so far"),
        Column("snd_mss", "u32", "byte", "largest payload of a segment"),
        Column("pacing_rate_bps", "u64", "bit/s", "pacing rate; 18446744073709551615: no limit"),
        Column(
            "delivery_rate_bps", "u64", "bit/s", "latest delivery rate sample of the kernel (`tcp_rate.c`)"
        ),
        counter("busy_us", "u64", "us", "time with data to send or unacknowledged"),
        counter("rwnd_limited_us", "u64", "us", "part of it in which the receiver's window was the limit"),
        counter("sndbuf_limited_us", "u64", "us", "part of it in which the send buffer was the limit"),
        Column("ca_state", "u32", "", "0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss"),
        Column(
            "delivery_app_limited", "u32", "", "1: the delivery rate sample was limited by the application"
        ),
        *_ECN,
        Column(
            "tcp_info", "bytes", "", "the kernel's `struct tcp_info`, raw; decoded by `run.tcp_info(flow)`"
        ),
        _limited("cwnd_limited", "sending stood still because the congestion window was used up"),
        _limited("pacing_limited", "sending waited for the pacing timer"),
        _limited("peer_window_limited", "sending stood still because the receiver's window was used up"),
        _limited("send_buffer_limited", "nothing was left to send and the send buffer was full"),
        _limited(
            "small_queue_limited", "TCP small queues held sending: frames were still in qdisc or driver"
        ),
        _limited("app_limited", "nothing was left to send and the application had not written"),
        _limited("other_limited", "sending stood still for another reason (Nagle, ...)"),
        Column("cc_kind", "u32", "", "what `cc_info` holds: 0 nothing, 1 Vegas, 2 DCTCP, 3 BBR", later=True),
        Column(
            "cc_info",
            "bytes",
            "",
            "`union tcp_cc_info` of `linux/inet_diag.h`, raw; decoded by `run.congestion_control_info(flow)`",
            later=True,
        ),
    ),
    keys=("flow",),
    recorder="guest",
    early_end="cut_with_last_sample",
    setting='flows = "100 ms" in [sampling]',
    interval_key="flows_interval_ns",
    labels=FLOW_LABELS,
    label=label_flows,
    missing=_missing_of_flows,
)

ACKS = Series(
    "acks",
    "Each segment that a flow's sender receives, and the sender's state just before it is processed "
    "(tracepoint `tcp:tcp_probe`). On request: `[sampling] acks = true`.",
    (
        Column("time_ns", "i64", "ns", "virtual time of arrival from the epoch"),
        FLOW,
        Column("data_bytes", "u32", "byte", "payload of the received segment"),
        Column("snd_nxt", "u32", "", "next sequence number to send (raw, wraps at 2^32)"),
        Column("snd_una", "u32", "", "first unacknowledged sequence number (raw, wraps at 2^32)"),
        Column("cwnd", "u32", "segment", "congestion window"),
        Column("ssthresh", "u32", "segment", "slow start threshold; 2147483647 before there is one"),
        Column("snd_wnd_bytes", "u32", "byte", "window that the receiver offers"),
        Column("srtt_us", "u32", "us", "smoothed round-trip time"),
        Column("rcv_wnd_bytes", "u32", "byte", "window that the sender itself offers"),
        Column("rto_us", "u32", "us", "retransmission timeout"),
        Column("in_flight", "u32", "segment", "in the network, as TCP estimates: sent less sacked, lost"),
        Column("ca_state", "u32", "", "0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss"),
        Column("pacing_rate_bps", "u64", "bit/s", "pacing rate; 18446744073709551615: no limit"),
    ),
    keys=("flow",),
    recorder="guest",
    early_end="cut",
    setting="acks = true in [sampling]",
    labels=FLOW_LABELS,
    label=label_flows,
)

DELAYS = Series(
    "delays",
    "The one-way delay of each TCP packet of a flow, from the sender's device queue to the receiver's "
    "network layer. On request: `[sampling] delays = true`.",
    (
        Column(
            "time_ns", "i64", "ns", "virtual time of entry into the sender's device queue, from the epoch"
        ),
        FLOW,
        Column("direction", "u32", "", "0: of the data's sender, 1: of its receiver (acknowledgements)"),
        Column("sequence", "u32", "", "TCP sequence number (raw, wraps at 2^32)"),
        Column("bytes", "u32", "byte", "length of the IP packet"),
        Column("delay_ns", "i64", "ns", "delay; -1: lost, for a later packet has arrived", least=-1),
    ),
    keys=("flow", "direction"),
    recorder="guest",
    early_end="cut",
    setting="delays = true in [sampling]",
    labels=FLOW_LABELS,
    label=label_flows,
)


MPTCP = Series(
    "mptcp",
    "Each direction of every MPTCP connection of programs (RFC 8684) at the instants of `flows`: what all of "
    "its subflows carry together. Each subflow is a flow of its own. Bytes are those of data sequence "
    "numbers: the DATA_FIN is one. Runs without MPTCP have no such series.",
    (
        TIME,
        Column(
            "connection",
            "u32",
            "",
            "number of the direction: its place in `sockets.mptcp` of `summary.json`",
        ),
        counter("bytes_received", "u64", "byte", "received in order, of all subflows together"),
        counter("bytes_written", "u64", "byte", "written by the program"),
        counter("bytes_sent", "u64", "byte", "sent for the first time"),
        counter("bytes_acked", "u64", "byte", "acknowledged at the level of the connection (DATA_ACK)"),
        Column(
            "bytes_reinjected",
            "u64",
            "byte",
            "sent again by the connection, on any subflow; 18446744073709551615: not known (Linux 6.1)",
        ),
        Column("subflows", "u32", "", "subflows of the sender"),
        Column("add_addr_signalled", "u32", "", "addresses that the sender told the receiver (ADD_ADDR)"),
        Column("add_addr_accepted", "u32", "", "addresses of the receiver that the sender accepted"),
        Column("local_addr_used", "u32", "", "addresses from which the sender made further subflows"),
    ),
    keys=("connection",),
    recorder="guest",
    early_end="cut_with_last_sample",
    setting='flows = "100 ms" in [sampling], with a [[program]] that uses MPTCP,',
    interval_key="flows_interval_ns",
    labels=(Column("connection_name", "text", "", "name of the direction of the connection"),),
    label=_label_mptcp,
)


class TcpSeries:
    """`run.flows`, `run.acks`, `run.delays`, `run.mptcp`."""

    flows = FLOWS
    acks = ACKS
    delays = DELAYS
    mptcp = MPTCP
