"""The tutorial is executed, command by command, and prints what it says; the scenarios of how-tos run."""

import re
from pathlib import Path

import airtcp
import polars as pl
import pytest
from support.documentation_pages import CONTINUED, DOCS, ROOT, Command, continued
from support.page_commands import execute, execute_page, shell_environment

pytestmark = pytest.mark.guest

TUTORIAL = (DOCS / "tutorial.md").read_text(encoding="utf-8")


@pytest.fixture
def environment(real_runner: Path, tmp_path: Path) -> dict[str, str]:
    return shell_environment(real_runner, tmp_path / "bin")


def test_the_tutorial_does_what_it_says(environment, tmp_path):
    folder = tmp_path / "tutorial"
    folder.mkdir()
    executed = execute_page(TUTORIAL, folder, environment)
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
