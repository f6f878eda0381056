"""What the doctor says of machines that lack something, one thing at a time."""

import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
from airtcp.execution import host, system_calls
from airtcp.scenario.keys.model import Scenario

MIB = 1 << 20
REFUSING = Path(__file__).parent / "support" / "refuse_system_call.py"


@pytest.fixture
def fake_proc(tmp_path, monkeypatch):
    """A /proc of a machine with 4 GiB free and no limits."""
    proc = tmp_path / "proc"
    (proc / "self" / "fd").mkdir(parents=True)
    (proc / "sys" / "kernel" / "yama").mkdir(parents=True)
    (proc / "meminfo").write_text("MemTotal: 8000000 kB\nMemAvailable: 4194304 kB\n")
    monkeypatch.setattr(host, "PROC", proc)
    monkeypatch.setattr(host, "MEMORY_LIMITS", (tmp_path / "memory.max",))
    return proc


@pytest.fixture
def shared_memory(tmp_path, monkeypatch):
    """A folder in the place of /dev/shm, and what the system says of its file system."""
    folder = tmp_path / "shm"
    folder.mkdir()
    said = SimpleNamespace(f_bavail=4096, f_frsize=MIB, f_flag=0)
    monkeypatch.setattr(host, "SHARED_MEMORY", folder)
    monkeypatch.setattr("os.statvfs", lambda _: said)
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=said.f_bavail * said.f_frsize))
    return folder, said


def assert_missing(check, detail, remedy):
    assert not check.ok
    assert detail in check.detail
    assert remedy in check.remedy


def test_this_machine_lacks_nothing(tmp_path):
    checks = list(host.examine_host(tmp_path / "runs"))
    assert [check for check in checks if not check.ok] == []
    assert len({check.name for check in checks}) == len(checks) == 12
    assert list(tmp_path.iterdir()) == [], "looking leaves nothing behind"


def test_what_a_guest_takes_is_what_scenarios_and_runner_say():
    assert Scenario.model_fields["memory_mib"].default == host.GUEST_MIB
    folder = (Path(__file__).parents[2] / "crates" / "runner" / "src" / "memory_folder.rs").read_text()
    assert f"MEMORY_FOLDER_FREE_MIB: u64 = {host.MEMORY_FOLDER_FREE_MIB};" in folder


def test_another_processor(monkeypatch):
    monkeypatch.setattr("platform.machine", lambda: "aarch64")
    assert_missing(host.processor(), "Linux on aarch64", "x86-64")


def test_programs_off_the_path_are_found(monkeypatch, tmp_path):
    tool = tmp_path / "sbin" / "tc"
    tool.parent.mkdir()
    tool.write_text("#!/bin/sh\n")
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(host, "SYSTEM_FOLDERS", (str(tool.parent),))
    assert_missing(host.find_program("tc"), "not found", "iproute2")  # not executable yet
    tool.chmod(0o755)
    assert host.find_program("tc").detail == str(tool)
    assert_missing(host.find_program("ip"), "not found", "iproute2")


def test_without_proc(monkeypatch, tmp_path):
    monkeypatch.setattr(host, "PROC", tmp_path / "none")
    assert_missing(host.proc(), "not mounted", "Mount proc")


def test_memory_of_the_machine_and_of_the_container(fake_proc, tmp_path):
    assert host.memory().ok
    (tmp_path / "memory.max").write_text("max\n")
    assert host.memory().ok
    (tmp_path / "memory.max").write_text(f"{256 * MIB}\n")
    assert_missing(host.memory(), "256 MiB free (the limit in", "memory_mib")
    (tmp_path / "memory.max").unlink()
    (fake_proc / "meminfo").write_text("MemAvailable: 102400 kB\n")
    assert_missing(host.memory(), "100 MiB free (of the machine)", "memory_mib")


def test_the_guests_memory_in_shared_memory(shared_memory):
    check = host.guest_memory()
    assert check.ok
    assert check.detail.startswith(f"4096 MiB free in {shared_memory[0]}")
    assert list(shared_memory[0].iterdir()) == []


@pytest.mark.parametrize(("field", "value"), [("f_bavail", 64), ("f_flag", os.ST_NOEXEC)])
def test_a_small_or_noexec_dev_shm_is_left_alone(shared_memory, monkeypatch, tmp_path, field, value):
    setattr(shared_memory[1], field, value)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert host.memory_folder() == tmp_path
    monkeypatch.delenv("TMPDIR")
    assert host.memory_folder() == Path("/tmp")


def test_no_room_for_the_guests_memory(shared_memory, monkeypatch, tmp_path):
    shared_memory[1].f_bavail = 64
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    assert_missing(host.guest_memory(), f"64 MiB free in {tmp_path}", "--shm-size")


def test_a_temporary_folder_that_is_not_there(shared_memory, monkeypatch, tmp_path):
    shared_memory[1].f_bavail = 64
    monkeypatch.setenv("TMPDIR", str(tmp_path / "none"))
    assert_missing(host.guest_memory(), "No such file", "TMPDIR")


@pytest.mark.usefixtures("shared_memory")
def test_memory_that_may_not_be_executed(monkeypatch):
    def refuse(*_, prot):
        assert prot & host.mmap.PROT_EXEC
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(host.mmap, "mmap", refuse)
    assert_missing(host.guest_memory(), "noexec", "without noexec")


def test_limits_of_processes(monkeypatch):
    low = {host.resource.RLIMIT_AS: 256 * MIB, host.resource.RLIMIT_FSIZE: -1}
    monkeypatch.setattr(host.resource, "getrlimit", lambda number: (low[number], -1))
    assert_missing(host.process_limits(), "address space", "ulimit -v unlimited")
    low[host.resource.RLIMIT_AS] = -1
    assert host.process_limits().ok


@pytest.mark.parametrize("call", ["ptrace", "personality"])
def test_a_refused_system_call(call, monkeypatch):
    command = [sys.executable, str(REFUSING), call, sys.executable, "-IS", system_calls.__file__]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=30)
    said = json.loads(answer.stdout)
    assert said.pop(call) == "Operation not permitted"
    assert list(said.values()) == [""]
    monkeypatch.setattr(host, "refused_calls", lambda: {call: "Operation not permitted", **said})
    (check,) = (check for check in host.system_calls() if not check.ok)
    assert_missing(check, "refused: Operation not permitted", "--security-opt seccomp=unconfined")
    assert check.name == f"system call {call}"


def test_a_hardened_kernel(fake_proc, monkeypatch):
    (fake_proc / "sys" / "kernel" / "yama" / "ptrace_scope").write_text("3\n")
    monkeypatch.setattr(
        host, "refused_calls", lambda: {"ptrace": "Operation not permitted", "personality": ""}
    )
    ptrace, personality = host.system_calls()
    assert_missing(ptrace, "refused", "sysctl kernel.yama.ptrace_scope=1")
    assert personality.ok


def test_a_system_that_kills_who_tries(monkeypatch, tmp_path):
    killed = tmp_path / "killed.py"
    killed.write_text("import os; os.kill(os.getpid(), 31)")
    monkeypatch.setattr(system_calls, "__file__", str(killed))
    assert system_calls.refused_calls()["ptrace"].endswith("ended with status -31")


def test_a_store_that_is_full_or_cant_be_written(tmp_path, monkeypatch):
    file = tmp_path / "file"
    file.write_text("")
    assert_missing(host.store_space(file / "runs"), f"{file} can't be written", "--store")
    assert host.store_space(tmp_path / "a" / "b").ok
    monkeypatch.setattr("shutil.disk_usage", lambda _: SimpleNamespace(free=MIB))
    assert_missing(host.store_space(tmp_path), "1 MiB free", "--store")


def test_the_doctor_ends_with_a_status_that_says_it(airtcp, tmp_path):
    small = tmp_path / "file"
    small.write_text("")
    answer = airtcp("doctor", "--store", str(small / "runs"))
    assert answer.returncode == 2
    assert "MISSING  store" in answer.stdout
    assert answer.stdout.splitlines()[-1] == "1 problem found."


def test_daemons_that_are_not_there_are_told_and_nothing_is_wrong(monkeypatch):
    monkeypatch.setenv("PATH", "/nonexistent")
    monkeypatch.setattr(host, "SYSTEM_FOLDERS", ())
    check = host.find_wireless_program("wpa_supplicant", "wpasupplicant")
    assert check.ok
    assert "apt install wpasupplicant" in check.detail
