"""The command `airtcp` in a process of its own, with real guests."""

import os
import subprocess
import sys
from pathlib import Path

from airtcp.data.run_folder import open_run

COMMAND = (sys.executable, "-m", "airtcp")


def environment():
    """That of the tests, with this tree's package."""
    return {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3] / "python")}


def airtcp(*arguments, cwd=None):
    """What it answers: an exit status and what it printed."""
    command = [*COMMAND, *map(str, arguments)]
    return subprocess.run(
        command, cwd=cwd, env=environment(), capture_output=True, text=True, check=False, timeout=300
    )


def run_file(file, store):
    """Runs a scenario, which must succeed."""
    answer = airtcp("run", file, "--store", store)
    assert answer.returncode == 0, answer.stderr
    return open_run(Path(answer.stdout.strip().splitlines()[-1].removeprefix("Run folder: ")))


def scenario_file(folder, text):
    """A scenario in a folder that need not be there."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "scenario.toml"
    file.write_text(text)
    return file


def run_text(folder, text):
    """Runs a scenario into a store of its own."""
    return run_file(scenario_file(folder, text), folder / "store")
