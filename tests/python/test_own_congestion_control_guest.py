"""Congestion controls of one's own as modules: built, loaded, used, and nothing else is loaded after them."""

import json
import subprocess
from pathlib import Path

import pytest
from airtcp.execution.locate import builder_environment, find_kernel, kernel_builder
from support.command import run_text

pytestmark = pytest.mark.guest

ROOT = Path(__file__).resolve().parents[2]
CALM = ROOT / "examples" / "own-congestion-control" / "tcp_calm.c"
SOURCE = Path("/usr/src/linux-source-6.12.tar.xz")
SCENARIO = """
name = "calm"
duration = "2 s"
kernel = "6.12-calm"
[[wire]]
between = ["h1", "h2"]
rate = "20 Mbit/s"
delay = "10 ms"
queue = "50 packets"
[[flow]]
from = "h1"
to = "h2"
cca = "calm"
"""
# finit_module and delete_module of x86-64, by a program with all rights of its namespace.
LOADS = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
for call in ((313, 0, b"", 0), (176, b"tcp_calm", 0)):
    assert libc.syscall(*call) == -1
    print(os.strerror(ctypes.get_errno()))
"""


def build(*files):
    command = ["bash", str(kernel_builder()), *(word for file in files for word in ("--cca", str(file)))]
    return subprocess.run(
        command, env=builder_environment(), capture_output=True, text=True, check=False, timeout=900
    )


@pytest.fixture(scope="module", autouse=True)
def calm():
    """The kernel 6.12-calm; the first time its source is prepared."""
    if not SOURCE.is_file():
        pytest.skip(f"{SOURCE} is not installed")
    find_kernel("6.12")
    answer = build(CALM)
    assert answer.returncode == 0, answer.stderr
    return Path(answer.stdout.splitlines()[-1])


def test_a_flow_uses_it(calm, tmp_path):
    run = run_text(tmp_path, SCENARIO)
    assert run.flows["cca"].unique().to_list() == ["calm"]
    assert run.series("flows")["bytes_received"].max() > 2_000_000
    assert [file.name for file in (calm / "modules").iterdir()] == ["tcp_calm.ko"]
    info, usual = (json.loads((folder / "kernel.json").read_text()) for folder in (calm, find_kernel("6.12")))
    assert info["series"] == "6.12-calm"
    assert info["id"] != usual["id"]
    assert info["release"] == usual["release"]


def test_programs_load_and_remove_no_modules(tmp_path):
    (tmp_path / "loads.py").write_text(LOADS)
    program = """
[[program]]
node = "h1"
command = "python3 $SCENARIO_DIR/loads.py"
files = ["loads.py"]
"""
    run = run_text(tmp_path, SCENARIO + program)
    output = (run.folder / "programs" / "program1.out").read_text()
    assert output.splitlines() == ["Operation not permitted", "Function not implemented"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (
            (
                "module_init(",
                "int no_such_thing(void);\nint use(void) { return no_such_thing(); }\nmodule_init(",
            ),
            "no_such_thing",
        ),
        (("MODULE_LICENSE(", "// MODULE_LICENSE("), "missing MODULE_LICENSE"),
        (("return", "retrun"), "error"),
    ],
)
def test_what_is_no_module_is_refused_with_the_reason(tmp_path, change, says):
    file = tmp_path / "tcp_calm.c"
    file.write_text(CALM.read_text().replace(*change, 1))
    answer = build(file)
    assert answer.returncode == 1
    assert says in answer.stderr
    assert "does not compile as a module of the kernel" in answer.stderr
