"""A run as a data file of Flent, version 4, that Flent itself plots.

The format: `doc/data-format.rst` of Flent. The names of test, series and raw values are those that the plots
of its tests `tcp_nup` and `tcp_ndown` ask for: `flent -i FILE -p tcp_cwnd`.
"""

import gzip
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import numpy

VERSION = 4
# Flent's time axis has a step of its own; raw values keep every sample.
_STEP_LEAST_NS = 100_000_000
# What Flent calls the raw values of a TCP flow, our column, and the factor to its unit (ms, Mbit/s,
# segments).
_RAW = (
    ("tcp_cwnd", "cwnd", 1.0),
    ("tcp_rtt", "srtt_us", 1e-3),
    ("tcp_rtt_var", "rttvar_us", 1e-3),
    ("tcp_pacing_rate", "pacing_rate_bps", 1e-6),
    ("tcp_delivery_rate", "delivery_rate_bps", 1e-6),
)
_NO_LIMIT_BPS = 2**63


def write_flent(run: Run, file: Path) -> None:
    """Writes the data file, compressed; a run without samples of flows or pings is an `AirtcpError`."""
    data = flent_data(run)
    content = json.dumps(data, allow_nan=False).encode()
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        # No time and no name in the head: equal runs make equal files.
        file.write_bytes(gzip.compress(content, mtime=0))
    except OSError as error:
        raise AirtcpError(f"can't be written: {error.strerror}", str(file), "Choose another --out") from None


def flent_data(run: Run) -> dict[str, Any]:
    """What the file says, as one JSON object."""
    import numpy

    sampled = run.plan["sampling"]["flows_interval_ns"] or _STEP_LEAST_NS
    step_ns = -(-_STEP_LEAST_NS // sampled) * sampled
    grid = numpy.arange(0, run.end_ns + 1, step_ns, dtype=numpy.int64)
    results, raw = _flows(run, grid)
    pings, raw_pings = _pings(run, grid)
    if not results and not pings:
        what = "the run has no samples of flows or pings"
        raise AirtcpError(what, str(run.folder), "Set [sampling] and run again")
    results = {**_totals(results), **results, **pings}
    return {
        "version": VERSION,
        "x_values": [float(time_ns) / 1e9 for time_ns in grid],
        "results": {name: _nullable(values) for name, values in results.items()},
        "raw_values": {**raw, **raw_pings},
        "metadata": _metadata(run, step_ns, results),
    }


def _nullable(values: "numpy.ndarray[Any, Any]") -> list[float | None]:
    return [None if value != value else float(value) for value in values]


def _direction(run: Run, flow: dict[str, Any]) -> str:
    """Whether the flow goes to a station: a download, as Flent on that station would see it."""
    stations = {nic["node"] for nic in run.plan["air"]["nics"] if nic["role"] == "station"}
    return "download" if flow["to"] in stations and flow["from"] not in stations else "upload"


def _flows(run: Run, grid: "numpy.ndarray[Any, Any]") -> tuple[dict[str, Any], dict[str, Any]]:
    """Goodput of each flow per step in Mbit/s, and the raw values of its sender's TCP."""
    results: dict[str, Any] = {}
    raw: dict[str, Any] = {}
    if "flows" not in run.recorded:
        return results, raw
    counts = {"upload": 0, "download": 0}
    for number, flow in enumerate(run.flow_plans):
        direction = _direction(run, flow)
        counts[direction] += 1
        name = f"TCP {direction}::{counts[direction]}"
        samples = run.flow_samples(number)
        results[name] = _goodput(samples, flow["start_ns"], grid)
        raw[name] = _raw_values(samples)
    return results, raw


def _goodput(samples: Any, start_ns: int, grid: "numpy.ndarray[Any, Any]") -> "numpy.ndarray[Any, Any]":
    """Received per step, in Mbit/s; nothing outside of the steps between start and last sample."""
    import numpy

    times = numpy.append(start_ns, samples["time_ns"].to_numpy())
    received = numpy.append(0, samples["bytes_received"].to_numpy().astype(numpy.int64))
    at_grid = numpy.interp(grid, times, received)
    rates = numpy.full(len(grid), numpy.nan)
    rates[1:] = numpy.diff(at_grid) * 8e3 / numpy.diff(grid)
    rates[1:][(grid[1:] <= start_ns) | (grid[:-1] >= times[-1])] = numpy.nan
    return rates


def _raw_values(samples: Any) -> list[dict[str, float]]:
    columns = [samples[column].to_list() for _, column, _ in _RAW]
    values = []
    for time_ns, *row in zip(samples["time_ns"].to_list(), *columns, strict=True):
        fields = {
            name: value * factor
            for (name, _, factor), value in zip(_RAW, row, strict=True)
            if value is not None and value < _NO_LIMIT_BPS
        }
        values.append({"t": time_ns / 1e9, **fields})
    return values


def _pings(run: Run, grid: "numpy.ndarray[Any, Any]") -> tuple[dict[str, Any], dict[str, Any]]:
    """The mean RTT per step in ms, and each answered request."""
    import numpy

    results: dict[str, Any] = {}
    raw: dict[str, Any] = {}
    for number in range(len(run.plan["pings"]) if "pings" in run.recorded else 0):
        name = "Ping (ms) ICMP" + (f"::{number + 1}" if number else "")
        samples = run.ping_samples(number)
        answered = samples.filter(samples["rtt_ns"] >= 0)
        times, rtts = answered["time_ns"].to_numpy(), answered["rtt_ns"].to_numpy() / 1e6
        # The step that ends at a grid time holds the requests after the one before it.
        place = numpy.searchsorted(grid, times, side="left")
        inside = place < len(grid)
        count = numpy.bincount(place[inside], minlength=len(grid))
        total = numpy.bincount(place[inside], weights=rtts[inside], minlength=len(grid))
        results[name] = numpy.where(count > 0, total / numpy.maximum(count, 1), numpy.nan)
        rows = answered.select("time_ns", "sequence", "rtt_ns").iter_rows()
        raw[name] = [{"t": t / 1e9, "seq": sequence, "val": rtt / 1e6} for t, sequence, rtt in rows]
    return results, raw


def _totals(flows: dict[str, Any]) -> dict[str, Any]:
    """Sum and mean of each direction, as Flent computes them: of the flows that run in the step."""
    import numpy

    made: dict[str, Any] = {}
    for direction in ("upload", "download"):
        own = [values for name, values in flows.items() if name.startswith(f"TCP {direction}::")]
        if own:
            table = numpy.array(own)
            running = (~numpy.isnan(table)).sum(axis=0)
            total = numpy.where(running > 0, numpy.nansum(table, axis=0), numpy.nan)
            made[f"TCP {direction} avg"] = total / numpy.maximum(running, 1)
            made[f"TCP {direction} sum"] = total
    return made


def _metadata(run: Run, step_ns: int, results: dict[str, Any]) -> dict[str, Any]:
    streams = {
        direction: sum(name.startswith(f"TCP {direction}::") for name in results)
        for direction in ("upload", "download")
    }
    downloads_only = streams["download"] and not streams["upload"]
    length_s = run.end_ns / 1e9
    receivers = list(dict.fromkeys(flow["to"] for flow in run.flow_plans))
    return {
        "NAME": "tcp_ndown" if downloads_only else "tcp_nup",
        "TITLE": run.plan["name"],
        "NOTE": f"airtcp run {run.name}, seed {run.plan['seed']}; virtual time, 1970 is its epoch",
        "TIME": "1970-01-01T00:00:00.000000Z",
        "T0": "1970-01-01T00:00:00.000000Z",
        "DATA_FILENAME": f"{run.plan['name']}-{run.name}.flent.gz",
        "LENGTH": length_s,
        "TOTAL_LENGTH": length_s,
        "STEP_SIZE": step_ns / 1e9,
        "HOST": receivers[0] if receivers else "",
        "HOSTS": receivers,
        "LOCAL_HOST": run.flow_plans[0]["from"] if run.flow_plans else "",
        "IP_VERSION": 4,
        "KERNEL_NAME": "Linux",
        "KERNEL_RELEASE": run.agent.get("kernel_release", ""),
        "TEST_PARAMETERS": {f"{key}_streams": str(count) for key, count in streams.items() if count},
        "SERIES_META": {name: {"UNITS": "ms" if name.startswith("Ping") else "Mbits/s"} for name in results},
    }
