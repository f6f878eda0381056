"""Predicts the RTTs of the second half of a recording from its first half.

    PYTHONPATH=tools python -m recorded.half_trace --data SparkTraces/Hairpin/wifi [--store runs] [--out DIR]

The recordings: Hairpin's Wi-Fi traces of hkust-spark/SparkTraces (GPL; they are read where they are), a line
for each 15 ms with bandwidth, RTT and loss. Four predictors know the first half only. Each has one parameter
at most, chosen on the first half; none is changed after the second half was seen:

- `fixed`: a wire with the mean rate and half of the least RTT each way, under a constant load, the
  parameter.
- `rate replay`: the same with the rate over time, as mahimahi replays it.
- `trace replay`: rate, half of the RTT and loss over time, without a load. No parameter.
- `Wi-Fi model`: an idle station of a cell of 802.11ac beside others that upload. Parameter: their number.

`docs/studies/half-trace.md` has the results.
"""

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from airtcp.plots.bars import Bar, ErrorBars, Whiskers
from airtcp.plots.cdf import draw_cdf, prepare_cdf, prepare_cdf_line, prepare_cdf_panel
from airtcp.plots.curves import Curve, draw_curves, prepare_curves
from airtcp.traces.kinds import open_recordings
from airtcp.traces.recording import DELAY, LOSS, RATE, Recording
from airtcp.traces.trace_file import trace_text

from recorded.runs import Floats, rtts_ms

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


def wire_prediction(first: Half, over_time: bool, store: Path) -> Prediction:
    """By a wire under the load that fits the first half best, as arithmetic of a FIFO has it."""
    observed = quantiles(first.rtts_ms)
    load = min(LOADS, key=lambda load: error(quantiles(fifo_rtts_ms(first, load, over_time)), observed))
    return _under_load(first, load, over_time, store)


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


def _under_load(first: Half, load: float, over_time: bool, store: Path) -> Prediction:
    rate = max(LEAST_MBPS, first.rate_mbps)
    trace = '[wire.towards.h2]\ntrace = { file = "rate.csv", repeat = true }' if over_time else ""
    text = WIRE.format(
        length=first.recording.end_s,
        rate=rate,
        delay=float(first.rtts_ms.min()) / 2,
        trace=trace,
        load=LOAD.format(rate=load * rate) if load else "",
    )
    sample, loss = rtts_ms(text, {"rate.csv": trace_text(first.recording.only([RATE]))}, store)
    return Prediction(quantiles(sample), load, sample, loss)


def trace_prediction(first: Half, store: Path) -> Prediction:
    """By rate, delay and loss as they were recorded."""
    trace = (
        '[wire.towards.h2]\ntrace = { file = "all.csv", repeat = true }\n'
        '[wire.towards.h1]\ntrace = { file = "back.csv", repeat = true }'
    )
    text = WIRE.format(
        length=first.recording.end_s, rate=max(LEAST_MBPS, first.rate_mbps), delay=0, trace=trace, load=""
    )
    files = {"all.csv": trace_text(first.recording), "back.csv": trace_text(first.recording.only([DELAY]))}
    sample, loss = rtts_ms(text, files, store)
    return Prediction(quantiles(sample), None, sample, loss)


def wifi_samples(store: Path) -> dict[int, tuple[Floats, float]]:
    """RTTs of the air beside so many stations that upload."""
    made = {}
    for number in STATIONS:
        uploads = "".join(UPLOAD.format(number=n) for n in range(2, number + 2))
        text = WIFI.format(length=WIFI_LENGTH_S, stations=number + 1, uploads=uploads)
        made[number] = rtts_ms(text, {}, store)
    return made


def wifi_prediction(first: Half, samples: dict[int, tuple[Floats, float]]) -> Prediction:
    """By the air beside as many stations as fit best, and a constant delay behind it."""
    observed = quantiles(first.rtts_ms)
    made = []
    for number, (sample, loss) in samples.items():
        moved = sample - sample.min() + first.rtts_ms.min()
        made.append(Prediction(quantiles(moved), number, moved, loss))
    return min(made, key=lambda each: error(each.quantiles, observed))


def main() -> None:
    """Predicts each recording of a folder, and writes tables and figures."""
    about = (__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--data", type=Path, required=True, help="folder with Hairpin's trace*.log")
    parser.add_argument("--store", type=Path, default=Path("runs"))
    parser.add_argument("--out", type=Path, default=Path("half-trace"))
    given = parser.parse_args()
    files = sorted(given.data.glob("trace*.log"), key=lambda file: int(file.stem.removeprefix("trace")))
    if not files:
        parser.error(f"{given.data} has no trace*.log; name the folder Hairpin/wifi of SparkTraces")
    air = wifi_samples(given.store)
    results = []
    for file in files:
        first, second = halves(file)
        made = {
            "fixed": wire_prediction(first, False, given.store),
            "rate replay": wire_prediction(first, True, given.store),
            "trace replay": trace_prediction(first, given.store),
            "Wi-Fi model": wifi_prediction(first, air),
        }
        results.append((file.stem, first, second, made))
        print(_line(file.stem, second, made), flush=True)
    given.out.mkdir(parents=True, exist_ok=True)
    _write(results, given.out)


Result = tuple[str, Half, Half, dict[str, Prediction]]


def _line(name: str, second: Half, made: dict[str, Prediction]) -> str:
    observed = quantiles(second.rtts_ms)
    cells = (
        f"{label} {error(each.quantiles, observed):.3f} ({each.parameter})" for label, each in made.items()
    )
    return f"{name}: " + ", ".join(cells)


def _errors(results: Sequence[Result], label: str) -> Floats:
    """Ratio of prediction and observation, less 1, for each recording and quantile."""
    rows = [made[label].quantiles / quantiles(second.rtts_ms) - 1 for _, _, second, made in results]
    return np.array(rows)


def _write(results: Sequence[Result], out: Path) -> None:
    labels = list(results[0][3])
    table = {
        name: {
            "first_half": quantiles(first.rtts_ms).tolist(),
            "second_half": quantiles(second.rtts_ms).tolist(),
            "loss": [first.loss, second.loss],
            **{
                label: {"quantiles": each.quantiles.tolist(), "parameter": each.parameter, "loss": each.loss}
                for label, each in made.items()
            },
        }
        for name, first, second, made in results
    }
    (out / "half-trace.json").write_text(
        json.dumps({"quantiles": QUANTILES, "recordings": table}, indent=1) + "\n"
    )
    lines = ["| predictor | " + " | ".join(f"{q:.0%}" for q in QUANTILES) + " | mean |", "| -- " * 9 + "|"]
    curves = []
    for label in labels:
        errors = np.abs(_errors(results, label))
        medians = np.median(errors, axis=0)
        whole = float(np.mean(medians))
        lines.append(f"| {label} | " + " | ".join(f"{value:.0%}" for value in medians) + f" | {whole:.0%} |")
        points = [Bar(*(float(value) * 100,) * 3) for value in medians]
        curves.append(Curve(label, tuple(100 * q for q in QUANTILES), tuple(points)))
    text = "\n".join(lines) + "\n"
    (out / "half-trace.md").write_text(text)
    print(text)
    caption = f"Error of the RTT of the second half, median of {len(results)} recordings."
    chart = prepare_curves(curves, caption, "Quantile [%]", "Error [%]", ErrorBars(Whiskers.NONE))
    draw_curves(chart).savefig(out / "errors.svg")
    _draw_example(results[0], out)


def _draw_example(result: Result, out: Path) -> None:
    name, first, second, made = result
    samples = {"first half": first.rtts_ms, "second half": second.rtts_ms}
    samples |= {label: each.sample for label, each in made.items()}
    lines = [prepare_cdf_line(label, sample) for label, sample in samples.items()]
    chart = prepare_cdf([prepare_cdf_panel("RTT [ms]", lines, logarithmic=True)], f"RTTs of {name}.")
    draw_cdf(chart).savefig(out / "example.svg")


if __name__ == "__main__":
    main()
