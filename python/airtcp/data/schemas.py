"""The series of a run folder: every column's name, type, unit and meaning. The one place that says so.

`docs/reference/columns.md` is made from here. Names of `struct tcp_info` are those of Linux's
`include/uapi/linux/tcp.h`, congestion control states those of `enum tcp_ca_state` there.
"""

from airtcp.data.column import Column, Table
from airtcp.data.station_schemas import STATION_TABLES

_TIME = Column("time_ns", "i64", "ns", "virtual time of the sample from the epoch, when traffic may start")
_FLOW = Column("flow", "u32", "", "number of the flow: its place in the plan's `flows`")
_NIC = Column("nic", "u32", "", "number of the radio: its place in the plan's `air.nics`")


def _count(name: str, type_: str, unit: str, meaning: str, later: bool = False) -> Column:
    return Column(name, type_, unit, meaning, counter=True, later=later)


def _limited(name: str, meaning: str) -> Column:
    return _count(f"{name}_ns", "u64", "ns", f"time since established in which {meaning}", later=True)


FLOWS = Table(
    "flows",
    "Each flow at every sampling instant, as its sender's and its receiver's TCP see it, and once more when "
    "the receiver has seen the flow's end.",
    (
        _TIME,
        _FLOW,
        _count("bytes_received", "u64", "byte", "received in order by the receiver's TCP (the FIN is one)"),
        _count(
            "bytes_acked",
            "u64",
            "byte",
            "acknowledged, as the sender knows (FIN is one, SYN too if it connects)",
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
        _count("total_retrans", "u32", "segment", "sent again so far"),
        Column("snd_mss", "u32", "byte", "largest payload of a segment"),
        Column("pacing_rate_bps", "u64", "bit/s", "pacing rate; 18446744073709551615: no limit"),
        Column(
            "delivery_rate_bps", "u64", "bit/s", "latest delivery rate sample of the kernel (`tcp_rate.c`)"
        ),
        _count("busy_us", "u64", "us", "time with data to send or unacknowledged"),
        _count("rwnd_limited_us", "u64", "us", "part of it in which the receiver's window was the limit"),
        _count("sndbuf_limited_us", "u64", "us", "part of it in which the send buffer was the limit"),
        Column("ca_state", "u32", "", "0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss"),
        Column(
            "delivery_app_limited", "u32", "", "1: the delivery rate sample was limited by the application"
        ),
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
)

ACKS = Table(
    "acks",
    "Each segment that a flow's sender receives, and the sender's state just before it is processed "
    "(tracepoint `tcp:tcp_probe`). On request: `[sampling] acks = true`.",
    (
        Column("time_ns", "i64", "ns", "virtual time of arrival from the epoch"),
        _FLOW,
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
)

DELAYS = Table(
    "delays",
    "The one-way delay of each TCP packet of a flow, from the sender's device queue to the receiver's "
    "network layer. On request: `[sampling] delays = true`.",
    (
        Column(
            "time_ns", "i64", "ns", "virtual time of entry into the sender's device queue, from the epoch"
        ),
        _FLOW,
        Column("direction", "u32", "", "0: of the data's sender, 1: of its receiver (acknowledgements)"),
        Column("sequence", "u32", "", "TCP sequence number (raw, wraps at 2^32)"),
        Column("bytes", "u32", "byte", "length of the IP packet"),
        Column("delay_ns", "i64", "ns", "delay; -1: lost, for a later packet has arrived", least=-1),
    ),
    keys=("flow", "direction"),
)

TRANSFERS = Table(
    "transfers",
    "Each transfer of a flow that has them, in the order of their ends, at last those without one: a burst "
    "(`[[flow]]` with `off`), an answer (`[[request]]`), a page (`[[web]]`), a segment (`[[video]]`).",
    (
        Column(
            "time_ns",
            "i64",
            "ns",
            "virtual time at which it was asked for, or a burst's writing began, from the epoch; of a flow's "
            "first page the start of its connection",
        ),
        _FLOW,
        Column("number", "u32", "", "number of the transfer in its flow, from 0"),
        Column("first_byte_ns", "i64", "ns", "time at which its first byte came; -1: never", least=-1),
        Column("end_ns", "i64", "ns", "time at which its last byte came; -1: never", least=-1),
        Column(
            "bytes",
            "u64",
            "byte",
            "application bytes; of one without an end what was asked for, or written, so far",
        ),
        Column("rate_bps", "u64", "bit/s", "of video the rate of the segment, else 0"),
        Column(
            "buffer_ns",
            "i64",
            "ns",
            "of video the playing time in the buffer at the end of the segment, with it; else -1",
            least=-1,
        ),
    ),
    keys=("flow", "number"),
)

DATAGRAMS = Table(
    "datagrams",
    "Each datagram of a stream (`[[udp]]`), in the order of sending.",
    (
        Column("time_ns", "i64", "ns", "virtual time at which it was sent, from the epoch"),
        Column("stream", "u32", "", "number of the stream: its place in the plan's `datagrams`"),
        Column("sequence", "u32", "", "number of the datagram, from 0"),
        Column("delay_ns", "i64", "ns", "time to the receiver's host; -1: not received", least=-1),
    ),
    keys=("stream",),
)

QDISCS = Table(
    "qdiscs",
    "The books of every queueing discipline at every sampling instant (`tc -s qdisc`).",
    (
        _TIME,
        Column("node", "u32", "", "number of the node: its place in the plan's `nodes`"),
        Column("interface", "u32", "", "number of the interface: its place in the node's `interfaces`"),
        Column("handle", "u32", "", "major number of its handle, as in `tc`"),
        Column("backlog_packets", "u32", "packet", "waiting"),
        Column("backlog_bytes", "u32", "byte", "waiting"),
        _count("packets", "u64", "packet", "sent"),
        _count("bytes", "u64", "byte", "sent"),
        _count("drops", "u64", "packet", "dropped"),
        _count("overlimits", "u64", "", "times its rate held a packet back"),
        _count("marks", "u64", "packet", "marked with ECN congestion experienced"),
    ),
    keys=("node", "interface", "handle"),
)

PINGS = Table(
    "pings",
    "Each echo request of a ping, and its answer.",
    (
        Column("time_ns", "i64", "ns", "virtual time at which the request was sent, from the epoch"),
        Column("ping", "u32", "", "number of the ping: its place in the plan's `pings`"),
        Column("sequence", "u32", "", "number of the request, from 0"),
        Column("rtt_ns", "i64", "ns", "round-trip time; -1: no answer", least=-1),
    ),
    keys=("ping",),
)

AIR = Table(
    "air",
    "Each radio at every sampling instant.",
    (
        _TIME,
        _NIC,
        Column("queue_packets", "u32", "packet", "waiting in the radio"),
        _count("accepted", "u64", "packet", "taken from the node"),
        _count("sent", "u64", "packet", "that ended well: acknowledged, or sent to a group"),
        _count("dropped", "u64", "packet", "given up: retry limit, full queue, CoDel, ..."),
        _count("transmissions", "u64", "", "data PPDUs put on the air"),
        _count("retries", "u64", "", "of these, attempts after the first"),
        _count("collisions", "u64", "", "of these, lost to others on the air at the same time"),
        _count("corrupted", "u64", "", "of these, lost to noise"),
        _count("airtime_ns", "u64", "ns", "on the air, all its PPDUs"),
        Column("rate_bps", "u64", "bit/s", "PHY rate of its last data PPDU; 0 before the first", later=True),
    ),
    keys=("nic",),
)

LINKS = Table(
    "links",
    "Each pair of radios that ever exchanged data, at every sampling instant.",
    (
        _TIME,
        Column("nic", "u32", "", "number of the sending radio: its place in the plan's `air.nics`"),
        Column("peer", "u32", "", "number of the radio it sends to"),
        _count("transmissions", "u64", "", "data PPDUs put on the air"),
        _count("retries", "u64", "", "of these, attempts after the first"),
        _count("collisions", "u64", "", "of these, lost to others on the air at the same time"),
        _count("corrupted", "u64", "", "of these, lost to noise"),
        _count("airtime_ns", "u64", "ns", "on the air"),
        Column("rate_bps", "u64", "bit/s", "PHY rate of the last data PPDU; 0 before the first"),
    ),
    keys=("nic", "peer"),
)

PPDUS = Table(
    "ppdus",
    "Each PPDU on the air. On request: `[sampling] ppdus = true`.",
    (
        Column(
            "start_ns",
            "i64",
            "ns",
            "virtual time of its start, from the epoch; below 0 while the network starts",
            least=None,
        ),
        Column("end_ns", "i64", "ns", "of its end, with signal extension", least=None),
        Column("nic", "u32", "", "number of the radio that sent it: its place in the plan's `air.nics`"),
        Column("to", "u32", "", "number of the radio it is for; 4294967295: a group"),
        Column("kind", "u32", "", "0 data, 1 ack, 2 blockack, 3 rts, 4 cts, 5 bar, 6 beacon, 7 management"),
        Column("rate_bps", "u64", "bit/s", "its rate"),
        Column("bytes", "u32", "byte", "length of its PSDU"),
        Column("attempt", "u32", "", "number of the attempt to send the data, from 1"),
        Column("outcome", "u32", "", "0 received, 1 collision, 2 corrupted"),
    ),
    keys=("nic",),
)

SERIES: dict[str, Table] = {
    table.name: table
    for table in (
        *(FLOWS, ACKS, DELAYS, TRANSFERS, DATAGRAMS, QDISCS, PINGS, AIR, LINKS),
        *STATION_TABLES,
        PPDUS,
    )
}
