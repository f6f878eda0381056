"""The tutorial is executed, command by command, and prints what it says; the scenarios of how-tos run."""

import os
import re
import subprocess
import sys
from pathlib import Path

import airtcp
import polars as pl
import pytest
from support.documentation_pages import CONTINUED, DOCS, ROOT, Command, blocks, commands, continued, prints

pytestmark = pytest.mark.guest

TUTORIAL = (DOCS / "tutorial.md").read_text(encoding="utf-8")
COMMAND_LIMIT_S = 120


@pytest.fixture
def environment(real_runner: Path, tmp_path: Path) -> dict[str, str]:
    """A shell's environment in which `airtcp` is this tree's."""
    programs = tmp_path / "bin"
    programs.mkdir()
    (programs / "airtcp").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m airtcp "$@"\n')
    (programs / "airtcp").chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "PYTHONUNBUFFERED": "1",
        "AIRTCP_RUNNER": str(real_runner),
        "COLUMNS": "100",
    }


def execute(command: Command, folder: Path, environment: dict[str, str]) -> None:
    done = subprocess.run(
        ["bash", "-c", command.line],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=COMMAND_LIMIT_S,
    )
    assert done.returncode == 0, f"$ {command.line}\n{done.stdout}"
    missing = prints(command.printed, done.stdout)
    assert missing is None, f"$ {command.line}\nthe page has\n{missing}\nbut it printed\n{done.stdout}"


def test_the_tutorial_does_what_it_says(environment, tmp_path):
    folder = tmp_path / "tutorial"
    folder.mkdir()
    executed = 0
    for block in blocks(TUTORIAL):
        if block.name is not None:
            (folder / block.name).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command in commands(block):
                execute(command, folder, environment)
                executed += 1
    assert executed >= 12
    made = {"reno.png", "bbr.png", "report.html", "reports/queues/rtt.png", "reports/queues/report.html"}
    assert all((folder / name).stat().st_size > 1000 for name in made)


def test_the_scenarios_of_how_tos_run(environment, tmp_path):
    """Two seconds of each: what only tc and the kernel can judge is accepted, and every flow moves data."""
    names = []
    for page in CONTINUED:
        for text in continued((ROOT / page).read_text(encoding="utf-8")):
            names.append(f"{Path(page).stem}-{len(names)}.toml")
            (tmp_path / names[-1]).write_text(
                re.sub(r'^duration = ".*"', 'duration = "2 s"', text, flags=re.M)
            )
    assert len(names) >= 5
    execute(Command(f"airtcp run {' '.join(names)}", ("Flows ...",) * len(names)), tmp_path, environment)
    for run in airtcp.load(tmp_path / "runs"):
        assert run.flows.group_by("flow").agg(pl.col("bytes_received").max())["bytes_received"].min() > 10_000
