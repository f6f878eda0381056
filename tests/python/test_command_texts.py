"""What commands print: speeds, headings, summaries, and errors without what explains nothing."""

import json
from typing import ClassVar

import pytest
from airtcp.execution.events import RunFailed, read_event
from airtcp.execution.locate import builder_environment
from airtcp.execution.progress import speed_text
from airtcp.shell import keep_commands
from airtcp.shell.shell import Command
from support.documentation_pages import ROOT

SCENARIO = (
    'name = "first"\nduration = "1 s"\n[wifi.home]\nstations = ["sta1"]\n[[wire]]\nbetween = ["ap1", "h1"]\n'
)


@pytest.mark.parametrize(
    ("factor", "text"),
    [(0.347, "0.35"), (3.21, "3.2"), (9.9, "9.9"), (9.96, "10"), (31.4, "31"), (158.2, "158")],
)
def test_a_slow_run_has_its_speed_with_two_digits(factor, text):
    assert speed_text(factor) == f"{text} times real time"


def headings(airtcp, *names):
    files = [f"{name}.toml" for name in names]
    done = airtcp("run", *files)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if line.startswith("first")]


def test_results_of_one_name_are_headed_by_their_files(airtcp, tmp_path):
    for name, queue in (("short", "20 packets"), ("long", "200 packets")):
        (tmp_path / "work" / f"{name}.toml").write_text(f'{SCENARIO}queue = "{queue}"\n')
    assert headings(airtcp, "short", "long") == ["first (short.toml)", "first (long.toml)"]
    assert headings(airtcp, "short") == ["first"]


def test_a_failure_is_told_without_what_every_boot_says():
    lines = [
        "    0.00 BogoMIPS (lpj=1)",
        "epollctl add err fd 9, Operation not permitted",
        "This architecture does not have kernel memory protection.",
        "platform regulatory.0: Direct firmware load for regulatory.db failed with error -2",
        "Kernel panic",
    ]
    about = {"kind": "guest", "what": "ended", "place": "", "remedy": "", "console": lines}
    failed = read_event(json.dumps({"event": "failed", **about}))
    assert isinstance(failed, RunFailed)
    assert failed.console == ["Kernel panic"]


@pytest.mark.guest
def test_a_queue_that_tc_refuses_is_told_with_its_line(tmp_path):
    from support.command import airtcp as command

    (tmp_path / "x.toml").write_text(f'{SCENARIO}queue = "fq_codel targt 5ms"\n')
    told = command("run", "x.toml", cwd=tmp_path)
    assert told.stderr.startswith("airtcp: x.toml:7: wire[0].queue: tc refuses"), told.stderr
    assert "Command failed" not in told.stderr
    assert "Correct these words" in told.stderr


@pytest.mark.parametrize("words", [[], ["store"], ["kernel"]])
def test_no_summary_of_a_command_is_cut(airtcp, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    listed = airtcp(*words, "--help", COLUMNS="80").stdout.partition("Commands:")[2]
    assert listed
    assert "..." not in listed
    assert all(len(line) <= 80 for line in listed.splitlines())


def test_help_of_the_shell_is_broken_between_words(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    said = []

    class Fake:
        commands: ClassVar = {
            "until": Command(
                "until", "TIME", "Go on to a time of the run, or for a span from here.", lambda *_: None
            )
        }

        def say(self, text):
            said.extend(text.splitlines())

    keep_commands._help(Fake(), [])
    assert all(len(line) <= 60 for line in said)
    assert " ".join(" ".join(said).split()).startswith(
        "until TIME Go on to a time of the run, or for a span from here."
    )


def test_the_builder_speaks_as_the_command_that_runs_it(airtcp):
    assert builder_environment()["AIRTCP_BUILDER"] == "airtcp"
    told = airtcp("kernel", "build", "--cca", "tcp_x.c")
    assert told.stderr == "airtcp: --cca tcp_x.c: there is no such file\n"
    assert "AIRTCP_BUILDER:-kernel/build" in (ROOT / "kernel" / "build").read_text()


def test_an_unknown_format_is_told_in_plain_words(airtcp):
    told = airtcp("export", "runs/x", "--format", "xlsx")
    assert (told.returncode, told.stderr) == (
        2,
        'airtcp: --format: there is no format "xlsx". Known: csv, parquet, flent, perfetto.\n',
    )


def test_one_set_of_results_cannot_be_compared(airtcp):
    told = airtcp("compare", "runs")
    assert told.stderr == (
        "airtcp: runs: there is nothing to compare it with. Name other results behind it, or --ours and --theirs.\n"
    )
