"""Results that a study is held against: another report of it, or a CSV file of the same form."""

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from airtcp.errors import AirtcpError
from airtcp.studies.cases import Case
from airtcp.studies.study import Study

RESULTS_FILE = "results.csv"
PART = "part"

_Key = tuple[str, ...]


@dataclass(frozen=True)
class Reference:
    """Values by part, levels (as text, in the order of the part's factors) and metric; means over seeds."""

    name: str
    values: Mapping[tuple[str, _Key, str], float]

    def value(self, case: Case, metric: str) -> float:
        """The reference's value of a case; `nan` without one."""
        return self.values.get((case.part, tuple(map(str, case.key())), metric), float("nan"))


def read_reference(place: Path, study: Study) -> Reference:
    """Reads `results.csv` of a report's folder, or a CSV file with `part`, factors and metrics as columns.

    Measurements on real devices are held against in this way: a row for each case, with the metrics that
    were measured. Parts and levels that the study does not have are left out; a file without any that it
    has is an `AirtcpError`.
    """
    file = place / RESULTS_FILE if place.is_dir() else place
    found: dict[tuple[str, _Key, str], list[float]] = {}
    for row in _rows(file):
        part = row.get(PART) or next(iter(study.parts))
        if part not in study.parts:
            continue
        factors = study.part_factors(part)
        if any(factor not in row for factor in factors):
            continue
        key = tuple(row[factor] for factor in factors)
        for name, text in row.items():
            if name not in factors and (value := _number(text)) is not None:
                found.setdefault((part, key, name), []).append(value)
    if not found:
        remedy = f"It needs the columns {PART}, the study's factors, and metrics"
        raise AirtcpError("has no results of this study", str(file), remedy)
    return Reference(str(place), {key: float(np.mean(values)) for key, values in found.items()})


def _rows(file: Path) -> list[dict[str, str]]:
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            return [{k: v or "" for k, v in row.items() if k} for row in csv.DictReader(lines)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        remedy = "Name the folder of a report, or a CSV file"
        raise AirtcpError(f"can't be read: {error}", f"--against {file}", remedy) from None


def _number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None
