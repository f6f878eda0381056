"""Files that users and their scenarios name: what is no file, or has no end, is told at once."""

import os
import signal
import time
from pathlib import Path

import pytest
from airtcp.campaign.cache_keys import file_digest
from airtcp.campaign.campaign import read_campaign
from airtcp.cli.mininet import _status
from airtcp.cli.store import _listed
from airtcp.errors import AirtcpError
from airtcp.execution.plan_cache import plan_of_file
from airtcp.formats.recognition import open_measurement
from airtcp.input_file import read_input
from airtcp.measurement.lab_file import read_lab
from airtcp.mininet.batch import _Output
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.own import own_quantity
from airtcp.report.comparison.files import file_side
from airtcp.scenario.compile.compiler import compile_any_file, compile_scenario
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.plan_file import read_plan
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.studies.tables.beside import read_values
from airtcp.traces.kinds import open_recordings

# A reader that waits for a pipe, or reads a device to its end, does not come back.
MOST_S = 20
FIVE = "time_s,rate_mbps\n0,5\n"


@pytest.fixture(autouse=True)
def limited():
    def late(*_):
        raise AssertionError("it waits, or reads without end")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(MOST_S)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def device(_folder):
    return "/dev/zero"


def pipe(folder):
    os.mkfifo(folder / "pipe")
    return folder / "pipe"


def folder_of_files(folder):
    (folder / "inner").mkdir()
    return folder / "inner"


def huge(folder):
    """A hole of a terabyte takes no room."""
    with (folder / "huge").open("wb") as file:
        file.truncate(1 << 40)
    return folder / "huge"


def tables(**more):
    return {"name": "x", "duration": "1 s", "wire": [{"between": ["a", "b"], **more}]}


def wire_trace(file):
    compile_scenario(scenario_from_tables(tables(trace={"file": str(file)})), file.parent)


def link_trace(file):
    link = {"between": ["ap1", "sta1"], "trace": {"file": str(file)}}
    wifi = {"home": {"stations": ["sta1"]}}
    compile_scenario(
        scenario_from_tables({"name": "x", "duration": "1 s", "wifi": wifi, "channel": {"link": [{**link}]}}),
        file.parent,
    )


def metric(file):
    own_quantity(MetricFile(python=f"{file}:f"), "metric.x")


READERS = {
    "scenario": compile_any_file,
    "scenario of a run": lambda file: plan_of_file(file, {}, file.parent),
    "plan": read_plan,
    "wire": wire_trace,
    "lab": read_lab,
    "campaign": read_campaign,
    "recording": lambda file: open_recordings(file),
    "measurement": open_measurement,
    "metric": metric,
    "side of a comparison": file_side,
    "list of runs": lambda file: _listed([file]),
    "values of a study": lambda file: read_values(file, ["a"]),
}


@pytest.mark.parametrize("made", [device, pipe, folder_of_files, huge])
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_of_a_size_that_can_be_meant_is_told(tmp_path, made, reader):
    file = Path(made(tmp_path))
    with pytest.raises(AirtcpError) as caught:
        READERS[reader](file)
    assert file.name in str(caught.value)


def test_only_regular_files_are_hashed(tmp_path):
    (tmp_path / "file").write_text("x")
    assert file_digest(tmp_path / "file")
    assert file_digest(pipe(tmp_path)) == file_digest(huge(tmp_path)) == ""


def test_files_without_a_size_are_read_and_links_only_where_they_may(tmp_path):
    assert b"Linux" in read_input("/proc/version", 1000)
    (tmp_path / "link").symlink_to("/proc/version")
    assert read_input(tmp_path / "link", 1000)
    with pytest.raises(OSError, match="link"):
        read_input(tmp_path / "link", 1000, follow=False)
    with pytest.raises(OSError, match="at most 10"):
        read_input("/proc/version", 10)


@pytest.mark.parametrize("line", ['0,"5', '"0,5', '0,"5"x'])
def test_an_open_quotation_in_a_trace_is_refused(tmp_path, line):
    (tmp_path / "t.csv").write_text(f"time_s,rate_mbps\n{line}\n1,6\n")
    with pytest.raises(ScenarioError, match="is not CSV"):
        wire_trace(tmp_path / "t.csv")


def test_a_trace_that_is_one_is_read(tmp_path):
    (tmp_path / "t.csv").write_text(FIVE)
    wire_trace(tmp_path / "t.csv")


def test_a_command_that_no_kernel_takes_is_refused_at_once():
    begin = time.monotonic()
    program = {"name": "p", "node": "a", "command": "a" * 3_000_000}
    with pytest.raises(ScenarioError, match=r"has 3000000 characters, 32767 are possible"):
        compile_scenario(scenario_from_tables({**tables(), "program": [program]}))
    longest = {"name": "p", "node": "a", "command": "a" * 32_767}
    compile_scenario(scenario_from_tables({**tables(), "program": [longest]}))
    assert time.monotonic() - begin < MOST_S


SETTINGS_ELSEWHERE = [
    "net.ipv4.//.//.kernel.core_pattern",
    "net..ipv4.x",
    "net.ipv4.",
    "net./.b",
]


@pytest.mark.parametrize("key", SETTINGS_ELSEWHERE)
def test_a_setting_stays_below_its_folder(key):
    """A `/` in a key is a dot in a name."""
    with pytest.raises(ScenarioError, match="not a setting below"):
        compile_scenario(scenario_from_tables({**tables(), "sysctl": {key: 1}}))


@pytest.mark.parametrize(
    ("content", "status"),
    [
        ("0\n", 0),
        ("7\n", 7),
        ("255", 255),
        ("256", 2),
        ("-1\n", 2),
        ("secret\n", 2),
        ("", 2),
        ("1" * 9000, 2),
    ],
)
def test_the_status_of_a_script_is_a_number_or_a_failure(tmp_path, content, status):
    (tmp_path / "status").write_text(content)
    assert _status(tmp_path / "status") == status


def test_what_a_script_leaves_instead_of_its_status_is_not_followed(tmp_path):
    (tmp_path / "secret").write_text("0\n")
    (tmp_path / "link").symlink_to(tmp_path / "secret")
    for file in (tmp_path / "link", pipe(tmp_path), folder_of_files(tmp_path), tmp_path / "missing"):
        assert _status(file) == 2


def test_the_output_of_a_script_is_not_followed_either(tmp_path):
    programs = tmp_path / ".working-run-1" / "programs"
    programs.mkdir(parents=True)
    (tmp_path / "secret").write_text("secret")
    (programs / "mininet.out").symlink_to(tmp_path / "secret")
    os.mkfifo(programs / "mininet.err")
    shown = []
    output = _Output(tmp_path, "run", lambda end, new: shown.append((end, new)))
    output.over.set()
    output.follow()
    assert shown == []
