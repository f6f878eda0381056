"""Finds runs that were made by another kernel, library or agent than the current ones."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from airtcp.data.json_file import read_json
from airtcp.errors import AirtcpError
from airtcp.execution.events import RunFailed
from airtcp.execution.locate import find_kernel
from airtcp.execution.run_names import names_or_errors


@dataclass
class CurrentEngine:
    """The current runner and kernels. They made a run if they give its plan the same name."""

    runner: Path
    without_kernel: dict[str, int] = field(default_factory=dict)
    """Series of kernels that are not built here, and how many runs have them: nothing is known of those."""

    def others(self, folders: Sequence[Path]) -> set[Path]:
        """The runs that other kernels, libraries or agents made; none whose kernel is not built here."""
        kernels: dict[str, Path] = {}
        for series in sorted({str(plan.get("kernel")) for plan in _plans(folders)}):
            try:
                kernels[series] = find_kernel(series)
            except AirtcpError:
                self.without_kernel[series] = 0
        if not kernels:
            for plan in _plans(folders):
                self.without_kernel[str(plan.get("kernel"))] += 1
            return set()
        found = set()
        names = names_or_errors(self.runner, kernels, _plans(folders))
        for folder, name, plan in zip(folders, names, _plans(folders), strict=True):
            series = str(plan.get("kernel"))
            if isinstance(name, RunFailed) and name.kind == "kernel" and series in self.without_kernel:
                self.without_kernel[series] += 1
            elif name != folder.name:
                found.add(folder)
        return found


def _plans(folders: Sequence[Path]) -> Iterator[dict[str, Any]]:
    return (read_json(folder / "plan.json", ("name",)) for folder in folders)
