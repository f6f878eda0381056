"""The commands of a page, executed as a reader would, in the order in which they come."""

import os
import subprocess
import sys
from pathlib import Path

from support.documentation_pages import ROOT, Command, blocks, commands, prints

COMMAND_LIMIT_S = 120


def shell_environment(runner: Path, programs: Path) -> dict[str, str]:
    """A shell's environment in which `airtcp` is this tree's; `programs` is a folder for it."""
    programs.mkdir()
    (programs / "airtcp").write_text(f'#!/bin/sh\nexec "{sys.executable}" -m airtcp "$@"\n')
    (programs / "airtcp").chmod(0o755)
    return {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(ROOT / "python"),
        "PYTHONUNBUFFERED": "1",
        "AIRTCP_RUNNER": str(runner),
        "COLUMNS": "100",
    }


def execute(command: Command, folder: Path, environment: dict[str, str]) -> None:
    """Executes a command, which must succeed and print what the page says."""
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


def execute_page(page: str, folder: Path, environment: dict[str, str]) -> int:
    """Writes the files of a page and executes its commands, in their order; returns how many there were."""
    executed = 0
    for block in blocks(page):
        if block.name is not None:
            (folder / block.name).write_text(block.text, encoding="utf-8")
        elif block.language == "console":
            for command in commands(block):
                execute(command, folder, environment)
                executed += 1
    return executed
