"""A run in numbers that depend smoothly on the network: the statistics that a fit matches.

Goodputs, round-trip times and windows enter as logarithms, so that a difference is a relative error.
Counts (retransmissions, lost pings) enter as 2 sqrt(n + 3/8), whose variance is 1 for a Poisson variable
whatever its mean (Anscombe, Biometrika 35, 1948).
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from airtcp.data.read_once import ReadOnce, open_once
from airtcp.metrics.arrays import Floats
from airtcp.quantities.entity import Kind
from airtcp.quantities.named_number import NamedNumber
from airtcp.quantities.registry import QUANTITIES
from airtcp.quantities.run_view import RunView

if TYPE_CHECKING:
    import polars

# No number of a run is taken to be known better than this: clocks, timestamps, and what no model has.
FLOOR_LOG = 0.002
# As the standard deviation of a transformed Poisson count is 1, a fraction of it.
FLOOR_COUNT = 0.25
QUANTILES = (0.1, 0.5, 0.9)
_COUNTED = tuple(one.label for one in QUANTITIES.values() if one.kind is Kind.COUNT)


def floor_of(name: str) -> float:
    """The least error of a statistic."""
    return FLOOR_COUNT if is_count(name) else FLOOR_LOG


def is_count(name: str) -> bool:
    """Whether a statistic is a count, and not the logarithm of a quantity."""
    return name.startswith(("retransmissions", "lost pings", *_COUNTED))


def numbers_of(folder: Path, compared: Sequence[NamedNumber] = ()) -> dict[str, float]:
    """The statistics of a run folder, with these numbers by their labels; errors are those of the folder."""
    run = open_once(folder)
    found: dict[str, float] = {}
    for number, flow in enumerate(run.plan["flows"]):
        found.update(_of_flow(run, number, flow))
    for number, ping in enumerate(run.plan["pings"]):
        found.update(_of_ping(run, number, ping["name"]))
    if len(run.plan["flows"]) > 1:
        _log(found, "goodput of all flows", sum(_final_bytes(run, n) for n in range(len(run.plan["flows"]))))
    view = RunView.while_flows_ran(run)
    for one in compared:
        value = one.of(view).value
        if is_count(one.label) and math.isfinite(value):
            found[one.label] = _count(value)
        else:
            _log(found, one.label, value)
    return {name: value for name, value in found.items() if math.isfinite(value)}


def _of_flow(run: ReadOnce, number: int, flow: dict[str, object]) -> dict[str, float]:
    name, found = flow["name"], dict[str, float]()
    samples = run.flow_samples(number)
    if samples.height < 2:
        return found
    start, stop = int(str(flow["start_ns"])), min(int(str(flow["stop_ns"])), run.end_ns)
    samples = samples.filter((samples["time_ns"] >= start) & (samples["time_ns"] <= stop))
    if samples.height < 2:
        return found
    times, received = samples["time_ns"].to_numpy(), samples["bytes_received"].to_numpy()
    for label, begin, end in (
        ("goodput", 0.0, 1.0),
        ("early goodput", 0.0, 0.15),
        ("late goodput", 0.5, 1.0),
    ):
        ends = np.interp([start + begin * (stop - start), start + end * (stop - start)], times, received)
        _log(found, f"{label} of {name}", float(ends[1] - ends[0]) if begin else float(ends[1]))
    if "srtt_us" not in samples.columns or samples["srtt_us"].null_count() == samples.height:
        return found
    srtt = _positive(samples["srtt_us"])
    for q in QUANTILES:
        _quantile(found, f"srtt {q * 100:g} % of {name}", srtt, q)
    # Of what other programs measured, some of these columns are nulls.
    _quantile(found, f"least RTT of {name}", _positive(samples["min_rtt_us"]), 0.0)
    cwnd = _positive(samples["cwnd"])
    for q in QUANTILES:
        _quantile(found, f"cwnd {q * 100:g} % of {name}", cwnd, q)
    if cwnd.size:
        _log(found, f"mean cwnd of {name}", float(cwnd.mean()))
    if samples["total_retrans"].null_count() < samples.height:
        found[f"retransmissions of {name}"] = _count(float(samples["total_retrans"].max() or 0))  # type: ignore[arg-type]
    return found


def _final_bytes(run: ReadOnce, number: int) -> float:
    samples = run.flow_samples(number)
    return float(samples["bytes_received"][-1]) if samples.height else 0.0


def _of_ping(run: ReadOnce, number: int, name: str) -> dict[str, float]:
    found: dict[str, float] = {}
    samples = run.ping_samples(number)
    if not samples.height:
        return found
    times, rtts = samples["time_ns"].to_numpy(), samples["rtt_ns"].to_numpy().astype(np.float64)
    found[f"lost pings of {name}"] = _count(float((rtts < 0).sum()))
    begin, end = _busy(run)
    answered = (rtts >= 0) & (times >= resolved_ns(times, rtts))
    idle = rtts[answered & (times < begin)]
    busy = rtts[answered & (times >= begin) & (times < end)]
    if idle.size >= 3:
        for q in (0.0, 0.5, 0.9):
            _quantile(found, f"idle ping {q * 100:g} % of {name}", idle, q)
    if busy.size >= 5:
        for q in (0.0, *QUANTILES, 1.0):
            _quantile(found, f"ping {q * 100:g} % of {name}", busy, q)
        _log(found, f"mean ping of {name}", float(busy.mean()))
    return found


def resolved_ns(times: Floats, rtts: Floats) -> float:
    """From when on no request waits for ARP: those before the first answer wait with the first one."""
    found = np.flatnonzero(rtts >= 0)
    return float(times[found[0]] + rtts[found[0]]) if found.size else 0.0


def _busy(run: ReadOnce) -> tuple[float, float]:
    """From the start of the first flow to the end of the last one."""
    flows = run.plan["flows"]
    if not flows:
        return math.inf, math.inf
    return min(flow["start_ns"] for flow in flows), max(flow["stop_ns"] for flow in flows)


def _positive(column: "polars.Series") -> Floats:
    values = column.drop_nulls().to_numpy().astype(np.float64)
    return values[values > 0]


def _quantile(found: dict[str, float], name: str, values: Floats, q: float) -> None:
    if values.size:
        _log(found, name, float(np.quantile(values, q)))


def _log(found: dict[str, float], name: str, value: float) -> None:
    found[name] = math.log(value) if value > 0 else math.nan


def _count(number: float) -> float:
    return 2 * math.sqrt(number + 0.375)
