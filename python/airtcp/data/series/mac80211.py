"""What the kernel records of mac80211: the peers of its radios, its queues, and its rate control.

Counts of a peer are those of its entry in mac80211: a station that joins again begins at 0. So none of them
is a counter that never goes back.
"""

from functools import partial
from typing import TYPE_CHECKING

from airtcp.data.series.air import NODE_NAME, label_peers, label_radios
from airtcp.data.series.modes import mode_columns, mode_name_column, with_modes
from airtcp.data.series.series import TIME, JsonObject, Series, end_ns, names_by_number, place_in
from airtcp.formats.column import Column

if TYPE_CHECKING:
    import polars

# `peer` of frames to groups.
GROUP = 0xFFFF_FFFF

ACCESS_CATEGORIES = ("BK", "BE", "VI", "VO")
# Letters of `rc_stats` by the bits of `chosen`.
_CHOICES = "ABCDPS"

_SAMPLED = partial(Series, recorder="guest", early_end="cut_with_last_sample")
_OF_STATIONS = partial(
    _SAMPLED,
    setting='stations = "100 ms" in [sampling], with a cell of mac = "linux",',
    interval_key="stations_interval_ns",
)

_NIC = place_in("air.nics", "nic", "the radio whose statistics these are")
_INTERFACE = Column("interface", "u32", "", "number of the radio's interface, from 1 (`wdev` of `iw dev`)")
_PEER = Column(
    "peer",
    "u32",
    "",
    "number of the radio that is known",
    numbers="air.nics",
)
_KEY = (TIME, _NIC, _INTERFACE, _PEER)
_PEER_NAME = Column("peer_name", "text", "", "name of the peer's node")


def chosen_name(chosen: int) -> str:
    """The letters of `rc_stats`: A to D best throughput, P best probability, S to be tried."""
    return "".join(letter for bit, letter in enumerate(_CHOICES) if chosen >> bit & 1)


def _with_choices(frame: "polars.DataFrame") -> "polars.DataFrame":
    """The frame with a column for the letters of `chosen`."""
    import polars

    names = {number: chosen_name(number) for number in frame["chosen"].unique().to_list()}
    letters = polars.Series("chosen_name", [names[number] for number in frame["chosen"]], dtype=polars.String)
    return frame.with_columns(letters)


def _label_stations(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":
    return with_modes(with_modes(label_peers(frame, plan, agent), "tx_", "tx_mode"), "rx_", "rx_mode")


def _label_station_queues(
    frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject
) -> "polars.DataFrame":
    return label_peers(frame, plan, agent).with_columns(
        names_by_number(list(ACCESS_CATEGORIES), "ac_name", frame["ac"])
    )


def _label_station_rates(
    frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject
) -> "polars.DataFrame":
    return _with_choices(with_modes(label_peers(frame, plan, agent), "", "mode"))


def _missing_of_radio_queues(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:
    """Each radio of mac80211 at every multiple of the interval after 0, and at the run's end."""
    interval, end = plan["sampling"].get("stations_interval_ns", 0), end_ns(plan, agent)
    if not interval:
        return ""
    cells = plan["air"].get("cells", [])
    for number, radio in enumerate(plan["air"]["nics"]):
        if not cells[radio["cell"]].get("linux"):
            continue
        times = frame.filter(frame["nic"] == number)["time_ns"]
        if times.len() < -(-end // interval):
            return f"radio {number} ({radio['node']}) has {times.len()} of {-(-end // interval)}"
    return ""


def _u32(name: str, unit: str, meaning: str) -> Column:
    return Column(name, "u32", unit, meaning)


def _u64(name: str, unit: str, meaning: str) -> Column:
    return Column(name, "u64", unit, meaning)


def _mode(prefix: str, whose: str) -> tuple[Column, ...]:
    rate = _u64(f"{prefix}rate_bps", "bit/s", "PHY rate as Linux has it, in steps of 100 kbit/s")
    return (*mode_columns(prefix, whose), rate)


STATIONS = _OF_STATIONS(
    "stations",
    "Each peer of each radio of mac80211 at every sampling instant, as `iw station dump` shows it.",
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
        _u32(
            "tx_retries",
            "",
            "attempts after the first, of MPDUs sent alone; aggregates are not counted",
        ),
        _u32("tx_failed", "packet", "given up"),
        _u32("airtime_weight", "", "weight of its airtime; 256 is usual"),
        _u32("expected_throughput_kbps", "kbit/s", "throughput that rate control expects; 0: unknown"),
        Column("signal_dbm", "i64", "dBm", "strength of the last PPDU from it; 0 before one", least=None),
        Column("signal_avg_dbm", "i64", "dBm", "its moving average", least=None),
        Column(
            "access_point",
            "u32",
            "",
            "1: the radio is a station that is associated with it, its access point; 0: it is not",
            later=True,
        ),
        *_mode("tx_", "the last PPDU to it"),
        *_mode("rx_", "the last PPDU from it"),
    ),
    keys=("nic", "interface", "peer"),
    labels=(
        NODE_NAME,
        _PEER_NAME,
        mode_name_column("tx_mode", "the last PPDU to it"),
        mode_name_column("rx_mode", "the last PPDU from it"),
    ),
    label=_label_stations,
)

STATION_QUEUES = _OF_STATIONS(
    "station_queues",
    "mac80211's queues for each peer and access category at every sampling instant, from its first use on: "
    "the sum over TIDs. Counts are since the peer joined.",
    (
        TIME,
        _NIC,
        _INTERFACE,
        Column(
            "peer",
            "u32",
            "",
            "number of the radio that is known; 4294967295: frames to groups",
            numbers="air.nics",
            or_group=True,
        ),
        _u32("ac", "", "access category: 0 background, 1 best effort, 2 video, 3 voice"),
        _u32("backlog_packets", "packet", "waiting; one more may be in the driver"),
        _u32("backlog_bytes", "byte", "waiting"),
        _u32("flows", "", "flows in the rotation: with packets, or just without"),
        _u32("new_flows", "", "times that a flow began to wait"),
        _u32("drops", "packet", "dropped by CoDel"),
        _u32("marks", "packet", "marked with ECN congestion experienced by CoDel"),
        _u32("overlimit", "packet", "dropped because the radio's queues were too long"),
        _u32("collisions", "packet", "whose flow had to share a queue with another"),
        Column("deficit_us", "i64", "us", "airtime deficit; below 0: other stations send first", least=None),
        _u32("pending_us", "us", "airtime of what the driver has, as airtime queue limits estimate it"),
        _u32("limit_low_us", "us", "limit of it while the whole radio has more than its threshold"),
        _u32("limit_high_us", "us", "limit of it else"),
        _u64("tx_packets", "packet", "sent; to groups: taken out of the queue"),
        _u64("tx_bytes", "byte", "sent; to groups: taken out of the queue, wraps at 2^32"),
        _u64("tx_airtime_us", "us", "on the air for the peer, as in `stations`"),
        _u64("rx_airtime_us", "us", "on the air from the peer, as in `stations`"),
    ),
    keys=("nic", "interface", "peer", "ac"),
    labels=(
        NODE_NAME,
        Column("peer_name", "text", "", "name of the peer's node; null for groups"),
        Column("ac_name", "text", "", "the access category: BK, BE, VI or VO"),
    ),
    label=_label_station_queues,
)

RADIO_QUEUES = _OF_STATIONS(
    "radio_queues",
    "mac80211's queues of each radio together (`struct fq`) at every sampling instant.",
    (
        TIME,
        _NIC,
        _u32("backlog_packets", "packet", "waiting"),
        _u32("memory_bytes", "byte", "memory that they take"),
        _u32("overlimit", "packet", "dropped because more waited than `txq.packets` or `txq.memory` allow"),
        _u32("overmemory", "packet", "of these, because of their memory; debugfs has the two exchanged"),
        _u32("collisions", "packet", "whose flow had to share a queue with another"),
        _u32("pending_us", "us", "airtime of what the driver has, of all peers and of groups"),
    ),
    keys=("nic",),
    labels=(NODE_NAME,),
    label=label_radios,
    missing=_missing_of_radio_queues,
)

STATION_RATES = _SAMPLED(
    "station_rates",
    "The state of the kernel's `minstrel_ht` for each rate to each peer at every sampling instant; only of "
    "rates that were tried or are chosen.",
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
    setting='rates = "100 ms" in [sampling], with a cell of mac = "linux",',
    interval_key="rates_interval_ns",
    labels=(
        NODE_NAME,
        _PEER_NAME,
        Column("mode", "text", "", "the rate, as a scenario writes modes"),
        Column("chosen_name", "text", "", "letters of `rc_stats` for what it is chosen for"),
    ),
    label=_label_station_rates,
)


class Mac80211Series:
    """`run.stations`, `run.station_queues`, `run.radio_queues`, `run.station_rates`."""

    stations = STATIONS
    station_queues = STATION_QUEUES
    radio_queues = RADIO_QUEUES
    station_rates = STATION_RATES
