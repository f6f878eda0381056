"""Compares losses measured in the ORBIT grid with the error rates of the air.

The measurements: rutgers/noise of CRAWDAD (S. K. Kaul, M. Gruteser, I. Seskar, 2007), as
sensorlab/link-quality-estimation has them: for each pair of nodes and each of five levels of injected noise a
file with sequence number and RSSI of each of 301 frames that was received. They are read where they are.

The RSSI of these cards counts dB from the noise. It is not known of frames that were lost, so a mean over the
others would be too high where many are lost. Therefore the power of a link at one level is predicted from the
level below, at which it lost hardly anything, by the median step of all links that lost hardly anything at
both. Nothing else is fitted.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from airtcp.errors import AirtcpError
from airtcp.input_file import TEXT_BYTES_MOST, read_input
from airtcp.metrics.arrays import Floats
from airtcp.plots.bars import Bar, ErrorBars, Whiskers
from airtcp.plots.curves import Curve, draw_curves, prepare_curves
from airtcp.recorded.recorded_study import DrawnChart, Found, Work
from airtcp.report.table import Table
from airtcp.scenario.compile.compiler import compile_scene
from airtcp.scenario.compile.scene_plan import ScenePlan
from airtcp.scenario.reading.scenario_file import scenario_from_tables

# Folders of the levels, from the least noise on.
LEVELS = ("dbm-20", "dbm-15", "dbm-10", "dbm-5", "dbm0")
# Frames of a link at a level: sequence numbers 0 to 300.
FRAMES = 301
# A link that loses less than this knows its mean RSSI.
HARDLY = 0.02
# Thermal noise in 20 MHz with the default noise figure of 7 dB (docs/models/reception.md).
NOISE_DBM = -93.99
# Modes that the cards may have used: the data do not say it. Octets of the frames neither.
MODES = {"1 Mbit/s": "11b", "2 Mbit/s": "11b", "11 Mbit/s": "11b", "6 Mbit/s": "11g"}
OCTETS = (64, 1000)
SNRS = np.arange(-8.0, 16.01, 0.5)
# From RSSI to the share of links that are between: the two ends of a transition.
HIGH, LOW = 0.9, 0.1

SCENE = """
name = "error-rate"
duration = "2 s"
[wifi.home]
standard = "{standard}"
stations = ["a"]
rate = "{rate}"
[channel]
reception = "table"
rssi = "{rssi:.2f} dBm"
sensitivity = "-150 dBm"
carrier_sense = "-150 dBm"
[[source]]
from = "a"
to = "ap1"
payload = "{octets} B"
"""


@dataclass(frozen=True)
class Link:
    """What a receiver heard of a sender at one level: which frames, and their mean RSSI."""

    heard: npt.NDArray[np.bool_]
    rssi_db: float

    @property
    def loss(self) -> float:
        """Share of frames that were not received."""
        return 1.0 - float(self.heard.mean())


Level = dict[tuple[str, str], Link]


def read_level(folder: Path) -> Level:
    """All links at one level, by the names of folder and file."""
    links: Level = {}
    for file in sorted(folder.glob("*/*")):
        heard, powers = np.zeros(FRAMES, dtype=bool), []
        for number, line in enumerate(read_input(file, TEXT_BYTES_MOST).decode().splitlines(), start=1):
            words = line.split()
            if len(words) != 2 or not all(word.isdigit() for word in words):
                what = f"is damaged: line {number} has no sequence number and RSSI"
                raise AirtcpError(what, str(file), "Copy the file again")
            sequence, octet = int(words[0]), int(words[1])
            if sequence < FRAMES:
                heard[sequence] = True
                # Eight bits with a sign: 255 is -1 dB.
                powers.append(octet - 256 if octet > 127 else octet)
        # The date in the folder's name differs from level to level.
        sender = file.parent.name.split("_")[1]
        links[sender, file.name] = Link(heard, float(np.mean(powers)) if powers else float("nan"))
    if not links:
        raise AirtcpError("has no measurements", str(folder), "Name the folder with dbm-20 to dbm0")
    return links


@dataclass(frozen=True)
class Measured:
    """Losses by predicted RSSI, and how well it is predicted where it is known."""

    rssi_db: Floats
    loss: Floats
    step_db: dict[str, float]
    spread_db: float


def measure(levels: list[Level]) -> Measured:
    """Loss of each link at each level above the least, with the RSSI that the level below predicts."""
    predicted, losses, misses, steps = [], [], [], {}
    for name, (below, above) in zip(LEVELS[1:], pairwise(levels), strict=True):
        both = [key for key in below if key in above]
        known = [key for key in both if below[key].loss < HARDLY]
        change = [below[key].rssi_db - above[key].rssi_db for key in known if above[key].loss < HARDLY]
        step = steps[name] = float(np.median(change))
        misses += [each - step for each in change]
        predicted += [below[key].rssi_db - step for key in known]
        losses += [above[key].loss for key in known]
    return Measured(np.array(predicted), np.array(losses), steps, float(np.std(misses)))


def curve(measured: Measured) -> tuple[Floats, Floats, list[int]]:
    """Mean loss by RSSI in steps of 1 dB, and the number of links in each."""
    bins = np.round(measured.rssi_db)
    places = np.array([b for b in np.unique(bins) if (bins == b).sum() >= 10])
    means = np.array([measured.loss[bins == b].mean() for b in places])
    return places, means, [int((bins == b).sum()) for b in places]


def crossing(places: Floats, losses: Floats, share: float) -> float:
    """The place at which the loss falls to this share, between two points in a straight line."""
    for (x0, y0), (x1, y1) in pairwise(zip(places, losses, strict=True)):
        if y0 >= share > y1:
            return float(x0 + (y0 - share) / (y0 - y1) * (x1 - x0))
    return float("nan")


def scenes(rate: str, octets: int) -> list[ScenePlan]:
    """The air with one mode and length of frames, at each SNR."""
    texts = (
        SCENE.format(standard=MODES[rate], rate=rate, rssi=NOISE_DBM + snr, octets=octets) for snr in SNRS
    )
    return [compile_scene(scenario_from_tables(tomllib.loads(text))) for text in texts]


def loss_of(report: Mapping[str, Any]) -> float:
    """The share of transmissions that were lost, of a scene's report."""
    nic = next(nic for nic in report["nics"] if nic["node"] == "a")
    return float(nic["mpdus_lost"] / max(1, nic["mpdus"]))


def blurred(losses: Floats, spread_db: float) -> Floats:
    """The loss if the SNR is known with this standard deviation."""
    offsets = np.arange(-4 * spread_db, 4 * spread_db + 0.01, 0.1)
    weights = np.exp(-0.5 * (offsets / spread_db) ** 2)
    shifted = [np.interp(SNRS + offset, SNRS, losses) for offset in offsets]
    return np.average(np.array(shifted), axis=0, weights=weights)


def bursts(levels: list[Level]) -> tuple[int, Floats]:
    """Burstiness of links that lose some: P(lost | the one before was lost) less P(lost | it was not), in
    quantiles.
    """
    differences = []
    for level in levels:
        for link in level.values():
            if not 0.1 < link.loss < 0.9:
                continue
            lost = ~link.heard
            differences.append(float(lost[1:][lost[:-1]].mean() - lost[1:][~lost[:-1]].mean()))
    return len(differences), np.quantile(differences, (0.25, 0.5, 0.75))


def compute(data: Path, work: Work) -> Found:
    """Losses by RSSI as they were measured, and by SNR as the air has them."""
    levels = [read_level(data / name) for name in LEVELS]
    measured = measure(levels)
    places, losses, links = curve(measured)
    kinds = [(rate, octets) for rate in MODES for octets in OCTETS]
    plans = [plan for kind in kinds for plan in scenes(*kind)]
    reports = work.scenes(plans)
    found = np.array([loss_of(report) for report in reports]).reshape(len(kinds), len(SNRS))
    air = {f"{rate}, {octets} octets": found[n] for n, (rate, octets) in enumerate(kinds)}
    seen = {label: blurred(own, measured.spread_db) for label, own in air.items()}
    number, differences = bursts(levels)
    width = _width(places, losses)
    over = [width - _width(SNRS, own) for own in seen.values()]
    values = {
        "width measured": width,
        "least width beyond the air": min(over),
        "largest width beyond the air": max(over),
        "median dependence of losses": float(differences[1]),
    }
    notes = [
        f"Links: {', '.join(f'{int(b)} dB {n}' for b, n in zip(places, links, strict=True))}.",
        "Steps of RSSI to the next level, in dB: "
        + ", ".join(f"{name} {step:.2f}" for name, step in measured.step_db.items())
        + f"; standard deviation: {measured.spread_db:.2f} dB.",
        f"P(lost | lost before) - P(lost | received before), {number} links that lose 10 to 90 %: quartiles "
        + ", ".join(f"{value:.2f}" for value in differences)
        + f". {len(plans)} points of the air were computed.",
    ]
    everything = {
        "measured": {"rssi_db": places.tolist(), "loss": losses.tolist(), "links": links},
        "snr_db": SNRS.tolist(),
        "air": {label: own.tolist() for label, own in air.items()},
    }
    table = _table((places, losses), air, seen)
    shown = {label: own for label, own in seen.items() if label.endswith(f" {OCTETS[-1]} octets")}
    return Found(values, [table], [_chart((places, losses), shown)], everything, notes)


def _width(places: Floats, losses: Floats) -> float:
    return crossing(places, losses, LOW) - crossing(places, losses, HIGH)


def _table(measured: tuple[Floats, Floats], air: Mapping[str, Floats], seen: Mapping[str, Floats]) -> Table:
    columns = (
        "frames",
        "90 % lost at [dB]",
        "50 % lost at [dB]",
        "10 % lost at [dB]",
        "from 90 to 10 % [dB]",
    )
    table = Table("Where frames are lost", columns)
    table.add("measured (RSSI)", *_row(*measured))
    for label, own in air.items():
        table.add(f"{label} (SNR)", *_row(SNRS, own))
        table.add(f"{label}, blurred", *_row(SNRS, seen[label]))
    return table


def _row(places: Floats, losses: Floats) -> list[str]:
    crossings = [crossing(places, losses, share) for share in (HIGH, 0.5, LOW)]
    return [f"{value:.1f}" for value in (*crossings, crossings[2] - crossings[0])]


def _chart(measured: tuple[Floats, Floats], seen: Mapping[str, Floats]) -> DrawnChart:
    """The curves, each from where it loses half."""
    drawn = []
    for label, (places, losses) in {
        "measured": measured,
        **{label: (SNRS, own) for label, own in seen.items()},
    }.items():
        half = crossing(places, losses, 0.5)
        near = np.abs(places - half) <= 8
        points = tuple(Bar(*(float(loss) * 100,) * 3) for loss in losses[near])
        drawn.append(Curve(label, tuple(float(place - half) for place in places[near]), points))
    caption = "Loss by RSSI (measured) and SNR (the air, with the spread of the measurement)."
    chart = prepare_curves(drawn, caption, "dB from where half is lost", "Loss [%]", ErrorBars(Whiskers.NONE))
    return DrawnChart("losses", "Loss by decibels", caption, draw_curves(chart))
