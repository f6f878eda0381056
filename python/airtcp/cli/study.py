"""`airtcp study`: reproduces a published study."""

import shlex
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.execute import DEFAULT_STORE, ExecutionOptions, Fresh, Jobs, Kernel, Only, Store, execute
from airtcp.cli.option_lists import selected_levels, words
from airtcp.errors import AirtcpError, remedy_for

if TYPE_CHECKING:
    from airtcp.studies.cases import Case
    from airtcp.studies.study import Study


def _study_names(incomplete: str) -> list[str]:
    """What completion offers."""
    from airtcp.recorded.known import COMPUTATIONS
    from airtcp.studies.known_studies import known_studies

    return [name for name in (*known_studies(), *COMPUTATIONS) if name.startswith(incomplete)]


Name = Annotated[
    str,
    typer.Argument(
        help="A study (aoyagi2023, ...), or its folder. Default: list the studies.",
        autocompletion=_study_names,
        show_default=False,
    ),
]
Listing = Annotated[bool, typer.Option("--list", help="List the studies and exit.")]
Section = Annotated[
    str, typer.Option("--section", help="Only these sections or parts, separated by commas; default: all.")
]
Ccas = Annotated[str, typer.Option("--cca", help="Only these congestion controls, separated by commas.")]
Reps = Annotated[
    int | None, typer.Option("--reps", help="Runs per case, with seeds 1, 2, ...; default: the study's.")
]
Out = Annotated[Path | None, typer.Option("--out", help="Folder of the report; default: reports/STUDY.")]
Against = Annotated[
    Path | None,
    typer.Option("--against", help="Compare with another report's folder or a CSV file, as ratios."),
]
Data = Annotated[
    Path | None,
    typer.Option(
        "--data", help="Folder of recordings of others, for studies that need them.", show_default=False
    ),
]
Quick = Annotated[bool, typer.Option("--quick", help="Compute the short form of the study.")]


@dataclass(frozen=True)
class Asked:
    """What of a study is asked for: the options that say which runs, and with what to compare them."""

    sections: Sequence[str]
    levels: Mapping[str, list[str]]
    reps: int | None
    kernel: str | None
    quick: bool
    against: Path | None

    @property
    def anything(self) -> bool:
        """Whether the request differs from the whole study by itself."""
        return bool(self.sections or self.levels or self.reps or self.kernel or self.quick or self.against)


def study(
    name: Name = "",
    section: Section = "",
    cca: Ccas = "",
    only: Only = None,
    reps: Reps = None,
    kernel: Kernel = None,
    store: Store = DEFAULT_STORE,
    out: Out = None,
    jobs: Jobs = None,
    quick: Quick = False,
    against: Against = None,
    data: Data = None,
    fresh: Fresh = False,
    listing: Listing = False,
) -> None:
    """Reproduce a published study: figures, tables, claims."""
    if listing or not name:
        _list()
        return
    from airtcp.execution.cores import read_on_one_thread

    read_on_one_thread()
    from airtcp.recorded.known import recorded_study

    levels = {**_selected_ccas(cca), **selected_levels(only or [])}
    asked = Asked(words(section), levels, reps, kernel, quick, against)
    options = ExecutionOptions(store, jobs, fresh)
    recorded = recorded_study(name)
    if recorded is None:
        if data is not None:
            raise AirtcpError("needs no recordings", name, "Leave --data out")
        _compute(name, asked, out, options)
        return
    from airtcp.cli.recorded_study import compute_recorded

    if asked.anything:
        remedy = "Give only --data, --out, --store, --jobs and --fresh"
        raise AirtcpError("is of recordings, and has no parts, levels, seeds or short form", name, remedy)
    compute_recorded(recorded, data, out, options)


def _compute(name: str, asked: Asked, out: Path | None, options: ExecutionOptions) -> None:
    """Computes what is asked for of a study, writes its report and shows it."""
    from airtcp.studies.known_studies import study_folder

    # A wrong name is reported before the other modules are loaded.
    folder = study_folder(name)
    from airtcp.cli.study_output import show_study
    from airtcp.execution.cores import cores
    from airtcp.report.folder import check_output
    from airtcp.studies.claims import check_claims
    from airtcp.studies.measuring import measure_all
    from airtcp.studies.metric_groups import with_members
    from airtcp.studies.reference import read_reference
    from airtcp.studies.report import ReportRequest, StudyReport
    from airtcp.studies.results import Results
    from airtcp.studies.study import read_study
    from airtcp.studies.wanted_metrics import wanted

    whole = with_members(read_study(folder), name)
    check_claims(whole)
    wanted(whole)
    chosen, seeds = _chosen(whole, asked), _seeds(whole, asked)
    folder = out or Path("reports") / "-".join([whole.name, *asked.sections, *(["quick"] * asked.quick)])
    check_output(folder)
    reference = read_reference(asked.against, chosen) if asked.against is not None else None
    ends = _run(chosen, seeds, asked.kernel, options)
    results = Results(chosen, ends, measure_all(chosen, ends), reference)
    request = ReportRequest(f"airtcp {shlex.join(sys.argv[1:])}", seeds, asked.quick)
    report = StudyReport(results, request)
    report.write(folder, options.jobs or cores())
    show_study(report.tables, "Claims of the paper", report.judged, report.notes, folder)


def _run(
    study: "Study", seeds: Sequence[int], kernel: str | None, options: ExecutionOptions
) -> "list[tuple[Case, Path]]":
    """The runs of all cases; equal plans run once."""
    from airtcp.execution.executors.executor import Job
    from airtcp.studies.cases import Plans, cases

    every = cases(study, seeds)
    made = Plans(study, kernel, options.store)
    work, places = made.distinct(every)
    done = execute([Job(made.label(case), plan) for case, plan in work], options)
    return [(case, Path(done[place].folder)) for case, place in zip(every, places, strict=True)]


def _list() -> None:
    from airtcp.cli.output import Output
    from airtcp.recorded.known import recorded_titles
    from airtcp.studies.known_studies import study_titles

    titles = {**study_titles(), **{name: f"{title} (--data)" for name, title in recorded_titles().items()}}
    width = max(map(len, titles))
    out = Output()
    for name, title in titles.items():
        out.line(f"{name:{width}}  {title}")
    out.line("Compute one with: airtcp study NAME; add --quick for the short form.")


def _selected_ccas(cca: str) -> dict[str, list[str]]:
    return {"cca": words(cca)} if words(cca) else {}


def _chosen(study: "Study", asked: Asked) -> "Study":
    from airtcp.studies.cases import choose_levels, choose_parts, quickened

    chosen = choose_parts(study, asked.sections)
    for factor in asked.levels:
        if factor not in study.factors:
            remedy = remedy_for(factor, study.factors)
            raise AirtcpError(f'the study has no factor "{factor}"', "--only", remedy)
    # Explicitly selected levels are run even if the short form omits them.
    short = quickened(chosen, tuple(asked.levels)) if asked.quick else chosen
    for factor, levels in asked.levels.items():
        short = choose_levels(short, factor, levels)
    return short


def _seeds(study: "Study", asked: Asked) -> tuple[int, ...]:
    count = asked.reps if asked.reps is not None else 1 if asked.quick else study.reps
    if count < 1:
        raise AirtcpError(f"--reps must be at least 1, not {count}")
    return tuple(range(1, count + 1))
