"""The schedule of measured runs: which, and in which order."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_file


@dataclass(frozen=True)
class ScheduledRun:
    """A run of a scenario."""

    file: Path
    plan: Plan

    @property
    def label(self) -> str:
        """Name of the run on the terminal."""
        return f"{self.plan['name']}, seed {self.plan['seed']}"


def scheduled_runs(
    files: Sequence[Path], changes: Mapping[str, Any], reps: int, shuffled: bool
) -> list[ScheduledRun]:
    """Every scenario `reps` times, with seeds that follow each other, from its own on.

    Shuffled, all of them are in random order: what changes slowly in a network (neighbours, temperature, the
    time of day) then meets all scenarios alike (Box, Hunter and Hunter, Statistics for Experimenters, 3.2).
    Each run keeps its seed.
    """
    runs = []
    for file in files:
        first = compile_file(file, changes)
        runs.append(ScheduledRun(file, first))
        for further in range(1, reps):
            runs.append(ScheduledRun(file, compile_file(file, {**changes, "seed": first["seed"] + further})))
    if shuffled:
        # The order is no result, so no seed is kept.
        random.SystemRandom().shuffle(runs)
    return runs
