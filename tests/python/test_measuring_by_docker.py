"""Measuring in containers: by `docker exec`, without rights and with those to set queues."""

import os
import signal

import pytest
from support.docker_engine import Docker
from support.real_network import RealNetwork, children, command_line, require_namespaces, wait_until

TRAFFIC = """
[[flow]]
from = "h1"
to = "h2"
cca = "reno"
[[ping]]
from = "h1"
to = "h2"
interval = "100 ms"
[[program]]
name = "who"
node = "h1"
command = "id -u; sleep 311"
"""
ALL_GROUPS = "net.ipv4.ping_group_range=0 2147483647"


@pytest.fixture(scope="module")
def docker(tmp_path_factory):
    require_namespaces()
    with Docker(tmp_path_factory.mktemp("docker")) as docker:
        yield docker


@pytest.fixture(scope="module")
def network(docker, tmp_path_factory):
    """h1 is a container of an ordinary user, h2 one of root that may set up its network."""
    containers = {
        "h1": docker.start("airtcp-h1", "--user", "1000", "--sysctl", ALL_GROUPS),
        "h2": docker.start("airtcp-h2", "--cap-add", "NET_ADMIN"),
    }
    with RealNetwork(tmp_path_factory.mktemp("network") / "files", containers=containers) as network:
        yield network


WAYS = {"h1": 'docker = "airtcp-h1"', "h2": 'docker = "airtcp-h2"'}


def left(docker, network):
    """What a measurement may have changed in the containers."""
    state = network.state()
    for name in ("airtcp-h1", "airtcp-h2"):
        state[name] = docker.inside(name, "sh", "-c", "ls -A /tmp /var/tmp")
    return state


def test_containers_are_measured_and_left_as_they_were(docker, network):
    before = left(docker, network)
    lab = network.lab("h1", "h2", ways=WAYS)
    (run,) = network.measured(network.scenario("containers", "2 s", TRAFFIC), "--lab", lab, path=docker.path)
    assert run.series("flows")["bytes_received"].max() > 1_000_000
    assert run.series("pings")["rtt_ns"].min() > 0
    assert (run.folder / "programs" / "who.out").read_text() == "1000\n"
    machines = run.manifest["measured"]["machines"]
    assert set(machines) == {"h1", "h2"}
    wait_until(lambda: left(docker, network) == before, "the state before")


def begun(docker, network, name, duration):
    """A measurement that sets a queue of the container h2, which is there when this returns."""
    lab = network.lab("h2", "h1", ways=WAYS)
    text = lab.read_text(encoding="utf-8").replace(WAYS["h2"], f'{WAYS["h2"]}\nset = ["queues"]')
    lab.write_text(text, encoding="utf-8")
    wires = '[[wire]]\nbetween = ["h1", "r1"]\n[[wire]]\nbetween = ["r1", "h2"]\nqueue = "33 packets"\n'
    router = '[node.r1]\nkind = "router"\n'
    scenario = network.scenario(name, duration, TRAFFIC, wires + router)
    process = network.begin(scenario, "--lab", lab, path=docker.path)
    wait_until(lambda: "limit 33p" in network.inside("h2", "tc", "qdisc", "show"), "the queue")
    return process


def test_a_container_may_set_its_queues(docker, network):
    before = left(docker, network)
    process = begun(docker, network, "queues", "1 s")
    _, said = process.communicate(timeout=60)
    assert process.returncode == 0, said
    wait_until(lambda: left(docker, network) == before, "the state before")


def test_a_cut_connection_leaves_nothing_in_containers(docker, network):
    """The command and its `docker exec` are killed: Docker leaves what runs inside alone."""
    before = left(docker, network)
    process = begun(docker, network, "cut", "60 s")
    clients = [child for child in children(process.pid) if "exec" in command_line(child)]
    assert len(clients) == 2
    for one in (process.pid, *clients):
        os.kill(one, signal.SIGKILL)
    process.communicate()
    wait_until(lambda: left(docker, network) == before, "the state before")
