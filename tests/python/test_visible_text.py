"""What programs and files of others hold reaches the terminal with its control characters visible."""

from pathlib import Path

import pytest
from airtcp.cli.output import Output
from airtcp.cli.say import say
from airtcp.report.table import Table
from airtcp.visible_text import visible
from support.command import airtcp, scenario_file

PACKAGE = Path(__file__).parents[2] / "python" / "airtcp"
HOSTILE = "\x1b]0;title\x07\x1b[2J\x1b[31mall is well\r\x9b1A\u202egnp"
HIDDEN = set("\x1b\x07\r\x9b\u202e")


def test_lines_and_tabs_stay():
    assert visible("a\tb\nc ä 📶") == "a\tb\nc ä 📶"
    assert visible(HOSTILE) == r"\x1b]0;title\x07\x1b[2J\x1b[31mall is well\x0d\x9b1A\u202egnp"
    assert visible(visible(HOSTILE)) == visible(HOSTILE)
    assert visible("\ud800") == r"\ud800"


def test_every_way_to_the_terminal_shows_them(capsys):
    out = Output()
    out.heading(HOSTILE)
    out.line(HOSTILE)
    table = Table(HOSTILE, ["name", "n [1]"])
    table.add(HOSTILE, "1")
    out.table(table)
    say(HOSTILE)
    say(HOSTILE, err=True)
    told = capsys.readouterr()
    assert not HIDDEN & set(told.out + told.err)
    assert (told.out + told.err).count("x1b") >= 5
    assert not HIDDEN & set(table.markdown() + table.csv())


def test_nothing_goes_around_the_one_place():
    """`typer.echo` is called by `say` alone; errors are printed by the command's and the prompt's own lines."""
    for file in (PACKAGE / "cli").glob("*.py"):
        assert file.name == "say.py" or "typer.echo" not in file.read_text(), file


@pytest.mark.parametrize("key", ["name", "wire[0].rate", "flow[0].cca"])
def test_an_error_message_shows_them(tmp_path, key):
    text = f'name = "x"\nduration = "1 s"\n[[wire]]\nbetween = ["a", "b"]\nrate = "{HOSTILE_TOML}"\n'
    file = scenario_file(tmp_path, text)
    answer = airtcp("show-plan", file, "--set", f"{key}={HOSTILE}")
    assert answer.returncode == 2
    assert not HIDDEN & set(answer.stderr), answer.stderr
    assert r"\x1b" in answer.stderr


HOSTILE_TOML = r"\u001b[2J"


@pytest.mark.guest
def test_what_a_failed_program_said_is_shown_so_and_kept(tmp_path):
    text = """
name = "says"
duration = "2 s"
[[wire]]
between = ["h1", "h2"]
[[program]]
name = "bad"
node = "h1"
must_succeed = true
command = "printf '\\\\033]0;title\\\\007\\\\033[2Jall is well\\\\r'; exit 3"
"""
    answer = airtcp("run", scenario_file(tmp_path, text), "--store", tmp_path / "store")
    assert answer.returncode == 3
    assert r"\x1b]0;title\x07\x1b[2Jall is well" in answer.stderr
    assert not HIDDEN & set(answer.stderr + answer.stdout)
    (kept,) = (tmp_path / "store").glob("failed-*")
    assert b"\033]0;title\007" in (kept / "programs" / "bad.out").read_bytes()
    assert str(kept) in answer.stderr
