"""Metrics of runs, computed once and cached in the store."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.campaign.cache_keys import number_key
from airtcp.campaign.shared_file import FOLDER, SharedFile
from airtcp.quantities.metric_file import MetricFile
from airtcp.studies.measuring import Measured, drawn_of, measure, numbers_of
from airtcp.studies.study import Study

# Marks a stored lower bound.
AT_LEAST = "at least"
# Stored beside the metrics: verdicts and warnings that a report shows for every run.
_ABOUT = MetricFile(of="about the run")


@dataclass
class MetricCache:
    """Computes the metrics of runs once; numbers are stored beside the runs for later campaigns."""

    study: Study
    names: Sequence[str]
    store: Path

    def __post_init__(self) -> None:
        folder = self.store / FOLDER / "numbers"
        self._drawn = drawn_of(self.study)
        only_drawn = self._drawn.names - numbers_of(self.study)
        numbers = [name for name in self.names if name not in only_drawn]
        # Values and lines are large and drawn for few runs only: they are not cached.
        self._others = [name for name in self.names if name in self._drawn.names]
        self._files = {
            name: SharedFile(folder / f"{number_key(self.study.metric(name))}.json") for name in numbers
        }
        self._about = SharedFile(folder / f"{number_key(_ABOUT)}.json")

    def measure(self, folder: Path) -> Measured:
        """All requested metrics of a run; an unreadable run raises `AirtcpError`."""
        found = self._known(folder)
        if found is None:
            found = measure(self.study, folder, list(self._files))
            self._store_metrics(found)
        if self._others:
            rest = measure(self.study, folder, self._others, self._drawn)
            found.lines, found.values = rest.lines, rest.values
        return found

    def save(self) -> None:
        """Writes new metrics to the store."""
        for file in (*self._files.values(), self._about):
            file.save()

    def _known(self, folder: Path) -> Measured | None:
        about: Any = self._about.values.get(folder.name)
        if not isinstance(about, list) or len(about) != 2 or not isinstance(about[0], dict):
            return None
        if any(folder.name not in file.values for file in self._files.values()):
            return None
        found = Measured(folder)
        for name, file in self._files.items():
            value = file.values[folder.name]
            if isinstance(value, list):
                found.at_least.add(name)
            found.numbers[name] = _number(value)
        found.out_of_control, found.warnings = about[0], tuple(about[1])
        return found

    def _store_metrics(self, found: Measured) -> None:
        for name, file in self._files.items():
            value = found.numbers[name]
            stored = _json_number(value)
            file.add(found.folder.name, [AT_LEAST, stored] if name in found.at_least else stored)
        self._about.add(found.folder.name, [dict(found.out_of_control), list(found.warnings)])


def _number(stored: Any) -> float:
    """A stored metric: a number, null, or a lower bound (a list)."""
    value = stored[1] if isinstance(stored, list) else stored
    return math.nan if value is None else float(value)


def _json_number(value: float) -> float | str | None:
    """JSON has neither NaN (null here) nor infinity (text here)."""
    if math.isnan(value):
        return None
    return str(value) if math.isinf(value) else float(value)
