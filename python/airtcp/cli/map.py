"""`airtcp map`: a heat map of the floor of a scenario, by the model, before any run."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.changes import Seed, Set, changes
from airtcp.cli.option_lists import words
from airtcp.cli.plot import Caption, FontSize, Formats, Serif, Width, output_files, paper_of
from airtcp.cli.say import say
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.plots.coverage_map import Shown

SIGNAL = "signal"
Scenario = Annotated[
    Path, typer.Argument(help="Scenario file (TOML), or the folder of a run.", show_default=False)
]
Shows = Annotated[
    str,
    typer.Option(
        "--what",
        help="signal, rate, access-point, or several of them, separated by commas: a figure for each.",
    ),
]
Nodes = Annotated[
    str,
    typer.Option(
        help="Only these access points: names or patterns (ap1*), separated by commas.", show_default=False
    ),
]
Height = Annotated[
    str, typer.Option(help='Height of the map, as "1.5 m"; default: of the stations.', show_default=False)
]
Step = Annotated[
    str,
    typer.Option(help='Distance of its places, as "0.5 m"; default: 120 places across.', show_default=False),
]
ErrorRate = Annotated[
    float, typer.Option(min=1e-6, max=0.9, help="Packet error rate at most at which a rate is used.")
]
Out = Annotated[
    Path | None,
    typer.Option(
        help="File, with or without suffix. Default: the scenario's name, here.", show_default=False
    ),
]


def draw_map(
    scenario: Scenario,
    shows: Shows = SIGNAL,
    nodes: Nodes = "",
    height: Height = "",
    step: Step = "",
    error_rate: ErrorRate = 0.01,
    seed: Seed = None,
    settings: Set = None,
    formats: Formats = None,
    width: Width = "",
    font_size: FontSize = 9,
    serif: Serif = False,
    caption: Caption = True,
    out: Out = None,
) -> None:
    """Draw the signal, rate or access point at each place of a floor, before any run."""
    plan = _plan(scenario, changes(seed, settings))
    from airtcp.report.coverage import cover, coverage_map, grid_of, share_table, station_table

    shown = [_shown(name) for name in words(shows)]
    grid = grid_of(plan, str(scenario), _metres(step, "--step"), _metres(height, "--height"))
    # The modules that draw are loaded only for a map that can be drawn.
    from airtcp.cli.output import Output
    from airtcp.execution.locate import find_runner
    from airtcp.execution.scene import coverage_of
    from airtcp.plots.chart_data import chart_csv
    from airtcp.plots.coverage_map import draw_coverage_map
    from airtcp.plots.paper import on_paper
    from airtcp.plots.style import save_figure

    runner = find_runner()
    found = cover(plan, lambda places: coverage_of(runner, plan, places, error_rate), words(nodes), grid)
    output = Output()
    for table in (share_table(found), station_table(found)):
        if table.rows:
            output.table(table)
    base, files = output_files(out, formats)
    for each in shown:
        chart = coverage_map(found, each, error_rate)
        target = base or Path(f"{plan['name']}-{each.value}")
        if base is not None and len(shown) > 1:
            target = base.with_name(f"{base.name}-{each.value}")
        with on_paper(paper_of(width, font_size, serif, caption)):
            target.parent.mkdir(parents=True, exist_ok=True)
            for file in save_figure(draw_coverage_map(chart), target, files, chart_csv(chart)):
                say(f"Figure: {file}")


def _plan(source: Path, changed: dict[str, object]) -> "dict[str, object]":
    if source.is_dir():
        from airtcp.data.run_folder import open_run

        if changed:
            raise AirtcpError("a run is as it is", "--set, --seed", "Give the scenario file instead")
        return dict(open_run(source).plan)
    from airtcp.scenario.compile.compiler import compile_any_file

    return dict(compile_any_file(source, changed))


def _shown(name: str) -> "Shown":
    from airtcp.plots.coverage_map import Shown

    known = [shown.value for shown in Shown]
    if name not in known:
        raise AirtcpError(f'there is no map of "{name}"', "--what", f"Known: {', '.join(known)}")
    return Shown(name)


def _metres(text: str, option: str) -> float | None:
    from airtcp.scenario.values.units import COORDINATE, DISTANCE

    if not text:
        return None
    try:
        return float((DISTANCE if option == "--step" else COORDINATE).read(text))
    except ValueError as error:
        raise AirtcpError(str(error), option) from None
