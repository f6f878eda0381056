"""`airtcp study`: reproduces a published study."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.execute import DEFAULT_STORE, ExecutionOptions, Fresh, Jobs, Store, execute
from airtcp.cli.option_lists import selected_levels, words
from airtcp.errors import AirtcpError, remedy_for

if TYPE_CHECKING:
    from airtcp.studies.report import StudyReport
    from airtcp.studies.study import Study

Name = Annotated[
    str,
    typer.Argument(
        help="A study (aoyagi2023, ...), or its folder. Default: list the studies.",
        show_default=False,
    ),
]
Listing = Annotated[bool, typer.Option("--list", help="List the studies and exit.")]
Section = Annotated[
    str, typer.Option("--section", help="Only these sections or parts, separated by commas; default: all.")
]
Ccas = Annotated[str, typer.Option("--cca", help="Only these congestion controls, separated by commas.")]
Only = Annotated[
    list[str] | None,
    typer.Option("--only", help="Only these levels of a factor: FACTOR=LEVEL,..."),
]
Reps = Annotated[
    int | None, typer.Option("--reps", help="Runs per case, with seeds 1, 2, ...; default: the study's.")
]
Kernel = Annotated[str | None, typer.Option("--kernel", help="Kernel series of every run, for example 6.1.")]
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

    if (recorded := recorded_study(name)) is not None:
        from airtcp.cli.recorded_study import compute_recorded

        if section or cca or only or reps or kernel or quick or against:
            remedy = "Give only --data, --out, --store, --jobs and --fresh"
            raise AirtcpError("is of recordings, and has no parts, levels, seeds or short form", name, remedy)
        compute_recorded(recorded, data, out, ExecutionOptions(store, jobs, fresh))
        return
    if data is not None:
        raise AirtcpError("needs no recordings", name, "Leave --data out")

    from airtcp.execution.executors.executor import Job
    from airtcp.report.folder import check_output
    from airtcp.studies.cases import Plans, cases
    from airtcp.studies.claims import check_claims
    from airtcp.studies.known_studies import study_folder
    from airtcp.studies.measuring import wanted
    from airtcp.studies.reference import read_reference
    from airtcp.studies.study import read_study

    whole = read_study(study_folder(name))
    check_claims(whole)
    wanted(whole)
    chosen = _chosen(whole, words(section), {**_selected_ccas(cca), **selected_levels(only or [])}, quick)
    seeds = _seeds(whole, reps, quick)
    folder = out or Path("reports") / "-".join([whole.name, *words(section), *(["quick"] if quick else [])])
    check_output(folder)
    reference = read_reference(against, chosen) if against is not None else None
    every = cases(chosen, seeds)
    made = Plans(chosen, kernel, store)
    work, places = made.distinct(every)
    done = execute([Job(made.label(case), plan) for case, plan in work], ExecutionOptions(store, jobs, fresh))
    ends = [(case, Path(done[place].folder)) for case, place in zip(every, places, strict=True)]

    from airtcp.execution.cores import cores
    from airtcp.studies.measuring import measure_all
    from airtcp.studies.report import ReportRequest, StudyReport
    from airtcp.studies.results import Results

    results = Results(chosen, ends, measure_all(chosen, ends), reference)
    request = ReportRequest(f"airtcp {shlex.join(sys.argv[1:])}", seeds, quick)
    report = StudyReport(results, request)
    report.write(folder, jobs or cores())
    _show(report, folder)


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


def _chosen(study: "Study", sections: Sequence[str], selected: dict[str, list[str]], quick: bool) -> "Study":
    from airtcp.studies.cases import choose_levels, choose_parts, quickened

    chosen = choose_parts(study, sections)
    for factor in selected:
        if factor not in study.factors:
            remedy = remedy_for(factor, study.factors)
            raise AirtcpError(f'the study has no factor "{factor}"', "--only", remedy)
    # Explicitly selected levels are run even if the short form omits them.
    short = quickened(chosen, tuple(selected)) if quick else chosen
    for factor, levels in selected.items():
        short = choose_levels(short, factor, levels)
    return short


def _seeds(study: "Study", reps: int | None, quick: bool) -> tuple[int, ...]:
    count = reps if reps is not None else 1 if quick else study.reps
    if count < 1:
        raise AirtcpError(f"--reps must be at least 1, not {count}")
    return tuple(range(1, count + 1))


def _show(report: "StudyReport", folder: Path) -> None:
    from airtcp.cli.output import Output
    from airtcp.report.claims import claims_text, count_verdicts

    out = Output()
    for table in report.tables:
        out.table(table)
    if report.judged:
        out.heading("Claims of the paper")
        out.line(claims_text(report.judged, min(out.width, 110)))
        out.line()
    for line in report.notes:
        out.line(line)
    if report.judged:
        out.line(f"Claims: {count_verdicts(report.judged)}.")
    out.line(f"Report: {folder}")
