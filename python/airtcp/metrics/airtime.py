"""Airtime: how the time on the air is shared among stations.

A station's airtime is the time of all PPDUs to it and from it, with their retries: the time in which the
others of its cell had to be silent for its sake. Airtime fairness is Jain's index of the stations' airtimes
(Hoiland-Jorgensen, Kazior, Taht, Hurtig, Brunstrom: Ending the Anomaly, USENIX ATC 2017); Linux's airtime
fairness counts both directions too (ieee80211_sta_register_airtime of net/mac80211). An index of 1 with
stations of different PHY rates means equal time and unequal throughput; the performance anomaly of 802.11
is the reverse.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.counter import increase
from airtcp.metrics.fairness import jain_index

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class AirtimeShares:
    """Airtime in ns and share of all of it by station, and Jain's index (`nan` if there was no airtime)."""

    airtime_ns: dict[int, int]
    shares: dict[int, float]
    jain: float


def airtime_of_stations(
    links: "Mapping[tuple[int, ...], polars.DataFrame]", access_point: int, start_ns: int, stop_ns: int
) -> AirtimeShares:
    """Airtime of each station with its access point, both directions, between two times.

    `links` has the samples of each pair of radios, the sender first, in the order of time: `time_ns`, and
    `airtime_ns`, a counter. A station is a radio that was ever peer of the access point. One that sent
    nothing in this time has the share 0 and counts for the index.
    """
    airtime: dict[int, int] = {}
    for (nic, peer), samples in links.items():
        if access_point in (nic, peer):
            station = peer if nic == access_point else nic
            airtime[station] = airtime.get(station, 0) + _risen(samples, start_ns, stop_ns)
    return airtime_shares(airtime)


def airtime_of_senders(
    radios: "polars.DataFrame", nics: Iterable[int], start_ns: int, stop_ns: int
) -> AirtimeShares:
    """Airtime of what each radio sent itself, between two times, of these radios (an upload's stations, say).

    `radios` has `time_ns`, `nic` and `airtime_ns`, a counter; a radio without samples has no airtime.
    """
    from polars import col

    own = {nic: radios.filter(col("nic") == nic).sort("time_ns", maintain_order=True) for nic in nics}
    return airtime_shares({nic: _risen(samples, start_ns, stop_ns) for nic, samples in own.items()})


def airtime_shares(airtime_ns: dict[int, int]) -> AirtimeShares:
    """Shares of airtimes, in the order of the stations' numbers; all shares are `nan` if there was none."""
    ordered = dict(sorted(airtime_ns.items()))
    total_ns = sum(ordered.values())
    shares = {station: ns / total_ns if total_ns else float("nan") for station, ns in ordered.items()}
    return AirtimeShares(ordered, shares, jain_index(np.array(list(ordered.values()), np.float64)))


def error_of_equal_shares(found: AirtimeShares) -> float:
    """How far the station furthest from an equal share is from it, as a share of that; `nan` without
    stations.
    """
    return max(
        (abs(share * len(found.shares) - 1.0) for share in found.shares.values()), default=float("nan")
    )


def _risen(frame: "polars.DataFrame", start_ns: int, stop_ns: int) -> int:
    return increase(frame["time_ns"].to_numpy(), frame["airtime_ns"].to_numpy(), start_ns, stop_ns)
