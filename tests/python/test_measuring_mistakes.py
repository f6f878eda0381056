"""Wrong lab files and labs: one message each, with its place and what to do. No machine is needed for most."""

import hashlib
import json
import os
import queue
import subprocess
import sys
import threading

import pytest
from airtcp.errors import AirtcpError
from airtcp.measurement.changes import planned_changes
from airtcp.measurement.connection import VERSION, Connection, MachineLostError
from airtcp.measurement.experiment import Experiment
from airtcp.measurement.lab_file import LabNode, read_lab
from airtcp.measurement.laboratory import Laboratory, Machine
from airtcp.measurement.machine_name import hidden_name
from airtcp.measurement.node_records import NodeRecords
from airtcp.measurement.real_plan import check_lab, real_plan
from airtcp.measurement.run_writer import Measured, _checksums, _keep_files
from airtcp.measurement.ways_in import MACHINE, WayIn, way_in
from airtcp.scenario.values.sysctl import sysctl_path
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
        ("[node.h1]", "[node.h1", "lab.toml:2: TOML syntax"),
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


@pytest.mark.parametrize(
    "key",
    [
        "kernel.core_pattern",
        "kernel.modprobe",
        "vm.overcommit_memory",
        "fs.suid_dumpable",
        "net.core.bpf_jit_enable",
        "net.netfilter.x",
    ],
)
def test_only_settings_of_tcp_and_ip_are_made_on_machines(lab_file, tmp_path, key):
    """Some others would start a program of the scenario's author as root."""
    scenario = scenario_file(tmp_path, SCENARIO + f'[sysctl]\n"{key}" = "|/tmp/theirs"\n')
    lab = lab_file(NODES.replace("local = true", 'local = true\nset = ["sysctls"]'))
    answer = airtcp("measure", scenario, "--lab", lab, "--store", tmp_path / "store", "--dry-run")
    assert answer.returncode == 2
    assert f"{key} is not a setting of TCP or IP" in answer.stderr
    unset = lab_file(NODES)
    answer = airtcp("measure", scenario, "--lab", unset, "--store", tmp_path / "store", "--dry-run")
    assert answer.returncode == 0, answer.stderr


@pytest.mark.parametrize(
    "key", ["net.ipv4.tcp_ecn", "net.core.default_qdisc", "net.ipv6.conf.all.forwarding"]
)
def test_settings_of_tcp_and_ip_are_made(lab_file, key):
    lab = read_lab(lab_file(NODES.replace("local = true", 'local = true\nset = ["sysctls"]')))
    planned_changes(plan_of(SCENARIO + f'[sysctl]\n"{key}" = 1\n'), "h1", lab.node["h1"])


def test_a_slash_in_a_key_is_a_dot_in_a_name_as_in_guests():
    assert sysctl_path("net.ipv4.conf.eth0/1.rp_filter") == "/proc/sys/net/ipv4/conf/eth0.1/rp_filter"
    assert sysctl_path("net.ipv4.//.//.kernel.core_pattern") is None


def test_a_machines_name_can_not_be_guessed(tmp_path, monkeypatch):
    """It is the same for a user, another one for others, and no hash of the name alone."""
    names = {}
    for user in ("a", "b", "a"):
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / user))
        names.setdefault(user, set()).add(hidden_name("laptop"))
    assert len(names["a"]) == len(names["b"]) == 1
    assert names["a"] != names["b"]
    assert hashlib.sha256(b"laptop").hexdigest()[:16] not in names["a"]
    assert (tmp_path / "a" / "airtcp" / "machine-key").stat().st_mode & 0o777 == 0o600
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    assert hidden_name("laptop") not in names["a"] | names["b"]


def test_what_ssh_says_is_shown_and_not_kept(tmp_path):
    """OpenSSH names user, host and address when a connection ends."""
    words = "Connection to alice@secret.example.org closed"
    way = WayIn(["sh", "-c", f"echo '{words}' >&2; exit 255"], b"")
    connection = Connection("h1", way, queue.SimpleQueue())
    with pytest.raises(MachineLostError) as caught:
        connection.open()
    assert words in str(caught.value)
    assert caught.value.kept == "the connection has ended"
    shown = []
    machine = Machine(connection, None, None)
    laboratory = Laboratory(None, {"h1": machine}, connection.events)
    experiment = Experiment(laboratory, plan_of(SCENARIO), tmp_path, threading.Event(), shown.append)
    warnings = []
    assert experiment._collect({}, tmp_path, warnings) == {}
    assert warnings == ["nothing could be collected of node h1: the connection has ended"]
    assert words in shown[0]


def test_names_of_containers_are_no_options(tmp_path):
    agent = tmp_path / "agent"
    agent.write_bytes(b"")
    command = way_in(LabNode(docker="--help"), agent).command
    assert command[: command.index("--help")] == ["docker", "exec", "-i", "--"]


def test_what_programs_leave_is_kept_or_told(tmp_path):
    """Folders, equal names of two nodes, a folder where another node has a file, and what can't be copied."""
    left = {
        "h1": {
            "programs/a.out": "1",
            "programs/out/deep/file": "2",
            "programs/both": "3",
            "pcap/c.pcap": "4",
        },
        "h2": {"programs/both": "5", "programs/out": "6", "programs/" + "n" * 254 + "/x": "7"},
        "r1": {"programs/" + "n" * 254: "8", "pcap/folder/file": "9"},
    }
    for node, files in left.items():
        for name, text in files.items():
            file = tmp_path / node / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
    (tmp_path / "h1" / "programs" / "link").symlink_to("/dev/zero/nowhere")
    records = {node: NodeRecords(node, tmp_path / node, {}, None, None) for node in left}
    measured = Measured(None, records, 0, 0, {}, ())
    work = tmp_path / "work"
    told = _keep_files(measured, work)
    kept = {str(file.relative_to(work)): file.read_text() for file in work.rglob("*") if file.is_file()}
    assert kept == {
        "programs/a.out": "1",
        "programs/out/deep/file": "2",
        "programs/both": "3",
        "pcap/c.pcap": "4",
        "programs/h2-both": "5",
        "programs/h2-out": "6",
        f"programs/{'n' * 254}/x": "7",
        "pcap/folder/file": "9",
    }
    assert [line.split(":")[0] for line in told] == ["node r1"]
    (work / "series").mkdir()
    for name in ("plan.json", "summary.json"):
        (work / name).write_text("")
    assert {"pcap/c.pcap", "pcap/folder/file"} <= set(_checksums(work))


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
