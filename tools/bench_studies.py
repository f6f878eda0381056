"""Wall time of the studies: each complete, as a user runs it, from an empty store to its report."""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.execution.cores import cores

# Options of each study, and its limit of wall time on two cores.
STUDIES = (
    ("aoyagi2023", ("--reps", "1"), 240),
    ("khademi2011", ("--reps", "1"), 600),
    ("alakoca2015", ("--reps", "1"), 900),
    ("taank-peng", ("--reps", "10"), 600),
)


@dataclass(frozen=True)
class StudyCost:
    """The cost of a whole study; `virtual_s` is the sum over its distinct runs."""

    name: str
    runs: int
    virtual_s: float
    wall_s: float
    goal_s: int

    @property
    def speed(self) -> float:
        """Virtual seconds per wall second and core."""
        return self.virtual_s / self.wall_s / cores()


def study_costs(quick: bool = False, names: Sequence[str] = ()) -> Iterator[StudyCost]:
    """Runs each study, or the named ones, each with its own store."""
    for name, options, goal_s in STUDIES:
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory(prefix="airtcp-bench-study-") as folder:
            store = Path(folder) / "runs"
            command = [sys.executable, "-m", "airtcp", "study", name, "--store", str(store)]
            command += ["--out", f"{folder}/report", *(["--quick"] if quick else options)]
            begin = time.monotonic()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            wall_s = time.monotonic() - begin
            files = [json.loads(file.read_text(encoding="utf-8")) for file in store.glob("*/manifest.json")]
            yield StudyCost(name, len(files), sum(one["virtual_s"] for one in files), wall_s, goal_s)


def main() -> int:
    """Runs only the studies: `python tools/bench_studies.py [--quick] [NAME ...]`."""
    names = [word for word in sys.argv[1:] if not word.startswith("-")]
    for cost in study_costs("--quick" in sys.argv[1:], names):
        print(
            f"{cost.name:<14} {cost.runs:>5} runs {cost.virtual_s:>9.0f} virtual s {cost.wall_s:>7.1f} s",
            end="",
        )
        print(f"  {cost.speed:.1f} virtual s per wall s and core")
    return 0


if __name__ == "__main__":
    sys.exit(main())
