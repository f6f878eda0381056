"""Jain's fairness index, and the index in windows that move over a run.

Definition: `J(x_1..x_n) = (sum x_i)^2 / (n sum x_i^2)`; from 1/n (one has everything) to 1 (all have the
same). R. Jain, D. Chiu, W. Hawe: A Quantitative Measure of Fairness and Discrimination for Resource
Allocation in Shared Computer Systems, DEC-TR-301, 1984; equation 1 of aoyagi2023.

In windows, as section 4.4 of aoyagi2023 does it: the packets captured at the server give every flow's mean
rate in windows of 0.4 s that move by 0.2 s, and the rates of one window give one index. Only flows
**active** in a window count. The paper does not say what active is, and in a run whose flows come and go it
decides much, so it is a choice:

* `alive` (default): the flow's lifetime overlaps the window. A flow that got nothing although it was there
  counts with the rate 0: being starved is the least fair treatment. A flow that begins or ends inside the
  window counts with the little it could send in its part.
* `throughout`: the lifetime holds the whole window, so that coming and going does not look like unfairness.
* `received`: at least one byte of the flow arrived in the window. Starved flows drop out, and the index is
  too good; this is what a script over a capture finds that does not look beyond the window.
* `all`: every flow of the run in every window.

A flow's lifetime is from its first packet to its last unless lifetimes are given.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.bins import Between, increases
from airtcp.metrics.throughput import packet_rate_mbps
from airtcp.metrics.windows import Windows

if TYPE_CHECKING:
    import polars

# Section 4.4 of aoyagi2023.
WINDOW_LENGTH_NS = 400_000_000
WINDOW_STEP_NS = 200_000_000

Active = Literal["alive", "throughout", "received", "all"]
Lifetimes = Mapping[int, tuple[int, int]]


def jain_index(rates: Floats | Sequence[float]) -> float:
    """Jain's index of rates or shares in any unit; `nan` without any, if all are 0, or if one is `nan`.

    A negative rate is a `ValueError`. The index does not change if all rates are multiplied by one factor.
    """
    values = np.asarray(rates, np.float64)
    if np.any(values < 0):
        raise ValueError("a rate is negative")
    most = values.max() if values.size else 0.0
    if not most > 0:
        return float("nan")
    shares = values / most  # so that squares neither vanish nor overflow
    return float(shares.sum() ** 2 / (shares.size * (shares**2).sum()))


def fairness_windows(start_ns: int, stop_ns: int) -> Windows:
    """The windows of aoyagi2023 between two times."""
    return Windows(start_ns, stop_ns, WINDOW_LENGTH_NS, WINDOW_STEP_NS)


def rates_from_packets(
    packets: "polars.DataFrame", windows: Windows, lifetimes_ns: Lifetimes | None = None
) -> "polars.DataFrame":
    """Every flow's rate in every window, from packets (`time_ns`, `flow`, `bytes`) seen at one place.

    `lifetimes_ns` gives begin and end of every flow; a flow named there may have no packets. Columns of the
    result, one row per window and flow: `start_ns`, `stop_ns`, `flow`, `rate_mbps`, `alive`, `throughout`
    (module text).
    """
    import polars

    rates: dict[int, Floats] = {}
    seen: dict[int, tuple[int, int]] = {}
    for (flow,), frame in packets.group_by("flow"):
        times = frame["time_ns"].to_numpy().astype(np.int64)
        rates[int(str(flow))] = packet_rate_mbps(times, frame["bytes"].to_numpy(), windows)
        seen[int(str(flow))] = (int(times.min()), int(times.max()))
    lives = _lifetimes(seen, lifetimes_ns)
    nothing = np.zeros(windows.starts_ns.size)
    parts = [_flow_frame(flow, rates.get(flow, nothing), lives[flow], windows) for flow in sorted(lives)]
    return polars.concat(parts or [_flow_frame(0, nothing, (0, 0), windows).clear()])


def rates_from_counters(
    samples: "polars.DataFrame", windows: Windows, lifetimes_ns: Lifetimes | None = None
) -> "polars.DataFrame":
    """As `rates_from_packets`, from samples of byte counters (`time_ns`, `flow`, `bytes_received`).

    An edge of a window stands for the last sample at or before it, so the samples' interval should divide
    the windows' step, or be far shorter. A lifetime that is not given is from the first sample to the last
    that is higher than the one before.
    """
    import polars

    rates: dict[int, Floats] = {}
    seen: dict[int, tuple[int, int]] = {}
    for (flow,), unordered in samples.group_by("flow"):
        frame = unordered.sort("time_ns")
        times = frame["time_ns"].to_numpy().astype(np.int64)
        counts = frame["bytes_received"].to_numpy().astype(np.int64)
        starts_ns, stops_ns = windows.starts_ns, windows.stops_ns
        received, lengths_ns = increases(times, counts, starts_ns, stops_ns, Between.LAST_SAMPLE)
        rates[int(str(flow))] = received * 8e3 / lengths_ns
        rose = np.flatnonzero(np.diff(counts) > 0)
        seen[int(str(flow))] = (int(times[0]), int(times[rose[-1] + 1] if rose.size else times[0]))
    lives = _lifetimes(seen, lifetimes_ns)
    nothing = np.zeros(windows.starts_ns.size)
    parts = [_flow_frame(flow, rates.get(flow, nothing), lives[flow], windows) for flow in sorted(lives)]
    return polars.concat(parts or [_flow_frame(0, nothing, (0, 0), windows).clear()])


def jain_in_windows(rates: "polars.DataFrame", active: Active = "alive") -> "polars.DataFrame":
    """Jain's index in each window, over the flows active in it (module text).

    Takes what `rates_from_packets` or `rates_from_counters` gives. Columns of the result, one row per
    window in the order of time: `start_ns`, `stop_ns`, `flows` (active ones), `total_mbps` (of those),
    `jain` (null where no flow was active, or none of them received anything).
    """
    import polars
    from polars import col

    if active not in get_args(Active):
        raise ValueError(f'"{active}" is not a rule for active flows; known: {", ".join(get_args(Active))}')
    counts = {
        "alive": col("alive"),
        "throughout": col("throughout"),
        "received": col("rate_mbps") > 0,
        "all": polars.lit(True),
    }[active]
    rate = col("rate_mbps").filter(counts)
    flows, total, squares = counts.sum().cast(polars.UInt32), rate.sum(), (rate**2).sum()
    jain = polars.when(squares > 0).then(total**2 / (rate.len() * squares))
    return (
        rates.group_by("start_ns", "stop_ns").agg(flows=flows, total_mbps=total, jain=jain).sort("start_ns")
    )


def share_of_windows(jain: Floats, least: float | None, most: float | None) -> float:
    """The share of windows whose index is from `least` to `most` (`None`: no limit); `nan` of none."""
    low = -np.inf if least is None else least
    high = np.inf if most is None else most
    return float(np.mean((jain >= low) & (jain <= high))) if jain.size else float("nan")


def rate_deviation_throughout(rates: "polars.DataFrame") -> list[float]:
    """Coefficient of variation (n - 1) of each flow's rate over the windows that it lives throughout.

    `nan` of a flow with fewer than two such windows, or that received nothing. Takes what
    `rates_from_counters` gives.
    """
    found = []
    for _, frame in rates.filter(rates["throughout"]).group_by("flow", maintain_order=True):
        values = frame["rate_mbps"].to_numpy()
        known = values.size > 1 and values.mean() > 0
        found.append(float(values.std(ddof=1) / values.mean()) if known else float("nan"))
    return found


def _lifetimes(seen: dict[int, tuple[int, int]], given: Lifetimes | None) -> Lifetimes:
    if given is None:
        return seen
    unknown = sorted(set(seen) - set(given))
    if unknown:
        raise ValueError(f"no lifetime is given of flow {', '.join(map(str, unknown))}")
    return given


def _flow_frame(flow: int, rates: Floats, life: tuple[int, int], windows: Windows) -> "polars.DataFrame":
    import polars

    begin_ns, end_ns = life
    starts, stops = windows.starts_ns, windows.stops_ns
    return polars.DataFrame(
        {
            "start_ns": starts,
            "stop_ns": stops,
            "flow": np.full(starts.size, flow, np.int64),
            "rate_mbps": rates,
            "alive": (begin_ns < stops) & (end_ns >= starts),
            "throughout": (begin_ns <= starts) & (end_ns >= stops),
        }
    )
