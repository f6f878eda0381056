"""The tutorial of the shell is executed, line by line, and the recorded session is what the shell prints."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.command import COMMAND, airtcp, environment
from support.documentation_pages import DOCS, ROOT, blocks, commands, prints

pytestmark = pytest.mark.guest

TUTORIAL = (DOCS / "tutorial-shell.md").read_text(encoding="utf-8")
PROMPT = re.compile(r"\d+\.\d{6} s> (.*)")


def test_the_tutorial_of_the_shell_does_what_it_says(tmp_path: Path) -> None:
    page: list[str] = []
    for block in blocks(TUTORIAL):
        if block.name is not None:
            (tmp_path / block.name).write_text(block.text, encoding="utf-8")
        elif block.language == "session":
            page += block.text.splitlines()
    lines = [found.group(1) for line in page if (found := PROMPT.fullmatch(line))]
    assert len(lines) >= 20
    done = subprocess.run(
        [*COMMAND, "shell", "first.toml"],
        cwd=tmp_path,
        env=environment(),
        input="\n".join(lines),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    missing = prints(tuple(page), done.stdout)
    assert missing is None, f"the page has\n{missing}\nbut it printed\n{done.stdout}"
    assert (tmp_path / "cwnd.png").stat().st_size > 1000
    repeated = [
        command for block in blocks(TUTORIAL) if block.language == "console" for command in commands(block)
    ]
    assert repeated
    for command in repeated:
        again = airtcp(*command.line.split()[1:], cwd=tmp_path)
        assert again.returncode == 0, again.stderr
        assert prints(command.printed, again.stdout) is None, again.stdout


def test_the_recorded_session_is_what_the_shell_prints() -> None:
    done = subprocess.run(
        [sys.executable, "tools/recorded_session.py", "--check"],
        cwd=ROOT,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
