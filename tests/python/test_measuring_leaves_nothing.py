"""However a measurement ends, the machines are as they were: disciplines, offloads, settings, processes, files."""

import os
import signal
import time

import pytest
from airtcp.store.contents import read_contents
from support.real_network import command_line, runs_of, sh, wait_until

# One daemon that its shell has left, one of a session of its own without the environment of the run, and a program
# that ignores SIGTERM.
PROGRAMS = """
[[program]]
name = "daemons"
node = "h1"
command = "setsid sleep 301 & env -i setsid sh -c '(sleep 302 &)'"
[[program]]
name = "stubborn"
node = "h1"
command = "trap '' TERM; sleep 303; sleep 304"
"""
TRAFFIC = """
[[flow]]
from = "h1"
to = "h2"
[[ping]]
from = "h1"
to = "h2"
[[udp]]
from = "h2"
to = "h1"
rate = "1 Mbit/s"
[[capture]]
node = "r1"
interface = "eth1"
"""
LONG = "100 s"


@pytest.fixture(scope="module")
def before(network):
    """What the machines are like without a measurement; one of the scenario's settings is another."""
    network.inside("h1", "sysctl", "-qw", "net.ipv4.tcp_sack=0")
    return network.state()


@pytest.fixture
def under_way(network, before):
    """Starts a measurement and waits until everything runs; afterwards it must leave nothing."""
    lab = network.lab(more='set = ["queues", "sysctls", "congestion_controls"]')
    processes = []

    def begin(traffic=TRAFFIC + PROGRAMS, duration=LONG):
        process = network.begin(network.scenario("ended", duration, traffic), "--lab", lab)
        processes.append(process)
        wait_until(lambda: process.poll() is not None or sleepers(network), "a program")
        assert process.poll() is None, process.communicate()
        assert network.state() != before
        return process

    yield begin
    for process in processes:
        process.kill()
        process.wait()


def sleepers(network):
    """Whether all daemons and programs of the scenario run."""
    running = [command_line(process) for process in network.processes("h1")]
    return all(any(f"sleep {number}" in line for line in running) for number in (301, 302, 303))


def agents(network, words):
    """The processes of agents in h1 whose command lines have these words."""
    return [process for process in network.processes("h1") if words in command_line(process)]


def assert_left_nothing(network, before):
    wait_until(lambda: network.state() == before, "the state before", 20)


def leftovers(network):
    """What is left in the store of runs that did not become any."""
    return read_contents(network.store).working


def test_after_success(network, before):
    lab = network.lab(more='set = ["queues", "sysctls", "congestion_controls"]')
    answer = network.measure(network.scenario("ended", "1 s", TRAFFIC + PROGRAMS), "--lab", lab)
    assert answer.returncode == 0, answer.stderr
    # What the agents have said when they ended is part of the answer.
    assert "not undone" not in answer.stderr
    assert network.state() == before
    assert not leftovers(network)


def test_after_ctrl_c(network, before, under_way):
    process = under_way()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 0, err
    (run,) = runs_of(out)
    assert run.end_ns < 100e9
    assert any("stopped by hand" in warning for warning in run.agent["warnings"])
    assert network.state() == before
    assert not leftovers(network)


@pytest.mark.parametrize("signals", [(signal.SIGTERM,), (signal.SIGINT, signal.SIGINT)])
def test_after_it_was_ended(network, before, under_way, signals):
    process = under_way()
    for number in signals:
        process.send_signal(number)
        time.sleep(0.2)
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 130
    assert not runs_of(out)
    assert network.state() == before
    assert not leftovers(network)


def test_after_it_was_killed(network, before, under_way):
    process = under_way()
    process.kill()
    process.communicate()
    assert_left_nothing(network, before)
    # Its folder in the store is that of a killed run, which `airtcp store gc` removes.
    contents = read_contents(network.store)
    assert contents.leftovers
    assert contents.under_way == []


@pytest.mark.parametrize("words", ["airtcp-measure-worker", "airtcp-agent measure"], ids=["worker", "guard"])
def test_after_one_process_of_an_agent_was_killed(network, before, under_way, words):
    """The other one cleans up, and the run ends with what was measured on the other machines."""
    process = under_way()
    (agent,) = agents(network, words)
    os.kill(agent, signal.SIGKILL)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    (run,) = runs_of(out)
    assert any("node h1 was lost" in warning for warning in run.agent["warnings"]), run.agent["warnings"]
    assert set(run.manifest["measured"]["machines"]) == {"r1", "h2"}
    assert run.agent["flows"][0]["bytes_received"] > 0
    assert_left_nothing(network, before)


def test_after_an_agent_was_killed_as_a_whole(network, before, under_way):
    """The next measurement undoes what it left; what has no environment of the run can't be known."""
    process = under_way()
    for words in ("airtcp-agent measure", "airtcp-measure-worker"):
        for agent in agents(network, words):
            os.kill(agent, signal.SIGKILL)
    process.communicate(timeout=60)
    left = network.state()
    assert left["h1 qdiscs"] != before["h1 qdiscs"]
    for process in network.processes("h1"):
        if command_line(process).split() == ["sleep", "302"]:
            os.kill(process, signal.SIGKILL)
    ping = '[[ping]]\nfrom = "h1"\nto = "h2"\n'
    answer = network.measure(network.scenario("next", "500 ms", ping), "--lab", network.lab("h1", "h2"))
    assert answer.returncode == 0, answer.stderr
    assert_left_nothing(network, before)


def test_after_a_change_that_failed(network, before):
    """h1 has been changed when it is found that r1 can't be."""
    sh(
        "ip",
        "netns",
        "exec",
        network.namespace("r1"),
        *["tc", "qdisc", "add", "dev", "right0", "root", "pfifo", "limit", "7"],
    )
    own = network.state()
    lab = network.lab(more='set = ["queues", "sysctls"]')
    answer = network.measure(network.scenario("ended", "1 s", TRAFFIC), "--lab", lab)
    assert network.state() == own
    network.inside("r1", *["tc", "qdisc", "del", "dev", "right0", "root"])
    assert answer.returncode == 2, answer.stderr
    assert "node r1: right0 has a queueing discipline that somebody set: pfifo" in answer.stderr
    assert network.state() == before


def test_what_a_run_left_does_not_disturb_the_next(network, before):
    """Daemons end with their run, not with the measurement: each run has one."""
    count = "sleep 305 & sleep 0.3; pgrep -c -f 'sleep 30[5]' >&2; true"
    program = f'[[program]]\nname = "left"\nnode = "h1"\ncommand = "{count}"\n'
    file = network.scenario("left", "600 ms", program)
    runs = network.measured(file, "--lab", network.lab("h1"), "--reps", "2", "--pause-s", "0")
    assert len(runs) == 2
    counted = {(run.folder / "programs" / "left.err").read_text() for run in runs}
    assert len(counted) == 1, counted
    assert network.state() == before
