"""How well a virtual run and a measurement of the same wired network agree: three namespaces of this machine.

    tools/bench_measuring.py [--seconds 20] [--rounds 5]

The wires' rates and queues are set by `airtcp measure` (tbf and pfifo) in real time, so run it on an idle
machine, as root. Prints goodput and round-trip times of CUBIC and Reno, and the ratio of measured to virtual
means; both should be within 2 %.
"""

import argparse
import contextlib
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from airtcp.data.run_folder import Run, open_run

AIRTCP = Path(sys.executable).with_name("airtcp")
CONTROLS = ("cubic", "reno")
# Beside what this machine may have.
PREFIX = "airtcp-bench-"
# Of the results: the owner of a fit or a prediction needs better than this.
GOAL_PERCENT = 2.0

SCENARIO = """\
name = "agreement"
duration = "{seconds} s"

[[wire]]
between = ["h1", "r1"]
{first}

[[wire]]
between = ["r1", "h2"]
{second}

[node.r1]
kind = "router"

[[flow]]
from = "h1"
to = "h2"
cca = "cubic"

[[ping]]
from = "h1"
to = "h2"
"""
# Wires as scenarios have them, and the tbf that stands for them on the machines: a full bucket lets two
# packets pass at once, so windows meet the end of a queue in another way.
WIRES = {
    "wires": ('rate = "100 Mbit/s"', 'rate = "20 Mbit/s"\nqueue = "50 packets"'),
    "tbf": (
        'rate = "unlimited"\nqueue = "tbf rate 100mbit burst 3028 limit 1514000"',
        'rate = "unlimited"\nqueue = "tbf rate 20mbit burst 3028 limit 75700"',
    ),
}
LAB = """\
[node.h1]
netns = "{prefix}h1"
address = "192.168.171.1"
interfaces = {{ eth0 = "eth0" }}
set = ["queues", "sysctls"]

[node.r1]
netns = "{prefix}r1"
address = "192.168.171.254"
interfaces = {{ eth0 = "eth0", eth1 = "eth1" }}
set = ["queues", "sysctls"]

[node.h2]
netns = "{prefix}h2"
address = "192.168.172.1"
interfaces = {{ eth0 = "eth0" }}
set = ["queues", "sysctls"]
"""


@contextlib.contextmanager
def network() -> Iterator[None]:
    """Two hosts and a router between them."""
    h1, r1, h2 = (f"{PREFIX}{node}" for node in ("h1", "r1", "h2"))
    lines = [
        *(f"netns add {name}" for name in (h1, r1, h2)),
        f"link add eth0 netns {h1} type veth peer name eth0 netns {r1}",
        f"link add eth0 netns {h2} type veth peer name eth1 netns {r1}",
        f"-n {h1} addr add 192.168.171.1/24 dev eth0",
        f"-n {r1} addr add 192.168.171.254/24 dev eth0",
        f"-n {r1} addr add 192.168.172.254/24 dev eth1",
        f"-n {h2} addr add 192.168.172.1/24 dev eth0",
        *(
            f"-n {name} link set {end} up"
            for name, end in ((h1, "eth0"), (r1, "eth0"), (r1, "eth1"), (h2, "eth0"))
        ),
        f"-n {h1} route add default via 192.168.171.254",
        f"-n {h2} route add default via 192.168.172.254",
        f"netns exec {r1} sysctl -qw net.ipv4.ip_forward=1",
    ]
    try:
        for line in lines:
            subprocess.run(["ip", *line.split()], check=True)
        yield
    finally:
        for name in (h1, r1, h2):
            subprocess.run(["ip", "netns", "del", name], check=False)


def folders(command: list[str]) -> list[Path]:
    """The run folders that a command of airtcp names."""
    done = subprocess.run([str(AIRTCP), *command, "--json"], check=True, stdout=subprocess.PIPE, text=True)
    return [Path(json.loads(line)["folder"]) for line in done.stdout.splitlines()]


def goodput_mbps(run: Run) -> float:
    """The mean of the second half, when the queue has been found."""
    samples = run.flow_samples(0)
    half = samples.filter(samples["time_ns"] >= run.end_ns // 2)
    times, received = half["time_ns"], half["bytes_received"]
    return float(8e3 * (received[-1] - received[0]) / (times[-1] - times[0]))


def rtt_ms(run: Run) -> float:
    """The mean of the answered pings of the second half."""
    pings = run.ping_samples(0)
    late = pings.filter((pings["time_ns"] >= run.end_ns // 2) & (pings["rtt_ns"] >= 0))
    return float(late["rtt_ns"].mean()) / 1e6  # type: ignore[arg-type]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, network():
        folder = Path(name)
        lab, store = folder / "lab.toml", str(folder / "runs")
        lab.write_text(LAB.format(prefix=PREFIX), encoding="utf-8")
        files = {name: folder / f"{name}.toml" for name in WIRES}
        for name, (first, second) in WIRES.items():
            text = SCENARIO.format(seconds=options.seconds, first=first, second=second)
            files[name].write_text(text, encoding="utf-8")
        print(
            f"{'':24}{'measured':>10}{'wires':>10}{'ratio':>9}{'tbf':>10}{'ratio':>9}"
            f"   (goal: within {GOAL_PERCENT:g} %)"
        )
        for control in CONTROLS:
            changed = ["--set", f"flow[0].cca={control}", "--store", store]
            real = [
                "measure",
                str(files["wires"]),
                "--lab",
                str(lab),
                "--reps",
                str(options.rounds),
                *changed,
            ]
            measured = [open_run(each) for each in folders(real)]
            virtual = {name: virtual_runs(files[name], options.rounds, changed) for name in WIRES}
            for label, value in (("goodput, Mbit/s", goodput_mbps), ("RTT, ms", rtt_ms)):
                there = statistics.mean(map(value, measured))
                line = f"{control + ' ' + label:24}{there:10.3f}"
                for runs in virtual.values():
                    here = statistics.mean(map(value, runs))
                    line += f"{here:10.3f}{there / here:9.3f}"
                print(line)


def virtual_runs(file: Path, rounds: int, changed: list[str]) -> list[Run]:
    """Virtual runs with as many seeds."""
    made = (folders(["run", str(file), "--seed", str(seed), *changed]) for seed in range(1, rounds + 1))
    return [open_run(folder) for each in made for folder in each]


if __name__ == "__main__":
    main()
