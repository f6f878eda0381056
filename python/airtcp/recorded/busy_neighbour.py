"""A healthy radio beside neighbours that use 17.5 % of the channel: how long a ping may take.

The measurements: issue 1108 of openwrt/mt76 (2026): on channel 149, 80 MHz, at -35 to -43 dBm, with the
channel busy for 17.5 % of the time, mostly with other networks, an MT7615 needs 3.5 ms for a ping to its
gateway, without spikes; an MT7925 at the same place 91 ms on average, with 21 % retries. The scenario: a cell
of 802.11ac with the card mt76, and another one whose load is found so that the channel is as busy.
Nothing is fitted to the pings.
"""

import tempfile
from pathlib import Path

import numpy as np

from airtcp.data.run_folder import Run
from airtcp.execution.executors.executor import Job
from airtcp.recorded.beside import Beside, beside_table, beside_values
from airtcp.recorded.recorded_study import Found, Work
from airtcp.recorded.runs_of import rtts_ms
from airtcp.report.table import Table, number
from airtcp.scenario.compile.compiler import compile_file

BUSY, HEALTHY_MS, ILL_MS = 0.175, 3.5, 91.0
# By which the load for BUSY is found, in proportion.
_FIRST_MBPS = 20.0
_SCENARIO = """
name = "busy-neighbour"
duration = "20 s"
[wifi.home]
standard = "11ac"
channel = 149
width = "80 MHz"
stations = ["sta1"]
card = "mt76"
[wifi.other]
standard = "11ac"
channel = 149
width = "80 MHz"
stations = ["sta2"]
rate = "VHT-MCS 4"
[channel]
propagation = "rssi"
rssi = "-40 dBm"
[[ping]]
from = "sta1"
to = "ap1"
interval = "20 ms"
[[udp]]
from = "ap2"
to = "sta2"
rate = "{rate:.3f} Mbit/s"
pace = "poisson"
"""


def _job(label: str, rate_mbps: float) -> Job:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "scenario.toml"
        file.write_text(_SCENARIO.format(rate=rate_mbps), encoding="utf-8")
        return Job(label, compile_file(file))


def busy_share(run: Run) -> float:
    """The share of the time for which there was something on the air."""
    medium = run.air_report["media"][0]
    on_air = medium["data_ns"] + medium["response_ns"] + medium["collision_ns"]
    return float(on_air) / float(run.end_ns)


def compute(_data: Path, work: Work) -> Found:
    """Finds the neighbour's load, and the pings beside it."""
    (first,) = work.runs([_job("the load that is looked for", _FIRST_MBPS)])
    rate = _FIRST_MBPS * BUSY / busy_share(first)
    alone, beside = work.runs([_job("alone", 0.001), _job("beside", rate)])
    rtts = rtts_ms(beside)
    mean, most = float(np.mean(rtts)), float(np.quantile(rtts, 0.99))
    every = [Beside("MT7615", "median RTT", HEALTHY_MS, mean)]
    table = Table("Pings in ms", ("", "busy", "mean", "95 %", "99 %", "most"))
    for name, run in (("alone", alone), ("beside the neighbour", beside)):
        own = rtts_ms(run)
        cells = (number(float(np.quantile(own, q)), 2) for q in (0.95, 0.99, 1.0))
        table.add(name, f"{busy_share(run):.1%}", number(float(np.mean(own)), 2), *cells)
    retries = next(nic for nic in beside.air_report["nics"] if nic["node"] == "sta1")
    share = retries["retries"] / max(1, retries["transmissions"])
    values = beside_values(every) | {
        "busy": busy_share(beside),
        "added by the neighbour, in ms": mean - float(np.mean(rtts_ms(alone))),
        "99 % of the model over the mean of MT7925": most / ILL_MS,
        "share of retries": share,
    }
    everything = {"rate_mbps": rate, "retries": share}
    return Found(values, [beside_table("Measured and modelled", every), table], [], everything)
