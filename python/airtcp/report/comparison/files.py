"""Files as a side: results as CSV, and measurements of other programs, which are one value each."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from airtcp.data.results_file import is_results, key_text, read_results
from airtcp.errors import AirtcpError
from airtcp.formats.measurement import Measurement
from airtcp.formats.rates_csv import is_rates_csv
from airtcp.formats.recognition import format_of, open_measurement
from airtcp.input_file import read_input
from airtcp.report.comparison.side import Row, Side
from airtcp.report.comparison.values import IN_FILES, SAME

# As of recordings (`formats/recognition.py`).
_BYTES_MOST = 2 << 30


def file_side(file: Path, names: Mapping[str, str] | None = None, by: Sequence[str] = ()) -> Side:
    """The rows of a file; `names` renames its columns, `by` says what is a key."""
    try:
        content = read_input(file, _BYTES_MOST)
    except OSError as error:
        raise AirtcpError(f"can't be read: {error.strerror}", str(file), "Check the path") from None
    # Results may have two columns, as rates over time do.
    foreign = format_of(content) is not None and not is_rates_csv(content)
    if foreign or not is_results(content):
        return _measured(file, open_measurement(file))
    found = read_results(file, content, {**SAME, **(names or {})}, by, IN_FILES)
    rows = tuple(Row(f"line {row.line}", row.keys, row.values, row.seed, row.doubtful) for row in found.rows)
    return Side(str(file), found.keys, found.values, rows)


def _measured(file: Path, measured: Measurement) -> Side:
    """The one value of a measurement: a goodput, or a mean RTT."""
    if measured.format not in _VALUES:
        remedy = f"Files of other programs can be {', '.join(_VALUES)}; or write the values as CSV"
        raise AirtcpError(f"holds no value to compare ({measured.format})", str(file), remedy)
    read, what = _VALUES[measured.format]
    values = read(measured)
    if not values:
        raise AirtcpError("holds no value to compare", str(file), "Measure again")
    cca = measured.about.get("cca")
    keys = {"cca": key_text(cca)} if cca else {}
    notes = tuple(f"{file}: {text}" for text in (what, *measured.warnings))
    return Side(str(file), tuple(keys), tuple(values), (Row(str(file), keys, values),), notes)


def _round_trips(measured: Measurement) -> dict[str, float]:
    trips = measured.frame("pings" if "pings" in measured.frames else "round_trips")["rtt_ns"]
    answered = trips.filter(trips >= 0).to_numpy()
    return {"rtt": float(answered.mean()) / 1e6} if answered.size else {}


def _iperf3(measured: Measurement) -> dict[str, float]:
    rates = measured.frame("streams")["received_bps"]
    if rates.len() == 0 or rates.null_count():
        return {}
    # Tests in one file are repetitions, the streams of each are together.
    tests = measured.frame("streams")["test"].n_unique()
    return {"throughput": float(rates.to_numpy().sum()) / tests / 1e6}


def _netperf(measured: Measurement) -> dict[str, float]:
    rates = measured.frame("results")["rate_bps"].drop_nulls().to_list()
    return {"throughput": rates[0] / 1e6} if rates else {}


def _iperf_total(measured: Measurement) -> dict[str, float]:
    """What lines over a whole transfer say, of iperf3 those of the receiver."""
    totals = measured.frame("intervals")
    totals = totals.filter(totals["kind"] == "total")
    if "end" in totals.columns and "receiver" in totals["end"].to_list():
        totals = totals.filter(totals["end"] == "receiver")
    name, together = ("stream", "SUM") if "stream" in totals.columns else ("transfer", -1)
    if together in totals[name].to_list():
        totals = totals.filter(totals[name] == together)
    return {"throughput": float(totals["rate_bps"].to_numpy().sum()) / 1e6} if totals.height else {}


_ANSWERED = "mean over answered requests"
_OF_A_TEST = "over the whole test, all streams"
# The formats that have one value, how it is read, and what it is.
_VALUES: Mapping[str, tuple[Callable[[Measurement], dict[str, float]], str]] = {
    "iperf3 JSON": (_iperf3, "iperf3, what the receiver read over the whole test, all streams"),
    "ping text": (_round_trips, "ping, mean over answered requests"),
    "irtt JSON": (_round_trips, f"irtt, {_ANSWERED}"),
    "octoping CSV": (_round_trips, f"octoping, {_ANSWERED}"),
    "netperf text": (_netperf, "netperf, its result"),
    "iperf text": (_iperf_total, f"iperf, {_OF_A_TEST}"),
}
