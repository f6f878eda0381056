"""The command: every user's error is one message and status 2, nothing is written, nothing stays behind."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from test_execution import exists
from test_scenario import BASE, FLOW

GOOD = BASE + FLOW


def assert_one_message(answer, *parts, status=2):
    assert answer.returncode == status, answer.stderr
    assert "Traceback" not in answer.stderr
    lines = answer.stderr.strip().splitlines()
    assert len(lines) == 1, answer.stderr
    for part in parts:
        assert part in lines[0]


def written(tmp_path):
    return list((tmp_path / "work").rglob("*"))


def test_a_run_shows_tables_and_the_path(airtcp, first_toml, tmp_path):
    answer = airtcp("run", str(first_toml), "--seed", "3")
    assert answer.returncode == 0, answer.stderr
    assert "sta1-h1" in answer.stdout
    assert "cubic" in answer.stdout
    folder = Path(answer.stdout.strip().splitlines()[-1].removeprefix("Run folder: "))
    assert folder.parent == tmp_path / "work" / "runs"
    assert json.loads((folder / "plan.json").read_text())["seed"] == 3
    assert "10.0 s in 0.5 s" in answer.stderr


def test_a_run_is_repeated_from_its_plan(airtcp, first_toml, tmp_path):
    first = airtcp("run", str(first_toml), "--seed", "3").stdout.strip().splitlines()[-1]
    plan = Path(first.removeprefix("Run folder: ")) / "plan.json"
    again = airtcp("run", str(plan), "--store", "again")
    assert again.returncode == 0, again.stderr
    assert (tmp_path / "work" / "again" / plan.parent.name / "plan.json").read_text() == plan.read_text()


@pytest.mark.parametrize(
    ("change", "parts"),
    [
        ({"version": 1}, ("plan of version 1", "manifest.json")),
        ({"version": 2, "datagrams": None}, ("plan of version 2",)),
        ({"version": "4"}, ("is damaged: its version is '4'",)),
        ({"nodes": None}, ("is not the plan of a run", "nodes")),
        (None, ("is not a plan",)),
    ],
)
def test_what_is_no_plan_is_told(airtcp, first_toml, tmp_path, change, parts):
    plan = json.loads(airtcp("show-plan", str(first_toml)).stdout)
    file = tmp_path / "plan.json"
    kept = {key: value for key, value in {**plan, **(change or {})}.items() if value is not None}
    file.write_text(json.dumps(kept) if change else "{")
    assert_one_message(airtcp("run", str(file)), "plan.json", *parts)
    file.write_text(json.dumps(plan))
    assert_one_message(airtcp("run", str(file), "--seed", "2"), "--seed", "can't be changed")


def test_show_plan_prints_json(airtcp, first_toml, tmp_path):
    answer = airtcp("show-plan", str(first_toml))
    assert json.loads(answer.stdout)["name"] == "first"
    assert written(tmp_path) == []


MESSAGES = {
    "unknown key": (
        GOOD + "stat = '1 s'\n",
        ("scenario.toml:11: flow[0].stat: unknown key", 'Did you mean "start"?'),
    ),
    "unknown cca": (GOOD + "cca = 'cubik'\n", ("flow[0].cca", "cubik", "known: reno, bic, cubic")),
    "syntax": (GOOD + "x = = 1\n", ("scenario.toml:11: TOML syntax", "Write x = 1")),
    "unconnected": (
        GOOD + "[[wire]]\nbetween = ['x', 'y']\n[[flow]]\nfrom = 'x'\nto = 'h1'\n",
        ("flow[1]", "can't reach"),
    ),
    "negative": (GOOD + "start = '-1 s'\n", ("flow[0].start", "negative")),
}


@pytest.mark.parametrize("case", MESSAGES)
@pytest.mark.parametrize("command", ["run", "show-plan"])
def test_errors_in_a_file(airtcp, scenario_file, tmp_path, command, case):
    text, parts = MESSAGES[case]
    assert_one_message(airtcp(command, str(scenario_file(text))), *parts)
    assert written(tmp_path) == []


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda path: path / "none.toml", "there is no such file"),
        (lambda path: path, "is a folder"),
        (lambda path: (path / "b.toml").write_bytes(b"\xff\xfe") and path / "b.toml", "not UTF-8"),
        (lambda path: (path / "b.toml").write_text("a = " + "[" * 5000) and path / "b.toml", "b.toml"),
    ],
)
def test_errors_of_a_file(airtcp, tmp_path, make, part):
    assert_one_message(airtcp("run", str(make(tmp_path))), part)
    assert written(tmp_path) == []


def test_no_runner(airtcp, first_toml, tmp_path):
    assert_one_message(
        airtcp("run", str(first_toml), AIRTCP_RUNNER="/nonexistent"), "/nonexistent", "no such program"
    )
    assert written(tmp_path) == []


def test_no_kernel(airtcp, first_toml, tmp_path):
    answer = airtcp("run", str(first_toml), AIRTCP_KERNELS=str(tmp_path / "none"))
    assert_one_message(answer, "no kernel 6.12 is built", "airtcp kernel build --series 6.12")
    assert written(tmp_path) == []


def test_a_store_that_is_a_file(airtcp, first_toml, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert_one_message(
        airtcp("run", str(first_toml), "--store", str(file)), str(file), "can't be written", "--store"
    )


def test_impossible_options(airtcp, first_toml):
    assert_one_message(airtcp("run", str(first_toml), "--jobs", "0"), "--jobs")
    assert airtcp("run", str(first_toml), "--seed", "-1").returncode == 2
    assert airtcp("run").returncode == 2
    assert airtcp("nosuch").returncode == 2


def test_a_failed_run(airtcp, first_toml):
    answer = airtcp("run", str(first_toml), FAKE_RUNNER="fail")
    assert answer.returncode == 3
    assert answer.stderr.splitlines() == [
        f"airtcp: {first_toml}: program[0]: the program 'nosuch' was not found. Install it.",
        "The guest's last lines:",
        "    [    0.1] last words",
    ]


def test_doctor_names_what_is_missing(airtcp, tmp_path):
    well = airtcp("doctor")
    assert [line.split()[0] for line in well.stdout.splitlines()[-5:-1]] == ["ok"] * 4, well.stdout
    answer = airtcp("doctor", AIRTCP_KERNELS=str(tmp_path / "none"), PATH="/nonexistent")
    assert answer.returncode == 2
    assert "MISSING  kernel: no kernel 6.12 is built" in answer.stdout
    assert "airtcp kernel build" in answer.stdout


def test_kernel_path(airtcp, kernel):
    assert airtcp("kernel", "path").stdout.strip() == str(kernel)


@pytest.mark.parametrize(
    ("arguments", "parts"),
    [
        (("aoyagi2032",), ('no study "aoyagi2032"', 'mean "aoyagi2023"')),
        (("aoyagi2023", "--section", "9"), ('no section or part "9"', "4.2")),
        (("aoyagi2023", "--cca", "cubik"), ("cubik", 'mean "cubic"')),
        (("aoyagi2023", "--cca", "dctcp"), ("dctcp", "not a cca of this study")),
        (("aoyagi2023", "--only", "queue=7 packets"), ("7 packets", 'mean "20 packets"')),
        (("aoyagi2023", "--only", "queues=1"), ("queues", 'mean "queue"')),
        (("aoyagi2023", "--only", "queue"), ("selects no level", "FACTOR=LEVEL")),
        (("aoyagi2023", "--reps", "0"), ("--reps",)),
        (("aoyagi2023", "--out", "/dev/null"), ("exists and is not a report", "--out")),
        (("aoyagi2023", "--out", "/proc/x"), ("/proc", "can't be written")),
    ],
)
def test_impossible_studies(airtcp, tmp_path, arguments, parts):
    assert_one_message(airtcp("study", *arguments), *parts)
    assert written(tmp_path) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interruption_leaves_nothing_behind(tmp_path, fake_runner, kernel, number):
    guests = tmp_path / "guests"
    environment = {
        **os.environ,
        "AIRTCP_RUNNER": str(fake_runner),
        "AIRTCP_KERNELS": str(kernel.parent),
        "FAKE_RUNNER": "hang",
        "FAKE_GUEST": str(guests),
        "PYTHONPATH": str(Path(__file__).parents[2] / "python"),
        "TMPDIR": str(tmp_path / "tmp"),
    }
    (tmp_path / "tmp").mkdir()
    command = [sys.executable, "-m", "airtcp", "study", "aoyagi2023", "--quick", "--jobs", "2"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 30
    while (not guests.exists() or len(guests.read_text().split()) < 4) and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors.splitlines() == ["airtcp: interrupted"]
    ids = [int(word) for word in guests.read_text().split()]
    assert len(ids) == 4, "two runs at once"
    assert not any(exists(each) for each in ids)
    assert list((tmp_path / "tmp").iterdir()) == []
    assert not (tmp_path / "reports").exists()


def test_help_is_quick(airtcp):
    heavy = "('polars', 'matplotlib', 'numpy', 'pydantic')"
    program = f"import sys, airtcp.cli.main; print([m for m in {heavy} if m in sys.modules])"
    answer = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "python")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert answer.stdout.strip() == "[]"
    assert "show-plan" in airtcp("--help").stdout


@pytest.mark.parametrize("words", [("study",), ("study", "--list")])
def test_studies_are_listed_with_their_titles(airtcp, words, tmp_path):
    answer = airtcp(*words)
    assert answer.returncode == 0, answer.stderr
    titles = dict(line.split(maxsplit=1) for line in answer.stdout.splitlines())
    assert titles["aoyagi2023"].startswith("An Accurate Platform")
    assert titles["horie2020"].startswith("Preset: fourteen congestion controls")
    assert written(tmp_path) == []
