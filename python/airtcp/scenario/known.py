"""The closed sets a scenario chooses from: congestion controls, queueing disciplines, PHYs, channels."""

import difflib
from collections.abc import Iterable
from dataclasses import dataclass

# Names as in `net/ipv4/tcp_available_congestion_control` of the kernel airtcp builds (net/ipv4/tcp_*.c).
CONGESTION_CONTROLS = (
    "reno", "bic", "cubic", "cdg", "bbr", "westwood", "highspeed", "hybla", "htcp",
    "illinois", "lp", "nv", "scalable", "vegas", "veno", "yeah", "dctcp",
)  # fmt: skip

# Names as in `tc qdisc` (net/sched/sch_*.c of the same kernel).
QDISCS = (
    "netem", "tbf", "htb", "fq", "fq_codel", "codel", "cake", "pie", "fq_pie", "red", "sfq", "pfifo", "bfifo",
)  # fmt: skip

# IEEE 802.11-2020, table 17-4 (20 MHz) and 18.3.2.3: the eight OFDM rates.
_OFDM_RATES_BPS = tuple(int(rate * 1_000_000) for rate in (6, 9, 12, 18, 24, 36, 48, 54))


@dataclass(frozen=True)
class Phy:
    """A physical layer that airtcp models."""

    rates_bps: tuple[int, ...]
    channels_mhz: dict[int, int]
    default_channel: int


def _channels_5ghz() -> dict[int, int]:
    # IEEE 802.11-2020, 17.3.8.4.2: 5000 MHz + 5 MHz times the number; the 20 MHz channels of annex E.
    numbers = [*range(36, 65, 4), *range(100, 145, 4), *range(149, 166, 4)]
    return {number: 5000 + 5 * number for number in numbers}


PHYS: dict[str, Phy] = {
    # IEEE 802.11-2020, 15.4.4.3: 2407 MHz + 5 MHz times the number.
    "11g": Phy(_OFDM_RATES_BPS, {number: 2407 + 5 * number for number in range(1, 14)}, 1),
    "11a": Phy(_OFDM_RATES_BPS, _channels_5ghz(), 36),
}

# Asked for often enough to deserve a clear answer.
PHYS_NOT_MODELLED = ("11b", "11n", "11ac", "11ad", "11ax", "11be")


def suggestion(word: str, known: Iterable[str]) -> str:
    """`did you mean ...?` when a known word is near, else nothing."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f'did you mean "{near[0]}"?' if near else ""
