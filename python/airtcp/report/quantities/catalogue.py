"""The quantities by name, in the order in which a figure of all of them shows them."""

from airtcp.report.quantities import applications, flows, internals, peers, queues, radios
from airtcp.report.quantities.quantity import Quantity

# The series that tell of queues, and of whose.
_QUEUES = (("air", "radios"), ("qdiscs", "queueing disciplines"))
_PEERS = (("station_queues", "peers"),)

QUANTITIES: dict[str, Quantity] = {
    "rate": Quantity(
        "Received\nin order [Mbit/s]",
        "goodput of each flow at its receiver",
        flows.received_rate,
        rate_of=("flows",),
    ),
    "cwnd": Quantity("cwnd, ssthresh\n[segments]", "congestion window, slow start threshold", flows.window),
    "inflight": Quantity(
        "Unacked\n[segments]", "segments sent and not acknowledged", flows.of_samples("unacked", 1.0)
    ),
    "limits": Quantity(
        "limited by [%]",
        "what the sender waited for, in shares of time",
        flows.limits,
        ("flows",),
        shared=True,
    ),
    "srtt": Quantity("srtt [ms]", "smoothed RTT of each flow", flows.known_of_samples("srtt_us", 1e-3)),
    "rtt": Quantity("Ping RTT [ms]", "RTT of each echo request", flows.ping_round_trips),
    "delay": Quantity("One-way delay\n[ms]", "delay of each packet with data", flows.one_way_delay(0)),
    "ack_delay": Quantity("ACKs' delay\n[ms]", "delay of each ACK on its way", flows.one_way_delay(1)),
    "datagram_delay": Quantity(
        "Datagrams'\ndelay [ms]", "one-way delay of each datagram", applications.datagram_delay
    ),
    "video_buffer": Quantity("Video buffer\n[s]", "playing time in the buffer", applications.video_buffer),
    "video_rate": Quantity("Video rate\n[Mbit/s]", "rate of each segment", applications.video_rate),
    "rto": Quantity("RTO [ms]", "retransmission timeout", flows.known_of_samples("rto_us", 1e-3)),
    "retransmitted": Quantity(
        "Retransmitted so far\n[segments]", "segments retransmitted", flows.of_samples("total_retrans", 1.0)
    ),
    "delivery_rate": Quantity(
        "Delivery rate\n[Mbit/s]", "the kernel's estimate", flows.of_samples("delivery_rate_bps", 1e-6)
    ),
    "pacing_rate": Quantity("Pacing rate\n[Mbit/s]", "how fast TCP lets packets go", flows.pacing_rate),
    "bbr_bw": Quantity(
        "BBR bw\n[Mbit/s]", "BBR's estimate of the bottleneck", internals.told("bbr", "bandwidth_bps", 1e-6)
    ),
    "bbr_min_rtt": Quantity(
        "BBR min RTT\n[ms]", "BBR's estimate of the path", internals.told("bbr", "min_rtt_us", 1e-3)
    ),
    "bbr_gains": Quantity(
        "BBR gains",
        "pacing gain and, dashed, cwnd gain",
        internals.told_two("bbr", "pacing_gain", ("cwnd_gain", "cwnd gain"), 1.0),
    ),
    "vegas_rtt": Quantity(
        "Vegas RTT\n[ms]",
        "RTT as Vegas and its kin see it, and, dashed, the least",
        internals.told_two("vegas", "rtt_us", ("min_rtt_us", "least"), 1e-3),
    ),
    "dctcp_alpha": Quantity(
        "DCTCP alpha", "share of marked bytes as DCTCP sees it", internals.told("dctcp", "alpha", 1.0)
    ),
    "queue": Quantity(
        "Queue\n[packets]",
        "backlog of radios and queueing disciplines",
        queues.backlog_packets,
        busy_only=True,
        sources=_QUEUES,
    ),
    "queue_kb": Quantity(
        "Queue [kB]", "backlog of queueing disciplines", queues.backlog_kilobytes, busy_only=True
    ),
    "drops": Quantity(
        "Drops [1/s]",
        "of radios and queueing disciplines",
        queues.drops,
        ("air", "qdiscs"),
        busy_only=True,
        sources=_QUEUES,
    ),
    "marks": Quantity(
        "ECN marks\n[1/s]", "of queueing disciplines", queues.marks, ("qdiscs",), busy_only=True
    ),
    "phy_rate": Quantity("PHY rate\n[Mbit/s]", "of each link's last data PPDU", radios.phy_rate),
    "retries": Quantity(
        "MAC retries\n[1/s]",
        "attempts after the first",
        radios.per_second_of_radios("retries", 1.0),
        ("air",),
    ),
    "collisions": Quantity(
        "Collisions\n[1/s]",
        "data PPDUs lost to others",
        radios.per_second_of_radios("collisions", 1.0),
        ("air",),
    ),
    "corrupted": Quantity(
        "Corrupted\n[1/s]",
        "data PPDUs lost to noise",
        radios.per_second_of_radios("corrupted", 1.0),
        ("air",),
    ),
    "airtime": Quantity(
        "Airtime\n[%]", "of each radio", radios.per_second_of_radios("airtime_ns", 1e-7), ("air",)
    ),
    "link_airtime": Quantity(
        "Links' airtime\n[%]",
        "of each sender and receiver",
        radios.per_second_of_links("airtime_ns", 1e-7),
        ("links",),
    ),
    "station_airtime": Quantity(
        "Stations'\nairtime [%]",
        "of each radio to each peer, as mac80211 accounts for it",
        peers.airtime,
        ("stations",),
        busy_only=True,
        sources=(("stations", "peers"),),
    ),
    "station_queue": Quantity(
        "Stations' queues\n[packets]",
        "mac80211's backlog for each peer",
        peers.of_queues("backlog_packets", 1.0),
        busy_only=True,
        sources=_PEERS,
    ),
    "station_drops": Quantity(
        "Stations' drops\n[1/s]",
        "by CoDel in mac80211's queues for each peer",
        peers.per_second_of_queues("drops"),
        ("station_queues",),
        busy_only=True,
        sources=_PEERS,
    ),
    "station_marks": Quantity(
        "Stations' marks\n[1/s]",
        "ECN marks by CoDel in mac80211's queues for each peer",
        peers.per_second_of_queues("marks"),
        ("station_queues",),
        busy_only=True,
        sources=_PEERS,
    ),
    "aql": Quantity(
        "AQL pending\n[ms]",
        "airtime handed to the driver for each peer, not done yet",
        peers.of_queues("pending_us", 1e-3),
        busy_only=True,
        sources=_PEERS,
    ),
    "minstrel_rate": Quantity(
        "Best rate\n[Mbit/s]",
        "PHY rate that minstrel_ht holds for the best, of each peer",
        peers.best_rate("rate_bps", 1e-6),
    ),
    "minstrel_probability": Quantity(
        "Best rate's\nsuccess [%]",
        "probability of success of that rate",
        peers.best_rate("probability_ppm", 1e-4),
    ),
}
