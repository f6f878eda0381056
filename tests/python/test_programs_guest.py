"""Programs of one's own in a node: names, folders, files, the date, and what a failure tells."""

import json
import re
import subprocess
from datetime import UTC, datetime

import pytest
from airtcp.data.find_runs import find_runs
from airtcp.data.load import load
from airtcp.data.run_folder import open_run
from airtcp.scenario.compile.compiler import compile_file
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.plan_file import read_plan
from support.command import airtcp

NETWORK = """
name = "own"
duration = "2 s"
{head}
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "r1"]
[[wire]]
between = ["r1", "h1"]
[node.r1]
kind = "router"
[[ping]]
from = "sta1"
to = "h1"
"""


def scenario(folder, *programs, head=""):
    """A scenario file with programs in `sta1`, each a text of keys or a command."""
    tables = (
        f'[[program]]\nnode = "sta1"\n{each if each.startswith("#") else f"command = {json.dumps(each)}"}\n'
        for each in programs
    )
    file = folder / "own.toml"
    file.write_text(NETWORK.format(head=head) + "".join(tables), encoding="utf-8")
    return file


@pytest.fixture
def ran(tmp_path):
    """Runs programs in `sta1` and gives what the first one printed."""

    def run(*programs, head=""):
        answer = airtcp("run", str(scenario(tmp_path, *programs, head=head)), cwd=tmp_path)
        assert answer.returncode == 0, answer.stderr
        (folder,) = find_runs([tmp_path / "runs"])
        return (folder / "programs" / "program1.out").read_text()

    return run


def test_nodes_and_their_interfaces_have_names(ran):
    said = ran(
        "ping -c 1 -W 1 h1; ping -c 1 r1-eth0 | head -1; getent hosts sta1 r1; getent hosts nobody; true"
    )
    assert "1 packets transmitted, 1 received" in said
    assert "PING r1 (10.0.0.2)" in said
    assert said.count("sta1-wlan0") == 1
    assert "nobody" not in said


def test_unknown_names_cost_no_time(ran):
    # Without a name server, and without that of the host, which would be asked for seconds.
    said = ran("date +%s.%N; getent hosts nobody.example; date +%s.%N; cat /etc/resolv.conf")
    begin, end = map(float, said.split())
    assert end - begin < 0.1


def test_a_program_begins_in_the_scenarios_folder_with_its_files(tmp_path, ran):
    (tmp_path / "client.py").write_text("import other; print('from', other.__name__)\n")
    (tmp_path / "other.py").write_text("")
    (tmp_path / "unasked.txt").write_text("")
    (tmp_path / "www").mkdir()
    (tmp_path / "www" / "picture.bin").write_bytes(b"\xff\x00\xfe")
    (tmp_path / ".secret.py").write_text("")
    script = tmp_path / "go.sh"
    script.write_text("#!/bin/sh\necho went\n")
    script.chmod(0o755)
    said = ran(
        "python3 client.py; ./go.sh; od -An -tx1 www/picture.bin; find . -type f | sort; "
        "echo $NODE $SCENARIO_DIR $RUN_DIR; pwd; touch here 2>&1; echo made > $RUN_DIR/made"
    )
    lines = [line.strip() for line in said.splitlines()]
    assert lines[:3] == ["from other", "went", "ff 00 fe"]
    assert lines[3:7] == ["./client.py", "./go.sh", "./other.py", "./www/picture.bin"]
    assert lines[7] == "sta1 /run/scenario /run/airtcp/programs"
    assert lines[8] == "/run/scenario"
    assert "Read-only file system" in lines[9]
    (made,) = tmp_path.glob("runs/*/programs/made")
    assert made.read_text() == "made\n"


def test_what_a_script_says_is_part_of_the_run(tmp_path):
    file = scenario(tmp_path, "sh script.sh")
    script = tmp_path / "script.sh"
    script.write_text("echo 1\n")
    first = compile_file(file)
    assert compile_file(file) == first
    assert first["files"] == [
        {"path": "script.sh", "executable": False, "content": {"kind": "text", "text": "echo 1\n"}}
    ]
    script.write_text("echo 2\n")
    assert compile_file(file) != first


def test_files_are_there_for_commands_of_sessions_too(tmp_path):
    (tmp_path / "tool.py").write_text("print('tool')\n")
    (tmp_path / "tools").mkdir()
    (tmp_path / "tools" / "other.sh").write_text("echo other\n")
    named = '[[session]]\nat = "1 s"\nstart = { node = "h1", command = "python3 tool.py" }\n'
    file = scenario(tmp_path)
    file.write_text(file.read_text() + named, encoding="utf-8")
    assert [each["path"] for each in compile_file(file)["files"]] == ["tool.py"]
    file.write_text(NETWORK.format(head="") + '[guest]\nfiles = ["tools/**"]\n', encoding="utf-8")
    assert [each["path"] for each in compile_file(file)["files"]] == ["tools/other.sh"]
    file.write_text(NETWORK.format(head="") + '[guest]\nfiles = ["nothing"]\n', encoding="utf-8")
    with pytest.raises(ScenarioError, match="no file matches") as caught:
        compile_file(file)
    assert caught.value.key == "guest.files"


def test_files_are_asked_for_by_patterns_and_checked(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "a.csv").write_text("1")
    plan = compile_file(scenario(tmp_path, '#\ncommand = "cat $FILE"\nfiles = ["data/*.csv"]'))
    assert [file["path"] for file in plan["files"]] == ["data/a.csv"]
    for pattern, said in (("none*", "no file matches"), ("/etc/*", "not inside"), ("../*", "not inside")):
        with pytest.raises(ScenarioError, match=said) as caught:
            compile_file(scenario(tmp_path, f'#\ncommand = "true"\nfiles = ["{pattern}"]'))
        assert caught.value.key == "program[0].files"
    (tmp_path / "data" / "large").write_bytes(bytes(5 << 20))
    with pytest.raises(ScenarioError, match="more than 4 MiB, with data/large"):
        compile_file(scenario(tmp_path, "cat data"))


def test_a_plan_repeats_without_the_folder_of_its_scenario(tmp_path, ran):
    (tmp_path / "script.sh").write_text("echo again\n")
    assert ran("sh script.sh") == "again\n"
    (plan,) = tmp_path.glob("runs/*/plan.json")
    (tmp_path / "script.sh").unlink()
    assert read_plan(plan)["files"][0]["path"] == "script.sh"
    answer = airtcp("run", str(plan), "--store", str(tmp_path / "other"), cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    (out,) = tmp_path.glob("other/*/programs/program1.out")
    assert out.read_text() == "again\n"


@pytest.mark.parametrize(
    ("head", "zero"),
    [
        ("", datetime(2026, 1, 1, tzinfo=UTC)),
        ("date = 2031-05-06T07:08:09+02:00", datetime(2031, 5, 6, 5, 8, 9, tzinfo=UTC)),
    ],
)
def test_the_date_is_the_scenarios_and_captures_carry_it(tmp_path, ran, head, zero):
    said = ran("date +%s", '#\ncommand = "true"\n[[capture]]\nname = "wire"\nnode = "h1"\n', head=head)
    assert int(said) == zero.timestamp()
    (capture,) = tmp_path.glob("runs/*/pcap/*.pcapng")
    command = ["tshark", "-r", str(capture), "-T", "fields", "-e", "frame.time_epoch"]
    times = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
    assert times
    assert all(0 <= float(time) - zero.timestamp() <= 2 for time in times)
    frame = load(capture).frame("packets")
    # Read by airtcp they have traffic time, as series have.
    assert frame["time_ns"].is_between(0, 2 * 10**9).all()


@pytest.mark.parametrize(
    ("date", "said"),
    [
        ("2026-01-01T00:00:00.5Z", "whole seconds"),
        ("1969-12-31T00:00:00Z", "out of range"),
        ('"soon"', "not a date"),
    ],
)
def test_dates_that_can_not_be(tmp_path, date, said):
    with pytest.raises(ScenarioError, match=said) as caught:
        compile_file(scenario(tmp_path, "true", head=f"date = {date}"))
    assert caught.value.key == "date"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("echo 'no such host' >&2; exit 4", "ended with exit status 4: no such host."),
        ('echo \'{"error": "refused"}\'; exit 1', 'ended with exit status 1: {"error": "refused"}.'),
        ("exit 3", "ended with exit status 3: it wrote nothing."),
        ("python3 missing.py", "can't open file '/run/scenario/missing.py'"),
        ("nosuchprogram", "did not find a command (exit status 127)"),
    ],
)
def test_a_failure_is_told_with_the_last_words_of_the_program_and_no_others(tmp_path, command, said):
    file = scenario(tmp_path, command)
    answer = airtcp("run", str(file), cwd=tmp_path)
    assert answer.returncode == 3
    (line,) = answer.stderr.splitlines()
    assert re.match(rf"airtcp: {re.escape(str(file))}:\d+: program\[0\]\.command: program program1 ", line)
    assert said in line


def test_a_queue_that_tc_refuses_is_named_as_in_the_scenario(tmp_path):
    file = scenario(tmp_path, "true")
    text = file.read_text().replace('"h1"]\n', '"h1"]\nqueue = "fq_codel target soon"\n', 1)
    file.write_text(text)
    answer = airtcp("run", str(file), cwd=tmp_path)
    assert answer.returncode == 3
    # tc tells how fq_codel is used.
    assert re.match(
        rf"airtcp: {re.escape(str(file))}:\d+: wire\[1\]\.queue: tc refuses 'qdisc replace", answer.stderr
    )
    assert 'Illegal "target"' in answer.stderr
    assert "last lines" not in answer.stderr


def test_a_run_tells_its_programs(tmp_path, ran):
    ran("true")
    (folder,) = find_runs([tmp_path / "runs"])
    (program,) = open_run(folder).agent["programs"]
    assert program.pop("group") > 1
    assert program == {"name": "program1", "status": 0, "signal": None}
