"""What every command costs when there is nothing to compute: starting, reading and printing.

`make bench` has a row for each. Alone: `python tools/bench_commands.py [--keep FOLDER] [--only TEXT]`; a
folder that is kept holds the stores, so that the next measurement begins at once.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GOAL_S = 0.4
SCENARIO = """name = "home"
duration = "2 s"

[wifi.home]
stations = ["sta1", "sta2"]

[[wire]]
between = ["ap1", "h1"]
rate = "20 Mbit/s"
delay = "10 ms"
queue = "100 packets"

[[flow]]
from = "sta*"
to = "h1"

[[ping]]
from = "sta1"
to = "h1"
"""
CAMPAIGN = """name = "queues"
scenario = "home.toml"
reps = 2
metrics = ["throughput", "rtt"]

[factor.cca]
key = "flow[*].cca"
values = ["cubic", "bbr"]

[[figure]]
id = "rtt"
title = "RTT"
kind = "bars"
x = "cca"
y = "rtt"
"""
MANY = """name = "many"
scenario = "home.toml"
reps = 100
metrics = ["throughput"]
set = { duration = "200 ms" }

[factor.cca]
key = "flow[*].cca"
values = ["cubic", "bbr", "reno", "vegas", "westwood"]
"""


@dataclass(frozen=True)
class CommandCost:
    """CPU and wall seconds of a command, one value for each repetition."""

    name: str
    cpu_s: list[float]
    wall_s: list[float]


def command_costs(repetitions: int, folder: Path, only: str = "") -> Iterator[CommandCost]:
    """Costs of all commands whose name contains `only`; what they need is computed in `folder` before."""
    one, other = prepare(folder)
    for name, words in commands(one, other).items():
        if only in name:
            timed = [_timed(words, folder) for _ in range(repetitions + 1)][1:]
            yield CommandCost(name, [cpu for cpu, _ in timed], [wall for _, wall in timed])


def commands(one: str, other: str) -> dict[str, list[str]]:
    """Every command with nothing to compute, by its name; `one` and `other` are stored runs."""
    helped = ("init", "run", "shell", "air", "plot", "report", "compare", "fit", "store", "sweep", "kernel")
    return {
        "--help": ["--help"],
        **{f"{command} --help": [command, "--help"] for command in helped},
        "help nic_queue": ["help", "nic_queue"],
        "help srtt": ["help", "srtt"],
        "docs queues": ["docs", "queues"],
        "docs --find": ["docs", "--find", "TCP small queues"],
        "init one-flow": ["init", "one-flow", "--out", "new/x.toml"],
        "kernel path": ["kernel", "path"],
        "doctor": ["doctor"],
        "run of a stored run": ["run", "home.toml"],
        "run --json of a stored run": ["run", "home.toml", "--json"],
        "explain FILE": ["explain", "home.toml"],
        "explain RUN": ["explain", one],
        "store ls of some runs": ["store", "ls"],
        "store ls of 500 runs": ["store", "ls", "--store", "many"],
        "store ls --values of 500 runs": ["store", "ls", "--store", "many", "--values", "throughput"],
        "report of an unchanged store": ["report", "runs", "--out", "report.html"],
        "compare of two runs": ["compare", one, other],
        "plot of a run": ["plot", one, "--out", "figure.png"],
        "plot --kind cdf": ["plot", one, "--kind", "cdf", "--what", "rtt", "--out", "cdf.png"],
        "export of a run": ["export", one, "--out", "tables"],
        "show-plan": ["show-plan", "home.toml"],
        "sweep, all cached": ["sweep", "queues.toml"],
        "sweep --dry-run": ["sweep", "queues.toml", "--dry-run"],
        "study --list": ["study", "--list"],
        "trace --kinds": ["trace", "--kinds"],
    }


def prepare(folder: Path) -> tuple[str, str]:
    """Computes the stores that the commands read; two runs of the first."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "new").mkdir(exist_ok=True)
    for name, text in (("home.toml", SCENARIO), ("queues.toml", CAMPAIGN), ("many.toml", MANY)):
        (folder / name).write_text(text, encoding="utf-8")
    for words in (
        ["run", "home.toml"],
        ["sweep", "queues.toml"],
        ["sweep", "many.toml", "--store", "many", "--out", "many-report"],
        ["report", "runs", "--out", "report.html"],
    ):
        subprocess.run(_command(words), cwd=folder, check=True, capture_output=True)
    one, other, *_ = sorted(path.parent.name for path in (folder / "runs").glob("[!.]*/manifest.json"))
    return f"runs/{one}", f"runs/{other}"


def _timed(words: list[str], folder: Path) -> tuple[float, float]:
    """CPU and wall seconds of a command and its children."""
    (folder / "new" / "x.toml").unlink(missing_ok=True)
    begin = time.monotonic()
    child = subprocess.Popen(_command(words), cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    said = child.stderr.read() if child.stderr else b""
    _, status, used = os.wait4(child.pid, 0)
    wall_s = time.monotonic() - begin
    if status:
        raise RuntimeError(f"airtcp {' '.join(words)}: {said.decode()}")
    return used.ru_utime + used.ru_stime, wall_s


def _command(words: list[str]) -> list[str]:
    # As the script of an installation starts it.
    return [sys.executable, "-c", "from airtcp.cli.main import main; main()", *words]


def main() -> int:
    """Prints a table: least and median CPU and wall seconds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", type=Path, help="folder of the stores, kept for the next measurement")
    parser.add_argument("--only", default="", help="only commands with this text")
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="airtcp-bench-commands-") as temporary:
        folder = (options.keep or Path(temporary)).resolve()
        print(f"{'airtcp ...':<36} {'CPU s':>7} {'least':>7} {'wall s':>7} {'least':>7}")
        for cost in command_costs(options.repetitions, folder, options.only):
            mark = "" if min(cost.wall_s) < GOAL_S else "  above the goal"
            numbers = (statistics.median(cost.cpu_s), min(cost.cpu_s), statistics.median(cost.wall_s))
            shown = " ".join(f"{number:>7.3f}" for number in (*numbers, min(cost.wall_s)))
            print(f"{cost.name:<36} {shown}{mark}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
