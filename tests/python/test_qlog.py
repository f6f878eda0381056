"""qlog, the logs of QUIC implementations: versions, forms of times, damages, and the series of a run."""

import gzip
import json
import os
import random
from pathlib import Path

import airtcp
import pytest
from airtcp.data.run_folder import open_run
from airtcp.errors import AirtcpError
from airtcp.formats.qlog import is_qlog
from airtcp.quantities.forms import lines
from airtcp.quantities.registry import QUANTITIES
from airtcp.quantities.run_view import RunView
from airtcp.scenario.compile.compiler import compile_file
from support.documentation_pages import ROOT
from support.wifi_scenarios import plan_of

MS = 1_000_000
METRICS = {"congestion_window": 12000, "bytes_in_flight": 1200, "smoothed_rtt": 20.5, "min_rtt": 20}
EVENTS = (
    (0, "transport:packet_sent", {"raw": {"length": 1200}}),
    (20, "transport:packet_received", {"raw": {"length": 1000}}),
    (20, "recovery:metrics_updated", METRICS),
    (25, "recovery:packet_lost", {"header": {"packet_number": 0}}),
    (25, "recovery:metrics_updated", {"congestion_window": 6000, "ssthresh": 6000}),
    (30, "recovery:congestion_state_updated", {"new": "congestion_avoidance"}),
    (40, "transport:packet_sent", {"raw": {"length": 300}}),
)
UNIX_MS = 1_767_225_600_000


def events(form="absolute", events=EVENTS, since=0):
    """The events with times of a form, which may count from `since`."""
    made, before = [], 0
    for time, name, data in events:
        shown = {"absolute": since + time, "relative": time, "delta": time - before if made else time}[form]
        made.append({"time": shown, "name": name, "data": data})
        before = time
    return made


def contained(own_events, common=None, vantage="server", **more):
    trace = {
        "vantage_point": {"name": "own", "type": vantage},
        "common_fields": {"ODCID": "ab", **(common or {})},
        "events": own_events,
    }
    return json.dumps({"qlog_format": "JSON", "qlog_version": "0.3", "traces": [trace], **more}).encode()


def sequence(own_events, common=None, separator=b"\x1e", **more):
    head = {
        "qlog_format": "JSON-SEQ" if separator == b"\x1e" else "NDJSON",
        "qlog_version": "0.3",
        **more,
        "trace": {"vantage_point": {"type": "client"}, "common_fields": common or {}},
    }
    start = separator if separator == b"\x1e" else b""
    return b"".join(start + json.dumps(record).encode() + b"\n" for record in (head, *own_events))


def read(folder: Path, content: bytes, name="log.qlog"):
    file = folder / name
    file.write_bytes(content)
    return airtcp.load(file)


def refusal(folder: Path, content: bytes) -> str:
    with pytest.raises(AirtcpError) as caught:
        read(folder, content)
    told = caught.value
    assert told.remedy
    assert str(folder) in told.place
    return str(told)


# Reading


def test_a_row_at_each_event_of_recovery_and_at_the_last_event(tmp_path):
    measured = read(tmp_path, contained(events()))
    assert measured.format == "qlog"
    rows = measured.frame("recovery")
    assert rows["time_ns"].to_list() == [20 * MS, 25 * MS, 30 * MS, 40 * MS]
    # What an event does not tell stays as it was; what none has told is -1.
    assert rows["cwnd_bytes"].to_list() == [12000, 6000, 6000, 6000]
    assert rows["ssthresh_bytes"].to_list() == [-1, 6000, 6000, 6000]
    assert rows["srtt_us"].to_list() == [20500] * 4
    assert rows["latest_rtt_us"].to_list() == [-1] * 4
    assert rows["packets_lost"].to_list() == [0, 1, 1, 1]
    assert rows["bytes_sent"].to_list() == [1200, 1200, 1200, 1500]
    assert rows["bytes_received"].to_list() == [1000] * 4
    assert rows["congestion_state"].to_list() == [0, 0, 2, 2]
    (connection,) = measured.frame("connections").iter_rows(named=True)
    assert (connection["vantage_point"], connection["id"], connection["clock"]) == ("server", "ab", "unknown")


FORMS = {
    "absolute is the default": (contained, "absolute", {}),
    "relative": (contained, "relative", {"time_format": "relative", "reference_time": UNIX_MS}),
    "delta": (contained, "delta", {"time_format": "delta", "reference_time": UNIX_MS}),
    "relative, in a sequence": (sequence, "relative", {"time_format": "relative", "reference_time": UNIX_MS}),
    "since an epoch with a date": (
        sequence,
        "relative",
        {
            "time_format": "relative_to_epoch",
            "reference_time": {"clock_type": "system", "epoch": "2026-01-01T00:00:00.000Z"},
        },
    ),
    "since the event before, with the wall clock's time": (
        sequence,
        "delta",
        {
            "time_format": "relative_to_previous_event",
            "reference_time": {
                "clock_type": "monotonic",
                "epoch": "unknown",
                "wall_clock_time": "2026-01-01T00:00:00.000Z",
            },
        },
    ),
}


@pytest.mark.parametrize(("form", "times", "common"), FORMS.values(), ids=FORMS)
def test_all_forms_of_times_are_the_same_times(tmp_path, form, times, common):
    measured = read(tmp_path, form(events(times, since=UNIX_MS), common))
    assert measured.frame("connections")["clock"].to_list() == ["unix"]
    times_ns = measured.frame("recovery")["time_ns"]
    assert [time - UNIX_MS * MS for time in times_ns] == [20 * MS, 25 * MS, 30 * MS, 40 * MS]


@pytest.mark.parametrize(
    "content",
    [
        sequence(events(), separator=b"\n"),
        gzip.compress(contained(events())),
        gzip.compress(sequence(events())),
        sequence(events(), file_schema="urn:ietf:params:qlog:file:sequential", qlog_version=None),
    ],
    ids=["lines", "packed", "packed sequence", "later drafts"],
)
def test_each_form_of_file_has_the_same_rows(tmp_path, content):
    expected = read(tmp_path, contained(events())).frame("recovery")
    assert read(tmp_path, content).frame("recovery").equals(expected)


def test_names_of_later_drafts_are_the_same_events(tmp_path):
    named = [(time, name.replace("recovery:", "quic:recovery_"), data) for time, name, data in EVENTS]
    rows = read(tmp_path, contained(events(events=named))).frame("recovery")
    assert rows["cwnd_bytes"].to_list() == [12000, 6000, 6000, 6000]


def test_an_event_that_was_written_late_is_at_its_time(tmp_path):
    own = events()
    rows = read(tmp_path, contained([*own[1:], own[0]])).frame("recovery")
    assert rows["bytes_sent"].to_list() == [1200, 1200, 1200, 1500]


def test_a_threshold_that_is_none_yet_is_not_told(tmp_path):
    first = (0, "recovery:metrics_updated", {"ssthresh": 2**64 - 1, "congestion_window": 10})
    assert read(tmp_path, contained(events(events=[first]))).frame("recovery")["ssthresh_bytes"][0] == -1


# Damages


def test_a_last_record_that_was_not_finished_is_left_out_and_said(tmp_path):
    whole = sequence(events())
    measured = read(tmp_path, whole[:-20])
    assert measured.frame("recovery").height == 3
    assert measured.warnings == ("the last record is not whole: the program ended while it wrote it",)


DAMAGED = {
    "cut": (contained(events())[:-20], "it is not JSON to its end"),
    "cut in its packing": (gzip.compress(contained(events()))[:-12], "its gzip stream is cut"),
    "a record within": (sequence(events()).replace(b'{"time": 20', b'{"time" 20'), "is not JSON"),
    "without traces": (b'{"qlog_version": "0.3"}', "'traces'"),
    "without events": (contained([]), "trace 0 has no events"),
    "another version": (contained(events(), qlog_version="draft-01"), "version draft-01 is not known"),
    "an unknown form of times": (contained(events(), {"time_format": "beats"}), 'time_format "beats"'),
    "a time that is none": (contained([{"time": "now", "name": "a:b"}]), "'now' is not a number"),
    "a time without end": (contained([{"time": 1e300, "name": "a:b"}]), "too large"),
    "not a number": (contained(events()).replace(b"20.5", b"NaN"), "is not JSON"),
    "a window of another type": (contained(events()).replace(b"12000", b'"wide"'), "'wide' is not a number"),
    "too deep": (
        b'{"qlog_version": "0.3", "traces": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        "nested too deeply",
    ),
    "a list": (b'[{"qlog_version": "0.3"}]', "unknown format"),
}


@pytest.mark.parametrize(("content", "reason"), DAMAGED.values(), ids=DAMAGED)
def test_what_is_damaged_is_refused_with_its_reason(tmp_path, content, reason):
    assert reason in refusal(tmp_path, content)


def test_what_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("airtcp.formats.gzip_file.UNPACKED_MOST", 1 << 20)
    assert "it has more than 1048576 bytes unpacked" in refusal(
        tmp_path, gzip.compress(contained(events(), title="a" * (2 << 20)))
    )


def test_a_json_text_that_would_fill_the_memory_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("airtcp.formats.qlog._CONTAINED_BYTES_MOST", 100)
    assert "write a sequence" in refusal(tmp_path, contained(events()))


@pytest.mark.parametrize(
    "original", [contained(events()), sequence(events()), gzip.compress(sequence(events()))]
)
def test_changed_bytes_are_read_or_refused(tmp_path, original):
    chosen = random.Random(1)
    for _ in range(300):
        content = bytearray(original)
        for _ in range(chosen.randint(1, 4)):
            content[chosen.randrange(len(content))] = chosen.randrange(256)
        try:
            read(tmp_path, bytes(content[: chosen.randint(1, len(content))]))
        except AirtcpError:
            continue


def test_other_json_is_no_qlog():
    assert not is_qlog(b'{"start": {}, "intervals": []}')
    assert not is_qlog(gzip.compress(b'{"x_values": []}'))


# The series of a run


def of_run(folder, since_ms=1000, **options):
    """A log whose first event is at a time of the run."""
    date_ms = json.loads((folder / "plan.json").read_text())["date_s"] * 1000
    return contained(events(since=date_ms + since_ms), **options)


def test_a_run_has_its_logs_as_a_series_by_virtual_time(run_folder):
    log = run_folder / "programs" / "qlog" / "someone" / "ab.qlog"
    log.parent.mkdir(parents=True)
    log.write_bytes(of_run(run_folder))
    run = open_run(run_folder)
    assert "quic" in run.recorded
    assert run.quic["time_ns"].to_list() == [1020 * MS, 1025 * MS, 1030 * MS, 1040 * MS]
    assert run.quic["vantage_point"].to_list() == ["server"] * 4
    (connection,) = run.quic_connections
    assert connection["packets_lost"] == 1
    assert connection["file"] == "programs/qlog/someone/ab.qlog"
    assert airtcp.number(run, "quic_lost") == 1
    # From 1.02 s to the last event, at 1.04 s: 5 ms of 12 kB and 15 ms of 6 kB.
    assert airtcp.number(run, "quic_cwnd") == pytest.approx((12 * 5 + 6 * 15) / 20)
    assert airtcp.number(run, "quic_srtt") == pytest.approx(20.5)
    assert airtcp.number(run, "quic_queueing_delay") == pytest.approx(0.5)
    (drawn,) = lines(QUANTITIES["quic_inflight"], RunView(run)).values()
    assert drawn[1].tolist() == [1.2] * 4


def test_a_run_without_logs_has_no_such_series(run_folder):
    run = open_run(run_folder)
    assert "quic" not in run.recorded
    assert run.quic_connections == []
    with pytest.raises(AirtcpError, match="qlog = true"):
        airtcp.number(run, "quic_cwnd")


def test_logs_that_cannot_be_read_or_dated_are_left_out_with_their_reason(tmp_path, run_folder):
    folder = run_folder
    good, programs = of_run(folder), folder / "programs"
    programs.mkdir(exist_ok=True)
    (programs / "a.qlog").write_bytes(good[:-9])
    (programs / "b.qlog").write_bytes(contained(events()))
    (programs / "c.qlog").write_bytes(of_run(folder, since_ms=86_400_000))
    (programs / "d.qlog").write_bytes(good)
    outside = tmp_path / "outside.qlog"
    outside.write_bytes(good)
    os.symlink(outside, programs / "e.qlog")  # noqa: PTH211
    os.mkfifo(programs / "f.qlog")
    run = open_run(folder)
    assert [each["file"] for each in run.quic_connections] == ["programs/d.qlog"]
    reasons = dict(each.split(": ", 1) for each in run.quic_left_out)
    assert set(reasons) == {f"programs/{name}.qlog" for name in "abc"}
    assert "not JSON to its end" in reasons["programs/a.qlog"]
    assert "no date" in reasons["programs/b.qlog"]
    assert "not those of the run" in reasons["programs/c.qlog"]


def test_a_program_with_qlog_gets_a_folder_of_its_own():
    scenario = """
name = "x"
duration = "2 s"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
[[program]]
node = "h1"
command = "echo one"
qlog = true
[[program]]
node = "h1"
command = "echo two"
"""
    first, second = (program["command"] for program in plan_of(scenario)["programs"])
    assert first == 'export QLOGDIR="$RUN_DIR"/qlog/program1; mkdir -p "$QLOGDIR"\necho one'
    assert second == "echo two"


@pytest.mark.parametrize(
    "file",
    sorted((ROOT / "examples").glob("quic*/*.toml")),
    ids=lambda file: f"{file.parent.name}/{file.name}",
)
def test_the_examples_compile_with_their_scripts(file):
    plan = compile_file(file)
    assert [program["name"] for program in plan["programs"]] == ["server", "client"]
    assert {"transfer.py", "endpoint.py"} & {each["path"] for each in plan["files"]}
