"""Results of a simulator for a case: means over seeds, and the file with ns-3's results."""

import json
import statistics
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from crosscheck.cases import Case, Scene

# The version of ns-3 that airtcp is compared with.
NS3_VERSION = "3.44"
REFERENCE = Path(__file__).resolve().parent / f"ns3-{NS3_VERSION}-results.json"


class Run(BaseModel):
    """One run of one seed."""

    model_config = ConfigDict(frozen=True)

    goodput_mbps: float
    up_mbps: list[float]
    down_mbps: list[float]
    failed_exchanges: int = 0
    dropped_mpdus: int = 0
    cpu_s_per_s: float
    peak_memory_mb: float


class Result(BaseModel):
    """The mean of several seeds."""

    model_config = ConfigDict(frozen=True)

    goodput_mbps: float
    standard_error_mbps: float
    up_mbps: list[float]
    down_mbps: list[float]
    failed_exchanges_per_s: float
    dropped_mpdus_per_s: float
    cpu_s_per_s: float
    peak_memory_mb: float

    def by_cell(self, cells: int) -> list[float]:
        """Goodput of each cell, round which the stations are dealt; of all of them, if there is one."""
        if cells == 1:
            return [self.goodput_mbps]
        return [sum(self.up_mbps[cell::cells]) + sum(self.down_mbps[cell::cells]) for cell in range(cells)]


class Entry(BaseModel):
    """A case and its result in ns-3, with the values that ns-3 used beyond those of the scene."""

    model_config = ConfigDict(frozen=True)

    scene: Scene
    seeds: list[int]
    variant_of: str | None
    result: Result
    access: dict[str, Any]
    ppdus_per_s: dict[str, float]
    mpdus_per_data_ppdu: float
    txop_us: dict[str, float]
    neighbour_dbm: list[float] = Field(
        default=[],
        description="of each cell: the strongest signal of another cell in its access point's channel",
    )
    longest_ppdus: list[dict[str, Any]]


class Reference(BaseModel):
    """All entries, and how they were made."""

    made_with: dict[str, Any]
    entries: dict[str, Entry]

    def entry(self, case: Case) -> Entry | None:
        """The entry of a case, if it has the same scene and seeds."""
        entry = self.entries.get(case.name)
        same = entry and entry.scene == case.scene and entry.seeds == case.seeds
        return entry if same else None

    def write(self, file: Path) -> None:
        """Stores the results, one entry per line, so that differences are easy to see."""
        lines = [
            f"  {json.dumps(name)}: {json.dumps(entry.model_dump(mode='json'), separators=(', ', ': '))}"
            for name, entry in self.entries.items()
        ]
        head = json.dumps(self.made_with, indent=1)
        file.write_text(
            f'{{"made_with": {head},\n"entries": {{\n' + ",\n".join(lines) + "\n}}\n", encoding="utf-8"
        )


def read_reference(file: Path = REFERENCE) -> Reference:
    """The stored results; empty if there are none."""
    if not file.exists():
        return Reference(made_with={}, entries={})
    return Reference.model_validate_json(file.read_text(encoding="utf-8"))


def mean_of(runs: list[Run], seconds: float) -> Result:
    """Means over the runs, and the standard error of the total goodput."""
    totals = [run.goodput_mbps for run in runs]
    error = statistics.stdev(totals) / len(totals) ** 0.5 if len(totals) > 1 else 0.0
    return Result(
        goodput_mbps=round(statistics.fmean(totals), 5),
        standard_error_mbps=round(error, 5),
        up_mbps=_means([run.up_mbps for run in runs]),
        down_mbps=_means([run.down_mbps for run in runs]),
        failed_exchanges_per_s=round(statistics.fmean(r.failed_exchanges for r in runs) / seconds, 2),
        dropped_mpdus_per_s=round(statistics.fmean(r.dropped_mpdus for r in runs) / seconds, 2),
        cpu_s_per_s=round(statistics.fmean(r.cpu_s_per_s for r in runs), 6),
        peak_memory_mb=round(max(r.peak_memory_mb for r in runs), 1),
    )


def _means(lists: list[list[float]]) -> list[float]:
    return [round(statistics.fmean(values), 4) for values in zip(*lists, strict=True)]
