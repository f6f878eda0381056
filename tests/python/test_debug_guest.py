"""`airtcp debug`: gdb in the kernel of a network, at instants of its virtual time."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from airtcp.debugging.debugger import debugged_kernel
from airtcp.errors import AirtcpError
from airtcp.kernels.table import DEFAULT_KERNEL

# A queue of ten packets in front of a slow wire: the upload of sta1 loses packets early.
LOSSES = """
name = "losses"
duration = "3 s"
[wifi.home]
standard = "11n"
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
rate = "10 Mbit/s"
delay = "10 ms"
queue = "10 packets"
[[flow]]
from = "sta1"
to = "h1"
cca = "reno"
"""


def has_symbols() -> bool:
    try:
        debugged_kernel(DEFAULT_KERNEL)
    except AirtcpError:
        return False
    return shutil.which("gdb") is not None


needs_symbols = pytest.mark.skipif(
    not has_symbols(), reason="needs gdb and a kernel with symbols (airtcp kernel build --debug)"
)


@pytest.fixture
def debug(tmp_path: Path):
    """Runs commands in gdb; what it prints."""
    (tmp_path / "losses.toml").write_text(LOSSES, encoding="utf-8")

    def run(*commands: str, at: str = "0.5 s") -> str:
        words = [word for command in commands for word in ("--ex", command)]
        answer = subprocess.run(
            [sys.executable, "-m", "airtcp", "debug", "losses.toml", "--at", at, *words, "--batch"],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=300,
        )
        assert answer.returncode == 0, answer.stderr
        return answer.stdout + answer.stderr

    return run


@needs_symbols
def test_the_kernel_is_at_the_instant(debug) -> None:
    said = debug("airtcp nodes", "airtcp sockets sta1", "airtcp run 5 ms", "airtcp sockets sta1")
    assert "The clock stands at 0.500000000 s" in said
    assert "The clock stands at 0.505000000 s" in said
    assert re.search(r"^ +\d sta1$", said, re.MULTILINE)
    assert re.search(r"^sta1 +\d+\.\S+:\d+ +\S+:5001 +ESTABLISHED +reno +\d+ ", said, re.MULTILINE)


@needs_symbols
def test_a_breakpoint_says_instant_and_node(debug) -> None:
    """The first retransmission of the sender, whose window is halved at the same instant."""
    said = debug("break tcp_enter_recovery", "airtcp until retransmit", "backtrace 3", "airtcp now")
    (stop,) = re.findall(r"^\[(\d+\.\d{9}) s, sta1\]$", said, re.MULTILINE)
    assert f"{stop} s, sta1\n" in said.split(f"[{stop} s, sta1]")[1]
    assert "tcp_enter_recovery" in said


@needs_symbols
def test_the_way_back_leads_to_the_same_stops(debug) -> None:
    """Three stops, back to the second, and on to the third."""
    said = debug(
        "break tcp_enter_recovery",
        *("airtcp run 2 s", "continue", "continue"),
        *("airtcp previous", "continue", "airtcp back 100 ms", "continue"),
    )
    stops = re.findall(r"^\[(\d+\.\d{9}) s, sta1\]$", said, re.MULTILINE)
    first, second, third, again, after, *_ = stops
    assert first < second < third
    assert (again, after) == (second, third)


@needs_symbols
def test_the_debugged_network_is_the_network(debug) -> None:
    """With breakpoints that stop it and steps between, the frames are those of the default kernel."""
    said = debug(
        "break tcp_enter_recovery",
        "airtcp until retransmit",
        "next",
        "finish",
        "delete",
        "airtcp run 1 s",
        "airtcp prove",
    )
    assert re.search(
        rf"The frames up to \S+ s are those of kernel {re.escape(DEFAULT_KERNEL)} without gdb", said
    )


def test_a_kernel_without_symbols_is_told_with_its_command(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("AIRTCP_KERNELS", str(tmp_path))
    with pytest.raises(
        AirtcpError, match=r"no kernel 6.12 with symbols is built.*airtcp kernel build --series 6.12 --debug"
    ):
        debugged_kernel("6.12")
    with pytest.raises(AirtcpError, match=r"airtcp kernel build --name next --source DIR --debug"):
        debugged_kernel("next")
    with pytest.raises(AirtcpError, match=r"as a patch"):
        debugged_kernel("6.12-mine")
