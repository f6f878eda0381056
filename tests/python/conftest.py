"""Fixtures: scenario files, a fake runner, and made-up run folders of the real layout."""

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from airtcp.errors import AirtcpError
from airtcp.execution.host import GUESTS_OWN_FOLDERS
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.kernels.table import DEFAULT_KERNEL, SERIES
from hypothesis import settings
from support.real_network import RealNetwork, require_namespaces
from support.run_folder import write_run_folder

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HERE = Path(__file__).parent
SCENARIOS = HERE / "scenarios"

# The same examples every time, on a machine of any speed.
settings.register_profile("airtcp", derandomize=True, deadline=None, max_examples=50)
settings.load_profile("airtcp")

Command = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def first_toml() -> Path:
    return SCENARIOS / "first.toml"


@pytest.fixture
def scenario_file(tmp_path: Path) -> Callable[[str], Path]:
    def write(text: str) -> Path:
        file = tmp_path / "scenario.toml"
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealNetwork]:
    """The laboratory on this machine, for the tests of one module."""
    require_namespaces()
    with RealNetwork(tmp_path_factory.mktemp("network") / "files") as laboratory:
        yield laboratory


@pytest.fixture(scope="module")
def browser() -> "Iterator[Browser]":
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def guest_python() -> Iterator[str]:
    """A Python with the packages of this one, as a guest can start it: where guests see it, else a copy."""
    site = Path(sysconfig.get_path("purelib"))
    if not any(site.is_relative_to(folder) for folder in GUESTS_OWN_FOLDERS):
        yield sys.executable
        return
    with tempfile.TemporaryDirectory(dir=Path.home()) as seen:
        shutil.copytree(site, Path(seen, "site"), symlinks=True)
        started = Path(seen, "python3")
        started.write_text(f'#!/bin/sh\nPYTHONPATH={seen}/site exec {sys.base_prefix}/bin/python3 "$@"\n')
        started.chmod(0o755)
        yield str(started)


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    folder = tmp_path / "kernels" / "6.12"
    folder.mkdir(parents=True)
    (folder / "linux").write_bytes(b"")
    (folder / "kernel.json").write_text('{"series": "6.12", "release": "6.12.0", "id": "fake"}')
    return folder


@pytest.fixture
def fake_runner(tmp_path: Path) -> Path:
    """An executable that keeps the runner's contract; FAKE_RUNNER in the environment chooses what happens."""
    script = tmp_path / "airtcp-runner"
    module = f"PYTHONPATH={HERE} exec {sys.executable} -m support.fake_runner"
    script.write_text(f'#!/bin/sh\n{module} "$@"\n')
    script.chmod(0o755)
    return script


@pytest.fixture
def fake_tools(monkeypatch: pytest.MonkeyPatch, kernel: Path, fake_runner: Path) -> None:
    """The fake runner and its kernel are what this process finds."""
    monkeypatch.setenv("AIRTCP_RUNNER", str(fake_runner))
    monkeypatch.setenv("AIRTCP_KERNELS", str(kernel.parent))


@pytest.fixture
def airtcp(tmp_path: Path, kernel: Path, fake_runner: Path) -> Command:
    """Runs the command in an empty folder, with the fake runner and a kernel."""
    work = tmp_path / "work"
    work.mkdir()
    environment = {
        **os.environ,
        "AIRTCP_RUNNER": str(fake_runner),
        "AIRTCP_KERNELS": str(kernel.parent),
        "PYTHONPATH": os.pathsep.join([str(HERE.parents[1] / "python"), str(HERE)]),
        "COLUMNS": "160",
    }

    def run(*arguments: str, **settings: str) -> "subprocess.CompletedProcess[str]":
        command = [sys.executable, "-m", "airtcp", *arguments]
        return subprocess.run(
            command,
            cwd=work,
            env={**environment, **settings},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )

    return run


@pytest.fixture
def run_folder(tmp_path: Path, first_toml: Path) -> Path:
    """A run folder of the ten-line scenario, with numbers chosen by hand (see support/run_folder.py)."""
    from airtcp.scenario.compile.compiler import compile_file

    return write_run_folder(tmp_path / "runs", dict(compile_file(first_toml)))


@pytest.fixture(scope="session", params=[DEFAULT_KERNEL, *sorted(SERIES.keys() - {DEFAULT_KERNEL})])
def series(request: pytest.FixtureRequest) -> str:
    """The default series of kernels, and each other one that is built for this tree."""
    name: str = request.param
    if name != DEFAULT_KERNEL:
        try:
            find_kernel(name)
        except AirtcpError:
            pytest.skip(f"kernel {name} is not built")
    return name


@pytest.fixture(scope="session")
def real_runner() -> Path:
    """The built runner. `make test` builds it first; without it these tests fail, they are not skipped."""
    return find_runner()
