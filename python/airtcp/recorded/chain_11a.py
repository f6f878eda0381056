"""A chain of nodes at 6 Mbit/s: what a shared channel leaves of two and three hops.

The measurements: `MultiChannel.md` of DINKIN/tuo (2008): iperf with UDP for 5 s over one, two and three hops
of one channel of 802.11a, and over two channels. The scenario: a mesh whose nodes hear each other, textbook
DCF. The parameter, CWmin, is chosen by one hop; the rest is predicted. The cause of what differs is looked
for by a second parameter, the room in a relay's queue: chosen by two hops, held against three.
"""

import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.executors.executor import Job
from airtcp.recorded.beside import Beside, beside_table, beside_values
from airtcp.recorded.recorded_study import Found, Work
from airtcp.recorded.runs_of import received_mbps
from airtcp.report.table import Table, number
from airtcp.scenario.compile.compiler import compile_file

FILE = "MultiChannel.md"
CW_MIN = (15, 7)
# Frames for which a relay has room: the usual 64 of the model, and fewer.
ROOM_FRAMES = (64, 1, 2, 4)
OFFERED_MBPS = (1, 2, 3, 6)
OFFERED_TWO_CHANNELS_MBPS = (3, 5, 6)
SATURATED_MBPS = 6
_SCENARIO = """
name = "chain"
duration = "6 s"
[wifi.chain]
kind = "mesh"
peerings = "chain"
stations = ["n1", "n2", "n3", "n4"]
standard = "11a"
channel = 44
rate = "6 Mbit/s"
basic_rates = ["6 Mbit/s"]
cw_min = {cw_min}
{relays}
[[udp]]
from = "n1"
to = "n{last}"
payload = 1470
rate = "{offered} Mbit/s"
duration = "5 s"
"""
_TWO_CHANNELS = """
name = "chain"
duration = "6 s"
[wifi.a]
kind = "mesh"
stations = ["n1", "n2"]
standard = "11a"
channel = 36
rate = "6 Mbit/s"
basic_rates = ["6 Mbit/s"]
cw_min = {cw_min}
[wifi.b]
kind = "mesh"
stations = ["n2", "n3"]
standard = "11a"
channel = 44
rate = "6 Mbit/s"
basic_rates = ["6 Mbit/s"]
cw_min = {cw_min}
[node.n2]
kind = "router"
[[udp]]
from = "n1"
to = "n3"
payload = 1470
rate = "{offered} Mbit/s"
duration = "5 s"
"""
_RELAY = """
[wifi.chain.radio.{node}]
nic_queue = "{room} packets"
"""
_ROW = re.compile(r"\d+\s+(?P<offered>\d+)\s+(?P<sent>[\d.]+)\s+(?P<received>[\d.]+)\s+[\d.]+%")


@dataclass(frozen=True)
class Published:
    """What the page says was received, by the offered rate, over so many hops, on one channel and on two."""

    one_hop: float
    two_hops: Mapping[int, float]
    three_hops: float
    two_channels: Mapping[int, float]


def read_published(file: Path) -> Published:
    """The numbers of the page; another page is an `AirtcpError`."""
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError):
        raise AirtcpError("has no MultiChannel.md", str(file.parent), "Name a clone of DINKIN/tuo") from None
    single, _, multiple = text.partition("Multiple Interface")
    one = re.search(r"Single Hop Throughput ([\d.]+)Mbps", single)
    parts = re.split(r"(?:Two|Three) Hop Experiments", single)
    tables = [_received(part) for part in (*parts[1:], multiple)]
    if one is None or len(tables) != 3 or not all(tables):
        raise AirtcpError("is not the page that is known", str(file), "Give it as it was published")
    two, three, two_channels = tables
    return Published(float(one[1]), two, three[SATURATED_MBPS], two_channels)


def _received(text: str) -> dict[int, float]:
    """What was received by what was offered: the rows of a table of the page."""
    rows = (_ROW.fullmatch(line.strip()) for line in text.splitlines())
    return {int(row["offered"]): float(row["received"]) for row in rows if row is not None}


def _two_channels(offered: int, cw_min: int) -> Job:
    return _compiled(
        f"2 hops, two channels, {offered} Mbit/s", _TWO_CHANNELS.format(cw_min=cw_min, offered=offered)
    )


def _job(last: int, offered: int, cw_min: int, room: int = ROOM_FRAMES[0]) -> Job:
    relays = "".join(_RELAY.format(node=f"n{n}", room=room) for n in range(2, last))
    relays = relays if room != ROOM_FRAMES[0] else ""
    text = _SCENARIO.format(last=last, offered=offered, cw_min=cw_min, relays=relays)
    return _compiled(f"{last - 1} hops, {offered} Mbit/s, CWmin {cw_min}, room {room}", text)


def _compiled(label: str, text: str) -> Job:
    with tempfile.TemporaryDirectory() as name:
        file = Path(name) / "scenario.toml"
        file.write_text(text, encoding="utf-8")
        return Job(label, compile_file(file))


def compute(data: Path, work: Work) -> Found:
    """Fits CWmin to one hop, predicts two and three, and looks for the cause of what differs."""
    published = read_published(data / FILE)
    tried = [received_mbps(run) for run in work.runs([_job(2, 8, cw_min) for cw_min in CW_MIN])]
    best = min(range(len(CW_MIN)), key=lambda n: abs(tried[n] - published.one_hop))
    cw_min = CW_MIN[best]
    asked = [_job(3, offered, cw_min) for offered in OFFERED_MBPS] + [_job(4, SATURATED_MBPS, cw_min)]
    *two, three = [received_mbps(run) for run in work.runs(asked)]
    every = [Beside("1 hop", "throughput", published.one_hop, tried[best], fitted=True)]
    every += [
        Beside(f"2 hops, {offered} offered", "throughput", published.two_hops[offered], rate)
        for offered, rate in zip(OFFERED_MBPS, two, strict=True)
    ]
    every.append(Beside("3 hops, 6 offered", "throughput", published.three_hops, three))
    apart = work.runs([_two_channels(offered, cw_min) for offered in OFFERED_TWO_CHANNELS_MBPS])
    every += [
        Beside(
            f"2 hops, two channels, {offered} offered",
            "throughput",
            published.two_channels[offered],
            received_mbps(run),
        )
        for offered, run in zip(OFFERED_TWO_CHANNELS_MBPS, apart, strict=True)
    ]
    small = [_job(last, SATURATED_MBPS, cw_min, room) for room in ROOM_FRAMES[1:] for last in (3, 4)]
    rates = [received_mbps(run) for run in work.runs(small)]
    cause = [(two[-1], three), *zip(rates[::2], rates[1::2], strict=True)]
    tables = [beside_table("Measured and modelled", every), _cause_table(cause, published)]
    values = beside_values(every) | {"CWmin": float(cw_min)} | _room_values(cause, published)
    return Found(
        values, tables, [], {"cw_min": dict(zip(map(str, CW_MIN), tried, strict=True)), "room": cause}
    )


def _room_values(cause: Sequence[tuple[float, float]], published: Published) -> dict[str, float]:
    """The ratio for three hops with the room that fits two hops best."""
    wanted = published.two_hops[SATURATED_MBPS]
    best = min(cause, key=lambda pair: abs(pair[0] - wanted))
    return {"2 hops, small room": best[0] / wanted, "3 hops, small room": best[1] / published.three_hops}


def _cause_table(cause: Sequence[tuple[float, float]], published: Published) -> Table:
    table = Table("Room of relays: received at saturation, in Mbit/s", ("frames", "2 hops", "3 hops"))
    for room, (two, three) in zip(ROOM_FRAMES, cause, strict=True):
        table.add(str(room), number(two, 2), number(three, 2))
    table.add("measured", number(published.two_hops[SATURATED_MBPS], 2), number(published.three_hops, 2))
    return table
