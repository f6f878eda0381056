"""The series of what the kernel's mac80211 knows of the peers of its radios.

Counts of a peer are those of its entry in mac80211: a station that joins anew begins at 0. So none of them
is a counter that never goes back.
"""

from airtcp.data.column import Column, Table

# `peer` of frames to groups.
GROUP = 0xFFFF_FFFF

_TIME = Column("time_ns", "i64", "ns", "virtual time of the sample from the epoch, when traffic may start")
_NIC = Column("nic", "u32", "", "number of the radio that knows: its place in the plan's `air.nics`")
_INTERFACE = Column("interface", "u32", "", "number of the radio's interface, from 1 (`wdev` of `iw dev`)")
_PEER = Column("peer", "u32", "", "number of the radio that is known")
_KEY = (_TIME, _NIC, _INTERFACE, _PEER)


def _u32(name: str, unit: str, meaning: str) -> Column:
    return Column(name, "u32", unit, meaning)


def _u64(name: str, unit: str, meaning: str) -> Column:
    return Column(name, "u64", unit, meaning)


def _mode(prefix: str, whose: str) -> tuple[Column, ...]:
    return (
        _u32(f"{prefix}format", "", f"{whose}: 0 DSSS, 1 OFDM, 2 HT, 3 VHT, 4 HE, 5 EHT"),
        _u32(
            f"{prefix}mcs", "", "MCS, of HT that of its number of streams; DSSS, OFDM: place among the rates"
        ),
        _u32(f"{prefix}streams", "", "spatial streams; 0: there was none yet"),
        _u32(f"{prefix}width_mhz", "MHz", "width"),
        _u32(f"{prefix}guard_ns", "ns", "guard interval; 0 in DSSS"),
        _u64(f"{prefix}rate_bps", "bit/s", "PHY rate as Linux has it, in steps of 100 kbit/s"),
    )


STATIONS = Table(
    "stations",
    "Each peer of each radio of mac80211 at every sampling instant, as `iw station dump` tells of it.",
    (
        *_KEY,
        _u64("tx_packets", "packet", "sent to it"),
        _u64("tx_bytes", "byte", "sent to it"),
        _u64("rx_packets", "packet", "received from it"),
        _u64("rx_bytes", "byte", "received from it"),
        _u64(
            "tx_airtime_us",
            "us",
            "on the air for it, of all access categories: protection, data and response of every attempt, "
            "each rounded down; 0 without `airtime_fairness`",
        ),
        _u64("rx_airtime_us", "us", "on the air from it: PPDUs with data, likewise"),
        _u32("tx_retries", "", "attempts after the first with MPDUs sent alone; of aggregates none is told"),
        _u32("tx_failed", "packet", "given up"),
        _u32("airtime_weight", "", "weight of its airtime; 256 is usual"),
        _u32(
            "expected_throughput_kbps", "kbit/s", "throughput that rate control expects; 0: it does not know"
        ),
        Column("signal_dbm", "i64", "dBm", "strength of the last PPDU from it; 0 before one", least=None),
        Column("signal_avg_dbm", "i64", "dBm", "its moving average", least=None),
        *_mode("tx_", "the last PPDU to it"),
        *_mode("rx_", "the last PPDU from it"),
    ),
    keys=("nic", "interface", "peer"),
)

STATION_QUEUES = Table(
    "station_queues",
    "mac80211's queues for each peer and access category at every sampling instant, from its first use on: "
    "the sum over TIDs. Counts are since the peer joined.",
    (
        _TIME,
        _NIC,
        _INTERFACE,
        _u32("peer", "", "number of the radio that is known; 4294967295: frames to groups"),
        _u32("ac", "", "access category: 0 background, 1 best effort, 2 video, 3 voice"),
        _u32("backlog_packets", "packet", "waiting; one more may be in the driver"),
        _u32("backlog_bytes", "byte", "waiting"),
        _u32("flows", "", "flows in the rotation: with packets, or just without"),
        _u32("new_flows", "", "times that a flow began to wait"),
        _u32("drops", "packet", "dropped by CoDel"),
        _u32("marks", "packet", "marked with ECN congestion experienced by CoDel"),
        _u32("overlimit", "packet", "dropped because the radio's queues were too long"),
        _u32("collisions", "packet", "whose flow had to share a queue with another"),
        Column(
            "deficit_us", "i64", "us", "airtime left of its turn; below 0: others are to send", least=None
        ),
        _u32("pending_us", "us", "airtime of what the driver has, as airtime queue limits estimate it"),
        _u32("limit_low_us", "us", "limit of it while the whole radio has more than its threshold"),
        _u32("limit_high_us", "us", "limit of it else"),
        _u64("tx_packets", "packet", "sent; to groups: taken out of the queue"),
        _u64("tx_bytes", "byte", "sent; to groups: taken out of the queue, wraps at 2^32"),
        _u64("tx_airtime_us", "us", "on the air for the peer, as in `stations`"),
        _u64("rx_airtime_us", "us", "on the air from the peer, as in `stations`"),
    ),
    keys=("nic", "interface", "peer", "ac"),
)

RADIO_QUEUES = Table(
    "radio_queues",
    "mac80211's queues of each radio together (`struct fq`) at every sampling instant.",
    (
        _TIME,
        _NIC,
        _u32("backlog_packets", "packet", "waiting"),
        _u32("memory_bytes", "byte", "memory that they take"),
        _u32("overlimit", "packet", "dropped because more waited than `txq.packets` or `txq.memory` allow"),
        _u32("overmemory", "packet", "of these, because of their memory; debugfs has the two exchanged"),
        _u32("collisions", "packet", "whose flow had to share a queue with another"),
        _u32("pending_us", "us", "airtime of what the driver has, of all peers and of groups"),
    ),
    keys=("nic",),
)

STATION_RATES = Table(
    "station_rates",
    "What the kernel's `minstrel_ht` thinks of each rate to each peer at every sampling instant; of rates "
    "that were tried or are chosen.",
    (
        *_KEY,
        _u32("index", "", "its own number for the rate (`idx` of `rc_stats`)"),
        *_mode("", "the rate"),
        _u32("short_preamble", "", "1: DSSS with a short preamble"),
        _u32(
            "chosen",
            "",
            "sum of 1, 2, 4, 8: first to fourth of throughput (A to D of `rc_stats`); 16: best probability "
            "(P); 32: to be tried (S)",
        ),
        _u32("probability_ppm", "1e-6", "probability of success of an MPDU, moving average"),
        _u64(
            "throughput_bps",
            "bit/s",
            "throughput it expects of packets of 1200 bytes; 0 under 10 %",
        ),
        _u32("attempts", "packet", "MPDUs sent, until its last update; minstrel may begin anew"),
        _u32("successes", "packet", "of these, acknowledged"),
    ),
    keys=("nic", "interface", "peer", "index"),
)

STATION_TABLES = (STATIONS, STATION_QUEUES, RADIO_QUEUES, STATION_RATES)
