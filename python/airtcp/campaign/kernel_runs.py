"""The runs by which two kernels are compared: each scenario with both, on the same seeds."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.executors.executor import Job
from airtcp.execution.plan_cache import plan_of_file
from airtcp.kernels.table import PLAIN, USUAL_HZ
from airtcp.scenario.reading.plan_file import is_plan_file
from airtcp.scenario.reading.toml_file import parse_toml, read_text
from airtcp.scenario.values.kernel_series import known_kernel


@dataclass(frozen=True)
class KernelRun:
    """A run: the name by which its kernel was asked for, its file, its seed, and the job."""

    kernel: str
    file: Path
    seed: int
    job: Job


def kernel_changes(name: str) -> dict[str, Any]:
    """The keys of a scenario that choose this kernel; a frequency or flavour that it does not name stays."""
    found = known_kernel(name, name)
    changes: dict[str, Any] = {"kernel": str(found.plain)}
    if found.hz != USUAL_HZ:
        changes["hz"] = found.hz
    if found.flavour != PLAIN:
        changes["guest.flavour"] = found.flavour
    return changes


def kernel_runs(
    kernels: Sequence[str], files: Sequence[Path], seeds: Sequence[int], store: Path
) -> list[KernelRun]:
    """All runs, each once; a plan, a file twice or a kernel that is not there is an `AirtcpError`."""
    changes = {kernel: kernel_changes(kernel) for kernel in kernels}
    for file in files:
        if is_plan_file(file):
            raise AirtcpError("is a plan, which has one kernel", str(file), "Name its scenario")
    if len(twice := {file.resolve() for file in files}) < len(files):
        raise AirtcpError("a scenario is named twice", ", ".join(map(str, twice)), "Name it once")
    return [
        KernelRun(
            kernel,
            file,
            seed,
            Job(
                f"{file.stem}, {kernel}, seed {seed}",
                plan_of_file(file, {**changes[kernel], "seed": seed}, store),
                file=str(file),
            ),
        )
        for file in files
        for kernel in changes
        for seed in seeds
    ]


def kernel_notes(files: Sequence[Path]) -> list[str]:
    """Which scenarios name a kernel themselves: both kernels take its place."""
    named = {file: parse_toml(read_text(file), file).get("kernel") for file in files}
    return [
        f"{file} names kernel {kernel} itself; both kernels take its place."
        for file, kernel in named.items()
        if kernel is not None
    ]
