"""Resource units and PPDUs of several users, as ns-3's library computes them (`ns3/ru_durations.cc`).

The tables are stored in `tests/validation/data/ns3-resource-units`, against which
`tests/validation/ns3_resource_units.rs` holds the model without ns-3. `make crosscheck` computes them anew
and says whether they still are those of the library; `python -m crosscheck.resource_units` stores them.
"""

import subprocess
from pathlib import Path

from crosscheck.ns3 import Ns3Failed, build

STORED = Path(__file__).resolve().parents[2] / "tests/validation/data/ns3-resource-units"
TABLES = ["tones", "preambles", "data", "mixed", "uplink"]
SOURCE = "ru_durations.cc"


def _printed(program: Path, table: str) -> str:
    done = subprocess.run([str(program), table], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Ns3Failed(f"{SOURCE} {table}\n{done.stderr[-2000:]}")
    return done.stdout


def verdict() -> str:
    """One line: how many rows there are, and which tables differ from the stored ones."""
    program = build(SOURCE)
    rows, other = 0, []
    for table in TABLES:
        text = _printed(program, table)
        rows += text.count("\n") - 1
        if text != (STORED / f"{table}.csv").read_text(encoding="utf-8"):
            other.append(table)
    sums = _printed(program, "sums").strip()
    state = f"other than stored: {', '.join(other)}" if other else "as stored"
    return f"resource units: {rows} rows of ns-3's library, {state}; {sums}"


def store() -> None:
    """Writes ns-3's tables to their place."""
    program = build(SOURCE)
    for table in TABLES:
        (STORED / f"{table}.csv").write_text(_printed(program, table), encoding="utf-8")


if __name__ == "__main__":
    store()
