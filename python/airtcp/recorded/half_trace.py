"""Predicts the RTTs of the second half of a recording from its first half.

The recordings: Hairpin's Wi-Fi traces of hkust-spark/SparkTraces (GPL; they are read where they are), a line
for each 15 ms with bandwidth, RTT and loss. Four predictors know the first half only. Each has one parameter
at most, chosen on the first half; none is changed after the second half was seen:

- `fixed`: a wire with the mean rate and half of the least RTT each way, under a constant load, the
  parameter.
- `rate replay`: the same with the rate over time, as mahimahi replays it.
- `trace replay`: rate, half of the RTT and loss over time, without a load. No parameter.
- `Wi-Fi model`: an idle station of a cell of 802.11ac beside others that upload. Parameter: their number.
"""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.execution.executors.executor import Job
from airtcp.metrics.arrays import Floats
from airtcp.metrics.survival import Sample
from airtcp.plots.bars import Bar, ErrorBars, Whiskers
from airtcp.plots.cdf import draw_cdf, prepare_cdf, prepare_cdf_line, prepare_cdf_panel
from airtcp.plots.curves import Curve, draw_curves, prepare_curves
from airtcp.recorded.recorded_study import DrawnChart, Found, Work
from airtcp.report.table import Table
from airtcp.scenario.compile.compiler import compile_file
from airtcp.traces.kinds import open_recordings
from airtcp.traces.recording import DELAY, LOSS, RATE, Recording
from airtcp.traces.trace_file import trace_text

PREDICTORS = (
    "fixed",
    "rate replay",
    "trace replay",
    "Wi-Fi model",
    "constant, the median of the first half",
    "the first half itself",
)
QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
# Shares of the mean rate that a load may have, and numbers of stations that upload.
LOADS = (0.0, 0.25, 0.5, 0.75, 0.9)
STATIONS = (0, 1, 2, 4, 8)
# Frames of the load and of a ping, on a wire.
FRAME_BITS, PING_BITS = 1514 * 8, 98 * 8
# The recordings have a line for each 15 ms.
STEP_S = 0.015
WIFI_LENGTH_S = 30
# The least rate that a wire can have in a file besides 0, in Mbit/s.
LEAST_MBPS = 0.001

WIRE = """
name = "half"
duration = "{length:.3f} s"
[[wire]]
between = ["h1", "h2"]
rate = "{rate:.6f} Mbit/s"
delay = "{delay:.6f} ms"
{trace}
[[ping]]
from = "h2"
to = "h1"
interval = "15 ms"
{load}
[sampling]
flows = "0 s"
qdiscs = "0 s"
"""
LOAD = """
[[udp]]
from = "h1"
to = "h2"
rate = "{rate:.6f} Mbit/s"
"""
WIFI = """
name = "half"
duration = "{length} s"
[wifi.home]
standard = "11ac"
stations = {stations}
[[wire]]
between = ["ap1", "h1"]
[[ping]]
from = "h1"
to = "sta1"
interval = "15 ms"
{uploads}
[sampling]
flows = "0 s"
qdiscs = "0 s"
"""
UPLOAD = """
[[flow]]
from = "sta{number}"
to = "h1"
cca = "cubic"
"""


@dataclass(frozen=True)
class Half:
    """A half of a recording, from 0 s on."""

    recording: Recording
    rtts_ms: Floats
    loss: float

    @property
    def rate_mbps(self) -> float:
        """The mean."""
        return float(np.mean([rate or 0.0 for rate in self.recording.columns[RATE]]))


@dataclass(frozen=True)
class Prediction:
    """What one predictor says of RTTs, by `QUANTILES`, and its parameter."""

    quantiles: Floats
    parameter: float | None
    sample: Floats
    loss: float


def quantiles(rtts: Floats) -> Floats:
    """The quantiles of a sample of RTTs."""
    return np.quantile(rtts, QUANTILES, method="inverted_cdf")


def halves(file: Path) -> tuple[Half, Half]:
    """A recording, cut in the middle of its time."""
    there = open_recordings(file, "hairpin")[1][0]
    middle = there.end_s / 2
    cut = int(np.searchsorted(np.array(there.times_s), middle))
    return _half(there, 0, cut), _half(there, cut, len(there.times_s))


def _half(whole: Recording, begin: int, end: int) -> Half:
    first = whole.times_s[begin]
    times = [time - first for time in whole.times_s[begin:end]]
    columns = {name: values[begin:end] for name, values in whole.columns.items()}
    rtts = 2 * np.array(columns[DELAY], dtype=np.float64)
    loss = float(np.mean(np.array(columns[LOSS], dtype=np.float64)))
    return Half(Recording(whole.name, "wire", times, columns, times[-1] + STEP_S), rtts, loss)


def error(predicted: Floats, observed: Floats) -> float:
    """Mean distance of the quantiles, as the logarithm of their ratio."""
    return float(np.mean(np.abs(np.log(predicted / observed))))


def best_load(first: Half, over_time: bool) -> float:
    """The load that fits the first half best, as arithmetic of a FIFO has it."""
    observed = quantiles(first.rtts_ms)
    return min(LOADS, key=lambda load: error(quantiles(fifo_rtts_ms(first, load, over_time)), observed))


def fifo_rtts_ms(first: Half, load: float, over_time: bool) -> Floats:
    """RTTs of a ping each 15 ms beside a constant load, over a FIFO without a limit.

    The work that is done when packet k has departed is that which was possible when packet j came, plus the
    packets from j to k: the largest over all j up to k.
    """
    end_s = first.recording.end_s
    times = np.array([*first.recording.times_s, end_s])
    rates = np.array(first.recording.columns[RATE], dtype=np.float64) * 1e6
    if not over_time:
        rates = np.full(rates.size, first.rate_mbps * 1e6)
    possible = np.concatenate(([0.0], np.cumsum(rates * np.diff(times))))
    pings = np.arange(0.0, end_s, STEP_S)
    interval = FRAME_BITS / (load * first.rate_mbps * 1e6) if load else end_s
    others = np.arange(0.0, end_s, interval)
    came = np.concatenate((pings, others))
    order = np.argsort(came, kind="stable")
    sizes = np.where(order < pings.size, PING_BITS, FRAME_BITS)
    sums = np.cumsum(sizes)
    starts = np.maximum.accumulate(np.interp(came[order], times, possible) - (sums - sizes))
    # Strictly rising, for the way back from work to time: without a rate nothing is done.
    rising = possible + np.arange(possible.size) * 1e-3
    departures = np.interp(sums + starts, rising, times)
    own = order < pings.size
    waited: Floats = departures[own] - came[order][own]
    return waited * 1e3 + float(first.rtts_ms.min())


@dataclass(frozen=True)
class Planned:
    """A run of a predictor, and its parameter."""

    job: Job
    parameter: float | None


def _planned(label: str, text: str, files: Mapping[str, str], parameter: float | None) -> Planned:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scenario.toml").write_text(text, encoding="utf-8")
        for file, content in files.items():
            (folder / file).write_text(content, encoding="utf-8")
        return Planned(Job(label, compile_file(folder / "scenario.toml")), parameter)


def wire_run(first: Half, over_time: bool) -> Planned:
    """A wire under the load that fits the first half best."""
    load, rate = best_load(first, over_time), max(LEAST_MBPS, first.rate_mbps)
    trace = '[wire.towards.h2]\ntrace = { file = "rate.csv", repeat = true }' if over_time else ""
    text = WIRE.format(
        length=first.recording.end_s,
        rate=rate,
        delay=float(first.rtts_ms.min()) / 2,
        trace=trace,
        load=LOAD.format(rate=load * rate) if load else "",
    )
    files = {"rate.csv": trace_text(first.recording.only([RATE]))}
    label = f"{first.recording.name}, {'rate replay' if over_time else 'fixed'}"
    return _planned(label, text, files, load)


def trace_run(first: Half) -> Planned:
    """Rate, delay and loss as they were recorded."""
    trace = (
        '[wire.towards.h2]\ntrace = { file = "all.csv", repeat = true }\n'
        '[wire.towards.h1]\ntrace = { file = "back.csv", repeat = true }'
    )
    text = WIRE.format(
        length=first.recording.end_s, rate=max(LEAST_MBPS, first.rate_mbps), delay=0, trace=trace, load=""
    )
    files = {"all.csv": trace_text(first.recording), "back.csv": trace_text(first.recording.only([DELAY]))}
    return _planned(f"{first.recording.name}, trace replay", text, files, None)


def wifi_run(number: int) -> Planned:
    """The air beside so many stations that upload."""
    uploads = "".join(UPLOAD.format(number=n) for n in range(2, number + 2))
    text = WIFI.format(length=WIFI_LENGTH_S, stations=number + 1, uploads=uploads)
    return _planned(f"{number} uploads", text, {}, number)


def predicted(planned: Planned, run: Run) -> Prediction:
    """What a run predicts: RTTs of pings that were answered, and the share of the others."""
    rtt_ns = run.series("pings")["rtt_ns"].to_numpy()
    sample = rtt_ns[rtt_ns >= 0] / 1e6
    return Prediction(quantiles(sample), planned.parameter, sample, float(np.mean(rtt_ns < 0)))


def wifi_prediction(first: Half, air: Sequence[Prediction]) -> Prediction:
    """By the air beside as many stations as fit best, and a constant delay behind it."""
    observed, made = quantiles(first.rtts_ms), []
    for each in air:
        moved = each.sample - each.sample.min() + first.rtts_ms.min()
        made.append(Prediction(quantiles(moved), each.parameter, moved, each.loss))
    return min(made, key=lambda each: error(each.quantiles, observed))


@dataclass(frozen=True)
class Result:
    """A recording: its halves, and what each predictor says of the second one."""

    name: str
    first: Half
    second: Half
    made: Mapping[str, Prediction]

    def errors(self, label: str) -> Floats:
        """Ratio of prediction and observation, less 1, by quantile."""
        ratios: Floats = self.made[label].quantiles / quantiles(self.second.rtts_ms) - 1
        return ratios

    def distance(self, label: str) -> float:
        """Mean over quantiles, as the logarithm of the ratio."""
        return error(self.made[label].quantiles, quantiles(self.second.rtts_ms))


def compute(data: Path, work: Work) -> Found:
    """Predicts each recording of a folder."""
    files = sorted(data.glob("trace*.log"), key=lambda file: (len(file.stem), file.stem))
    if not files:
        raise AirtcpError("has no trace*.log", str(data), "Name the folder Hairpin/wifi of SparkTraces")
    both = [halves(file) for file in files]
    planned = [wifi_run(number) for number in STATIONS]
    for first, _ in both:
        planned += [wire_run(first, False), wire_run(first, True), trace_run(first)]
    runs = work.runs([one.job for one in planned])
    made = [predicted(one, run) for one, run in zip(planned, runs, strict=True)]
    air, wires = made[: len(STATIONS)], made[len(STATIONS) :]
    results = [
        _result(file.stem, first, second, (*wires[3 * n : 3 * n + 3], wifi_prediction(first, air)))
        for n, (file, (first, second)) in enumerate(zip(files, both, strict=True))
    ]
    charts = [_error_chart(results), _example(results[0])]
    tables = [_by_quantile(results), _by_recording(results)]
    return Found(_values(results), tables, charts, {"quantiles": QUANTILES, "recordings": _json(results)})


def _result(name: str, first: Half, second: Half, made: Sequence[Prediction]) -> Result:
    # What is known without a model: one number, and the first half as it was.
    median = np.full(len(QUANTILES), float(np.median(first.rtts_ms)))
    constant = Prediction(median, None, median, 0.0)
    itself = Prediction(quantiles(first.rtts_ms), None, first.rtts_ms, first.loss)
    return Result(name, first, second, dict(zip(PREDICTORS, (*made, constant, itself), strict=True)))


def _medians(results: Sequence[Result], label: str) -> Floats:
    """Over recordings, of the absolute error of each quantile."""
    errors: Floats = np.median(np.abs(np.array([each.errors(label) for each in results])), axis=0)
    return errors


def _values(results: Sequence[Result]) -> dict[str, float]:
    values = {f"error of {label}": float(np.mean(_medians(results, label))) for label in PREDICTORS}
    better = sum(each.distance("Wi-Fi model") < each.distance("rate replay") for each in results)
    values["share of recordings where Wi-Fi model beats rate replay"] = better / len(results)
    return values


def _by_quantile(results: Sequence[Result]) -> Table:
    heads = [f"{q:.0%}" for q in QUANTILES]
    title = f"Error of the RTT of the second half by quantile, median of {len(results)} recordings"
    table = Table(title, ("predictor", *heads, "mean"))
    for label in PREDICTORS:
        medians = _medians(results, label)
        table.add(label, *(f"{value:.0%}" for value in medians), f"{float(np.mean(medians)):.0%}")
    return table


def _by_recording(results: Sequence[Result]) -> Table:
    models = PREDICTORS[:4]
    title = "Each recording: RTT of its halves in ms (median, 95 %); mean of |ln(predicted / observed)|"
    table = Table(title, ("recording", "first half", "second half", *models, "stations"), left=("stations",))
    for each in results:
        sides = (np.quantile(half.rtts_ms, (0.5, 0.95)) for half in (each.first, each.second))
        shown = (f"{median:.1f}, {most:.1f}" for median, most in sides)
        distances = (f"{each.distance(label):.2f}" for label in models)
        table.add(each.name, *shown, *distances, f"{each.made['Wi-Fi model'].parameter:g}")
    return table


def _error_chart(results: Sequence[Result]) -> DrawnChart:
    places = tuple(100 * q for q in QUANTILES)
    curves = [
        Curve(label, places, tuple(Bar(*(float(value) * 100,) * 3) for value in _medians(results, label)))
        for label in PREDICTORS[:4]
    ]
    caption = f"Error of the RTT of the second half, median of {len(results)} recordings."
    chart = prepare_curves(curves, caption, "Quantile [%]", "Error [%]", ErrorBars(Whiskers.NONE))
    return DrawnChart("errors", "Error by quantile", caption, draw_curves(chart))


def _example(result: Result) -> DrawnChart:
    samples = {"first half": result.first.rtts_ms, "second half": result.second.rtts_ms}
    samples |= {label: result.made[label].sample for label in PREDICTORS[:4]}
    lines = [prepare_cdf_line(label, Sample(sample)) for label, sample in samples.items()]
    caption = f"RTTs of {result.name}."
    chart = prepare_cdf([prepare_cdf_panel("RTT [ms]", lines, logarithmic=True)], caption)
    return DrawnChart("example", f"RTTs of {result.name}", caption, draw_cdf(chart))


def _json(results: Sequence[Result]) -> dict[str, object]:
    return {
        each.name: {
            "first_half": quantiles(each.first.rtts_ms).tolist(),
            "second_half": quantiles(each.second.rtts_ms).tolist(),
            "loss": [each.first.loss, each.second.loss],
            "predictors": {
                label: {"quantiles": one.quantiles.tolist(), "parameter": one.parameter, "loss": one.loss}
                for label, one in each.made.items()
            },
        }
        for each in results
    }
