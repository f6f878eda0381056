"""What rate control chose, from the data PPDUs that radios sent.

A PPDU's rate counts by its time on the air: a slow PPDU keeps the others silent for longer. All rates here
are PHY rates; all functions take arrays with one element for each PPDU.
"""

import numpy as np

from airtcp.metrics.arrays import Booleans, Floats, Integers

# Of a distribution: enough for steps of half a percent.
QUANTILES = 200
# One MPDU at most: 2304 octets of MSDU (IEEE 802.11-2020, table 9-25), headers, FCS and delimiter.
MPDU_BYTES_MOST = 2400
# Of what is delivered in the end, and the part of the span that is the end.
REACHED_SHARE, FINAL_SHARE = 0.9, 0.25


def mean_rate_mbps(rate_bps: Integers, air_ns: Integers) -> float:
    """Mean rate, weighted with time on the air; `nan` without any time."""
    total_ns = int(air_ns.sum())
    return float((rate_bps * air_ns).sum()) / total_ns / 1e6 if total_ns else float("nan")


def rates_by_airtime_mbps(rate_bps: Integers, air_ns: Integers) -> Floats:
    """Rates at `QUANTILES` equal steps of the time on the air: their distribution over it."""
    if not rate_bps.size:
        return np.empty(0)
    order = np.argsort(rate_bps, kind="stable")
    until = np.cumsum(air_ns[order])
    places = np.searchsorted(until, (np.arange(QUANTILES) + 0.5) / QUANTILES * until[-1])
    return np.asarray(rate_bps[order][places] / 1e6, np.float64)


def upward_probes(rate_bps: Integers, air_ns: Integers, octets: Integers) -> int:
    """PPDUs of one MPDU that were faster than the usual rate: the one with most time on the air.

    Of several rates with the same time the fastest is the usual one.
    """
    if not rate_bps.size:
        return 0
    rates, place = np.unique(rate_bps, return_inverse=True)
    air = np.zeros(rates.size, np.int64)
    np.add.at(air, place, air_ns)
    usual = rates[np.flatnonzero(air == air.max())[-1]]
    return int(np.count_nonzero((rate_bps > usual) & (octets <= MPDU_BYTES_MOST)))


def reached_after_s(end_ns: Integers, octets: Integers, received: Booleans, edges_ns: Integers) -> float:
    """Seconds until the end of the first bin with 90 % of the mean of the last quarter's bins.

    Delivered are the octets of PPDUs that were received. `nan` if nothing is delivered in the last quarter.
    """
    sums, _ = np.histogram(end_ns[received], edges_ns, weights=octets[received])
    final = sums[-max(1, int(FINAL_SHARE * sums.size)) :].mean()
    there = np.flatnonzero(sums >= REACHED_SHARE * final)
    return float(edges_ns[there[0] + 1] - edges_ns[0]) / 1e9 if final > 0 and there.size else float("nan")
