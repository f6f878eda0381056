"""Wrong lab files and labs: one message each, with its place and what to do. No machine is needed for most."""

import json
import os
import subprocess
import sys

import pytest
from airtcp.errors import AirtcpError
from airtcp.measurement.connection import VERSION
from airtcp.measurement.lab_file import read_lab
from airtcp.measurement.real_plan import check_lab, real_plan
from airtcp.measurement.ways_in import MACHINE, way_in
from support.command import airtcp, scenario_file
from support.wifi_scenarios import plan_of

SCENARIO = """
name = "lab"
duration = "2 s"
[[wire]]
between = ["h1", "r1"]
[[wire]]
between = ["r1", "h2"]
[node.r1]
kind = "router"
[[flow]]
from = "h1"
to = "h2"
[[ping]]
from = "h1"
to = "r1"
[[program]]
name = "client"
node = "h1"
command = "iperf3 -c h2 --title h2"
"""
NODES = """
[node.h1]
local = true
address = "192.0.2.1"
interfaces = { eth0 = "enp3s0" }
[node.h2]
ssh = "h2.example.org"
address = "192.0.2.2"
[node.r1]
docker = "router"
address = "192.0.2.3"
"""


@pytest.fixture
def lab_file(tmp_path):
    def write(text):
        file = tmp_path / "lab.toml"
        file.write_text(text)
        return file

    return write


def refusal(call):
    with pytest.raises(AirtcpError) as refused:
        call()
    return str(refused.value)


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        (
            "local = true",
            "local = true\nusers = 3",
            'lab.toml:4: node.h1.users: unknown key. Did you mean "set"?',
        ),
        ("local = true", "locale = true", 'node.h1.locale: unknown key. Did you mean "local"?'),
        ("local = true", 'local = true\nssh = "x"', "lab.toml:2: node.h1 has ssh and local"),
        ("local = true\n", "", "lab.toml:2: node.h1 does not say how to reach the machine"),
        ("192.0.2.1", "h1.example.org", '"h1.example.org" is not an IPv4 address'),
        ("local = true", 'local = true\nset = ["queue"]', "node.h1.set"),
        ('interfaces = { eth0 = "enp3s0" }', 'interfaces = "enp3s0"', "node.h1.interfaces"),
        ("[node.h1]", 'lead = "2"\n[node.h1]', "lead"),
        ("[node.h1]", "[node.h1", "lab.toml: TOML syntax"),
    ],
)
def test_a_lab_file_that_is_wrong(lab_file, old, new, what):
    assert old in NODES
    said = refusal(lambda: read_lab(lab_file(NODES.replace(old, new))))
    assert what.split(". Did you")[0] in said, said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("node.h1]", "node.h9]", "the scenario has no node h9"),
        ('eth0 = "enp3s0"', 'eth7 = "enp3s0"', "node h1 has no interface eth7 in the scenario"),
        (
            '[node.h2]\nssh = "h2.example.org"\naddress = "192.0.2.2"\n',
            "",
            "node h2 is an end of the scenario's",
        ),
        ('[node.r1]\ndocker = "router"\naddress = "192.0.2.3"\n', "", "needs the address of node r1"),
    ],
)
def test_a_lab_that_does_not_fit_the_scenario(lab_file, old, new, what):
    assert old in NODES
    file = lab_file(NODES.replace(old, new))
    assert what in refusal(lambda: check_lab(plan_of(SCENARIO), read_lab(file), file))


def test_what_only_guests_can_do_is_said(lab_file):
    file = lab_file(NODES)
    plan = plan_of(
        SCENARIO + '[sampling]\nacks = true\n[node.h1]\nclock_offset = "1 s"\nnamespaces = ["pid"]\n'
    )
    said = check_lab(plan, read_lab(file), file)
    assert any("acks" in line for line in said), said
    assert any("clocks of h1" in line for line in said), said
    assert any("namespaces of h1" in line for line in said), said
    assert check_lab(plan_of(SCENARIO), read_lab(file), file) == []


def test_the_real_plan_has_the_addresses_and_names_of_the_lab(lab_file):
    """The plan itself, which the run folder keeps, stays as it is."""
    plan = plan_of(SCENARIO)
    before = json.dumps(plan)
    real = real_plan(plan, read_lab(lab_file(NODES)))
    assert json.dumps(plan) == before
    assert real["flows"][0]["address"] == "192.0.2.2"
    assert real["pings"][0]["to_address"] == "192.0.2.3"
    assert real["programs"][0]["command"] == "iperf3 -c 192.0.2.2 --title 192.0.2.2"
    names = {node["name"]: [each["name"] for each in node["interfaces"]] for node in real["nodes"]}
    assert names["h1"] == ["enp3s0"]
    assert names["h2"] == ["eth0"]


def test_clients_of_applications_connect_to_their_server(lab_file):
    """Data goes to the node that asks for it, and so the sender listens."""
    plan = plan_of(SCENARIO.replace("[[flow]]", "[[web]]"))
    assert real_plan(plan, read_lab(lab_file(NODES)))["flows"][0]["address"] == "192.0.2.1"


def test_a_dry_run_says_what_would_be_done(lab_file, tmp_path):
    """It connects to nothing: h2.example.org is not there."""
    lab = lab_file(NODES.replace("local = true", 'local = true\nset = ["queues", "sysctls"]'))
    scenario = SCENARIO.replace(
        'between = ["h1", "r1"]', 'between = ["h1", "r1"]\nrate = "8 Mbit/s"\nqueue = "9 packets"'
    )
    answer = airtcp("measure", scenario_file(tmp_path / "s", scenario), "--lab", lab, "--dry-run")
    assert answer.returncode == 0, answer.stderr
    for line in (
        "node h2: ssh h2.example.org, address 192.0.2.2",
        "changes: tc qdisc add dev enp3s0 root handle 1: tbf rate 8000000bit burst 3028 limit 1000000000",
        "changes: tc qdisc add dev enp3s0 parent 1:1 handle 2: pfifo limit 9",
        "restores: tc qdisc del dev enp3s0 root",
        "changes nothing",
        "sends flow h1-h2 (cubic) to h2",
        "runs: iperf3 -c h2 --title h2",
    ):
        assert line in answer.stdout, answer.stdout
    assert not (tmp_path / "runs").exists()


def test_the_exit_status_of_a_user_error_is_2(lab_file, tmp_path):
    lab = lab_file(NODES.replace("local = true", ""))
    answer = airtcp("measure", scenario_file(tmp_path / "s", SCENARIO), "--lab", lab)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert answer.stderr.startswith("airtcp: ")
    assert len(answer.stderr.splitlines()) == 1


ALONE = """
name = "alone"
duration = "1 s"
[[wire]]
between = ["h1", "h2"]
[[program]]
name = "nothing"
node = "h1"
command = "true"
"""


def test_an_interface_that_the_machine_does_not_have(lab_file, tmp_path, real_runner):
    del real_runner
    lab = lab_file('[node.h1]\nlocal = true\naddress = "127.0.0.1"\ninterfaces = { eth0 = "none0" }\n')
    answer = airtcp(
        "measure", scenario_file(tmp_path / "s", ALONE), "--lab", lab, "--store", tmp_path / "store"
    )
    assert answer.returncode == 2
    assert "node h1: interfaces.eth0: there is no interface none0" in answer.stderr


@pytest.mark.parametrize(
    ("said", "status", "what"),
    [
        ("echo oops >&2; exit 1", 3, "node h1: the connection has ended: oops"),
        (
            f'echo \'{{"answer":"ready","version":{VERSION + 1},"uid":0,"capabilities":""}}\'; cat',
            2,
            "version",
        ),
        ("echo Welcome to this machine; exit 0", 3, "Welcome to this machine"),
        # It takes no orders any more when it says something.
        ("exec <&- 2>&-; sleep 0.3; echo Welcome to this machine", 3, "Welcome to this machine"),
    ],
)
def test_an_agent_that_does_not_answer_as_it_should(lab_file, tmp_path, real_runner, said, status, what):
    """The client of ssh is the test's."""
    del real_runner
    client = tmp_path / "ssh"
    client.write_text(f"#!/bin/sh\n{said}\n")
    client.chmod(0o755)
    lab = lab_file('[node.h1]\nssh = "h1"\naddress = "127.0.0.1"\n')
    answer = subprocess.run(
        [sys.executable, "-m", "airtcp", "measure", scenario_file(tmp_path / "s", ALONE), "--lab", lab],
        env={**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert answer.returncode == status, answer.stderr
    assert what in answer.stderr
    assert "Traceback" not in answer.stderr


@pytest.mark.parametrize("machine", ["x86_64", "aarch64"])
def test_the_agent_is_copied_only_to_machines_that_it_is_for(lab_file, tmp_path, machine):
    """The shell's part of the copy, with an agent that is a script and a `uname` of the test."""
    assert MACHINE == "x86_64"
    agent = tmp_path / "agent"
    agent.write_text('#!/bin/sh\n[ "$1" = --version ] && exit 0\necho "runs: $0 $*"; cat\n')
    folder, bin_folder = tmp_path / "tmp", tmp_path / "bin"
    folder.mkdir()
    bin_folder.mkdir()
    (bin_folder / "uname").write_text(f"#!/bin/sh\necho {machine}\n")
    (bin_folder / "uname").chmod(0o755)
    way = way_in(read_lab(lab_file(NODES)).node["h2"], agent)
    done = subprocess.run(
        ["/bin/sh", "-c", way.command[-1]],
        input=way.program + b"orders follow\n",
        env={"PATH": f"{bin_folder}:{os.environ['PATH']}", "TMPDIR": str(folder), "HOME": str(tmp_path)},
        capture_output=True,
        check=False,
    )
    if machine == MACHINE:
        assert done.returncode == 0, done.stderr
        assert done.stdout.startswith(f"runs: {folder}/airtcp-agent.".encode())
        assert done.stdout.endswith(b"measure --remove-program\norders follow\n")
    else:
        assert done.returncode == 65
        assert done.stderr == b"the machine is aarch64, the agent is for x86_64\n"
    assert list(folder.iterdir()) == []
