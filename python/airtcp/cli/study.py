"""`airtcp study`: a published study, computed again."""

from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.executing import DEFAULT_STORE, Fresh, Jobs, Store, execute

Name = Annotated[str, typer.Argument(help="The study, for example aoyagi2023.", show_default=False)]
Section = Annotated[str, typer.Option("--section", help="Section of the paper.")]
Ccas = Annotated[str, typer.Option("--cca", help="Only these congestion controls, with commas between.")]
Reps = Annotated[int, typer.Option("--reps", help="Runs per case, with seeds 1, 2, ...")]
Out = Annotated[
    Path | None, typer.Option("--out", help="Folder of the report; default: reports/STUDY-SECTION.")
]
Quick = Annotated[bool, typer.Option("--quick", help="Shortened runs, for a first look.")]


def study(
    name: Name,
    section: Section = "4.2",
    cca: Ccas = "",
    reps: Reps = 1,
    store: Store = DEFAULT_STORE,
    out: Out = None,
    jobs: Jobs = None,
    quick: Quick = False,
    fresh: Fresh = False,
) -> None:
    """Compute a published study again: figures, tables, claims."""
    from airtcp.report.folder import check_output
    from airtcp.studies.aoyagi2023.design import read_design
    from airtcp.studies.catalogue import check_section, study_folder

    study_folder(name)
    check_section(name, section)
    design = read_design([word.strip() for word in cca.split(",") if word.strip()], reps, quick)
    folder = out or Path("reports") / f"{name}-{section}{'-quick' if quick else ''}"
    check_output(folder)
    cases = design.cases()
    done = execute([design.job(case) for case in cases], store, jobs, fresh)

    from airtcp.cli.output import output
    from airtcp.data.run_folder import open_run
    from airtcp.report.claims import claims_text, count_verdicts
    from airtcp.studies.aoyagi2023 import report
    from airtcp.studies.aoyagi2023.claims import judge_claims
    from airtcp.studies.aoyagi2023.measure import cells, measure

    measured = [measure(design, case, open_run(end.folder)) for case, end in zip(cases, done, strict=True)]
    grouped = cells(measured)
    judged = judge_claims(design, grouped)
    report.write_report(folder, design, grouped, judged)
    console = output()
    for table in report.result_tables(design, grouped):
        console.print(table.rich())
    console.print("[bold]Claims of the paper[/bold]")
    console.print(claims_text(judged, min(console.width, 110)), markup=False, soft_wrap=True)
    console.print()
    for line in report.notes(design, grouped):
        console.print(line, markup=False, soft_wrap=True)
    console.print(f"Claims: {count_verdicts(judged)}.", markup=False)
    console.print(f"Report: {folder}", markup=False, soft_wrap=True)
