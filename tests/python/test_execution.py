"""Running plans with a fake runner: ends, failures, interruptions, and nothing left behind."""

import io
import signal
import subprocess
import threading
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from airtcp.errors import AirtcpError
from airtcp.execution import store as store_room
from airtcp.execution.events import Done, Progress, RunFailed, RunInterrupted, read_event
from airtcp.execution.executors.executor import Job
from airtcp.execution.leftovers import remove_leftovers
from airtcp.execution.limits import Limits
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.progress import ProgressDisplay
from airtcp.execution.run_jobs import run_jobs
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_file
from rich.console import Console


@pytest.fixture
def tools(fake_runner, kernel, tmp_path):
    return Tools(fake_runner, {"6.12": kernel}, prepare_store(tmp_path / "store"))


@pytest.fixture
def plan(first_toml):
    return compile_file(first_toml)


@pytest.fixture
def guests(tmp_path, monkeypatch):
    """The processes that fake runners and their guests were."""
    place = tmp_path / "guests"
    monkeypatch.setenv("FAKE_GUEST", str(place))

    def alive():
        ids = [int(word) for word in place.read_text().split()] if place.exists() else []
        return [process for process in ids if exists(process)]

    return alive


def exists(process):
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"  # a dead child of the dead runner, waiting for this container's init


def assert_gone(guests):
    """A killed process takes the kernel a moment to remove, on a busy machine."""
    deadline = time.monotonic() + 5
    while guests() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert guests() == []


def display(count=1, terminal=False):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=100)
    return ProgressDisplay(console, [10_000_000_000] * count), console


def test_a_run_ends_with_its_folder(plan, tools, guests):
    moved = []
    done = run_plan(plan, tools, Running(), moved.append)
    assert isinstance(done, Done)
    assert (done.folder / "summary.json").is_file()
    assert [(one.virtual_ns, one.of_ns, one.run) for one in moved] == [
        (5_000_000_000, 10_000_000_000, "0000000000000000")
    ]
    assert_gone(guests)


def test_a_failed_run_tells_what_where_and_remedy(plan, tools, monkeypatch):
    monkeypatch.setenv("FAKE_RUNNER", "fail")
    with pytest.raises(RunFailed) as caught:
        run_plan(plan, tools, Running(), lambda _: None)
    error = caught.value
    assert str(error) == "program[0]: the program 'nosuch' was not found. Install it."
    assert error.console == ["[    0.1] last words"]
    assert error.exit_status == 3


def test_a_refused_plan_is_the_users_error(plan, tools, monkeypatch):
    monkeypatch.setenv("FAKE_RUNNER", "plan")
    with pytest.raises(RunFailed) as caught:
        run_plan(plan, tools, Running(), lambda _: None)
    assert caught.value.exit_status == 2


@pytest.mark.parametrize(
    ("mode", "says"), [("garbage", "Segmentation fault"), ("silent", "thread 'main' panicked")]
)
def test_a_runner_without_manners_is_reported(plan, tools, monkeypatch, guests, mode, says):
    # its guest is still there when it dies, and holds its output open
    monkeypatch.setenv("FAKE_RUNNER", mode)
    with pytest.raises(RunFailed, match=says) as caught:
        run_plan(plan, tools, Running(), lambda _: None)
    assert caught.value.kind == "internal"
    assert_gone(guests)


def test_waiting_for_another_process_is_not_limited(plan, tools, monkeypatch, guests):
    # Long enough for a busy machine to make a run in it.
    monkeypatch.setenv("FAKE_WAITS", "4.3")
    limited = replace(tools, limits=Limits(wall_s=4))
    assert isinstance(run_plan(plan, limited, Running(), lambda _: None), Done)
    # Once it is its turn, the limit is its own.
    monkeypatch.setenv("FAKE_SECONDS", "60")
    with pytest.raises(RunFailed, match="took longer than 4 s of real time") as caught:
        run_plan(plan, limited, Running(), lambda _: None)
    assert caught.value.kind == "hang"
    assert_gone(guests)


def test_stop_ends_runner_and_guest(plan, tools, monkeypatch, guests):
    monkeypatch.setenv("FAKE_RUNNER", "hang")
    running = Running()
    reached = threading.Event()
    timer = threading.Thread(target=lambda: (reached.wait(10), running.stop()))
    timer.start()
    with pytest.raises(RunInterrupted):
        run_plan(plan, tools, running, lambda _: reached.set())
    timer.join()
    assert_gone(guests)
    with pytest.raises(RunInterrupted):
        run_plan(plan, tools, running, lambda _: None)


def test_a_process_that_keeps_a_killed_runner_s_folder_is_ended(tmp_path):
    folder, other = (
        tmp_path / name for name in (".working-0123456789abcdef-77", ".working-0123456789abcdef-78")
    )
    kept = []
    for each in (folder, other):
        each.mkdir()
        kept.append(
            subprocess.Popen(["sh", "-c", f"exec 3< {each}; echo; exec sleep 60"], stdout=subprocess.PIPE)
        )
        kept[-1].stdout.readline()
    remove_leftovers(tmp_path, "0123456789abcdef", 77)
    assert kept[0].wait(10) == -signal.SIGKILL
    assert kept[1].poll() is None
    kept[1].kill()
    kept[1].wait()
    for each in kept:
        each.stdout.close()
    assert not folder.exists()
    assert other.exists()


def test_a_stubborn_runner_is_killed(plan, tools, monkeypatch, guests):
    monkeypatch.setattr("airtcp.execution.runner.GRACE_S", 0.3)
    monkeypatch.setenv("FAKE_RUNNER", "stubborn")
    running = Running()
    with pytest.raises(RunInterrupted):
        run_plan(plan, tools, running, lambda _: running.stop())
    assert_gone(guests)


def test_an_error_of_ours_ends_the_guest(plan, tools, monkeypatch, guests):
    monkeypatch.setenv("FAKE_RUNNER", "hang")

    def broken(_):
        raise ValueError("a bug")

    with pytest.raises(ValueError, match="a bug"):
        run_plan(plan, tools, Running(), broken)
    assert_gone(guests)


def test_results_are_in_the_order_of_the_jobs(plan, tools):
    jobs = [Job(f"seed {seed}", {**plan, "seed": seed}) for seed in range(5)]
    shown, console = display(5)
    done = run_jobs(jobs, tools, 2, shown)
    assert len({end.run for end in done}) == 5
    again = run_jobs(jobs[::-1], tools, 3, display(5)[0])
    assert [end.run for end in again] == [end.run for end in done[::-1]]
    lines = console.file.getvalue().splitlines()
    assert len(lines) == 5
    assert all("10.0 s in 0.5 s (20 times real time)" in line for line in lines)


@pytest.mark.parametrize("at_once", [1, 2])
def test_no_more_runs_at_once_than_asked(plan, tools, monkeypatch, guests, at_once):
    monkeypatch.setenv("FAKE_SECONDS", "0.3")
    seen, over = [], threading.Event()

    def watch():
        while not over.wait(0.02):
            seen.append(len(guests()) // 2)

    watcher = threading.Thread(target=watch)
    watcher.start()
    run_jobs([Job(str(seed), {**plan, "seed": seed}) for seed in range(4)], tools, at_once, display(4)[0])
    over.set()
    watcher.join()
    assert max(seen) == at_once


def test_one_failure_ends_the_others(plan, tools, monkeypatch, guests):
    monkeypatch.setenv("FAKE_RUNNER", "fail")
    with pytest.raises(RunFailed, match="nosuch"):
        run_jobs([Job(str(seed), {**plan, "seed": seed}) for seed in range(6)], tools, 2, display(6)[0])
    assert_gone(guests)


def test_a_terminal_sees_virtual_time_and_speed():
    shown, console = display(1, terminal=True)
    with shown:
        shown.started(0, "first")
        time.sleep(0.25)
        shown.moved(0, Progress(5_000_000_000, 10_000_000_000))
        shown._bar.refresh()
    text = console.file.getvalue()
    assert "5.0 of 10 s" in text
    assert "times real time" in text


def test_a_run_that_ends_before_its_time_leaves_less_to_do():
    shown, console = display(2, terminal=True)
    with shown:
        shown.started(0, "first")
        shown.moved(0, Progress(2_000_000_000, 10_000_000_000))
        shown.finished(0, "first", Done("0", Path("x"), False, 0.1, 0.1, 2.5))
        assert shown._bar.tasks[0].total == 12.5
        shown.finished(1, "second", Done("1", Path("y"), True, 0, 0, 3.5))
        task = shown._bar.tasks[0]
        assert (task.completed, task.total) == (6.0, 6.0)
        shown._bar.refresh()
    assert "6.0 of 6 s" in console.file.getvalue()


@pytest.mark.parametrize(
    "line",
    ["x", "{}", "[]", '{"event": "done"}', '{"event": "progress", "virtual_ns": "x"}', '{"event": "failed"}'],
)
def test_lines_against_the_contract_are_refused(line):
    with pytest.raises(RunFailed, match="source tree of this package"):
        read_event(line)


def test_events_nobody_needs_are_passed_over():
    assert read_event('{"event": "something new"}') is None


def test_a_missing_runner_is_named(monkeypatch):
    monkeypatch.setenv("AIRTCP_RUNNER", "/nonexistent/runner")
    with pytest.raises(AirtcpError, match="AIRTCP_RUNNER=/nonexistent/runner: there is no such program"):
        find_runner()


def test_a_missing_kernel_is_named(monkeypatch, tmp_path):
    monkeypatch.setenv("AIRTCP_KERNELS", str(tmp_path))
    with pytest.raises(
        AirtcpError, match=r"no kernel 6\.12 is built\. Build it: airtcp kernel build --series 6\.12"
    ):
        find_kernel("6.12")


def test_a_kernel_folder_needs_its_files(monkeypatch, kernel):
    monkeypatch.setenv("AIRTCP_KERNELS", str(kernel.parent))
    assert find_kernel("6.12") == kernel
    (kernel / "linux").unlink()
    with pytest.raises(AirtcpError, match="no kernel"):
        find_kernel("6.12")


def test_a_store_that_cannot_be_written(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    with pytest.raises(AirtcpError, match="can't be written"):
        prepare_store(file / "store")
    with pytest.raises(AirtcpError, match="can't be written"):
        prepare_store(file)


def test_a_full_device(tmp_path, monkeypatch):
    monkeypatch.setattr(store_room.shutil, "disk_usage", lambda _: SimpleNamespace(free=1_000_000))
    with pytest.raises(AirtcpError, match="no space left on the device: 1 MB free, 50 MB needed"):
        prepare_store(tmp_path)
