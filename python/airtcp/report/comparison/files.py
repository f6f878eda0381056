"""Files as a side: results as CSV, and measurements of other programs, which are one value each."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from airtcp.data.results_file import is_results, key_text, read_results
from airtcp.errors import AirtcpError
from airtcp.formats.iperf2 import is_iperf2
from airtcp.formats.measurement import Measurement
from airtcp.formats.recognition import open_measurement
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
    if is_iperf2(content) or not is_results(content):
        return _measured(file, open_measurement(file))
    found = read_results(file, content, {**SAME, **(names or {})}, by, IN_FILES)
    rows = tuple(Row(f"line {row.line}", row.keys, row.values, row.seed, row.doubtful) for row in found.rows)
    return Side(str(file), found.keys, found.values, rows)


def _measured(file: Path, measured: Measurement) -> Side:
    """The one value of a measurement: iperf3's goodput, ping's mean RTT."""
    if "pings" in measured.frames:
        values, what = _ping(measured), "ping, mean over answered requests"
    elif "streams" in measured.frames:
        values, what = _iperf3(measured), "iperf3, what the receiver read over the whole test, all streams"
    else:
        remedy = "Files of other programs can be iperf3 JSON or text of ping; or write the values as CSV"
        raise AirtcpError(f"holds no value to compare ({measured.format})", str(file), remedy)
    if not values:
        raise AirtcpError("holds no value to compare", str(file), "Measure again")
    cca = measured.about.get("cca")
    keys = {"cca": key_text(cca)} if cca else {}
    notes = tuple(f"{file}: {text}" for text in (what, *measured.warnings))
    return Side(str(file), tuple(keys), tuple(values), (Row(str(file), keys, values),), notes)


def _ping(measured: Measurement) -> dict[str, float]:
    trips = measured.frame("pings")["rtt_ns"]
    answered = trips.filter(trips >= 0).to_numpy()
    return {"rtt": float(answered.mean()) / 1e6} if answered.size else {}


def _iperf3(measured: Measurement) -> dict[str, float]:
    rates = measured.frame("streams")["received_bps"]
    if rates.len() == 0 or rates.null_count():
        return {}
    return {"throughput": float(rates.to_numpy().sum()) / 1e6}
