"""Signals over time: recordings of links that a model asks for, from the station dumps of measured runs.

A model asks with `file = "?"` in a `[[channel.trace]]`. A dump at the receiver holds until the next one.
Where only the sender has dumped, its signal stands for that of the other direction: the loss on the way is
the same (reciprocity), the transmission powers may not be.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from airtcp.data.read_once import open_once
from airtcp.errors import AirtcpError
from airtcp.fitting.kinds import MARK
from airtcp.fitting.settings import Setting, runs_of
from airtcp.traces.recording import QUANTILES, RSSI, Recording, Values
from airtcp.traces.trace_file import trace_text

_FOLDER = "recorded-signals"
_NS_PER_S = 1e9
# Two modes: their least powers are 1 to 4 dB apart (IEEE 802.11-2020, table 21-25).
CONSTANT_MOST_DB = 6.0
_RADIO = re.compile(r"wifi\.[^.]+\.radio\.(?P<node>[^.]+)\.rssi")
_LINK = re.compile(r"channel\.link\[(?P<place>\d+)\]\.rssi")


@dataclass(frozen=True)
class Link:
    """A direction whose recording a model asks for: its entry in `[[channel.trace]]`."""

    place: int
    sender: str
    receiver: str

    @property
    def path(self) -> str:
        """The key that is unknown."""
        return f"channel.trace[{self.place}].file"


@dataclass(frozen=True)
class Signal:
    """The recording of a link in one measured run; `turned`: it was dumped at the sender."""

    run: Path
    recording: Recording
    turned: bool

    @property
    def spread_db(self) -> float:
        """From the 5 % quantile over time to that of 95 %."""
        found = dict(zip(QUANTILES, self.recording.quantiles(RSSI), strict=True))
        return found[0.95] - found[0.05]


# The recordings of each link, one for each measured run that has dumps, with the file it is in.
Signals = Mapping[Link, Sequence[tuple[Signal, Path]]]


def asked_links(tables: Mapping[str, Any]) -> tuple[Link, ...]:
    """The links whose recordings a scenario's tables ask for."""
    entries = tables.get("channel", {}).get("trace", [])
    return tuple(
        Link(place, str(entry.get("from", "")), str(entry.get("to", "")))
        for place, entry in enumerate(entries)
        if entry.get("file") == MARK
    )


def with_files(tables: dict[str, Any], files: Mapping[Link, Path]) -> None:
    """Gives the links of a scenario's tables these files; those without one have no recording."""
    channel = tables.get("channel", {})
    by_place = {link.place: str(file) for link, file in files.items()}
    if "trace" in channel:
        known = (
            {**entry, "file": by_place.get(n, entry.get("file"))} for n, entry in enumerate(channel["trace"])
        )
        channel["trace"] = [entry for entry in known if entry["file"] != MARK]


def record_signals(links: Sequence[Link], settings: Sequence[Setting], store: Path) -> Signals:
    """The recordings of measured runs, in files below the store; a link without any is an `AirtcpError`."""
    folders = [folder for setting in settings for folder in setting.folders]
    found = {}
    for link in links:
        signals = [signal for folder in folders if (signal := signal_of(folder, link)) is not None]
        if not signals:
            what = f"no measured run has station dumps of {link.sender} and {link.receiver}"
            remedy = "Measure with the radio among the interfaces of the lab file, and [sampling] stations"
            raise AirtcpError(what, link.path, remedy)
        found[link] = [(signal, _written(signal, link, store)) for signal in signals]
    return found


def _written(signal: Signal, link: Link, store: Path) -> Path:
    folder = store.resolve() / _FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    text = trace_text(signal.recording).encode()
    file = folder / f"{link.sender}-{link.receiver}-{sha256(text).hexdigest()[:16]}.csv"
    file.write_bytes(text)
    return file


def signal_of(folder: Path, link: Link) -> Signal | None:
    """The signal of a link in a run; `None` without dumps that tell it."""
    run = open_once(folder)
    if "stations" not in run.recorded:
        return None
    named = run.named("stations")
    dumps = named.filter(named["signal_dbm"] < 0)
    for turned, (node, peer) in enumerate(((link.receiver, link.sender), (link.sender, link.receiver))):
        rows = dumps.filter((dumps["node_name"] == node) & (dumps["peer_name"] == peer)).sort("time_ns")
        # Of several dumps at one time, or before the epoch, the last one holds.
        rows = rows.with_columns(rows["time_ns"].clip(lower_bound=0))
        rows = rows.unique("time_ns", keep="last", maintain_order=True)
        if rows.height < 2:
            continue
        times = [time_ns / _NS_PER_S for time_ns in rows["time_ns"].to_list()]
        # What the first dump says held before, too.
        times[0] = 0.0
        levels: Values = [float(level) for level in rows["signal_dbm"].to_list()]
        end_s = max(run.end_ns / _NS_PER_S, times[-1] + 1e-9)
        recording = Recording(f"{link.sender} to {link.receiver}", "link", times, {RSSI: levels}, end_s)
        return Signal(folder, recording, bool(turned))
    return None


def varying(path: str, tables: Mapping[str, Any], settings: Sequence[Setting]) -> str:
    """What contradicts a constant signal at this key, in a sentence; nothing if nothing does.

    A model with fading or shadowing has no constant signal.
    """
    channel = tables.get("channel", {})
    nodes = _nodes_of(path, channel)
    if nodes is None or "fading" in channel or "shadowing" in channel:
        return ""
    widest: tuple[float, Link] | None = None
    for link in _dumped_links(settings, nodes):
        signals = [signal_of(folder, link) for setting in settings for folder in setting.folders]
        spread = max((signal.spread_db for signal in signals if signal is not None), default=0.0)
        if widest is None or spread > widest[0]:
            widest = (spread, link)
    if widest is None or widest[0] <= CONSTANT_MOST_DB:
        return ""
    spread, link = widest
    asked = f'[[channel.trace]] with from = "{link.sender}", to = "{link.receiver}" and file = "{MARK}"'
    return (
        f"{path} is a constant, and the signal of {link.sender} at {link.receiver} varies by {spread:.0f} dB "
        f"(5 to 95 % of the time). Describe it by {asked}, or by fading."
    )


def _nodes_of(path: str, channel: Mapping[str, Any]) -> frozenset[str] | None:
    """The nodes that a signal is about, none for all; `None`: the key is no signal."""
    if path == "channel.rssi":
        return frozenset()
    if match := _RADIO.fullmatch(path):
        return frozenset((match["node"],))
    if match := _LINK.fullmatch(path):
        entry = channel["link"][int(match["place"])]
        return frozenset(entry["between"])
    return None


def _dumped_links(settings: Sequence[Setting], nodes: frozenset[str]) -> list[Link]:
    found: dict[Link, None] = {}
    for run in runs_of(settings):
        if "stations" in run.recorded:
            pairs = run.named("stations").select("peer_name", "node_name").unique(maintain_order=True)
            links = (Link(-1, peer, node) for peer, node in pairs.rows() if peer and node)
            found.update((link, None) for link in links if nodes <= {link.sender, link.receiver})
    return list(found)


def source_of(signal: Signal, link: Link) -> str:
    """The origin of a recording, in words."""
    node = link.sender if signal.turned else link.receiver
    other = ", of the other direction" if signal.turned else ""
    return f"station dumps of {node} in the run {signal.run.resolve().name}{other}"
