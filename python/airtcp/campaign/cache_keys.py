"""Keys of cached plans and metrics: hashes of everything they depend on."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from airtcp.execution.locate import find_runner
from airtcp.input_file import read_input
from airtcp.quantities.metric_file import MetricFile
from airtcp.scenario.reading.toml_file import parse_toml, read_text
from airtcp.studies.cases import SCENARIO
from airtcp.studies.study import Study
from airtcp.version import __version__

# Recordings that scenarios name, and the programs beside the runner.
_BYTES_MOST = 1 << 30
_PACKAGE = Path(__file__).resolve().parents[1]
# The code that compiles plans, computes metrics, and writes reports.
PLAN_SOURCES = ("plans", "wifi", "scenario", "studies/cases.py")
NUMBER_SOURCES = (
    "plans",
    "wifi",
    "formats",
    "data",
    "metrics",
    "quantities",
    "report/run/warnings.py",
    "report/plan_warnings.py",
    "studies/measuring.py",
)
REPORT_SOURCES = (*NUMBER_SOURCES, "plots", "report", "studies", "campaign")
# A run's name also depends on these files, which lie beside the runner.
_PARTS_OF_RUNNER = ("libairtcp_guest.so", "airtcp-agent")


def digest(*values: Any) -> str:
    """A hash of JSON values."""
    text = json.dumps(values, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


@cache
def sources_digest(places: tuple[str, ...]) -> str:
    """A hash of airtcp's own sources at these places, with its version."""
    found = hashlib.sha256(__version__.encode())
    for place in places:
        root = _PACKAGE / place
        for file in sorted(root.rglob("*.py")) if root.is_dir() else [root]:
            found.update(str(file.relative_to(_PACKAGE)).encode() + b"\0")
            found.update(file.read_bytes() + b"\0")
    return found.hexdigest()


def plans_key(study: Study, kernel: str | None) -> str:
    """A hash of everything the plans of a campaign depend on, except levels and seeds.

    It includes what the names of runs depend on, except the kernels (`kernel_digest`).
    """
    part = next(iter(study.parts.values()))
    assigned = [part.set, *(own.levels for own in study.factors.values())]
    keys = {name: [own.key, own.keys] for name, own in study.factors.items()}
    levels = [level for grid in part.grids for each in grid.values() for level in each]
    tables, files = {}, {}
    for name in sorted({part.scenario, *_other_scenarios(study)}):
        file = study.folder / name
        tables[name] = parse_toml(read_text(file), file)
        files.update(_named_files(file.parent, [tables[name], assigned, levels]))
    return digest(
        sources_digest(PLAN_SOURCES), tables, files, part.scenario, assigned, keys, kernel, _runner_key()
    )


def _runner_key() -> list[str]:
    """Hashes of the runner and of the files it puts into a guest."""
    runner = find_runner()
    return [file_digest(file) for file in (runner, *(runner.parent / name for name in _PARTS_OF_RUNNER))]


def kernel_digest(folder: Path) -> str:
    """A hash of the identity of a built kernel."""
    return file_digest(folder / "kernel.json")


def number_key(metric: MetricFile) -> str:
    """A hash of what a metric depends on besides the run: the quantity, its arguments, and the code."""
    # The file of a user-defined function.
    own = file_digest(Path(metric.python.rpartition(":")[0])) if metric.python else ""
    return digest(sources_digest(NUMBER_SOURCES), metric.model_dump(exclude={"label"}), own)


def _other_scenarios(study: Study) -> Iterator[str]:
    for own in study.factors.values():
        for assignments in own.levels.values():
            if SCENARIO in assignments:
                yield str(assignments[SCENARIO])
    part = next(iter(study.parts.values()))
    if SCENARIO in part.set:
        yield str(part.set[SCENARIO])


def _texts(value: Any) -> Iterator[str]:
    """Every text within tables and lists, keys among them."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield str(key)
            yield from _texts(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _texts(inner)
    elif isinstance(value, str):
        yield value


def _named_files(folder: Path, values: Any) -> dict[str, str]:
    """Files that a scenario may read: every text in it that is the path of one."""
    found = {}
    for text in set(_texts(values)):
        try:
            if len(text) < 200 and (folder / text).is_file():
                found[text] = file_digest(folder / text)
        except (OSError, ValueError):
            continue
    return found


def file_digest(file: Path) -> str:
    """A hash of what a file holds; empty without one."""
    try:
        return hashlib.sha256(read_input(file, _BYTES_MOST)).hexdigest()
    except OSError:
        return ""
