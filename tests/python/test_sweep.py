"""Campaigns from their start to their report, with a fake runner."""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import airtcp
import polars as pl
import pytest
from support.small_campaign import CAMPAIGN, write_campaign


@pytest.fixture
def campaign(tmp_path):
    return write_campaign(tmp_path / "campaign")


@pytest.fixture
def log(tmp_path, monkeypatch):
    """The runs that began, by name and seed."""
    place = tmp_path / "log"
    monkeypatch.setenv("FAKE_LOG", str(place))
    return lambda: place.read_text().splitlines() if place.exists() else []


def events(text):
    return [json.loads(line) for line in text.splitlines()]


def test_a_campaign_is_computed_once(log, airtcp, campaign):
    first = airtcp("sweep", str(campaign))
    assert first.returncode == 0, first.stderr
    assert "4 runs: 4 computed, 0 cached" in first.stderr
    assert "A small campaign: every combination" in first.stdout
    assert len(log()) == 4
    second = airtcp("sweep", str(campaign), "--json")
    said = events(second.stdout)
    assert [one["event"] for one in said] == ["begin", "summary"]
    counts = {"runs": 4, "computed": 0, "cached": 4, "failed": 0}
    assert {key: said[-1][key] for key in counts} == counts
    assert len(log()) == 4
    # More of the same campaign: only what is new.
    assert airtcp("sweep", str(campaign), "--reps", "2", "--only", "cca=reno", "--quiet").returncode == 0
    assert len(log()) == 6


def test_the_report_is_that_of_a_study(airtcp, campaign, tmp_path):
    ended = airtcp("sweep", str(campaign), "--out", "told")
    assert ended.returncode == 0, ended.stderr
    folder = tmp_path / "work" / "told"
    there = {file.name for file in folder.iterdir()}
    assert {
        "report.html",
        "report.md",
        "report.json",
        "results.csv",
        "results.tex",
        "results.json",
        "rtt.png",
        "rtt.svg",
    } <= there
    runs = json.loads((folder / "results.json").read_text())["runs"]
    assert [(run["cca"], run["queue"], round(run["rtt"], 3)) for run in runs] == [
        ("reno", "20 packets", 25.8),
        ("reno", "100 packets", 121.8),
        ("cubic", "20 packets", 25.8),
        ("cubic", "100 packets", 121.8),
    ]
    before = (folder / "report.html").stat().st_mtime_ns
    assert airtcp("sweep", str(campaign), "--out", "told").returncode == 0
    assert (folder / "report.html").stat().st_mtime_ns == before
    campaign.write_text(CAMPAIGN.replace("A small campaign", "Another title"))
    assert airtcp("sweep", str(campaign), "--out", "told").returncode == 0
    assert "Another title" in (folder / "report.html").read_text()


def test_a_report_made_while_runs_go_on_is_that_made_afterwards(airtcp, campaign, tmp_path):
    work = tmp_path / "work"
    report, command = work / "reports" / "small", ("sweep", str(campaign), "--jobs", "2", "--quiet")
    # The first cases end last.
    assert airtcp(*command, FAKE_SLOW='"congestion_control": "reno"').returncode == 0
    assert len(list((work / "runs" / ".campaigns" / "pages").iterdir())) == 4
    meanwhile = report.rename(work / "meanwhile")
    shutil.rmtree(work / "runs" / ".campaigns")
    assert airtcp(*command).returncode == 0
    assert {file.name: file.read_bytes() for file in report.iterdir()} == {
        file.name: file.read_bytes() for file in meanwhile.iterdir()
    }


def test_failures_do_not_end_a_campaign(airtcp, campaign, tmp_path):
    # One at a time, so that the same run fails first on every machine.
    ended = airtcp("sweep", str(campaign), "--jobs", "1", FAKE_FAIL='"limit": 100}')
    assert ended.returncode == 3
    assert "4 runs: 2 computed, 0 cached, 2 failed" in ended.stderr
    assert "FAILED reno, 100 packets, seed 1 and 1 more: program[0]: the program 'nosuch'" in ended.stdout
    folder = tmp_path / "work" / "reports" / "small"
    failed = json.loads((folder / "failed.json").read_text())["failed"]
    assert [one["levels"]["queue"] for one in failed] == ["100 packets"] * 2
    assert {one["kind"] for one in failed} == {"program"}
    assert failed[0]["console"] == ["[    0.1] last words"]
    assert json.loads((folder / "report.json").read_text())["failed"] == 2
    assert "FAILED: 2 runs" in (folder / "report.md").read_text()
    # Mended, only they are run.
    mended = airtcp("sweep", str(campaign))
    assert "4 runs: 2 computed, 2 cached" in mended.stderr
    assert mended.returncode == 0
    assert not (folder / "failed.json").exists()


def test_a_campaign_of_nothing_but_failures(airtcp, campaign, tmp_path):
    ended = airtcp("sweep", str(campaign), "--json", FAKE_RUNNER="silent")
    assert ended.returncode == 3, ended.stderr
    said = events(ended.stdout)
    assert [one["event"] for one in said].count("failed") == 4
    assert said[-1]["failed"] == 4
    failed = json.loads((tmp_path / "work" / "reports" / "small" / "failed.json").read_text())["failed"]
    assert "panicked" in failed[0]["what"]


def test_a_dry_run_runs_nothing(log, airtcp, campaign, tmp_path):
    assert (
        "4 runs: 0 cached, 4 to compute (8 virtual s)" in airtcp("sweep", str(campaign), "--dry-run").stdout
    )
    assert not (tmp_path / "work" / "runs").exists()
    airtcp("sweep", str(campaign), "--only", "cca=cubic")
    told = events(airtcp("sweep", str(campaign), "--dry-run", "--json").stdout)[0]
    assert (told["runs"], told["cached"], told["missing"]) == (4, 2, 2)
    assert len(log()) == 2


def test_equal_runs_are_computed_once(log, airtcp, campaign):
    campaign.write_text(
        CAMPAIGN.replace('"100 packets"]', '"20 packet"]').replace('"20 packet"', '"20 packets"')
    )
    campaign.write_text(
        campaign.read_text().replace('["20 packets", "20 packets"]', '["20 packets", "20  packets"]')
    )
    ended = airtcp("sweep", str(campaign))
    assert ended.returncode == 0, ended.stderr
    assert len(log()) == 2
    assert "2 runs: 2 computed" in ended.stderr


def test_a_damaged_run_is_computed_again(log, airtcp, campaign, tmp_path):
    airtcp("sweep", str(campaign))
    store = tmp_path / "work" / "runs"
    victim = sorted(file.parent for file in store.glob("*/manifest.json"))[0]
    (victim / "plan.json").write_text("{")
    for file in (store / ".campaigns" / "numbers").glob("*.json"):
        file.unlink()
    again = airtcp("sweep", str(campaign))
    assert again.returncode == 0, again.stderr
    assert len(log()) == 5
    assert json.loads((victim / "plan.json").read_text())["name"] == "base"


def test_a_lost_index_costs_time_only(log, airtcp, campaign, tmp_path):
    airtcp("sweep", str(campaign))
    assert len(log()) == 4
    for file in (tmp_path / "work" / "runs" / ".campaigns").glob("*.json"):
        file.write_text('{"half a file')
    again = airtcp("sweep", str(campaign))
    assert again.returncode == 0, again.stderr
    # The runner named the runs that are there; none was started.
    assert len(log()) == 4


def test_an_interrupted_campaign_goes_on_later(campaign, tmp_path, kernel, fake_runner, log):
    environment = {
        **os.environ,
        "AIRTCP_RUNNER": str(fake_runner),
        "AIRTCP_KERNELS": str(kernel.parent),
        "PYTHONPATH": os.pathsep.join(sys.path),
        "FAKE_SECONDS": "0.3",
        "FAKE_GUEST": str(tmp_path / "guests"),
    }
    command = [sys.executable, "-m", "airtcp", "sweep", str(campaign), "--reps", "5", "--jobs", "1", "--json"]
    process = subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.PIPE, text=True)
    done = 0
    for line in process.stdout:
        done += json.loads(line)["event"] == "done"
        if done == 2:
            process.send_signal(signal.SIGINT)
            break
    assert process.wait(20) == 130
    process.stdout.close()
    for word in (tmp_path / "guests").read_text().split():
        assert not Path(f"/proc/{word}/exe").exists() or "Z" in Path(f"/proc/{word}/stat").read_text()
    before = len(log())
    assert before < 20
    told = subprocess.run(
        [*command, "--dry-run"], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert json.loads(told.stdout)["cached"] >= 2


def test_two_campaigns_at_once_on_one_store(airtcp, campaign):
    ended = []

    def one(out, reps):
        ended.append(airtcp("sweep", str(campaign), "--out", out, "--reps", reps, "--jobs", "1"))

    threads = [threading.Thread(target=one, args=(f"r{n}", str(n))) for n in (1, 2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [one.returncode for one in ended] == [0, 0], [one.stderr for one in ended]
    told = events(airtcp("sweep", str(campaign), "--reps", "2", "--dry-run", "--json").stdout)[0]
    assert (told["cached"], told["missing"]) == (8, 0)


@pytest.mark.usefixtures("fake_tools")
def test_a_frame_from_python(campaign, tmp_path, log):
    frame = airtcp.sweep(campaign, store=tmp_path / "runs", only={"cca": ["cubic"]}, reps=2, jobs=1)
    assert frame.columns == ["cca", "queue", "seed", "throughput", "rtt", "run", "folder", "failure"]
    assert frame["seed"].to_list() == [1, 2, 1, 2]
    assert frame["rtt"].round(1).to_list() == [25.8, 25.8, 121.8, 121.8]
    assert frame["failure"].null_count() == 4
    assert all((Path(folder) / "manifest.json").is_file() for folder in frame["folder"])
    again = airtcp.sweep(str(campaign), store=tmp_path / "runs", only={"cca": ["cubic"]}, reps=2)
    assert again.equals(frame)
    assert len(log()) == 4


@pytest.mark.usefixtures("fake_tools")
def test_a_frame_tells_of_failures(campaign, tmp_path, monkeypatch):
    monkeypatch.setenv("FAKE_FAIL", '"limit": 100}')
    frame = airtcp.sweep(campaign, store=tmp_path / "runs")
    failed = frame.filter(pl.col("failure").is_not_null())
    assert failed["queue"].to_list() == ["100 packets"] * 2
    assert failed["rtt"].to_list() == [None, None]
    assert "nosuch" in failed["failure"][0]


@pytest.mark.usefixtures("fake_tools")
def test_runs_are_pinned_where_they_fill_the_machine(campaign, tmp_path, log):
    own = sorted(os.sched_getaffinity(0))
    airtcp.sweep(campaign, store=tmp_path / "runs", jobs=len(own), reps=2)
    used = {line.partition("cores ")[2] for line in log()}
    if len(own) <= 8:
        assert used <= {str([core]) for core in own}
    airtcp.sweep(campaign, store=tmp_path / "others", jobs=len(own) + 1)
    assert log()[-1].endswith(f"cores {own}")
    assert sorted(os.sched_getaffinity(0)) == own


def test_a_metric_that_no_run_can_tell_ends_the_campaign(airtcp, campaign):
    campaign.write_text(CAMPAIGN.replace('"rtt"]', '"rtt", "phy_rate"]'))
    begin = time.monotonic()
    ended = airtcp("sweep", str(campaign), "--reps", "20", FAKE_SECONDS="0.1")
    assert ended.returncode == 2
    assert 'recorded no series "air"' in ended.stderr
    assert time.monotonic() - begin < 30
