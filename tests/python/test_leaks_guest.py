"""Real guests: what a program can see of its host, user, folder and repetition. It must be nothing."""

import os
import resource
import shutil
import tempfile
import traceback
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from airtcp.execution.events import RunFailed
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Limits, Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

pytestmark = pytest.mark.guest

# What the program says of itself and of these.
PLACES = "/run /proc /sys /dev /tmp"
# Nobody's numbers on most systems; any that is not ours will do.
OTHER_USER = 65534
# The pages through which the kernel maps memory are the last below the end of addresses; in Linux 6.12 they are elsewhere.
STUB = ["0x7fffffffc000", "0x7fffffffd000", "0x7fffffffe000"]
PARTS = ("airtcp-runner", "airtcp-agent", "libairtcp_guest.so")


@pytest.fixture
def place():
    """A folder that the guest sees, as every user does; in `/tmp` it has its own files."""
    with tempfile.TemporaryDirectory(
        dir="/var/lib" if os.geteuid() == 0 else Path.home(), prefix=".airtcp-leaks-"
    ) as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def tools(place, series) -> Callable[[Path], Tools]:
    """Copies of the runner and the kernel, which another user may read too."""
    runner, kernel = find_runner(), find_kernel(series)
    (place / "bin").mkdir()
    for name in PARTS:
        shutil.copy(runner.with_name(name), place / "bin")
    shutil.copytree(kernel, place / "kernel")
    # In a folder of its own: Python reads the names in it, and must find the same in every run.
    (place / "script").mkdir()
    shutil.copy(Path(__file__).parent / "support" / "visible_state.py", place / "script")
    # The program looks at all of its memory in one instant of virtual time: 10 s of CPU time, more on a busy machine.
    patient = Limits(stall_s=300)
    return lambda store: Tools(
        place / "bin" / PARTS[0], {series: place / "kernel"}, prepare_store(store), fresh=True, limits=patient
    )


def seen(tools: Tools, place: Path, arguments: str = PLACES) -> Path:
    tables = {
        "name": "leaks",
        "kernel": next(iter(tools.kernels)),
        "duration": "2 s",
        "wifi": {"home": {"stations": ["sta1"]}},
        "ping": [{"from": "sta1", "to": "ap1"}],
        "program": [
            {
                "name": "seen",
                "node": "sta1",
                "command": f"python3 {place}/script/visible_state.py {arguments}",
            }
        ],
    }
    return run_plan(compile_scenario(scenario_from_tables(tables)), tools, Running(), lambda _: None).folder


def told(folder: Path) -> list[str]:
    return (folder / "programs" / "seen.out").read_text().splitlines()


def elsewhere(act: Callable[[], None]) -> None:
    """As another user where that is possible, with other limits, mask, environment and folder."""
    child = os.fork()
    if child == 0:
        try:
            os.environ.update({"LANG": "de_DE.UTF-8", "MORE": "x" * 5000, "HOME": "/"})
            os.chdir("/")
            os.umask(0o077)
            os.nice(5)
            for limit, value in (
                (resource.RLIMIT_NOFILE, 300),
                (resource.RLIMIT_STACK, 4 << 20),
                (resource.RLIMIT_CORE, 0),
            ):
                resource.setrlimit(limit, (value, resource.getrlimit(limit)[1]))
            if os.geteuid() == 0:
                os.setgroups([])
                os.setresgid(OTHER_USER, OTHER_USER, OTHER_USER)
                os.setresuid(OTHER_USER, OTHER_USER, OTHER_USER)
            act()
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_a_program_sees_nothing_of_the_host(place, tools):
    ours = told(seen(tools(place / "ours"), place))
    text = "\n".join(ours)
    assert any(f"addresses of the kernel's process: {pages}" in text for pages in ([], STUB))
    assert "closed to its owner: b'mmm" in text
    assert sum(line.startswith("rdtscp: [") for line in ours) == 2
    assert "/proc/exitcode" not in text
    # AT_HWCAP: of x86-64 the FPU, CX8, CMOV, MMX, FXSR, SSE and SSE2, and no others, whatever the host has.
    assert f"(16, {1 | 1 << 8 | 1 << 15 | 1 << 23 | 1 << 24 | 1 << 25 | 1 << 26})" in text

    theirs = place / "theirs" / "another place"
    theirs.parent.mkdir(mode=0o777)
    theirs.parent.chmod(0o777)
    elsewhere(lambda: (place / "theirs" / "run").write_text(str(seen(tools(theirs), place))))
    other = told(Path((place / "theirs" / "run").read_text()))
    different = [(a[:300], b[:300]) for a, b in zip(ours, other, strict=True) if a != b]
    assert not different, different[:5]


def test_a_program_that_spins_is_ended_whatever_it_writes(place, tools):
    """It writes to every page at which the kernel's process had memory, the one by which the run is watched among them."""
    impatient = replace(tools(place / "runs"), limits=Limits(stall_s=3))
    with pytest.raises(RunFailed, match="virtual time stopped at") as caught:
        seen(impatient, place, "--scribble")
    assert caught.value.kind == "hang"
