"""What files of other programs say of a flow: bytes received over time, and what the sender's TCP tells."""

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from airtcp.errors import AirtcpError
from airtcp.formats.measurement import Measurement
from airtcp.sources.samples import Rows, Samples, flent_series
from airtcp.sources.sources_file import Source

if TYPE_CHECKING:
    import polars

_RATES = "a file with rates: iperf, netperf, ss, tcptrace, mm-link, Flent, CSV with time,bit/s"
_BITS = 8
# Times are rounded to a hundredth of an interval, by which a rate is hardly changed.
_STEPS_IN_INTERVAL = 100
# Ethernet's MTU less the headers of IPv4 and TCP with timestamps: what segments carry where no file says it.
_USUAL_MSS = 1448


def flow_samples(measured: Measurement, source: Source) -> list[Samples]:
    """What a file says of a flow, for each repetition in it: bytes received over time, and the sender's TCP.

    A file that holds nothing of a flow is an `AirtcpError`.
    """
    reader = _OF_FLOWS.get(measured.format)
    if reader is None:
        remedy = f"Give {_RATES}"
        raise AirtcpError(f"says nothing of a flow ({measured.format})", str(measured.file), remedy)
    return reader(measured, source)


def _cumulative(parts: list[tuple[int, int, float]], more: list[dict[str, Any]] | None = None) -> Rows:
    """Rows of a flow from the bytes of intervals (start, end, bytes), each with what else is known of it."""
    rows, total = [], 0.0
    for place, (_, end_ns, count) in enumerate(parts):
        total += count
        known = more[place] if more is not None else {}
        rows.append({"time_ns": end_ns, "bytes_received": round(total), **known})
    return rows


def _whole(measured: Measurement, rows: Rows, notes: tuple[str, ...] = ()) -> Samples:
    if len(rows) < 2:
        remedy = "Measure with intervals: iperf -i 1, netperf -D 1"
        raise AirtcpError("has fewer than two intervals", str(measured.file), remedy)
    # Programs are some microseconds late. A sample that is just after an instant would count after it only.
    steps = sorted(later["time_ns"] - before["time_ns"] for before, later in pairwise(rows))
    step_ns = max(1_000_000, round(steps[len(steps) // 2] / _STEPS_IN_INTERVAL / 1e6) * 1_000_000)
    for row in rows:
        row["time_ns"] = round(row["time_ns"] / step_ns) * step_ns
    # Nothing was received before: rates of the first interval need its begin.
    zero = [dict.fromkeys(rows[0], 0)] if rows[0]["time_ns"] > 0 else []
    return Samples([*zero, *rows], rows[-1]["time_ns"], (*measured.warnings, *notes))


def _iperf3(measured: Measurement, source: Source) -> list[Samples]:
    intervals, streams = measured.frame("intervals"), measured.frame("streams")
    tests = streams["test"].unique(maintain_order=True).to_list()
    wanted = [source.test] if source.test is not None else tests
    found = []
    for test in wanted:
        if test not in tests:
            has = f"It has {len(tests)} tests, from 0 on"
            raise AirtcpError(f"has no test {test}", str(measured.file), has)
        own = intervals.filter((intervals["test"] == test) & ~intervals["omitted"].fill_null(False))
        ends = streams.filter(streams["test"] == test)
        found.append(_iperf3_test(measured, source, own, ends))
    return found


def _iperf3_test(
    measured: Measurement, source: Source, own: "polars.DataFrame", ends: "polars.DataFrame"
) -> Samples:
    """Of a test: the sender's intervals, scaled to what the receiver got."""
    if own["packets"].null_count() < own.height:
        remedy = "Datagrams are compared one by one: measure them with irtt, and name it as a ping"
        raise AirtcpError("is a test of UDP", str(measured.file), remedy)
    if source.stream is not None:
        own, ends = own.filter(own["stream"] == source.stream), ends.filter(ends["stream"] == source.stream)
    if not own.height:
        raise AirtcpError(f"has no stream {source.stream}", str(measured.file), "Leave out stream")
    got, sent = float(ends["bytes_received"].sum() or 0), float(own["bytes"].sum() or 0)
    factor = got / sent if got and sent else 1.0
    parts, more, again = [], [], 0
    for (_, end_ns), rows in own.group_by(["start_ns", "end_ns"], maintain_order=True):
        parts.append((0, int(str(end_ns)), float(rows["bytes"].sum()) * factor))
        again += int(rows["retransmits"].sum() or 0)
        more.append(_tcp_of_iperf3(rows, again, measured.about.get("tcp_mss_bytes")))
    return _whole(measured, _cumulative(parts, more))


def _tcp_of_iperf3(rows: "polars.DataFrame", again: int, mss: int | None) -> dict[str, Any]:
    """What the sender's TCP says at the end of an interval: of several streams the mean RTT, all windows."""
    if rows["rtt_us"].null_count():
        return {}
    segment = mss or _USUAL_MSS
    return {
        "srtt_us": round(float(rows["rtt_us"].to_numpy().mean())),
        "cwnd": round(rows["cwnd_bytes"].sum() / segment),
        "snd_mss": segment,
        "total_retrans": again,
    }


def _iperf2(measured: Measurement, source: Source) -> list[Samples]:
    frame = measured.frame("intervals")
    frame = frame.filter(frame["kind"] == "interval")
    numbers = frame["transfer"].unique(maintain_order=True).to_list()
    if source.stream is not None:
        frame = frame.filter(frame["transfer"] == source.stream)
    elif -1 in numbers:
        frame = frame.filter(frame["transfer"] == -1)
    return [_whole(measured, _cumulative(_summed(frame)))]


def _iperf_text(measured: Measurement, source: Source) -> list[Samples]:
    frame = measured.frame("intervals")
    frame = frame.filter(frame["kind"] == "interval")
    names = frame["stream"].unique(maintain_order=True).to_list()
    wanted = str(source.stream) if source.stream is not None else "SUM" if "SUM" in names else None
    if wanted is not None:
        frame = frame.filter(frame["stream"] == wanted)
    rates = frame.with_columns(bytes=frame["rate_bps"] * (frame["end_ns"] - frame["start_ns"]) / _BITS / 1e9)
    return [_whole(measured, _cumulative(_summed(rates)))]


def _summed(frame: "polars.DataFrame") -> list[tuple[int, int, float]]:
    """Bytes of all rows of each interval, those of several streams together."""
    sums: dict[tuple[int, int], float] = {}
    for start, end, count in frame.select("start_ns", "end_ns", "bytes").rows():
        sums[start, end] = sums.get((start, end), 0.0) + float(count)
    return [(start, end, sums[start, end]) for start, end in sorted(sums)]


def _netperf(measured: Measurement, source: Source) -> list[Samples]:  # noqa: ARG001
    frame = measured.frame("intervals")
    frame = frame.filter(frame["rate_bps"].is_not_null())
    seconds = (frame["end_ns"] - frame["start_ns"]) / 1e9
    return [
        _whole(measured, _cumulative(_summed(frame.with_columns(bytes=frame["rate_bps"] * seconds / _BITS))))
    ]


def _ss(measured: Measurement, source: Source) -> list[Samples]:
    """The socket that acknowledged most, or the one of this number in that order."""
    frame = measured.frame("sockets")
    if frame["time_ns"].null_count() and source.every is None:
        raise AirtcpError("has no times", str(measured.file), 'Say the time between prints: every = "1 s"')
    if source.every is not None:
        frame = frame.with_columns(time_ns=frame["print"] * source.every)
    ends = (
        frame.filter(frame["bytes_acked"].is_not_null()).group_by("local", "peer", maintain_order=True).max()
    )
    ends = ends.sort("bytes_acked", descending=True)
    place = source.stream or 0
    if ends.height <= place:
        raise AirtcpError("has no such socket that sent", str(measured.file), "Leave out stream")
    local, peer = ends.select("local", "peer").row(place)
    own = frame.filter(
        (frame["local"] == local) & (frame["peer"] == peer) & frame["bytes_acked"].is_not_null()
    )
    rows = [
        {
            "time_ns": row["time_ns"],
            "bytes_received": row["bytes_acked"],
            "srtt_us": round(row["rtt_us"] or 0),
            "min_rtt_us": round(row["min_rtt_us"] or 0),
            "cwnd": row["cwnd"] or 0,
            "snd_mss": row["mss_bytes"] or _USUAL_MSS,
            "total_retrans": row["retransmits"],
        }
        for row in own.iter_rows(named=True)
    ]
    return [_whole(measured, rows, ("bytes are those that were acknowledged",))]


def _rates(measured: Measurement, source: Source) -> list[Samples]:  # noqa: ARG001
    frame = measured.frame("rates")
    times, rates = frame["time_ns"].to_list(), frame["rate_bps"].to_list()
    steps = sorted(later - before for before, later in pairwise(times))
    ends = [*times[1:], times[-1] + steps[len(steps) // 2]]
    parts = [(b, e, rate * (e - b) / _BITS / 1e9) for b, e, rate in zip(times, ends, rates, strict=True)]
    return [_whole(measured, _cumulative(parts))]


def _flent(measured: Measurement, source: Source) -> list[Samples]:
    frame = flent_series(measured, source, "Mbits/s")
    times, rates = frame["time_ns"].to_list(), frame["value"].to_list()
    first_ns = times[0] - (times[1] - times[0]) if len(times) > 1 else 0
    starts = [first_ns, *times[:-1]]
    parts = [
        (b - first_ns, e - first_ns, rate * 1e6 * (e - b) / _BITS / 1e9)
        for b, e, rate in zip(starts, times, rates, strict=True)
    ]
    return [_whole(measured, _cumulative(parts))]


def _mm_link(measured: Measurement, source: Source) -> list[Samples]:
    """Departures in steps of 100 ms; the log does not tell flows apart."""
    step_ns = source.every or 100_000_000
    frame = measured.frame("events")
    frame = frame.filter(frame["event"] == "departure")
    sums: dict[int, int] = {}
    for time_ns, count in frame.select("time_ns", "bytes").rows():
        sums[time_ns // step_ns] = sums.get(time_ns // step_ns, 0) + count
    last = max(sums, default=0)
    parts = [(n * step_ns, (n + 1) * step_ns, float(sums.get(n, 0))) for n in range(last + 1)]
    return [
        _whole(measured, _cumulative(parts), ("all packets of the link are counted, with their headers",))
    ]


def _tcptrace(measured: Measurement, source: Source) -> list[Samples]:
    """The direction with most bytes, as a whole."""
    frame = measured.frame("connections").sort("distinct_bytes", descending=True)
    row = frame.row(source.stream or 0, named=True)
    known = {"total_retrans": row["retransmits"]} if row["retransmits"] is not None else {}
    if row["mean_rtt_us"] is not None:
        known |= {"srtt_us": round(row["mean_rtt_us"]), "min_rtt_us": round(row["min_rtt_us"])}
    elapsed_ns, count = row["elapsed_ns"], row["distinct_bytes"]
    halves = [(0, elapsed_ns // 2, count / 2), (elapsed_ns // 2, elapsed_ns, count / 2)]
    before = {"total_retrans": 0} if "total_retrans" in known else {}
    note = "the connection is known as a whole: its rate is taken to be constant"
    return [_whole(measured, _cumulative(halves, [{**known, **before}, known]), (note,))]


_OF_FLOWS: Mapping[str, Callable[[Measurement, Source], list[Samples]]] = {
    "iperf3 JSON": _iperf3,
    "iperf2 CSV": _iperf2,
    "iperf text": _iperf_text,
    "netperf text": _netperf,
    "ss -tin text": _ss,
    "rates CSV": _rates,
    "Flent data": _flent,
    "mahimahi log": _mm_link,
    "tcptrace text": _tcptrace,
}
