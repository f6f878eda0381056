"""Measurements of other programs that airtcp reads (Flent, iperf, ping) as traces of a wire.

What a program measured at the receiver is the rate that the path gave, if the sender always had something to
send. An RTT is the delay of both directions with what waited in queues: half of it is the delay of each.
"""

import itertools
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from airtcp.errors import AirtcpError
from airtcp.formats.recognition import open_measurement
from airtcp.traces.recording import DELAY, LOSS, RATE, Recording, Values

if TYPE_CHECKING:
    import polars

_NS_PER_S = 1e9
_ONE_SECOND = 1.0
_HALF_RTT = "the delay is half of the RTT, which contains what waited in queues"


def read_flent(file: Path, _content: bytes) -> list[Recording]:
    """A recording for each series of rates (Mbits/s) and of RTTs (ms)."""
    frame = open_measurement(file).frame("series")
    found = []
    for (name,), rows in frame.group_by(["series"], maintain_order=True):
        units = rows["units"][0]
        if units in ("Mbits/s", "ms"):
            times = [time_ns / _NS_PER_S for time_ns in rows["time_ns"].to_list()]
            values: Values = rows["value"].to_list()
            if units == "Mbits/s":
                found.append(_steps(str(name), times, {RATE: values}))
            else:
                halves: Values = [None if value is None else value / 2 for value in values]
                found.append(_steps(str(name), times, {DELAY: halves}, (_HALF_RTT,)))
    return _some(found, file)


def read_iperf(file: Path, _content: bytes) -> list[Recording]:
    """A recording for each direction: the rates of all streams together; of UDP also what was lost."""
    measured = open_measurement(file)
    intervals = measured.frame("intervals")
    keys = [name for name in ("sender", "source", "destination") if name in intervals.columns]
    if "kind" in intervals.columns:
        intervals = intervals.filter(intervals["kind"] == "interval")
    found = []
    for key, rows in intervals.group_by(keys, maintain_order=True):
        name = (
            " ".join(str(part) for part in key if part is not None and not isinstance(part, bool))
            or file.stem
        )
        found.append(_of_intervals(name, rows))
    return _some([each for each in found if each.times_s], file)


def _of_intervals(name: str, rows: "polars.DataFrame") -> Recording:
    sums: dict[tuple[int, int], list[float]] = {}
    for row in rows.iter_rows(named=True):
        total = sums.setdefault((row["start_ns"], row["end_ns"]), [0.0, 0.0, 0.0])
        total[0] += row["rate_bps"] / 1e6
        # A sender counts packets too, and does not know what was lost.
        if row.get("lost") is not None:
            total[1] += row["lost"]
            total[2] += row["packets"] or 0
    spans = [span for span in sorted(sums) if span[1] > span[0]]
    times = [start / _NS_PER_S for start, _ in spans]
    columns: dict[str, Values] = {RATE: [sums[span][0] for span in spans]}
    if any(sums[span][2] for span in spans):
        columns[LOSS] = [min(1.0, sums[s][1] / sums[s][2]) if sums[s][2] else None for s in spans]
    end_s = spans[-1][1] / _NS_PER_S if spans else 0.0
    return _rising(Recording(name, "wire", times, columns, end_s))


def read_ping(file: Path, _content: bytes) -> list[Recording]:
    """Half of the RTTs, and the loss of each request as that of its time."""
    pings = open_measurement(file).frame("pings")
    unix = pings["unix_ns"].to_list()
    answered = [time_ns for time_ns in unix if time_ns is not None]
    if len(answered) < 2:
        times = [float(number) * _ONE_SECOND for number in pings["sequence"].to_list()]
    else:
        times = _times_of_requests(pings["sequence"].to_list(), unix)
    rtts = pings["rtt_ns"].to_list()
    columns: dict[str, Values] = {
        DELAY: [None if rtt < 0 else rtt / 2e6 for rtt in rtts],
        LOSS: [1.0 if rtt < 0 else 0.0 for rtt in rtts],
    }
    notes = (_HALF_RTT, "a request without an answer is a loss of this direction")
    return _some([_steps(file.stem, times, columns, notes)], file)


def _times_of_requests(numbers: list[int], unix: list[int | None]) -> list[float]:
    """Times of all requests, those without an answer by the mean interval of the others."""
    known = [(n, t) for n, t in zip(numbers, unix, strict=True) if t is not None]
    (first, start_ns), (last, end_ns) = known[0], known[-1]
    interval_s = (end_ns - start_ns) / _NS_PER_S / max(1, last - first)
    return [(number - numbers[0]) * interval_s for number in numbers]


def _steps(
    name: str, times: list[float], columns: dict[str, Values], notes: tuple[str, ...] = ()
) -> Recording:
    if len(times) < 2:
        return Recording(name, "wire", [], {}, 0.0)
    lengths = sorted(b - a for a, b in itertools.pairwise(times))
    end_s = times[-1] + lengths[len(lengths) // 2]
    return _rising(Recording(name, "wire", times, columns, end_s, notes))


def _rising(made: Recording) -> Recording:
    """From its first time on, without rows whose time does not rise."""
    times = np.array(made.times_s)
    before = np.maximum.accumulate(np.concatenate(([-np.inf], times[:-1]))) if times.size else times
    kept = np.flatnonzero(times > before).tolist()
    first = made.times_s[0] if made.times_s else 0.0
    columns = {name: [values[n] for n in kept] for name, values in made.columns.items()}
    from_first = [made.times_s[n] - first for n in kept]
    return Recording(made.name, made.use, from_first, columns, made.end_s - first, made.notes)


def _some(found: list[Recording], file: Path) -> list[Recording]:
    known = [each for each in found if any(v is not None for vs in each.columns.values() for v in vs)]
    if not known:
        remedy = "It needs at least two intervals with a rate or an RTT"
        raise AirtcpError("has nothing that changes over time", str(file), remedy)
    return known
