"""`airtcp study`: a published study, computed again."""

import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.executing import DEFAULT_STORE, Fresh, Jobs, Store, execute
from airtcp.cli.wishes import wished_levels, words
from airtcp.errors import AirtcpError, remedy_for

if TYPE_CHECKING:
    from airtcp.studies.report import StudyReport
    from airtcp.studies.study import Study

Name = Annotated[
    str,
    typer.Argument(
        help="The study (aoyagi2023, ...), or the folder of your own; none: list them.", show_default=False
    ),
]
Listing = Annotated[bool, typer.Option("--list", help="List the studies, compute nothing.")]
Section = Annotated[
    str, typer.Option("--section", help="Only these sections or parts, with commas between; default: all.")
]
Ccas = Annotated[str, typer.Option("--cca", help="Only these congestion controls, with commas between.")]
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
    typer.Option("--against", help="Another report's folder, or a CSV file: ratios of ours to it."),
]
Quick = Annotated[bool, typer.Option("--quick", help="Short form, for a first look.")]


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
    fresh: Fresh = False,
    listing: Listing = False,
) -> None:
    """Compute a published study again: figures, tables, claims."""
    if listing or not name:
        _list()
        return
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
    chosen = _chosen(whole, words(section), {**_cca_wish(cca), **wished_levels(only or [])}, quick)
    seeds = _seeds(whole, reps, quick)
    folder = out or Path("reports") / "-".join([whole.name, *words(section), *(["quick"] if quick else [])])
    check_output(folder)
    reference = read_reference(against, chosen) if against is not None else None
    every = cases(chosen, seeds)
    made = Plans(chosen, kernel, store)
    work, places = made.distinct(every)
    done = execute([Job(made.label(case), plan) for case, plan in work], store, jobs, fresh)
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
    from airtcp.studies.known_studies import study_titles

    titles = study_titles()
    width = max(map(len, titles))
    out = Output()
    for name, title in titles.items():
        out.line(f"{name:{width}}  {title}")
    out.line("airtcp study NAME computes one; --quick gives its short form.")


def _cca_wish(cca: str) -> dict[str, list[str]]:
    return {"cca": words(cca)} if words(cca) else {}


def _chosen(study: "Study", sections: Sequence[str], wishes: dict[str, list[str]], quick: bool) -> "Study":
    from airtcp.studies.cases import choose_levels, choose_parts, quickened

    chosen = choose_parts(study, sections)
    for factor in wishes:
        if factor not in study.factors:
            remedy = remedy_for(factor, study.factors)
            raise AirtcpError(f'the study varies no "{factor}"', "--only", remedy)
    # Levels that are asked for are run in the short form too.
    short = quickened(chosen, tuple(wishes)) if quick else chosen
    for factor, levels in wishes.items():
        short = choose_levels(short, factor, levels)
    return short


def _seeds(study: "Study", reps: int | None, quick: bool) -> tuple[int, ...]:
    count = reps if reps is not None else 1 if quick else study.reps
    if count < 1:
        raise AirtcpError(f"{count} replications make no study", "--reps", "Ask for at least 1")
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
