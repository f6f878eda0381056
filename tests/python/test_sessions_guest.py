"""Sessions: a network that stops, changes, goes back, and is a run again."""

import contextlib
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import airtcp
import pexpect
import pytest
from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.kernels.folder_name import kernels_folder
from airtcp.sessions.job import Job
from airtcp.sessions.lab import Lab
from airtcp.sessions.opening import open_file
from airtcp.sessions.proof import prove
from support.command import COMMAND, environment, run_text

pytestmark = pytest.mark.guest

KERNELS = kernels_folder()

NETWORK = """
name = "lab"
duration = "10 s"
[wifi.home]
standard = "11n"
stations = ["sta1", "sta2"]
[channel]
propagation = "free_space"
reception = "nist"
[[wire]]
between = ["ap1", "h1"]
rate = "100 Mbit/s"
delay = "5 ms"
[[flow]]
from = "sta1"
to = "h1"
stop = "8 s"
"""
# Of commands, by turns in all nodes: what looks, what sends, what fails.
COMMANDS = (
    "ss -ti",
    "ping -c 1 -W 1 h1",
    "ip route",
    "cat /proc/net/snmp",
    "tc -s qdisc",
    "sh -c 'echo out; echo error >&2; exit 3'",
    "sleep 0.01",
)


@pytest.fixture
def network(tmp_path: Path) -> Path:
    file = tmp_path / "lab.toml"
    file.write_text(NETWORK)
    return file


@pytest.fixture
def lab(network: Path, tmp_path: Path) -> Iterator[Lab]:
    with airtcp.lab(network, store=tmp_path / "runs") as opened:
        yield opened


def test_a_command_has_output_status_and_virtual_times(lab: Lab) -> None:
    begin = lab.now_s
    answered = lab["sta2"].run("ping -c 2 -i 0.5 h1").check()
    assert "2 received" in answered.output
    assert begin == answered.began_s == 0
    assert 0.5 < answered.ended_s < 0.6
    assert lab["h1"].run("cat; exit 4", input="typed").output == "typed"
    assert lab["h1"].run("echo wrong >&2; exit 4").status == 4
    assert lab["h1"].run("kill -9 $$").status == -9
    with pytest.raises(subprocess.TimeoutExpired):
        lab["sta1"].run("ping h1", timeout="2 s")
    with pytest.raises(AirtcpError, match="no node"):
        lab["nobody"]


@contextlib.contextmanager
def load() -> Iterator[None]:
    """Processes that take what they get of all cores."""
    count = 2 * (os.cpu_count() or 1)
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def test_two_hundred_commands_repeat_to_the_byte(lab: Lab, tmp_path: Path) -> None:
    for number in range(200):
        node = lab.nodes[number % len(lab.nodes)]
        lab[node].run(COMMANDS[number % len(COMMANDS)])
        if number % 20 == 19:
            lab.run_for("50 ms")
    found = lab.frame_hash()
    file = tmp_path / "kept.toml"
    lab.save(file)
    # As a run, while others want the cores too.
    with load():
        run = run_text(tmp_path / "again", file.read_text())
    assert run.manifest["frame_hash"] == found.hash
    again = jobs_of(run.folder / "session.jsonl")
    assert len(again) == 200
    for job in lab.jobs:
        other = again[job.number]
        assert (other.chunks, other.status, other.ended_ns) == (job.chunks, job.status, job.ended_ns)


def jobs_of(transcript: Path) -> dict[int, Job]:
    """The jobs of a run, with what they wrote."""
    jobs: dict[int, Job] = {}
    for line in transcript.read_text().splitlines():
        fields = json.loads(line)
        if "happened" in fields:
            jobs[fields["job"]].take(fields["at_ns"], fields["happened"])
        elif fields["act"]["kind"] == "start":
            jobs[fields["job"]] = Job(fields["job"], fields["act"], fields["at_ns"])
    return jobs


def test_the_way_back_to_any_of_fifty_instants_leads_to_the_same_sockets_queues_and_frames(lab: Lab) -> None:
    lab["h1"].popen("ping -i 0.2 sta2")
    lab.flow("sta2", "h1", "bbr")
    instants = [number * 20_000_000 for number in range(1, 51)]

    def look(at_ns: int) -> tuple[str, str, str]:
        lab.until(at_ns / 1e9)
        assert lab.session.now_ns == at_ns
        sockets, queues = lab["sta1"].run("ss -tin").output, lab["ap1"].run("tc -s qdisc").output
        return hashes[at_ns], sockets, queues

    hashes = {}
    for at_ns in instants:
        lab.session.go_to(at_ns)
        hashes[at_ns] = lab.frame_hash().hash
    lab.goto(0.01)
    seen = {}
    for at_ns in instants:
        seen[at_ns] = look(at_ns)
        # What was looked at is no part of the way on.
        lab.goto(at_ns / 1e9)
        assert lab.frame_hash().hash == hashes[at_ns]
    assert len({sockets for _, sockets, _ in seen.values()}) == len(instants)
    for at_ns in random.Random(1).sample(instants, len(instants)):
        lab.goto(0.01)
        assert look(at_ns) == seen[at_ns]


def test_changes_change_the_network(lab: Lab) -> None:
    def rtt_ms() -> float:
        output = lab["sta2"].run("ping -c 1 -W 1 h1").output
        return float(output.partition("time=")[2].partition(" ")[0])

    lab.until("9.99 s")
    rtt_ms()  # finds the hardware addresses
    before = rtt_ms()
    lab.wire("ap1", "h1", delay="50 ms")
    assert rtt_ms() - before == pytest.approx(90, abs=2)
    lab.link("sta2", "ap1", up=False)
    assert lab["sta2"].run("ping -c 1 -W 1 h1").status == 2
    lab.link("sta2", "ap1", up=True)
    lab.move("sta2", [4000.0, 0.0])
    assert lab["sta2"].run("ping -c 1 -W 1 h1").status == 1
    lab.move("sta2", [2.0, 0.0])
    lab.rssi("sta2", -200)
    assert lab["sta2"].run("ping -c 1 -W 1 h1").status == 1
    with pytest.raises(AirtcpError, match="no wire"):
        lab.wire("sta1", "sta2", 1_000_000)


def test_a_step_ends_with_a_ppdu(lab: Lab) -> None:
    ends_ns = []
    for _ in range(5):
        ppdus = lab.step()
        assert ppdus
        assert lab.session.now_ns == ppdus[-1].end_ns + 1
        ends_ns.append(ppdus[-1].end_ns)
    assert ends_ns == sorted(set(ends_ns))


def test_a_run_is_entered_where_it_is_the_run(tmp_path: Path) -> None:
    run = run_text(tmp_path / "run", NETWORK)
    opened = open_file(run.folder, tmp_path / "runs")
    with Lab(opened) as looked:
        looked.until("3.3 s")
        assert "frames up to 3.3 s are those of run" in prove(opened, looked)
        assert "cubic" in looked["sta1"].run("ss -tin").output
        # With something done in it, it is another one from there on.
        looked["sta1"].run("ping -c 1 h1")
        looked.run_for("100 ms")
        with pytest.raises(AirtcpError, match="another run"):
            prove(opened, looked)


def test_a_program_that_never_waits_is_named_and_ended(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("airtcp.sessions.session.STUCK_S", 1.0)
    monkeypatch.setattr("airtcp.sessions.session.STILL_S", 1.0)
    lab["h1"].popen("sleep 100")
    lab["sta1"].popen("sleep 0.25; while :; do :; done")
    beside = lab["ap1"].popen("while :; do sleep 0.1; echo on; done")
    lab.run_for("100 ms")
    with pytest.raises(
        AirtcpError, match=re.escape("sta1: sleep 0.25; while :; do :; done: was ended")
    ) as ended:
        lab.run_for("1 s")
    assert "stopped at 0.25" in str(ended.value)
    # The session goes on beyond that instant, with what ran beside.
    assert 0.25 < lab.now_s < 0.3
    lab.run_for("1 s")
    assert lab.session.jobs[beside.job.number].output.count("on") > 10
    # Also while somebody only listens, as terminals do.
    lab["h1"].popen("while :; do :; done")
    lab.session.let_go()
    with pytest.raises(AirtcpError, match="h1: while"):
        listen(lab)
    assert lab.session.stands


def listen(lab: Lab) -> None:
    for _ in range(100):
        lab.session.hear(0.2)


def guests(store: Path) -> list[Path]:
    return list(store.glob(".working-session-*"))


def test_nothing_is_left_of_a_session_whose_terminal_is_killed(network: Path, tmp_path: Path) -> None:
    store = tmp_path / "runs"
    program, *words = COMMAND
    words += ["shell", str(network), "--store", str(store)]
    shell = pexpect.spawn(program, words, timeout=60, env=environment())
    shell.expect("s>")
    assert guests(store)
    os.kill(shell.pid, signal.SIGKILL)
    shell.close()
    deadline = time.monotonic() + 20
    while guests(store) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not guests(store)


@contextlib.contextmanager
def prompt(network: Path, store: Path) -> Iterator["pexpect.spawn[str]"]:
    settings = {**environment(), "PROMPT_TOOLKIT_NO_CPR": "1", "TERM": "xterm"}
    program, *words = COMMAND
    words += ["shell", str(network), "--store", str(store)]
    shell = pexpect.spawn(program, words, encoding="utf-8", timeout=60, env=settings, dimensions=(30, 100))
    try:
        shell.expect("0.000000 s>")
        yield shell
    finally:
        shell.close(force=True)


def typed(shell: "pexpect.spawn[str]", line: str) -> None:
    """Types a line, as a person would: after the prompt has appeared, which takes the terminal over."""
    time.sleep(0.5)
    shell.sendline(line)


def test_a_terminal_in_a_node_and_ctrl_c_at_the_prompt(network: Path, tmp_path: Path) -> None:
    with prompt(network, tmp_path / "runs") as shell:
        typed(shell, "sta1 ping -i 0.5 h1")
        shell.expect("icmp_seq=3")
        shell.sendintr()
        shell.expect("packets transmitted")
        shell.expect("s>")
        typed(shell, "sta1")
        shell.expect("sta1:.*# ")
        typed(shell, "stty size; tty; echo $NODE")
        shell.expect("30 100")
        shell.expect("/dev/pts/0")
        typed(shell, "sleep 1000")
        time.sleep(0.5)
        shell.sendintr()
        shell.expect("# ")
        shell.setwinsize(40, 120)
        time.sleep(0.5)
        typed(shell, "stty size")
        shell.expect("40 120")
        typed(shell, "exit")
        shell.expect("s>")
        typed(shell, "hash")
        shell.expect("[0-9a-f]{16}")
        found = shell.after
        typed(shell, f"save {tmp_path / 'kept.toml'}")
        shell.expect("repeats it")
        time.sleep(0.5)
        shell.sendeof()
        shell.expect(pexpect.EOF)
    assert shell.exitstatus == 0
    run: Run = run_text(tmp_path / "again", (tmp_path / "kept.toml").read_text())
    assert run.manifest["frame_hash"] == found


def test_commands_of_a_file_are_shown_with_their_instants(network: Path, tmp_path: Path) -> None:
    commands = "nodes\nnet\npingall\nrun 1 s\nfoo\n"
    done = subprocess.run(
        [*COMMAND, "shell", str(network), "--store", str(tmp_path / "runs")],
        env=environment(),
        input=commands,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "0.000000 s> nodes\nap1 sta1 sta2 h1\n" in done.stdout
    assert "sta1 -> sta2 h1\n" in done.stdout
    assert "0% lost (6 of 6 received)" in done.stdout
    assert "airtcp: foo: is neither a node nor a command" in done.stderr


def test_the_fixture_keeps_the_session_of_a_failed_test(
    network: Path, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The test within has a home folder of its own.
    monkeypatch.setenv("AIRTCP_KERNELS", str(KERNELS))
    (pytester.path / "lab.toml").write_text(network.read_text())
    pytester.makepyfile(
        """
        def test_it(airtcp_lab):
            lab = airtcp_lab("lab.toml")
            lab["sta1"].run("ping -c 1 h1", timeout="2 s").check()
            assert lab.now_s > 5
        """
    )
    outcome = pytester.runpytest_subprocess("-p", "no:cacheprovider")
    outcome.assert_outcomes(failed=1)
    kept = next(line for line in outcome.outlines if "repeat it with" in line).rpartition(" ")[2]
    assert Path(kept).is_file()
