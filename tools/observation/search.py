"""Searches for scenarios whose results observation changes: `python -m observation.search --plans 500`.

Every scenario found is shrunk and stored as a table in `tests/python/observation_regressions`,
where the tests run it again.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.cores import cores
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Tools
from airtcp.execution.store import prepare_store
from airtcp.kernels.table import DEFAULT_KERNEL

from observation.generations import with_generations
from observation.multi_user import with_multi_user
from observation.scenarios import Tables, draw
from observation.shrinking import shrunk
from observation.watching import Finding, watch

# How kernels of the flavour for labs are called.
LAB = "-lab"
KEPT = Path(__file__).resolve().parents[2] / "tests/python/observation_regressions"


@dataclass(frozen=True)
class Drawn:
    """A random scenario and the result of observing it."""

    seed: int
    tables: Tables
    finding: Finding


def search(seeds: Iterable[int], tools: Tools, at_once: int) -> Iterator[Drawn]:
    """Observes the scenario of each seed, with the only kernel of the tools; in the order of the seeds."""
    (series,) = tools.kernels
    lab = series.endswith(LAB)

    def look(seed: int) -> Drawn:
        tables = scenario_of(seed, lab) | {"kernel": series.removesuffix(LAB)}
        return Drawn(seed, tables, watch(tables, tools))

    with ThreadPoolExecutor(at_once) as pool:
        yield from pool.map(look, seeds)


def scenario_of(seed: int, lab: bool = False) -> Tables:
    """The scenario of this seed, with all that comes to it beside what `make unchanged` computes."""
    return with_multi_user(seed, with_generations(seed, draw(seed, lab)))


def keep(drawn: Drawn, tools: Tools) -> Path:
    """Shrinks a scenario that observation changed and writes it where the tests find it."""
    ways = ("nothing", *drawn.finding.moved)

    def still_moved(tables: Tables) -> bool:
        try:
            return bool(watch(tables, tools, ways).moved)
        except AirtcpError:
            return False

    file = KEPT / f"seed-{drawn.seed}.json"
    file.write_text(json.dumps(shrunk(drawn.tables, still_moved), indent=1) + "\n", encoding="utf-8")
    return file


def main() -> int:
    """Exits with status 1 if observation changed a scenario, or if one failed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--plans", type=int, default=500, help="how many scenarios (default 500)")
    parser.add_argument("--first-seed", type=int, default=1, help="seed of the first (default 1)")
    parser.add_argument(
        "--series",
        default=DEFAULT_KERNEL,
        help="the guest kernel (default: %(default)s; lab: with programs that trace)",
    )
    options = parser.parse_args()
    found = []
    with tempfile.TemporaryDirectory(prefix="airtcp-observation-") as folder:
        kernels = {options.series: find_kernel(options.series)}
        tools = Tools(find_runner(), kernels, prepare_store(Path(folder) / "runs"))
        seeds = range(options.first_seed, options.first_seed + options.plans)
        for drawn in search(seeds, tools, cores()):
            done = drawn.seed - options.first_seed + 1
            if drawn.finding:
                found.append(drawn)
                print(f"seed {drawn.seed}: {drawn.finding}", flush=True)
                if drawn.finding.moved:
                    print(f"  kept in {keep(drawn, tools)}", flush=True)
            if done % 10 == 0:
                print(f"{done} of {options.plans} scenarios", file=sys.stderr, flush=True)
    moved = sum(bool(drawn.finding.moved) for drawn in found)
    failed = sum(bool(drawn.finding.failed) for drawn in found)
    print(f"{options.plans} scenarios from seed {options.first_seed}: {moved} moved, {failed} failed")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
