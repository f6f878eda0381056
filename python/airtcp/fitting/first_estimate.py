"""First estimates by formula, from the moments of the measured runs.

With G the goodput of the flows over a wire, R its rate, T the least and B the largest round-trip time:

    R = G (MTU + 14) / (MTU - 52)                  (docs/models/wires.md; headers as in metrics/wire.py)
    sum of unknown delays = (T - known delays - serialisation) / 2
    queue = (B - T) R / 8 (MTU + 14)               (packets; of bytes without the last factor)

A signal is the mean of what the access point's station dumps say, where they were recorded. These are only
where the search begins, which corrects what the formulas leave out (the air, other queues).
"""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from airtcp.data.read_once import ReadOnce
from airtcp.fitting.model import Model
from airtcp.fitting.parameters import Parameter
from airtcp.fitting.settings import Setting, runs_of
from airtcp.fitting.statistics import resolved_ns
from airtcp.metrics.wire import ETHERNET_BYTES, HEADERS_BYTES
from airtcp.plans.links import Hop, path
from airtcp.plans.types.plan import Plan

_WIRE = re.compile(r"wire\[(\d+)\].*\.(rate|delay|queue)")
_MTU = 1500
_PING_BYTES = 98
_DUMPED = re.compile(r"(wifi\.[^.]+\.radio\.(?P<node>[^.]+)|channel|channel\.link\[\d+\])\.rssi")


@dataclass(frozen=True)
class First:
    """A first value on its axis, and where it is from; `sure`: by a formula."""

    axis: float
    source: str
    sure: bool


@dataclass(frozen=True)
class Moments:
    """One run: goodput in bit/s of each flow, least and largest RTT in ns of each pair of nodes."""

    flows: Mapping[tuple[str, str], float]
    least_ns: Mapping[tuple[str, str], float]
    most_ns: Mapping[tuple[str, str], float]


def moments_of(run: ReadOnce) -> Moments:
    """The moments of a run."""
    flows: dict[tuple[str, str], float] = {}
    least: dict[tuple[str, str], float] = {}
    most: dict[tuple[str, str], float] = {}

    def add(pair: tuple[str, str], values: Any) -> None:
        if len(values):
            least[pair] = min(least.get(pair, math.inf), float(np.min(values)))
            most[pair] = max(most.get(pair, 0.0), float(np.max(values)))

    for number, flow in enumerate(run.plan["flows"]):
        pair = (flow["from"], flow["to"])
        samples = run.flow_samples(number)
        if samples.height < 2:
            continue
        length_s = (min(flow["stop_ns"], run.end_ns) - flow["start_ns"]) / 1e9
        flows[pair] = flows.get(pair, 0.0) + float(samples["bytes_received"][-1]) * 8 / length_s
        srtt = samples["srtt_us"].drop_nulls().to_numpy()
        add(pair, srtt[srtt > 0] * 1e3)
    for number, ping in enumerate(run.plan["pings"]):
        samples = run.ping_samples(number)
        times, rtts = samples["time_ns"].to_numpy(), samples["rtt_ns"].to_numpy()
        if samples.height:
            add((ping["from"], ping["to"]), rtts[(rtts > 0) & (times >= resolved_ns(times, rtts))])
    return Moments(flows, least, most)


def first_estimates(model: Model, settings: Sequence[Setting]) -> list[First]:
    """A first value of every parameter; without a formula the one that the file has, or the middle."""
    moments = [moments_of(run) for run in runs_of(settings)]
    middle = model.values([(one.low + one.high) / 2 for one in model.parameters])
    plan = model.plan(middle, settings[0], 1)
    unknown = {key for one in model.parameters if (key := _wire_key(one))}
    found = _Formulas(plan, unknown, moments)
    return [_first(one, found, settings) for one in model.parameters]


def _wire_key(one: Parameter) -> tuple[int, str] | None:
    match = _WIRE.fullmatch(one.path)
    return (int(match[1]), match[2]) if match else None


def _first(one: Parameter, formulas: "_Formulas", settings: Sequence[Setting]) -> First:
    key = _wire_key(one)
    if key is not None:
        wire, what = key
        known: Mapping[str, Callable[[int], float | None]] = {
            "rate": formulas.rate, "delay": formulas.delay, "queue": formulas.queue
        }  # fmt: skip
        value = known[what](wire)
        if value is not None and what == "queue" and one.kind.dimension is not None:
            value *= _MTU + ETHERNET_BYTES
        if value is not None and value > 0:
            return First(one.clipped(one.kind.axis(max(value, one.kind.low))), "moments", True)
    if (signal := _dumped(one, settings)) is not None:
        return First(one.clipped(one.kind.axis(signal)), "station dumps", True)
    if one.start is not None and one.kind.low <= one.start <= one.kind.high:
        return First(one.kind.axis(one.start), "the model's value", False)
    return First((one.low + one.high) / 2, "middle of the range", False)


@dataclass(frozen=True)
class _Formulas:
    """Formulas over the paths of a plan; `unknown` are numbers of wires with what is unknown of them."""

    plan: Plan
    unknown: set[tuple[int, str]]
    moments: Sequence[Moments]

    def rate(self, wire: int) -> float | None:
        """The largest goodput over the wire in one direction, with headers."""
        most = 0.0
        for each in self.moments:
            ways: dict[str, float] = {}
            for (start, end), bps in each.flows.items():
                for hop in path(self.plan, start, end):
                    if hop.wire == wire:
                        ways[hop.node] = ways.get(hop.node, 0.0) + bps
            most = max(most, *ways.values(), 0.0)
        return most * (_MTU + ETHERNET_BYTES) / (_MTU - HEADERS_BYTES) or None

    def delay(self, wire: int) -> float | None:
        """The share of this wire in the delay that nothing known explains, by the shortest round trip."""
        best: float | None = None
        for trip in self._round_trips(wire):
            known = sum(self._known_ns(hop) for hop in trip.hops)
            unknown = sum((hop.wire, "delay") in self.unknown for hop in trip.hops)
            value = max(trip.least_ns - 2 * known, 0.02 * trip.least_ns) / 2 / unknown
            best = value if best is None else min(best, value)
        return best

    def _known_ns(self, hop: Hop) -> float:
        """What a ping takes on a hop, as far as it is known or estimated; of the air a frame and its ACK."""
        if hop.wire is None or hop.there is None:
            return 2e5
        rate = self.rate(hop.wire) if (hop.wire, "rate") in self.unknown else hop.there["rate_bps"]
        delay = 0.0 if (hop.wire, "delay") in self.unknown else hop.there["delay_ns"]
        return float(delay) + (_PING_BYTES * 8e9 / rate if rate else 0.0)

    def queue(self, wire: int) -> float | None:
        """The packets that fit into the difference between the longest and the shortest round trip."""
        most: float | None = None
        for trip in self._round_trips(wire):
            known = next(hop.there["rate_bps"] for hop in trip.hops if hop.there and hop.wire == wire)
            rate = self.rate(wire) if (wire, "rate") in self.unknown else known
            if rate and trip.most_ns is not None:
                packets = (trip.most_ns - trip.least_ns) * rate / 8e9 / (_MTU + ETHERNET_BYTES)
                most = packets if most is None else max(most, packets)
        return most

    def _round_trips(self, wire: int) -> list["_RoundTrip"]:
        """The round trips over a wire, of all runs."""
        trips = [
            _RoundTrip(path(self.plan, *pair), least, each.most_ns.get(pair))
            for each in self.moments
            for pair, least in each.least_ns.items()
        ]
        return [trip for trip in trips if any(hop.wire == wire for hop in trip.hops)]


class _RoundTrip(NamedTuple):
    """The way between two nodes, and the times that one run measured."""

    hops: list[Hop]
    least_ns: float
    most_ns: float | None


def _dumped(one: Parameter, settings: Sequence[Setting]) -> float | None:
    """The mean signal in dBm of station dumps, of the radio that the key is about or of all."""
    match = _DUMPED.fullmatch(one.path)
    if match is None:
        return None
    levels: list[float] = []
    for run in runs_of(settings):
        if "stations" in run.recorded:
            named = run.named("stations").filter(run.series("stations")["signal_dbm"] < 0)
            if match["node"]:
                named = named.filter(named["peer_name"] == match["node"])
            levels += named["signal_dbm"].to_list()
    return float(np.mean(levels)) if levels else None
