"""What the model of the air records: radios, links and PPDUs."""

from typing import TYPE_CHECKING

from airtcp.data.series.modes import mode_columns, mode_name_column, with_modes
from airtcp.data.series.series import TIME, JsonObject, Series, counter, end_ns, names_by_number, place_in
from airtcp.formats.column import Column
from airtcp.wifi.ppdu import PPDU_KINDS, PPDU_OUTCOMES

if TYPE_CHECKING:
    import polars

NIC = place_in("air.nics", "nic", "the radio")
_ATTEMPTS = (
    counter("transmissions", "u64", "", "data PPDUs put on the air"),
    counter("retries", "u64", "", "of these, attempts after the first"),
    counter("collisions", "u64", "", "of these, lost in a collision"),
    counter("corrupted", "u64", "", "of these, lost to noise"),
)
NODE_NAME = Column("node_name", "text", "", "name of the radio's node")


def radio_names(plan: JsonObject) -> list[str]:
    """The node of each radio, by the radio's number."""
    return [nic["node"] for nic in plan["air"]["nics"]]


def label_radios(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    """Adds the node of the radio in column `nic`."""
    return frame.with_columns(names_by_number(radio_names(plan), "node_name", frame["nic"]))


def label_peers(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    """Adds the nodes of the radios in columns `nic` and `peer`."""
    radios = radio_names(plan)
    peers = names_by_number(radios, "peer_name", frame["peer"])
    return frame.with_columns(names_by_number(radios, "node_name", frame["nic"]), peers)


def _label_ppdus(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> "polars.DataFrame":  # noqa: ARG001
    radios = radio_names(plan)
    return with_modes(frame, "", "mode").with_columns(
        names_by_number(radios, "node_name", frame["nic"]),
        names_by_number(radios, "to_name", frame["to"]),
        names_by_number(list(PPDU_KINDS), "kind_name", frame["kind"]),
        names_by_number(list(PPDU_OUTCOMES), "outcome_name", frame["outcome"]),
    )


def _missing_of_radios(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:
    """Each radio at every multiple of the interval from 0 to the run's end."""
    interval = plan["sampling"]["air_interval_ns"]
    needed = end_ns(plan, agent) // interval + 1 if interval else 0
    for number, radio in enumerate(plan["air"]["nics"]):
        found = int((frame["nic"] == number).sum())
        if found < needed:
            return f"radio {number} ({radio['node']}) has {found} of {needed}"
    return ""


AIR = Series(
    "air",
    "Each radio at every sampling instant.",
    (
        TIME,
        NIC,
        Column("queue_packets", "u32", "packet", "waiting in the radio"),
        counter("accepted", "u64", "packet", "taken from the node"),
        counter("sent", "u64", "packet", "sent: acknowledged, or group-addressed"),
        counter("dropped", "u64", "packet", "given up: retry limit, full queue, CoDel, ..."),
        *_ATTEMPTS,
        counter("airtime_ns", "u64", "ns", "on the air, all its PPDUs"),
        counter(
            "busy_ns", "u64", "ns", "for which its carrier sense was busy, by itself or others", later=True
        ),
        counter(
            "tx_ns", "u64", "ns", "for which it transmitted, since the start of virtual time", later=True
        ),
        counter(
            "bss_rx_ns",
            "u64",
            "ns",
            "for which it sensed PPDUs of its own BSS and did not transmit: of its cell, or of its access "
            "point in mac80211 and the stations that are associated with that",
            later=True,
        ),
        Column("rate_bps", "u64", "bit/s", "PHY rate of its last data PPDU; 0 before the first", later=True),
        counter(
            "marked",
            "u64",
            "packet",
            "marked with ECN congestion experienced in its own queues; those of mac80211: `station_queues`",
            later=True,
        ),
    ),
    keys=("nic",),
    recorder="air",
    early_end="cut",
    setting='air = "100 ms" in [sampling]',
    interval_key="air_interval_ns",
    labels=(NODE_NAME,),
    label=label_radios,
    missing=_missing_of_radios,
)

LINKS = Series(
    "links",
    "Each pair of radios that ever exchanged data, at every sampling instant.",
    (
        TIME,
        place_in("air.nics", "nic", "the sending radio"),
        Column(
            "peer",
            "u32",
            "",
            "number of the radio it sends to",
            numbers="air.nics",
        ),
        *_ATTEMPTS,
        counter("airtime_ns", "u64", "ns", "on the air"),
        Column("rate_bps", "u64", "bit/s", "PHY rate of the last data PPDU; 0 before the first"),
        Column(
            "signal_mdbm",
            "i64",
            "0.001 dBm",
            "mean power of the sender at the receiver: path loss and shadowing, without fading",
            later=True,
            least=None,
        ),
    ),
    keys=("nic", "peer"),
    recorder="air",
    early_end="cut",
    setting='air = "100 ms" in [sampling]',
    interval_key="air_interval_ns",
    labels=(NODE_NAME, Column("peer_name", "text", "", "name of the node it sends to")),
    label=label_peers,
)

PPDUS = Series(
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
        place_in("air.nics", "nic", "the radio that sent it"),
        Column("to", "u32", "", "number of the radio it is for; 4294967295: a group"),
        Column("kind", "u32", "", ", ".join(f"{kind} {name}" for kind, name in enumerate(PPDU_KINDS))),
        Column("rate_bps", "u64", "bit/s", "its rate"),
        Column("bytes", "u32", "byte", "length of its PSDU"),
        Column("attempt", "u32", "", "number of the attempt to send the data, from 1"),
        Column("outcome", "u32", "", "0 received, 1 collision, 2 corrupted"),
        *mode_columns("", "its format", later=True),
        Column(
            "ru_tones",
            "u32",
            "",
            "tones of its user's resource unit: 26 to 1992; 0: its PPDU has one user, in the whole width",
            later=True,
        ),
        Column(
            "ru_index", "u32", "", "number of the resource unit among those of its size, from 1", later=True
        ),
        Column("mpdus", "u32", "", "MPDUs in its PSDU; 0: it is a control frame", later=True),
    ),
    keys=("nic",),
    recorder="air",
    early_end="cut",
    setting="ppdus = true in [sampling]",
    labels=(
        NODE_NAME,
        Column("to_name", "text", "", "name of the node it is for; null for a group"),
        Column("kind_name", "text", "", "its kind"),
        Column("outcome_name", "text", "", "its outcome"),
        mode_name_column("mode", "how it was sent"),
    ),
    label=_label_ppdus,
)


TXOPS = Series(
    "txops",
    "Each TXOP: everything from an access to the medium to the next backoff. On request: `[sampling] ppdus = "
    "true`.",
    (
        Column(
            "start_ns",
            "i64",
            "ns",
            "virtual time at which its first PPDU starts, from the epoch; below 0 while the network starts",
            least=None,
        ),
        Column("end_ns", "i64", "ns", "of the end of its last response, or of the wait for one", least=None),
        place_in("air.nics", "nic", "the radio that holds it"),
        Column("ac", "u32", "", "access category: 0 background, 1 best effort (also DCF), 2 video, 3 voice"),
        Column("ppdus", "u32", "", "data PPDUs in it; none without a CTS after an RTS, and none in beacons"),
        Column("mpdus", "u32", "", "MPDUs in them"),
        Column("mpdus_lost", "u32", "", "of these, MPDUs for one receiver that did not arrive"),
    ),
    keys=("nic",),
    recorder="air",
    early_end="cut",
    setting="ppdus = true in [sampling]",
    labels=(NODE_NAME,),
    label=label_radios,
)


class AirSeries:
    """`run.air`, `run.links`, `run.ppdus`, `run.txops`."""

    air = AIR
    links = LINKS
    ppdus = PPDUS
    txops = TXOPS
