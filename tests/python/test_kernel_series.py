"""Names of kernels: what `hz` and `kernel` of a scenario make of them, and how the kernels are built."""

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import get_args

import pytest
from airtcp.cli import kernel
from airtcp.errors import AirtcpError
from airtcp.execution.locate import kernel_builder
from airtcp.kernels.name import brought_by, how_to_build
from airtcp.kernels.source import kernel_source
from airtcp.kernels.table import FLAVOURS, FREQUENCIES_HZ, PLAIN, SERIES, Flavour, Hz
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.values.kernel_series import kernel_keys

SCENARIO = {"name": "x", "duration": "1 s", "wifi": {"home": {"stations": ["sta1"]}}}


@pytest.mark.parametrize(
    ("keys", "name"),
    [
        ({}, "6.12"),
        ({"hz": 250}, "6.12"),
        ({"hz": 1000}, "6.12-hz1000"),
        ({"hz": 100, "kernel": "6.1"}, "6.1-hz100"),
        ({"hz": 300, "kernel": "6.12-mine+other"}, "6.12-hz300-mine+other"),
    ],
)
def test_the_plan_names_the_kernel_with_its_frequency(keys: dict[str, object], name: str) -> None:
    assert compile_scenario(scenario_from_tables(SCENARIO | keys))["kernel"] == name


@pytest.mark.parametrize(
    "name", ["6.12", "6.1", "7.2", "6.12-lab", "6.12-hz1000", "6.12-lab-hz100-mine+other"]
)
def test_a_scenario_can_ask_for_each_kernel_by_its_name(name: str) -> None:
    assert compile_scenario(scenario_from_tables(SCENARIO | kernel_keys(name)))["kernel"] == name


@pytest.mark.parametrize(
    ("keys", "dscp_map"),
    [
        ({}, "rfc8325"),
        ({"kernel": "6.12-mine", "hz": 100, "guest": {"flavour": "lab"}}, "rfc8325"),
        ({"kernel": "6.1"}, "three_bits"),
        ({"kernel": "6.1", "hz": 1000}, "three_bits"),
        ({"kernel": "6.1-mine+other"}, "three_bits"),
        ({"kernel": "7.2-mine"}, "rfc8325"),
    ],
)
def test_the_map_of_code_points_is_that_of_the_series(keys: dict[str, object], dscp_map: str) -> None:
    """Whatever follows the series in the kernel's name."""
    assert compile_scenario(scenario_from_tables(SCENARIO | keys))["dscp_map"] == dscp_map


@pytest.mark.parametrize(
    ("keys", "told"),
    [
        ({"hz": 200}, "hz: 200 is not possible. Write 100, 250, 300 or 1000"),
        ({"kernel": "6.12-hz1000"}, 'write kernel = "6.12" and hz = 1000'),
        ({"kernel": "6.12-hz1000-mine"}, 'write kernel = "6.12-mine" and hz = 1000'),
    ],
)
def test_the_frequency_is_a_key_of_its_own(keys: dict[str, object], told: str) -> None:
    with pytest.raises(Exception, match="hz") as caught:
        scenario_from_tables(SCENARIO | keys)
    assert told in str(caught.value)


def test_keys_of_scenarios_take_what_the_table_has() -> None:
    assert get_args(Flavour) == (PLAIN, *FLAVOURS)
    assert get_args(Hz) == FREQUENCIES_HZ


def test_every_series_of_the_table_has_patches_of_its_own() -> None:
    folders = {folder.name for folder in (kernel_source() / "patches").iterdir() if folder.is_dir()}
    assert folders >= set(SERIES)


def test_a_frequency_is_no_congestion_control() -> None:
    assert brought_by("6.12-hz1000") == []
    assert brought_by("6.12-hz1000-mine+other") == ["mine", "other"]


@pytest.mark.parametrize(
    ("kernel", "made_before", "command"),
    [
        ("6.12", False, "airtcp kernel build --series 6.12"),
        ("6.12-hz1000", False, "airtcp kernel build --hz 1000"),
        ("6.12-lab", False, "airtcp kernel build --flavour lab"),
        ("6.1-lab-hz300", False, "airtcp kernel build --series 6.1 --flavour lab --hz 300"),
        ("6.1-hz300-a+b", False, "airtcp kernel build --series 6.1 --hz 300 --cca tcp_a.c --cca tcp_b.c"),
        ("6.12-mine", True, "airtcp kernel build --series 6.12-mine"),
    ],
)
def test_a_missing_kernel_is_told_with_its_command(kernel: str, made_before: bool, command: str) -> None:
    assert how_to_build(kernel, made_before) == command


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--hz", "77"], "choose one of 100 250 300 1000"),
        (["--hz", "1000", "--series", "6.12-hz300"], "contradicts --series 6.12-hz300"),
        (["--series", "6.12-hz250"], "write 6.12"),
        (["--hz", "1000", "--print-path"], "no kernel of series 6.12-hz1000 is built"),
    ],
)
def test_the_builder_knows_frequencies(
    arguments: list[str], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRTCP_KERNELS", str(tmp_path))
    script = kernel_builder()
    answer = subprocess.run(["bash", str(script), *arguments], capture_output=True, text=True, check=False)
    assert answer.returncode != 0
    assert told in answer.stderr


@pytest.fixture
def builds(tmp_path, monkeypatch):
    """Starts builds that come as far as unpacking the kernel, which the program TAR is instead."""

    def start(tar):
        (tmp_path / "bin").mkdir(exist_ok=True)
        (tmp_path / "bin" / "tar").write_text(f"#!/bin/sh\n{tar}\n")
        (tmp_path / "bin" / "tar").chmod(0o755)
        # These builds write nothing, so they need no room on this machine's disk.
        (tmp_path / "bin" / "df").write_text("#!/bin/sh\necho Filesystem\necho disk 9999 0 9999 0% /\n")
        (tmp_path / "bin" / "df").chmod(0o755)
        monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}:{os.environ['PATH']}")
        monkeypatch.setenv("AIRTCP_KERNELS", str(tmp_path / "kernels"))
        return subprocess.Popen(
            ["bash", str(kernel_builder())], start_new_session=True, stderr=subprocess.PIPE
        )

    (tmp_path / "kernels").mkdir()
    return start


def leftovers(folder, but=()):
    """What builds have left, other than what is expected; they remove it in the background."""
    deadline = time.monotonic() + 60
    while True:
        left = sorted(each.name for each in folder.glob(".build-??????*"))
        if left == list(but) or time.monotonic() > deadline:
            return left
        time.sleep(0.1)


@pytest.mark.guest
def test_a_build_removes_what_killed_ones_left_and_no_other(builds, tmp_path):
    kernels = tmp_path / "kernels"
    for name in (".build-killed", ".build-killed.tree", ".build-others"):
        (kernels / name / "net").mkdir(parents=True)
    with subprocess.Popen(["flock", kernels / ".build-others", "sleep", "600"]) as other:
        try:
            build = builds(f"ls -A {kernels} >{tmp_path}/seen; exit 1")
            assert build.wait(60) != 0, build.stderr.read()
        finally:
            other.kill()
    assert ".build-killed" not in (tmp_path / "seen").read_text()
    assert leftovers(kernels, [".build-others"]) == [".build-others"]


@pytest.mark.guest
def test_an_interrupted_build_leaves_nothing(builds, tmp_path):
    build = builds(f"touch {tmp_path}/begun; exec sleep 600")
    deadline = time.monotonic() + 60
    while not (tmp_path / "begun").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(build.pid, signal.SIGTERM)
    assert build.wait(60) == 130
    assert leftovers(tmp_path / "kernels") == []


def test_a_kernel_is_copied_for_a_class(tmp_path, monkeypatch, capsys):
    """A machine without the kernel's source finds it by its series."""
    built = tmp_path / "cache" / "6.12-lab-6.12.1-abc"
    built.mkdir(parents=True)
    (built / "linux").write_text("kernel")
    (built / "kernel.json").write_text("{}")
    monkeypatch.setattr("airtcp.execution.locate.find_kernel", lambda _: built)
    kernel.copy(tmp_path / "class", "6.12-lab")
    assert (tmp_path / "class" / built.name / "linux").read_text() == "kernel"
    assert f"AIRTCP_KERNELS={tmp_path / 'class'}" in capsys.readouterr().out
    with pytest.raises(AirtcpError, match="already exists"):
        kernel.copy(tmp_path / "class", "6.12-lab")
    kernel.copy(tmp_path / "class2", "6.12-mine")
    assert (tmp_path / "class2" / "6.12-mine" / "linux").is_file()
