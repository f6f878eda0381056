"""Sessions that others enter from a second terminal."""

import contextlib
import os
import re
import signal
import stat
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pexpect
import pytest
from support.command import COMMAND, environment, run_text

pytestmark = pytest.mark.guest

NETWORK = """
name = "entered"
duration = "10 s"
[wifi.home]
stations = ["sta1", "sta2"]
"""


@pytest.fixture
def settings(tmp_path: Path) -> dict[str, str]:
    """An own cache, so that sessions of others are not seen; the kernel is found where it is."""
    from airtcp.kernels.folder_name import kernels_folder

    kernels = {"AIRTCP_KERNELS": str(kernels_folder())}
    cache = {"XDG_CACHE_HOME": str(tmp_path / "cache")}
    return {**environment(), **kernels, **cache, "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}


@contextlib.contextmanager
def terminal(
    words: list[str], settings: dict[str, str], size: tuple[int, int] = (30, 100)
) -> Iterator["pexpect.spawn[str]"]:
    program, *beginning = COMMAND
    spawned = pexpect.spawn(
        program, [*beginning, *words], encoding="utf-8", timeout=30, env=settings, dimensions=size
    )
    try:
        yield spawned
    finally:
        spawned.close(force=True)


@contextlib.contextmanager
def session(tmp_path: Path, settings: dict[str, str]) -> Iterator[tuple["pexpect.spawn[str]", str, Path]]:
    """A shell, its number, and its socket."""
    network = tmp_path / "entered.toml"
    network.write_text(NETWORK)
    with terminal(["shell", str(network), "--store", str(tmp_path / "runs")], settings) as shell:
        shell.expect(r"Session (\d+) \((\S+)\)")
        number, path = str(shell.match.group(1)), Path(shell.match.group(2))
        shell.expect("0.000000 s>")
        yield shell, number, path


def typed(at: "pexpect.spawn[str]", line: str) -> None:
    """Types a line, as a person would: after the prompt has appeared, which takes the terminal over."""
    time.sleep(0.5)
    at.sendline(line)


def test_two_people_enter_a_session_and_what_they_type_is_in_its_log(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    with session(tmp_path, settings) as (shell, number, path):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        with (
            terminal(["enter", "sta1"], settings, (40, 120)) as one,
            terminal(["enter", "sta2", "--session", number], settings) as other,
        ):
            one.expect("sta1:.*# ")
            other.expect("sta2:.*# ")
            one.sendline("stty size; echo $NODE")
            one.expect("40 120")
            one.setwinsize(20, 60)
            time.sleep(0.3)
            one.sendline("stty size")
            one.expect("20 60")
            # Job control.
            one.sendline("sleep 1000")
            time.sleep(0.3)
            one.sendintr()
            one.expect("# ")
            other.sendline("ping -c 2 -i 0.2 10.0.0.1 | tail -2")
            other.expect("2 received")
            # The prompt works beside, and stops the clock while it does.
            typed(shell, "sta1 echo beside")
            shell.expect("beside\r\n")
            one.sendline("exit 3")
            one.expect(pexpect.EOF)
            one.close()
            assert one.exitstatus == 3
        typed(shell, "jobs")
        shell.expect("s>")
        typed(shell, "hash")
        shell.expect("[0-9a-f]{16}")
        found = shell.after
        typed(shell, f"save {tmp_path / 'kept.toml'}")
        shell.expect("repeats it")
        time.sleep(0.5)
        shell.sendeof()
        shell.expect(pexpect.EOF)
    assert not path.parent.exists()
    text = (tmp_path / "kept.toml").read_text()
    assert "10.0.0.1" in "".join(re.findall(r'^write = "(.*)"$', text, re.MULTILINE))
    run = run_text(tmp_path / "again", text)
    assert run.manifest["frame_hash"] == found


def test_a_visitor_leaves_when_the_network_is_taken_back_and_a_closed_terminal_hangs_up(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    with session(tmp_path, settings) as (shell, _, path):
        with terminal(["enter", "sta1"], settings) as one:
            one.expect("sta1:.*# ")
            one.sendline("sleep 1000")
            time.sleep(0.3)
            os.kill(one.pid, signal.SIGKILL)
        time.sleep(0.5)
        # The shell and what it had started are gone, so the clock stands.
        typed(shell, "ap1 ps -e -o args")
        shell.expect("ps -e -o args\r\n")
        shell.expect("s>")
        assert "sleep 1000" not in shell.before
        with terminal(["enter", "sta2"], settings) as other:
            other.expect("sta2:.*# ")
            typed(shell, "goto 0")
            other.expect("taken back to an earlier instant")
            other.expect(pexpect.EOF)
            other.close()
            assert other.exitstatus == 2
        # A terminal that is closed ends the session, and nothing is left of it.
        os.kill(shell.pid, signal.SIGHUP)
        shell.expect(pexpect.EOF)
        assert not path.parent.exists()
        assert not list((tmp_path / "runs").glob(".working-*"))


def test_who_may_not_or_cannot_enter_is_told_so(tmp_path: Path, settings: dict[str, str]) -> None:
    def refused(*words: str) -> str:
        with terminal(["enter", *words], settings) as at:
            at.expect(pexpect.EOF)
            text = " ".join(str(at.before).split())
        assert at.exitstatus == 2
        return text

    assert "no session is running" in refused("sta1")
    with session(tmp_path, settings) as (shell, number, path):
        assert 'there is no node "nobody"' in refused("nobody")
        assert "is not a running session" in refused("sta1", "--session", "1x")
        with session(tmp_path, settings) as (_, second, _):
            assert f"one of {', '.join(sorted((number, second)))}" in refused("sta1")
        # Whoever says something else does no harm.
        done = subprocess.run(
            ["python3", "-c", SAYS_NONSENSE, str(path)], check=False, capture_output=True, text=True
        )
        assert "is no message" in done.stdout
        os.kill(shell.pid, signal.SIGKILL)
        shell.close()
    assert path.exists()
    assert "no session is running" in refused("sta1")
    assert not path.parent.exists()


SAYS_NONSENSE = """
import socket, sys
talk = socket.socket(socket.AF_UNIX)
talk.connect(sys.argv[1])
talk.sendall(b'{"node": "sta1", "size": "x"}\\n')
print(talk.recv(1000).decode())
"""


def test_a_cache_folder_that_cannot_be_written_costs_history_and_door_only(
    tmp_path: Path, settings: dict[str, str]
) -> None:
    file = tmp_path / "file"
    file.write_text("")
    network = tmp_path / "entered.toml"
    network.write_text(NETWORK)
    words = ["shell", str(network), "--store", str(tmp_path / "runs")]
    with terminal(words, {**settings, "XDG_CACHE_HOME": str(file)}) as shell:
        shell.expect("Nobody can enter from another terminal")
        shell.expect("0.000000 s>")
        typed(shell, "nodes")
        shell.expect("ap1 sta1 sta2")
