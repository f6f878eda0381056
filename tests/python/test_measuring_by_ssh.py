"""Measuring over ssh: as an ordinary user, as root, and what happens when the connection is cut."""

import os
import platform
import signal
from pathlib import Path

import airtcp
import pytest
from support.real_network import RealNetwork, children, command_line, require_namespaces, runs_of, wait_until
from support.ssh_server import Ssh

CONTROLS = Path("/proc/sys/net/ipv4")

TRAFFIC = """
[[flow]]
from = "h1"
to = "h2"
cca = "reno"
[[udp]]
from = "h2"
to = "h1"
rate = "1 Mbit/s"
[[program]]
name = "who"
node = "h1"
command = "sleep 311"
"""
PING = '[[ping]]\nfrom = "h1"\nto = "h2"\ninterval = "100 ms"\n'
ALL_GROUPS = "0 2147483647"


@pytest.fixture(scope="module")
def network(network):
    for node in ("h1", "h2"):
        network.inside(node, "sysctl", "-qw", f"net.ipv4.ping_group_range={ALL_GROUPS}")
    return network


def open_folder(folder):
    """The folder, to which others than its user have a way: pytest's own are closed to them."""
    for parent in (folder, *folder.parents[:3]):
        if parent.stat().st_uid == os.getuid():
            parent.chmod(parent.stat().st_mode | 0o011)
    return folder


@pytest.fixture(scope="module")
def ssh(network, tmp_path_factory):
    folder = open_folder(tmp_path_factory.mktemp("ssh"))
    with Ssh(network, folder / "files") as ssh:
        yield ssh


@pytest.fixture(scope="module")
def before(network, ssh):
    del ssh
    return network.state()


def assert_left_nothing(network, ssh, before):
    wait_until(
        lambda: not ssh.processes() and not ssh.files(), "the end of the user's processes and files", 30
    )
    wait_until(lambda: network.state() == before, "the state before", 30)


@pytest.fixture(scope="module")
def by_a_user(network, ssh, before):
    """A measurement on two machines, by a user without any right; answer and run."""
    del before
    lab = network.lab("h1", "h2", ways=ssh.ways("h1", "h2"))
    answer = network.measure(network.scenario("user", "2 s", TRAFFIC + PING), "--lab", lab, path=ssh.path)
    assert answer.returncode == 0, answer.stderr
    (run,) = runs_of(answer.stdout)
    return answer, run


def test_a_user_without_root_measures(network, ssh, before, by_a_user):
    answer, run = by_a_user
    for node in ("h1", "h2"):
        assert f"node {node}: without root: queues and settings stay as they are" in answer.stderr
    assert run.agent["flows"][0]["bytes_received"] > 100_000
    assert run.agent["pings"][0]["received"] > 10
    assert run.agent["datagrams"][0]["received"] > 50
    assert run.agent["programs"][0]["signal"] == signal.SIGTERM
    measured = run.manifest["measured"]
    assert measured["changed"] == {}
    assert [machine["root"] for machine in measured["machines"].values()] == [False, False]
    assert run.series("qdiscs").height > 0
    assert_left_nothing(network, ssh, before)


def test_a_run_folder_tells_no_secret(network, ssh, by_a_user):
    """No name of a machine or user, no real address, no destination of ssh."""
    _, run = by_a_user
    secrets = [platform.node(), ssh.user, network.prefix, "192.168.71.1", "192.168.72.1", "ssh", "up0"]
    for file in sorted(file for file in run.folder.rglob("*") if file.is_file()):
        content = file.read_bytes()
        for secret in secrets:
            assert secret.encode() not in content, f"{file.name}: {secret}"


def test_what_a_user_may_not_do_is_said(network, ssh, before):
    """A ping without rights to it, and a congestion control that is not for users."""
    lab = network.lab("h1", "h2", ways=ssh.ways("h1", "h2"))
    network.inside("h1", "sysctl", "-qw", "net.ipv4.ping_group_range=1 0")
    answer = network.measure(network.scenario("user", "1 s", PING), "--lab", lab, path=ssh.path)
    network.inside("h1", "sysctl", "-qw", f"net.ipv4.ping_group_range={ALL_GROUPS}")
    assert answer.returncode == 2, answer.stderr
    assert "node h1" in answer.stderr
    assert "net.ipv4.ping_group_range" in answer.stderr
    available = set((CONTROLS / "tcp_available_congestion_control").read_text().split())
    allowed = set((CONTROLS / "tcp_allowed_congestion_control").read_text().split())
    for control in sorted(available - allowed)[:1]:
        flow = f'[[flow]]\nfrom = "h1"\nto = "h2"\ncca = "{control}"\n'
        answer = network.measure(network.scenario("user", "1 s", flow), "--lab", lab, path=ssh.path)
        assert answer.returncode == 2, answer.stderr
        assert f"'{control}'" in answer.stderr
        assert "tcp_allowed_congestion_control" in answer.stderr
    assert_left_nothing(network, ssh, before)


def test_a_user_can_not_set_what_needs_root(network, ssh, before):
    lab = network.lab("h1", "h2", ways=ssh.ways("h1", "h2"), more='set = ["queues"]')
    answer = network.measure(network.scenario("user", "1 s", PING), "--lab", lab, path=ssh.path)
    assert answer.returncode == 2, answer.stderr
    assert "Give the user the right (sudo = true), or leave it out of set" in answer.stderr
    assert_left_nothing(network, ssh, before)


@pytest.fixture
def sudo(ssh):
    """The user may run everything as root."""
    rule = Path("/etc/sudoers.d") / ssh.user
    rule.write_text(f"{ssh.user} ALL=(ALL) NOPASSWD: ALL\n")
    rule.chmod(0o440)
    yield
    rule.unlink()


CAPTURE = '[[capture]]\nnode = "h1"\n'
WITH_SUDO = 'set = ["queues", "sysctls"]\nsudo = true'


@pytest.mark.usefixtures("sudo")
def test_a_user_with_sudo_sets_and_captures(network, ssh, before):
    lab = network.lab("h1", "h2", ways=ssh.ways("h1", "h2"), more=WITH_SUDO)
    file = network.scenario("sudo", "2 s", TRAFFIC + PING + CAPTURE)
    (run,) = network.measured(file, "--lab", lab, path=ssh.path)
    assert (run.folder / "pcap" / "h1.pcap").stat().st_size > 10_000
    assert airtcp.load(run.folder / "pcap" / "h1.pcap").frame("packets").height > 100
    assert run.manifest["measured"]["changed"]["h1"]
    assert not any("had ended before" in warning for warning in run.agent["warnings"]), run.agent["warnings"]
    assert_left_nothing(network, ssh, before)


@pytest.mark.usefixtures("sudo")
def test_what_sudo_has_started_ends_with_a_cut_connection(network, ssh, before):
    """A user may not kill the tcpdump of root."""
    lab = network.lab("h1", "h2", ways=ssh.ways("h1", "h2"), more=WITH_SUDO)
    process = under_way(network, ssh, lab, TRAFFIC + CAPTURE)
    assert any(command_line(one).startswith("tcpdump") for one in network.processes("h1"))
    os.kill(client_of(process, "h1"), signal.SIGKILL)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert_left_nothing(network, ssh, before)


def under_way(network, ssh, lab=None, traffic=TRAFFIC):
    """Starts a measurement: h1 by ssh as root, the others directly."""
    lab = lab or network.lab(ways=ssh.ways("h1", root=True), more='set = ["queues", "sysctls"]')
    process = network.begin(network.scenario("cut", "100 s", traffic), "--lab", lab, path=ssh.path)

    def runs():
        return any("sleep 311" in command_line(one) for one in network.processes("h1"))

    wait_until(lambda: process.poll() is not None or runs(), "the program")
    assert process.poll() is None, process.communicate()
    return process


@pytest.fixture
def by_root(network, ssh, before):
    del before
    process = under_way(network, ssh)
    yield process
    process.kill()
    process.wait()


@pytest.fixture(scope="module", autouse=True)
def hanging(tmp_path_factory):
    """In a network of its own, beside all other tests: a connection on which nothing comes, for its agent's
    patience is long. Gives the network, what it was before, its ssh, and the process."""
    require_namespaces()
    folder = open_folder(tmp_path_factory.mktemp("hanging"))
    with RealNetwork(folder / "network") as network, Ssh(network, folder / "ssh", "airtcp-hanging") as ssh:
        before = network.state()
        process = under_way(network, ssh)
        os.kill(client_of(process), signal.SIGSTOP)
        yield network, before, ssh, process
        process.kill()
        process.wait()


def client_of(process, alias="root-h1"):
    """The client of ssh that a measurement has started for a machine."""
    (client,) = [
        one
        for one in children(process.pid)
        if (line := command_line(one)).startswith("/usr/bin/ssh ") and f" {alias} " in line
    ]
    return client


def session_of(network):
    """The server's process of the session in h1."""
    return [one for one in network.processes("h1") if command_line(one).startswith("sshd: root")]


@pytest.mark.parametrize("end", ["client", "server"])
def test_a_connection_that_is_cut(network, ssh, before, by_root, end):
    """The machine is left as it was, and the run ends with what the others measured."""
    for process in [client_of(by_root)] if end == "client" else session_of(network):
        os.kill(process, signal.SIGKILL)
    out, err = by_root.communicate(timeout=60)
    assert by_root.returncode == 0, err
    (run,) = runs_of(out)
    assert any("node h1 was lost" in warning for warning in run.agent["warnings"])
    assert run.agent["flows"][0]["bytes_received"] > 0
    assert_left_nothing(network, ssh, before)


def test_a_machine_that_can_not_be_reached(network, ssh, before):
    lab = network.lab("h1", "h2", ways={"h2": 'ssh = "closed"'})
    answer = network.measure(network.scenario("user", "1 s", PING), "--lab", lab, path=ssh.path)
    assert answer.returncode == 3, answer.stderr
    assert "node h2: the connection has ended: ssh: connect to host 127.0.0.1 port 1" in answer.stderr
    assert len(answer.stderr.strip().splitlines()) <= 2, answer.stderr
    assert_left_nothing(network, ssh, before)


def test_a_connection_that_hangs(hanging):
    """After its patience the agent takes a connection on which nothing comes for cut."""
    network, before, ssh, process = hanging
    wait_until(
        lambda: network.state()["h1 qdiscs"] == before["h1 qdiscs"], "the end of the agent's patience", 40
    )
    os.kill(client_of(process), signal.SIGCONT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert runs_of(out)
    assert_left_nothing(network, ssh, before)
