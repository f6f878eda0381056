"""The source of a kernel series: `kernel/fetch-source`, with programs in place of apt's that reach no network."""

import os
import subprocess
import tarfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from airtcp.kernels.source import kernel_source
from airtcp.kernels.table import SERIES

KEYS = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
needs_keys = pytest.mark.skipif(not KEYS.is_file(), reason="needs debian-archive-keyring")

APT_GET = """#!/bin/sh
echo "$@" >>"$CALLS"
for argument; do
    case $argument in
    update) [ -z "$NO_NETWORK" ] || { echo "E: Could not resolve deb.example"; exit 100; } ;;
    linux-source-*=*) touch "$(echo "$argument" | tr = _)_all.deb" ;;
    esac
done
"""
APT_CACHE = """#!/bin/sh
for version in $AVAILABLE; do echo "linux-source-7.2 | $version | http://deb.example unstable/main amd64 Packages"; done
"""
DPKG_DEB = """#!/bin/sh
cat "$PACKAGE"
"""


@dataclass
class Machine:
    """A machine whose apt is ours; `folder` holds what was fetched."""

    folder: Path
    environment: dict[str, str]
    calls: Path

    def fetch(self, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        command = ["bash", str(kernel_source() / "fetch-source"), *arguments]
        return subprocess.run(
            command, capture_output=True, text=True, check=False, env=self.environment | environment
        )

    def wanted(self, version: str, **environment: str) -> subprocess.CompletedProcess[str]:
        return self.fetch(str(self.folder), "7.2", version, "trixie-backports", "unstable", **environment)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, text in {"apt-get": APT_GET, "apt-cache": APT_CACHE, "dpkg-deb": DPKG_DEB, "dpkg": ""}.items():
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    source = tmp_path / "linux-source-7.2.tar.xz"
    source.write_text("the source")
    with tarfile.open(tmp_path / "package.tar", "w") as package:
        package.add(source, "./usr/src/linux-source-7.2.tar.xz")
    environment = {
        "PATH": f"{programs}:{os.environ['PATH']}",
        "CALLS": str(tmp_path / "calls"),
        "PACKAGE": str(tmp_path / "package.tar"),
        "AVAILABLE": "7.2.13-1 7.2.13-1~bpo13+1",
        "NO_NETWORK": "",
    }
    return Machine(tmp_path / "sources", environment, tmp_path / "calls")


@needs_keys
def test_a_source_is_fetched_once(machine: Machine) -> None:
    archive = machine.folder / "linux-source-7.2_7.2.13-1.tar.xz"
    first = machine.wanted("7.2.13-1")
    assert first.stdout.splitlines()[-1] == f"7.2.13-1 {archive}"
    assert archive.read_text() == "the source"
    again = machine.wanted("7.2.13-1", NO_NETWORK="1")
    assert (again.returncode, again.stdout) == (0, f"7.2.13-1 {archive}\n")
    assert machine.calls.read_text().count(" update") == 1


@needs_keys
def test_apt_reads_and_writes_nothing_of_the_machine(machine: Machine) -> None:
    machine.wanted("7.2.13-1")
    for call in machine.calls.read_text().splitlines():
        for folder in ("Dir::Etc", "Dir::State", "Dir::State::status", "Dir::Cache"):
            assert f"{folder}={machine.folder}/apt" in call
    suites = (machine.folder / "apt/etc/sources.list").read_text().splitlines()
    assert [line.split()[-2:] for line in suites] == [["trixie-backports", "main"], ["unstable", "main"]]
    assert all(f"signed-by={KEYS}" in line for line in suites)


@needs_keys
def test_a_version_that_is_gone_is_replaced_by_the_newest(machine: Machine) -> None:
    answer = machine.wanted("7.2.9-1", AVAILABLE="7.2.13-1~bpo13+1 7.2.20-1 7.2.13-1")
    assert answer.stdout.splitlines()[-1].startswith("7.2.20-1 ")
    assert "no longer have 7.2.9-1; the newest is taken: 7.2.20-1" in answer.stderr
    assert machine.wanted("7.2.9-1", NO_NETWORK="1").stdout.startswith("7.2.20-1 ")


@needs_keys
@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"NO_NETWORK": "1"}, "check the network, set AIRTCP_DEBIAN_MIRROR"),
        (
            {"AVAILABLE": ""},
            "trixie-backports unstable of http://deb.debian.org/debian have no linux-source-7.2",
        ),
    ],
)
def test_what_is_wrong_is_told(machine: Machine, environment: dict[str, str], told: str) -> None:
    answer = machine.wanted("7.2.13-1", **environment)
    assert answer.returncode == 2
    assert told in answer.stderr
    assert not list(machine.folder.glob("*.tar.xz"))


def test_looking_fetches_nothing(machine: Machine) -> None:
    answer = machine.fetch("--find", str(machine.folder), "7.2", "7.2.13-1")
    assert (answer.returncode, answer.stdout, answer.stderr) == (1, "", "")
    assert not machine.calls.exists()


def test_a_series_with_suites_has_a_version() -> None:
    assert {name for name, series in SERIES.items() if series.suites} == {"7.2"}
    assert all(bool(series.suites) == bool(series.version) for series in SERIES.values())
