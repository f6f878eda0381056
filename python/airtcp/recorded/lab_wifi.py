"""iperf3 between two notebooks over a home router, on 802.11ax or Ethernet: what one hop tells of two.

The recordings: WDCSecure/LabWiFi, ten tests of 10 s for each way to connect the notebooks. The scenario is
that of its report: channel 100, 80 MHz, two streams, the cards by their names (RTL8852BE: rtw89, Intel:
iwlwifi), and the receiver's window as iperf3 saw it. Two explanations of one hop, each with one parameter by
its TCP goodput: the mode, HE-MCS 8 to 11; or the nominal mode, and a limit of the sender. Everything else is
predicted by each.
"""

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.executors.executor import Job
from airtcp.formats.recognition import open_measurement
from airtcp.recorded.beside import Beside, beside_table, beside_values, mean_and_half
from airtcp.recorded.recorded_study import Found, Work
from airtcp.recorded.runs_of import goodput_mbps, received_mbps
from airtcp.report.table import Table, number
from airtcp.scenario.compile.compiler import compile_file

MODES = (11, 10, 9, 8)
# 1201 Mbit/s, as the report has it.
NOMINAL = 11
# Of a segment with timestamps, and of its packet.
_SEGMENT_BYTES, _PACKET_BYTES = 1448, 1500
LENGTH_S = 3
# By folder of the recordings.
ETHERNET, ONE_HOP, RELAYED = "2-ETH-TCP", "3-Mixed-TCP", "1-WiFi-TCP"
ONE_HOP_UDP, RELAYED_UDP = "3-Mixed-UDP", "1-WiFi-UDP"

_CELL = """
[wifi.home]
standard = "11ax"
channel = 100
width = "80 MHz"
stations = {stations}
rate = "HE-MCS {mode} x2"
[wifi.home.radio.pc1]
card = "rtw89"
"""
_RELAYED = """
[wifi.home.radio.pc2]
card = "iwlwifi"
"""
# iperf3 saw windows of 2.1 and 4.2 MB, which grow as the kernel sees fit: the model's begin with that.
_WINDOW = '[node.pc2]\nsysctl = {{ "net.ipv4.tcp_rmem" = "4096 {bytes} 8388608" }}\n'
_WIRE = '[[wire]]\nbetween = ["{access}", "pc2"]\nrate = "1 Gbit/s"\n'
_TCP = '[[flow]]\nfrom = "pc1"\nto = "pc2"\ncca = "cubic"\n'
_UDP = '[[udp]]\nfrom = "pc1"\nto = "pc2"\nrate = "{rate} Mbit/s"\n'
_HEAD = 'name = "lab-wifi"\nduration = "{length} s"\n'
# Of a window the kernel takes half of the buffer (`tcp_adv_win_scale`).
_BUFFER_OF_WINDOW = 2
_WINDOW_ONE_HOP, _WINDOW_RELAYED = 4_177_920, 2_111_872


def scenario(relayed: bool, mode: int, traffic: str) -> str:
    """The notebooks on the router: the receiver on Ethernet, or on Wi-Fi too."""
    cell = _CELL.format(stations='["pc1", "pc2"]' if relayed else '["pc1"]', mode=mode)
    window = _WINDOW.format(bytes=_BUFFER_OF_WINDOW * (_WINDOW_RELAYED if relayed else _WINDOW_ONE_HOP))
    rest = _RELAYED if relayed else _WIRE.format(access="ap1")
    return _HEAD.format(length=LENGTH_S) + cell + rest + window + traffic


def ethernet() -> str:
    """Both on Ethernet: a switch between two wires."""
    return _HEAD.format(length=LENGTH_S) + _WIRE.format(access="pc1") + _TCP


def _job(label: str, text: str) -> Job:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "scenario.toml"
        file.write_text(text, encoding="utf-8")
        return Job(label, compile_file(file))


def measured_mbps(data: Path, name: str) -> list[float]:
    """What the receiver got in each test of a folder, over the sender's time."""
    file = data / name / "client" / "client_log.json"
    if not file.is_file():
        raise AirtcpError("has no recordings of LabWiFi", str(data), "Name its Lab-Material/data/output")
    frame = open_measurement(file).frame("streams")
    if frame["received_bps"].null_count() == 0:
        return [float(rate) / 1e6 for rate in frame["received_bps"]]
    # UDP: iperf3's client has the sent bytes and the receiver's losses.
    shares = 1 - frame["lost"].to_numpy() / frame["packets"].to_numpy()
    return [float(rate) for rate in frame["sent_bps"].to_numpy() * shares / 1e6]


def compute(data: Path, work: Work) -> Found:
    """Fits one hop by its mode, and by a limit of the sender; predicts the others by each."""
    names = (ETHERNET, ONE_HOP, RELAYED, ONE_HOP_UDP, RELAYED_UDP)
    measured = {name: mean_and_half(measured_mbps(data, name)) for name in names}
    tried = work.runs([_job(f"one hop, HE-MCS {mode}", scenario(False, mode, _TCP)) for mode in MODES])
    rates = [goodput_mbps(run) for run in tried]
    best = MODES[min(range(len(MODES)), key=lambda n: abs(rates[n] - measured[ONE_HOP][0]))]
    limit = measured[ONE_HOP][0] * _PACKET_BYTES / _SEGMENT_BYTES
    by_mode = _explained(Sender(best, None), measured, work)
    by_limit = _explained(Sender(NOMINAL, limit), measured, work)
    tables = [
        beside_table(f"By its mode: HE-MCS {best}, two streams", by_mode),
        beside_table(f"By a limit of the sender: {limit:.0f} Mbit/s at HE-MCS {NOMINAL}", by_limit),
        _modes(rates, measured[ONE_HOP][0]),
    ]
    values = {f"mode: {name}": value for name, value in beside_values(by_mode).items()}
    values |= {f"limit: {name}": value for name, value in beside_values(by_limit).items()}
    everything = {"modes": dict(zip(map(str, MODES), rates, strict=True)), "measured": measured}
    return Found(values | {"mode": float(best)}, tables, [], everything)


@dataclass(frozen=True)
class Sender:
    """What limits one hop: the mode, or besides something in the sender, in Mbit/s of packets."""

    mode: int
    limit_mbps: float | None

    @property
    def tcp(self) -> str:
        """The flow."""
        return _TCP if self.limit_mbps is None else f'{_TCP}pacing = "{self.limit_mbps:.1f} Mbit/s"\n'

    def udp(self, offered: float) -> str:
        """The stream; a sender that is limited waits, as iperf3 does."""
        return _UDP.format(rate=f"{min(offered, self.limit_mbps or offered):.1f}")


def _explained(sender: Sender, measured: dict[str, tuple[float, float]], work: Work) -> list[Beside]:
    """Every case with this sender, beside what was measured."""
    hop, wired, relayed, udp, relayed_udp = work.runs(
        [
            _job("one hop", scenario(False, sender.mode, sender.tcp)),
            _job("Ethernet", ethernet()),
            _job("relayed", scenario(True, sender.mode, sender.tcp)),
            _job("one hop, UDP", scenario(False, sender.mode, sender.udp(800))),
            _job("relayed, UDP", scenario(True, sender.mode, sender.udp(500))),
        ]
    )
    modelled = {
        ONE_HOP: ("one hop, TCP", goodput_mbps(hop)),
        ETHERNET: ("Ethernet, TCP", goodput_mbps(wired)),
        RELAYED: ("relayed, TCP", goodput_mbps(relayed)),
        ONE_HOP_UDP: ("one hop, UDP", received_mbps(udp)),
        RELAYED_UDP: ("relayed, UDP", received_mbps(relayed_udp)),
    }
    return [
        Beside(title, "throughput", measured[name][0], rate, measured[name][1], name == ONE_HOP)
        for name, (title, rate) in modelled.items()
    ]


def _modes(rates: Sequence[float], measured: float) -> Table:
    table = Table("One hop by mode: TCP goodput in Mbit/s", ("mode", "model", "measured"))
    for mode, rate in zip(MODES, rates, strict=True):
        table.add(f"HE-MCS {mode} x2", number(rate, 1), number(measured, 1))
    return table
