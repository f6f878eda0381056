"""docs/how-to/plots.md: its examples work."""

import re
import shlex
from pathlib import Path

import pytest
from airtcp.cli.main import app
from airtcp.scenario.compile.compiler import compile_file
from support.figure_series import add_series
from support.run_folder import write_run_folder
from typer.testing import CliRunner

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "plots.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^airtcp (plot .*)$", PAGE, re.MULTILINE)
PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    store = tmp_path_factory.mktemp("runs")
    scenario = Path(__file__).parent / "scenarios" / "first.toml"
    return [
        add_series(write_run_folder(store, dict(compile_file(scenario, {"seed": seed})))) for seed in (1, 2)
    ]


@pytest.mark.parametrize("command", COMMANDS)
def test_each_command_draws(command, runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = []
    for word in shlex.split(command):
        words += {"RUN": [str(runs[0])], "runs/*": [str(run) for run in runs]}.get(word, [word])
    answer = CliRunner().invoke(app, [*words, "--format", "svg"])
    assert answer.exit_code == 0, answer.output or answer.exception
    assert answer.output.startswith("Figure: ")


def test_the_programs_draw(runs, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    known = {"RUN": runs[0]}
    for program in PROGRAMS:
        exec(program, known)
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        "bars.pdf",
        "ratios.pdf",
        "sta1.png",
        "sta1.svg",
    ]
