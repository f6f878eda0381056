"""What files of other programs say of a ping: requests with their round-trip times."""

from airtcp.errors import AirtcpError
from airtcp.formats.measurement import Measurement
from airtcp.sources.samples import Rows, Samples, flent_series
from airtcp.sources.sources_file import Source

_ROUND_TRIPS = "a file with round-trip times: ping, irtt, octoping, Flent"


def ping_samples(measured: Measurement, source: Source) -> list[Samples]:
    """What a file says of a ping: each request with its round-trip time, -1 without answer."""
    if "round_trips" in measured.frames:
        frame = measured.frame("round_trips")
        rows = frame.select("time_ns", "sequence", "rtt_ns").to_dicts()
    elif "pings" in measured.frames:
        rows = _pings(measured, source)
    elif measured.format == "Flent data":
        rows = _flent_pings(measured, source)
    else:
        remedy = f"Give {_ROUND_TRIPS}"
        raise AirtcpError(f"has no round-trip times ({measured.format})", str(measured.file), remedy)
    if len(rows) < 2:
        raise AirtcpError("has fewer than two round trips", str(measured.file), "Measure longer")
    first_ns = rows[0]["time_ns"]
    for number, row in enumerate(rows):
        row["time_ns"], row["sequence"] = row["time_ns"] - first_ns, number
    rows.sort(key=lambda row: int(row["time_ns"]))
    interval_ns = rows[-1]["time_ns"] // (len(rows) - 1)
    return [Samples(rows, rows[-1]["time_ns"] + interval_ns, measured.warnings)]


def _pings(measured: Measurement, source: Source) -> Rows:
    """Requests by the times of their answers (`ping -D`), or by their interval."""
    frame = measured.frame("pings")
    numbers, rtts, unix = (frame[name].to_list() for name in ("sequence", "rtt_ns", "unix_ns"))
    known = [(n, t - max(0, r)) for n, t, r in zip(numbers, unix, rtts, strict=True) if t is not None]
    if source.every is not None:
        interval_ns = source.every
    elif len(known) > 1:
        interval_ns = round((known[-1][1] - known[0][1]) / (known[-1][0] - known[0][0]))
    else:
        remedy = 'Measure with ping -D, or say the time between requests: every = "200 ms"'
        raise AirtcpError("has no times", str(measured.file), remedy)
    return [
        {"time_ns": n * interval_ns, "sequence": n, "rtt_ns": r} for n, r in zip(numbers, rtts, strict=True)
    ]


def _flent_pings(measured: Measurement, source: Source) -> Rows:
    frame = flent_series(measured, source, "ms")
    return [
        {"time_ns": time_ns, "sequence": 0, "rtt_ns": round(value * 1e6)}
        for time_ns, value in frame.select("time_ns", "value").rows()
    ]
