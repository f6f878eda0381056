"""Former names of quantities, which campaigns, studies and commands may still use."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Alias:
    """The present name of a quantity, and the arguments of a metric that the former name implied."""

    name: str
    implied: Mapping[str, str] = field(default_factory=dict)


_TOTAL = {"across": "sum"}

ALIASES: Mapping[str, Alias] = {
    "rate": Alias("throughput"),
    "goodput": Alias("throughput"),
    "goodput_mbps": Alias("throughput"),
    "throughput_mbps": Alias("throughput"),
    "throughput_least": Alias("throughput", {"statistic": "least", **_TOTAL}),
    "throughput_most": Alias("throughput", {"statistic": "most", **_TOTAL}),
    "throughput_deviation": Alias("throughput", {"statistic": "deviation", **_TOTAL}),
    "throughput_over_time": Alias("throughput", _TOTAL),
    "flow_rates_over_time": Alias("throughput"),
    "rtt_ms": Alias("rtt"),
    "rtt_least": Alias("rtt", {"statistic": "least"}),
    "rtt_most": Alias("rtt", {"statistic": "most"}),
    "rtt_samples": Alias("rtt"),
    "rtt_over_time": Alias("rtt"),
    "rtt_p50_ms": Alias("rtt", {"statistic": "median"}),
    "rtt_p95_ms": Alias("rtt", {"statistic": "p95"}),
    "srtt_ms": Alias("srtt"),
    "srtt_over_time": Alias("srtt"),
    "cwnd_most": Alias("cwnd", {"statistic": "most"}),
    "cwnd_over_time": Alias("cwnd"),
    "in_flight_segments": Alias("inflight"),
    "queueing_ms": Alias("queueing_delay"),
    "airtime_jain_index": Alias("airtime_jain"),
    "jain_median": Alias("jain", {"statistic": "median"}),
    "jain_windows": Alias("jain"),
    "queue_mean": Alias("queue"),
    "queue_most": Alias("queue", {"statistic": "most", "across": "most"}),
    "qdisc_packets": Alias("queue"),
    "drops": Alias("drop_rate"),
    "flow_time": Alias("transfer_time"),
    "buffer": Alias("video_buffer"),
    "chosen_rates": Alias("chosen_rate"),
}


def present_name(name: str) -> str:
    """The present name of a quantity, whatever it was called."""
    return ALIASES[name].name if name in ALIASES else name
