"""Folders with `sources.toml` as stores of measured runs."""

import copy
import hashlib
import json
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from airtcp.cache_folder import cache_folder
from airtcp.errors import AirtcpError
from airtcp.formats.recognition import content_of, open_measurement
from airtcp.plans.types.plan import Plan
from airtcp.sources.file_name import SOURCES_FILE
from airtcp.sources.flow_samples import flow_samples
from airtcp.sources.measured_plan import Taken, check_source, measured_plan, scenario_plan
from airtcp.sources.ping_samples import ping_samples
from airtcp.sources.samples import Samples
from airtcp.sources.source_run import write_source_run
from airtcp.sources.sources_file import Source, SourceRun, SourcesFile, read_sources
from airtcp.sources.station_samples import monitor_samples, station_samples
from airtcp.traces.monitor import is_monitor
from airtcp.version import __version__

_FOLDER = "sources"


def import_sources(folder: Path) -> Path:
    """The store of the measured runs of a folder."""
    sources = read_sources(folder)
    store = cache_folder() / _FOLDER / _identity(folder, sources)
    if store.is_dir():
        return store
    store.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=store.parent) as work:
        for number in range(len(sources.run)):
            _write_run(folder, sources, number, Path(work))
        try:
            Path(work).rename(store)
        except OSError:
            # Another process has written the same.
            if not store.is_dir():
                raise
        else:
            Path(work).mkdir()
    return store


def _identity(folder: Path, sources: SourcesFile) -> str:
    """A name by the content of all files, and by what reads them."""
    parts = [__version__, (folder / SOURCES_FILE).read_text(encoding="utf-8")]
    scenario = folder / sources.scenario
    given = [
        (one, f": run[{number}].source[{place}]")
        for number, run in enumerate(sources.run)
        for place, one in enumerate(run.source)
    ]
    files = [scenario, *(file for one, where in given for file in _files(folder, one, where))]
    here = Path(__file__).parents[1]
    readers = [*sorted((here / "formats").glob("*.py")), *sorted((here / "sources").glob("*.py"))]
    for file in [*files, *readers]:
        try:
            parts.append(hashlib.sha256(file.read_bytes()).hexdigest())
        except OSError as error:
            what = f"can't be read: {error.strerror}"
            raise AirtcpError(what, str(file), f"Correct {folder / SOURCES_FILE}") from None
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:24]


def _files(folder: Path, source: Source, place: str) -> list[Path]:
    """The files of a source, of patterns those that there are."""
    found: list[Path] = []
    for name in source.file:
        some = sorted(folder.glob(name)) if any(sign in name for sign in "*?[") else [folder / name]
        if not some or not all(file.is_file() for file in some):
            what = f'there is no file "{name}"'
            raise AirtcpError(what, f"{folder / SOURCES_FILE}{place}", f"Paths begin in {folder}")
        found += some
    return found


def _write_run(folder: Path, sources: SourcesFile, number: int, store: Path) -> None:
    """Writes all repetitions of one `[[run]]`."""
    run = sources.run[number]
    plan = scenario_plan(folder / sources.scenario, run.set)
    repetitions = _repetitions(folder, run, plan, number)
    common = measured_plan(plan, repetitions)
    for repetition, taken in enumerate(repetitions, start=1):
        made = copy.deepcopy(common)
        made["seed"] = repetition
        name = hashlib.sha256(f"{store.name} {number} {repetition}".encode()).hexdigest()[:16]
        target = store / name
        write_source_run(made, taken, target)
        if not any(made[kind] for kind in ("flows", "pings")):
            shutil.rmtree(target)
            what = "measures neither a flow nor a ping"
            raise AirtcpError(what, f"{folder / SOURCES_FILE}: run[{number}]", "Add a file of one of them")


def _repetitions(folder: Path, run: SourceRun, plan: Plan, number: int) -> list[list[Taken]]:
    """What each repetition measured: as many as a source has files and tests; others belong to all."""
    nics = {nic["node"]: place for place, nic in enumerate(plan["air"]["nics"])}
    every: list[list[Taken]] = []
    for place, source in enumerate(run.source):
        where = f": run[{number}].source[{place}]"
        check_source(source, plan, f"{folder / SOURCES_FILE}{where}")
        every.append(
            [
                Taken(source, file, _part(samples, run, file))
                for file in _files(folder, source, where)
                for samples in _read(file, source, nics)
            ]
        )
    counts = sorted({len(each) for each in every} - {1})
    if len(counts) > 1:
        what = f"has sources with {' and '.join(map(str, counts))} repetitions"
        remedy = "Give each source as many files, or one: repetitions are matched by their order"
        raise AirtcpError(what, f"{folder / SOURCES_FILE}: run[{number}]", remedy)
    count = counts[0] if counts else 1
    return [[each[n % len(each)] for each in every] for n in range(count)]


def _read(file: Path, source: Source, nics: Mapping[str, int]) -> list[Samples]:
    if source.target == "node" and is_monitor(content_of(file)):
        return monitor_samples(file, source, nics)
    measured = open_measurement(file)
    if source.target == "flow":
        return flow_samples(measured, source)
    if source.target == "ping":
        return ping_samples(measured, source)
    return station_samples(measured, source, nics)


def _part(samples: Samples, run: SourceRun, file: Path) -> Samples:
    """The part of what was measured that the run is about."""
    found = samples.within(run.begin or 0, run.end)
    if len(found.rows) < 2:
        remedy = "Take another begin and end"
        raise AirtcpError(f"has nothing in this part of its {samples.end_ns / 1e9:g} s", str(file), remedy)
    return found
