"""Fits of synthetic networks: virtual runs with hidden parameters and other seeds, as if they were measured.

`make prove-fit` draws 20 networks, measures each with three seeds, fits a model with unknowns to the run
folders, and checks that estimates are within 5 % of the hidden values and that their 95 % intervals hold
them in 90 % of the cases. Networks in which two causes look alike come on top: there the fit must refuse.
"""

import json
import math
import random
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import tomlkit
import typer
from airtcp.execution.executors.executor import Job
from airtcp.fitting.fit import Fit, fit
from airtcp.fitting.model import read_known, read_model
from airtcp.fitting.virtual_runs import Place, VirtualRuns

SEED = 2026
REPETITIONS = 3
ERROR_MOST = 0.05
# A level of 5 % in power is 0.2 dB; receivers report whole dB. What is asked of a signal is 5 % of its dBm.
COVERAGE_LEAST = 0.9


@dataclass(frozen=True)
class Network:
    """A scenario, its hidden values by path, and the keys that a fit must refuse."""

    name: str
    tables: Mapping[str, Any]
    hidden: Mapping[str, str | float]
    refuse: frozenset[str] = frozenset()
    unknown: tuple[str, ...] = field(default=())
    ccas: tuple[str, ...] = ()
    """The first flow's congestion controls, each measured in runs of its own; none: as in the scenario."""

    @property
    def paths(self) -> tuple[str, ...]:
        """The keys that the model does not know."""
        return self.unknown or tuple(self.hidden)


def _log(random_: random.Random, low: float, high: float) -> float:
    return math.exp(random_.uniform(math.log(low), math.log(high)))


def _traffic(start: str, end: str, ccas: Sequence[str]) -> dict[str, Any]:
    """Flows after a second of pings alone."""
    flows = [{"from": start, "to": end, "cca": cca, "start": "1 s"} for cca in ccas]
    return {"flow": flows, "ping": [{"from": start, "to": end, "interval": "20 ms"}]}


def _length_s(rate_mbps: float, delay_ms: float, queue: int) -> float:
    """Long enough for the queue to overflow several times.

    CUBIC is back at the window W of its last loss after (0.3 W / 0.4)^(1/3) s (RFC 9438, 4.2).
    """
    window = queue + 2 * rate_mbps * delay_ms / 12.112
    return 8 + 5 * window * 0.012112 / rate_mbps + 3 * math.cbrt(0.3 * window / 0.4)


def wired(number: int, draw: random.Random) -> Network:
    """Host, switch, host: rate, delay and queue of the second wire are hidden."""
    rate, delay = _log(draw, 1, 100), _log(draw, 1, 100)
    queue = round(_log(draw, 10, 500))
    length_s = _length_s(rate, delay, queue)
    tables = {
        "name": f"wired-{number}",
        "duration": f"{math.ceil(length_s)} s",
        "wire": [{"between": ["h1", "s1"]}, {"between": ["s1", "h2"]}],
        **_traffic("h1", "h2", ["cubic"]),
    }
    hidden = {
        "wire[1].rate": f"{rate:.4g} Mbit/s",
        "wire[1].delay": f"{delay:.4g} ms",
        "wire[1].queue": f"{queue} packets",
    }
    # BBR finds the rate where CUBIC would take minutes to, and CUBIC fills the queue.
    return Network(f"wired-{number}", tables, hidden, ccas=("cubic", "bbr"))


def _cell(number: int, kind: str, **keys: Any) -> dict[str, Any]:
    return {
        "name": f"{kind}-{number}",
        "duration": "10 s",
        "wifi": {"home": {"stations": ["sta1"], **keys}},
        "wire": [{"between": ["ap1", "h1"]}],
    }


def uplink(number: int, draw: random.Random) -> Network:
    """A station uploads through a slow wire behind the access point: rate, delay and queue are hidden."""
    rate, delay, queue = _log(draw, 2, 15), _log(draw, 2, 60), round(_log(draw, 10, 200))
    tables = {**_cell(number, "uplink"), **_traffic("sta1", "h1", ["cubic"])}
    tables["duration"] = f"{math.ceil(_length_s(rate, delay, queue))} s"
    hidden = {
        "wire[0].rate": f"{rate:.4g} Mbit/s",
        "wire[0].delay": f"{delay:.4g} ms",
        "wire[0].queue": f"{queue} packets",
    }
    return Network(f"uplink-{number}", tables, hidden)


def radio_queue(number: int, draw: random.Random) -> Network:
    """Downloads that wait in the access point's radio: its queue and the wire's delay are hidden."""
    delay, queue = _log(draw, 2, 40), round(_log(draw, 30, 300))
    tables = {
        **_cell(number, "radio-queue", queue="2000 packets"),
        **_traffic("h1", "sta1", ["cubic", "reno"]),
    }
    tables["wifi"]["home"].update(backpressure=False, bql=False)
    hidden = {"wifi.home.nic_queue": f"{queue} packets", "wire[0].delay": f"{delay:.4g} ms"}
    return Network(f"radio-queue-{number}", tables, hidden)


def signal(number: int, draw: random.Random) -> Network:
    """A station far away, with Minstrel and error rates by the signal: signal and delay are hidden."""
    rssi, delay = round(draw.uniform(-86, -74), 1), _log(draw, 2, 40)
    tables = {**_cell(number, "signal", rate="ideal"), **_traffic("sta1", "h1", ["cubic"])}
    tables["channel"] = {
        "reception": "table",
        "fading": {"kind": "rician", "k": "6 dB", "coherence": "20 ms"},
    }
    hidden = {"channel.rssi": f"{rssi} dBm", "wire[0].delay": f"{delay:.4g} ms"}
    return Network(f"signal-{number}", tables, hidden)


def moderation(number: int, draw: random.Random) -> Network:
    """A station whose card moderates interrupts: the timer and the wire's delay are hidden."""
    timer, delay = _log(draw, 1, 6), _log(draw, 2, 40)
    tables = {
        **_cell(number, "moderation", standard="11n", rate="MCS 7"),
        **_traffic("h1", "sta1", ["cubic"]),
    }
    tables["wifi"]["home"]["radio"] = {"sta1": {"rx_interrupt": {"after_first": "1 ms"}}}
    # A ping that ends at the access point crosses the radio and not the wire.
    tables["ping"].append({"from": "sta1", "to": "ap1", "interval": "31 ms", "name": "near"})
    hidden = {
        "wifi.home.radio.sta1.rx_interrupt.after_first": f"{timer:.4g} ms",
        "wire[0].delay": f"{delay:.4g} ms",
    }
    return Network(f"moderation-{number}", tables, hidden)


def background(number: int, draw: random.Random) -> Network:
    """A wire that unseen traffic shares: its load is hidden, the wire is known."""
    load = _log(draw, 1, 8)
    tables = {
        "name": f"background-{number}",
        "duration": "10 s",
        "wire": [
            {"between": ["h1", "s1"]},
            {"between": ["s1", "h2"], "rate": "20 Mbit/s", "delay": "10 ms", "queue": "60 packets"},
            {"between": ["h3", "s1"]},
        ],
        **_traffic("h1", "h2", ["cubic"]),
        "udp": [{"name": "unseen", "from": "h3", "to": "h2", "rate": "1 Mbit/s", "pace": "poisson"}],
    }
    return Network(f"background-{number}", tables, {"udp[0].rate": f"{load:.4g} Mbit/s"})


def look_alikes(draw: random.Random) -> list[Network]:
    """Networks in which causes look alike, with the keys that must not be guessed."""
    two = {
        "name": "two-delays",
        "duration": "10 s",
        "wire": [{"between": ["h1", "s1"]}, {"between": ["s1", "h2"]}],
        **_traffic("h1", "h2", ["cubic"]),
    }
    delays = {"wire[0].delay": f"{_log(draw, 3, 30):.4g} ms", "wire[1].delay": f"{_log(draw, 3, 30):.4g} ms"}
    slow = {"wire[1].rate": "12 Mbit/s", "wire[1].queue": "60 packets"}
    rates = {
        "wire[0].rate": "1000 Mbit/s",
        "wire[1].rate": f"{_log(draw, 5, 20):.4g} Mbit/s",
        "wire[1].delay": "10 ms",
    }
    unfilled = {**two, "name": "unfilled-queue", **_traffic("h1", "h2", ["bbr"])}
    # With flows a host delay shows: what has arrived meanwhile is handled together. With pings it does not.
    host = {**_cell(0, "host-delay"), **_traffic("sta1", "h1", [])}
    host["wire"] = [{"between": ["ap1", "h1"], "rate": "10 Mbit/s", "queue": "50 packets"}]
    host["wifi"]["home"]["radio"] = {"sta1": {"host_delay": {"fixed": "1 ms"}}}
    near = {**_cell(0, "near-signal"), **_traffic("sta1", "h1", ["cubic"])}
    near["wire"] = [{"between": ["ap1", "h1"], "rate": "10 Mbit/s", "queue": "50 packets"}]
    near["channel"] = {"reception": "table"}
    unknown_rates = ("wire[0].rate", "wire[1].rate", "wire[1].delay")
    hosts = {"wifi.home.radio.sta1.host_delay.fixed": "4 ms", "wire[0].delay": "8 ms"}
    return [
        Network("two-delays", two, {**delays, **slow}, frozenset(delays), (*delays, "wire[1].rate")),
        Network("fast-wire", {**two, "name": "fast-wire"}, rates, frozenset({"wire[0].rate"}), unknown_rates),
        Network(
            "unfilled-queue",
            unfilled,
            {"wire[1].rate": "10 Mbit/s", "wire[1].delay": "20 ms", "wire[1].queue": "700 packets"},
            frozenset({"wire[1].queue"}),
        ),
        Network("host-delay", host, hosts, frozenset(hosts)),
        Network(
            "near-signal",
            near,
            {"channel.rssi": "-45 dBm", "wire[0].delay": "8 ms"},
            frozenset({"channel.rssi"}),
        ),
    ]


def networks(seed: int = SEED) -> list[Network]:
    """The twenty networks, then those that look alike."""
    draw = random.Random(seed)
    made = [wired(number, draw) for number in range(1, 10)]
    made += [uplink(number, draw) for number in range(1, 4)]
    made += [radio_queue(number, draw) for number in range(1, 3)]
    made += [signal(number, draw) for number in range(1, 3)]
    made += [moderation(number, draw) for number in range(1, 3)]
    made += [background(number, draw) for number in range(1, 3)]
    return [*made, *look_alikes(draw)]


@dataclass(frozen=True)
class Outcome:
    """One parameter of one network: hidden and found."""

    network: str
    path: str
    hidden: float
    value: float
    low: float
    high: float
    refused: str
    must_refuse: bool

    @property
    def error(self) -> float:
        """Relative error of the estimate."""
        return abs(self.value / self.hidden - 1)

    @property
    def covered(self) -> bool:
        """Whether the interval holds the hidden value."""
        return self.low <= self.hidden <= self.high


def prove(network: Network, folder: Path, store: Path) -> tuple[Fit, list[Outcome]]:
    """Measures a network with its hidden values, and fits a model that does not know them."""
    file = folder / f"{network.name}.toml"
    file.write_text(tomlkit.dumps(network.tables), encoding="utf-8")
    varied = [{"flow[0].cca": cca} for cca in network.ccas] or [{}]
    plans = [read_known(file, {**network.hidden, **keys}).compiled({}) for keys in varied]
    runs = VirtualRuns(Place(folder / f"{network.name}-measured"))
    jobs = [Job(network.name, {**plan, "seed": 7000 + seed}) for plan in plans for seed in range(REPETITIONS)]
    measured = [place for place in runs.folders(jobs) if place is not None]
    known = {path: value for path, value in network.hidden.items() if path not in network.paths}
    model = read_model(file, [f"{path}=?" for path in network.paths], known)
    found = fit(model, measured, VirtualRuns(Place(store)))
    outcomes = [
        Outcome(
            network.name, one.parameter.path, one.parameter.kind.read(network.hidden[one.parameter.path]),
            one.value, one.low, one.high, one.refused, one.parameter.path in network.refuse,
        )
        for one in found.found
    ]  # fmt: skip
    return found, outcomes


def main(
    only: Annotated[str, typer.Option(help="Only networks whose name holds this.")] = "",
    seed: Annotated[int, typer.Option(help="Seed of the networks.")] = SEED,
    store: Annotated[
        Path | None, typer.Option(help="Store of virtual runs; default: a temporary one.")
    ] = None,
    out: Annotated[Path | None, typer.Option(help="JSON file for the outcomes.")] = None,
) -> None:
    """Fits all networks, and says whether the fit is as good as it has to be."""
    every: list[Outcome] = []
    with tempfile.TemporaryDirectory() as folder:
        for network in networks(seed):
            if only not in network.name:
                continue
            begin = time.monotonic()
            found, outcomes = prove(network, Path(folder), store or Path(folder) / "store")
            every += outcomes
            wall_s = time.monotonic() - begin
            print(f"{network.name}: {found.computed} runs, {wall_s:.0f} s, misfit {found.misfit:.2f}")
            for one in outcomes:
                print(f"  {_line(one)}", flush=True)
    sys.exit(_summary(every, out))


def _line(one: Outcome) -> str:
    numbers = f"{one.hidden:.5g}, found {one.value:.5g} ({one.low:.5g} to {one.high:.5g})"
    if one.must_refuse:
        return f"{one.path}: {'refused, as it must be' if one.refused else 'GUESSED'}: {numbers}"
    verdict = f"REFUSED: {one.refused}" if one.refused else "" if one.error <= ERROR_MOST else "FAR OFF"
    return f"{one.path}: {numbers}, {one.error * 100:.2f} % {verdict}{'' if one.covered else ' NOT COVERED'}"


def _summary(every: Sequence[Outcome], out: Path | None) -> int:
    wanted = [one for one in every if not one.must_refuse]
    near = sum(one.error <= ERROR_MOST and not one.refused for one in wanted)
    covered = sum(one.covered and not one.refused for one in wanted)
    guessed = [one for one in every if one.must_refuse and not one.refused]
    print(f"\n{len(wanted)} parameters: {near} within {ERROR_MOST * 100:g} %, {covered} in their interval")
    print(f"{sum(one.must_refuse for one in every)} that look like others: {len(guessed)} guessed")
    if out is not None:
        out.write_text(json.dumps([vars(one) for one in every], indent=1) + "\n", encoding="utf-8")
    return int(near < len(wanted) or covered < COVERAGE_LEAST * len(wanted) or bool(guessed))


if __name__ == "__main__":
    typer.run(main)
