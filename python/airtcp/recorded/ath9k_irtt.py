"""irtt over ath9k with fixed modes: round-trip times of an idle cell, and beside a bulk transfer.

The recordings: mlouielu/ath9k-one-station-measurement, 2018: 30 s of irtt each, 100 octets each 10 ms, from
a wired host through an access point with ath9k and a fixed mode of 802.11n. Idle ones are to a notebook;
those named `3TP_Bulk4M` are to three stations at once (all wrote one file: what is whole is one of them),
with a load that is not described.

Two parameters. The delay of the notebook's host: by the median at MCS 0 in 20 MHz; all other idle files are
predicted. The load: one of `LOADS`, by the first whole loaded file at MCS 0; all other loaded files are
predicted.
"""

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.execution.executors.executor import Job
from airtcp.formats.recognition import open_measurement
from airtcp.metrics.arrays import Floats
from airtcp.recorded.beside import Beside, Quantity, beside_table, beside_values
from airtcp.recorded.recorded_study import Found, Work
from airtcp.recorded.runs_of import rtts_ms
from airtcp.report.table import Table, number
from airtcp.scenario.compile.compiler import compile_file

_IDLE = re.compile(r"802\.11n_(?P<width>20|40)MHz_MCS(?P<mcs>\d+)_\d+\.json\.gz")
_LOADED = re.compile(r"802\.11n_20MHz_MCS(?P<mcs>\d+)_3TP_Bulk4M_\d+\.json\.gz")
# Two streams at MCS 8 and above, which the page does not describe, and which lost 3 % under load.
_SINGLE_STREAM = 8
_MCS_FITTED, _WIDTH_FITTED = 0, 20

_CELL = """
name = "ath9k"
duration = "{length} s"
[wifi.lab]
standard = "11n"
channel = 36
width = "{width} MHz"
card = "ath9k"
{queue}
stations = ["sta1", "sta2", "sta3"]
rate = "HT-MCS {mcs}"
[wifi.lab.radio.sta1]
host_delay = {{ fixed = "{host_us:.0f} us" }}
[[wire]]
between = ["ap1", "server"]
rate = "1 Gbit/s"
[[ping]]
from = "server"
to = {pinged}
interval = "10 ms"
payload = 100
{load}
"""
_FLOW = '[[flow]]\nfrom = "server"\nto = {to}\ncca = "cubic"\n'
# What "Bulk4M" to "3TP" may mean. Versions of iperf3 before 3.2 look ten times a second whether they are
# behind the rate of -b, and then write all that is missing.
LOADS: Mapping[str, str] = {
    "4 Mbit/s to one of the three, in bursts each 100 ms": _FLOW.format(to='"sta2"')
    + 'amount = "50 kB"\noff = "100 ms"\n',
    "4 Mbit/s to one of the three": _FLOW.format(to='"sta2"') + 'pacing = "4 Mbit/s"\n',
    "4 Mbit/s to each of the three": _FLOW.format(to='["sta1", "sta2", "sta3"]') + 'pacing = "4 Mbit/s"\n',
    "as much as TCP can to each": _FLOW.format(to='["sta1", "sta2", "sta3"]'),
}
_ALL = '["sta1", "sta2", "sta3"]'
_FIFO = 'nic_queue = "64 packets"'
LENGTH_S = 10
# Before that the flows of a run begin.
_SETTLED = 200


@dataclass(frozen=True)
class Recorded:
    """A whole file: its width and mode, and its RTTs in ms."""

    name: str
    width_mhz: int
    mcs: int
    rtts: Floats


def recorded(data: Path, pattern: "re.Pattern[str]") -> tuple[list[Recorded], list[str]]:
    """The files whose names match: those that are whole, and what is wrong with the others."""
    found, refused = list[Recorded](), list[str]()
    for file in sorted(data.glob("*.json.gz")):
        match = pattern.fullmatch(file.name)
        if match is None:
            continue
        try:
            frame = open_measurement(file).frame("round_trips")
        except AirtcpError as error:
            refused.append(f"{file.name} {error.what}")
            continue
        rtts = frame["rtt_ns"].to_numpy()
        width = int(match.groupdict().get("width") or _WIDTH_FITTED)
        found.append(Recorded(file.name, width, int(match["mcs"]), rtts[rtts >= 0] / 1e6))
    if not found:
        raise AirtcpError("has no recordings of irtt over ath9k", str(data), "Name the folder data_bak")
    return found, refused


@dataclass(frozen=True)
class _Setting:
    """What a run is of: width and mode, what is asked of the host of `sta1`, load and queue of the radio."""

    width_mhz: int
    mcs: int
    host_us: float = 0.0
    load: str = ""
    queue: str = ""


def _job(label: str, one: _Setting) -> Job:
    two_streams = f"{one.mcs} x{one.mcs // _SINGLE_STREAM + 1}"
    text = _CELL.format(
        length=LENGTH_S,
        width=one.width_mhz,
        mcs=one.mcs if one.mcs < _SINGLE_STREAM else two_streams,
        host_us=max(1.0, one.host_us),
        pinged=_ALL if one.load else '"sta1"',
        load=one.load,
        queue=one.queue,
    )
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "scenario.toml"
        file.write_text(text, encoding="utf-8")
        return Job(label, compile_file(file))


def compute(data: Path, work: Work) -> Found:
    """Fits the host's delay and the load at MCS 0, and predicts the other modes and widths."""
    idle, refused_idle = recorded(data, _IDLE)
    loaded, refused_loaded = recorded(data, _LOADED)
    host_us = _host_delay_us(idle, work)
    every = _idle(idle, host_us, work)
    load, medians = _load(loaded, work)
    every += _loaded(loaded, load, work)
    tables = [
        beside_table("Measured and modelled", every),
        _load_table(loaded, medians, load),
        _fifo_table(loaded, load, work),
    ]
    median = [one for one in every if one.quantity == "median RTT" and not one.fitted]
    values = beside_values(every) | {
        "damaged files": float(len(refused_idle) + len(refused_loaded)),
        "share of medians predicted": sum(one.within for one in median) / len(median),
    }
    everything = {"host_us": host_us, "load": load, "damaged": [*refused_idle, *refused_loaded]}
    notes = [f"Refused: {each}" for each in (*refused_idle, *refused_loaded)]
    return Found(values, tables, [], everything, notes)


def _host_delay_us(idle: Sequence[Recorded], work: Work) -> float:
    """What a run without a host's delay lacks in the median at MCS 0; a packet passes the host twice."""
    own = [one for one in idle if (one.mcs, one.width_mhz) == (_MCS_FITTED, _WIDTH_FITTED)]
    wanted = float(np.median(np.concatenate([one.rtts for one in own])))
    (run,) = work.runs([_job("idle, no host delay", _Setting(_WIDTH_FITTED, _MCS_FITTED))])
    lacking_ms = max(0.0, wanted - float(np.median(rtts_ms(run))))
    (again,) = work.runs(
        [_job("idle, host delay", _Setting(_WIDTH_FITTED, _MCS_FITTED, lacking_ms * 1e3 / 2))]
    )
    gained = float(np.median(rtts_ms(again))) - float(np.median(rtts_ms(run)))
    return lacking_ms * 1e3 / 2 * (lacking_ms / gained if gained > 0 else 1.0)


def _both(case: str, measured: Floats, modelled: Floats, fitted: bool = False) -> list[Beside]:
    """Median and 95th percentile of RTTs beside each other."""
    quantities: tuple[tuple[Quantity, float], ...] = (("median RTT", 0.5), ("95 % RTT", 0.95))
    return [
        Beside(
            case,
            quantity,
            float(np.quantile(measured, q)),
            float(np.quantile(modelled, q)),
            fitted=fitted and quantity == "median RTT",
        )
        for quantity, q in quantities
    ]


def _idle(idle: Sequence[Recorded], host_us: float, work: Work) -> list[Beside]:
    settings = sorted({(one.width_mhz, one.mcs) for one in idle})
    jobs = [_job(f"idle, {width} MHz, MCS {mcs}", _Setting(width, mcs, host_us)) for width, mcs in settings]
    every = list[Beside]()
    for (width, mcs), run in zip(settings, work.runs(jobs), strict=True):
        own = [one.rtts for one in idle if (one.width_mhz, one.mcs) == (width, mcs)]
        fitted = (mcs, width) == (_MCS_FITTED, _WIDTH_FITTED)
        every += _both(f"idle, {width} MHz, MCS {mcs}", np.concatenate(own), rtts_ms(run), fitted)
    return every


def _beside_the_load(run: Run) -> Floats:
    """The RTTs of both stations that have no part in a load to one, when its flow has settled."""
    return np.concatenate([rtts_ms(run, ping)[_SETTLED:] for ping in (0, 2)])


def _load(loaded: Sequence[Recorded], work: Work) -> tuple[str, dict[str, float]]:
    """The load whose median at MCS 0 is nearest to the first loaded file, and the median of each."""
    first = next(one for one in loaded if one.mcs == _MCS_FITTED)
    jobs = [
        _job(f"load: {name}", _Setting(_WIDTH_FITTED, _MCS_FITTED, load=text)) for name, text in LOADS.items()
    ]
    medians = {
        name: float(np.median(_beside_the_load(run)))
        for name, run in zip(LOADS, work.runs(jobs), strict=True)
    }
    wanted = float(np.median(first.rtts))
    return min(medians, key=lambda name: abs(np.log(medians[name] / wanted))), medians


def _loaded(loaded: Sequence[Recorded], load: str, work: Work) -> list[Beside]:
    known = [one for one in loaded if one.mcs < _SINGLE_STREAM]
    modes = sorted({one.mcs for one in known})
    jobs = [_job(f"loaded, MCS {mcs}", _Setting(_WIDTH_FITTED, mcs, load=LOADS[load])) for mcs in modes]
    runs = dict(zip(modes, work.runs(jobs), strict=True))
    first = next(one for one in known if one.mcs == _MCS_FITTED)
    every = list[Beside]()
    for one in known:
        case = f"loaded, MCS {one.mcs}, {one.name.removesuffix('.json.gz').rpartition('_')[2]}"
        every += _both(case, one.rtts, _beside_the_load(runs[one.mcs]), one is first)
    return every


def _load_table(loaded: Sequence[Recorded], medians: Mapping[str, float], load: str) -> Table:
    first = next(one for one in loaded if one.mcs == _MCS_FITTED)
    table = Table(
        "Which load: median RTT at MCS 0 in ms", ("load", "median", "chosen"), left=("load", "chosen")
    )
    for name, median in medians.items():
        table.add(name, number(median, 1), "yes" if name == load else "")
    table.add("measured", number(float(np.median(first.rtts)), 1), "")
    return table


def _fifo_table(loaded: Sequence[Recorded], load: str, work: Work) -> Table:
    """The same load in front of one FIFO in place of FQ-CoDel for each station."""
    modes = sorted({one.mcs for one in loaded if one.mcs < _SINGLE_STREAM})
    jobs = [
        _job(f"FIFO, MCS {mcs}", _Setting(_WIDTH_FITTED, mcs, load=LOADS[load], queue=_FIFO)) for mcs in modes
    ]
    title = "With a FIFO of 64 packets in the radio: RTT in ms (median, 95 %)"
    table = Table(title, ("mode", "FIFO", "measured"))
    for mcs, run in zip(modes, work.runs(jobs), strict=True):
        own = np.concatenate([one.rtts for one in loaded if one.mcs == mcs])
        cells = (
            ", ".join(number(float(np.quantile(rtts, q)), 1) for q in (0.5, 0.95))
            for rtts in (_beside_the_load(run), own)
        )
        table.add(f"MCS {mcs}", *cells)
    return table
