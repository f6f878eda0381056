"""Namespaces of processes and mounts that nodes have of their own."""

import subprocess

import airtcp
import pytest
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.scenario_file import scenario_from_tables

guest = pytest.mark.guest


def network(privileged=True, **tables):
    """Three nodes: one with both namespaces, one with its own processes, one with neither."""
    return scenario_from_tables(
        {
            "name": "namespaces",
            "duration": "20 s",
            "guest": {"flavour": "lab", "privileged": privileged},
            "wire": [{"between": ["r1", "h1"]}, {"between": ["r1", "h2"]}],
            "node": {
                "r1": {"kind": "router", "namespaces": ["pid", "mount"]},
                "h1": {"namespaces": ["pid"]},
            },
            **tables,
        }
    )


def processes(node):
    """What the programs of a node see of processes, without those that tell it."""
    lines = node.run("ps axo comm=,args=").check().output.splitlines()
    return [line.split(maxsplit=1)[1] for line in lines if not line.startswith(("sh", "ps"))]


def test_a_scenario_says_which_nodes_have_which():
    guest = {"flavour": "lab", "privileged": True, "namespaces": ["mount", "pid", "pid"]}
    scenario = network(guest=guest)
    found = {node["name"]: node["namespaces"] for node in compile_scenario(scenario)["nodes"]}
    assert found == {"r1": ["pid", "mount"], "h1": ["pid"], "h2": ["pid", "mount"]}


def test_a_namespace_of_mounts_needs_programs_that_may_mount():
    with pytest.raises(ScenarioError, match=r"node\.r1.namespaces: only privileged programs mount") as caught:
        compile_scenario(network(privileged=False))
    assert "privileged = true" in str(caught.value)


@guest
def test_processes_and_mounts_stay_in_their_node(tmp_path):
    with airtcp.lab(network(), store=tmp_path) as lab:
        r1, h1, h2 = lab["r1"], lab["h1"], lab["h2"]
        for node in r1, h1, h2:
            node.run(
                "sleep 1000 </dev/null >/dev/null 2>&1 & mount -t tmpfs none /mnt; touch /mnt/$NODE"
            ).check()
        assert processes(r1) == processes(h1) == ["airtcp-init", "sleep 1000"]
        assert processes(h2).count("sleep 1000") == 3
        # Without a namespace of mounts, each command has its own.
        assert [node.run("test -e /mnt/$NODE").status for node in (r1, h1, h2)] == [0, 1, 1]
        assert r1.run("cat /proc/mounts").output.count(" /proc ") == 1
        # procps 4.0.2 counts processors by the empty lines of /proc/cpuinfo.
        assert "airtcp-init" in r1.run("ps -ef").check().output
        r1.run("umount -l /proc; mount -t proc none /proc").check()
        assert processes(r1) == ["airtcp-init", "sleep 1000"]
        assert r1.run("hostname; ls /sys/class/net").output.split()[0] == "r1"


@guest
def test_a_plain_guest_has_namespaces_of_processes_too(tmp_path):
    plain = {"guest": {}, "node": {"r1": {"kind": "router"}, "h1": {"namespaces": ["pid"]}}}
    with airtcp.lab(network(**plain), store=tmp_path) as lab:
        lab["h1"].run("sleep 1000 </dev/null >/dev/null 2>&1 &").check()
        assert processes(lab["h1"]) == ["airtcp-init", "sleep 1000"]
        assert "airtcp-init" in processes(lab["h2"])


@guest
def test_commands_end_as_everywhere(tmp_path):
    with airtcp.lab(network(), store=tmp_path) as lab:
        r1, h1 = lab["r1"], lab["h1"]
        assert r1.run("exit 3").status == 3
        with pytest.raises(subprocess.TimeoutExpired):
            r1.run("sleep 100", timeout="1 s")
        beside = h1.popen("cat")
        lab.run_for("10 ms")
        beside.signal(15)
        assert beside.wait("1 s").status == -15
        # Orphans belong to process 1, which reaps them and can't be killed from inside.
        r1.run("(sleep 0.1 &) >/dev/null; kill -9 1").check()
        lab.run_for("1 s")
        assert processes(r1) == ["airtcp-init"]
        server = r1.popen("iperf3 -s -1")
        lab.run_for("10 ms")
        h1.run("iperf3 -c r1 -t 1", timeout="5 s").check()
        assert server.wait("5 s").status == 0
        terminal = h1.popen("ps -o comm= >&2; exit 4", terminal=(24, 80))
        assert terminal.wait("1 s").status == 4


@guest
def test_programs_of_a_scenario_run_in_them_and_repeat(tmp_path):
    tables = {
        "program": [
            {"name": "early", "node": "r1", "command": "mount -t tmpfs none /mnt; echo kept >/mnt/file"},
            {
                "name": "late",
                "node": "r1",
                "start": "1 s",
                "command": "cat /mnt/file; echo $$; od -N 4 /dev/urandom",
            },
        ],
    }
    told = []
    for store in "one", "two":
        with airtcp.lab(network(**tables), store=tmp_path / store) as lab:
            lab.run_for("2 s")
            run = lab.measured()
            told.append((run.folder / "programs" / "late.out").read_text())
    assert told[0] == told[1]
    assert told[0].startswith("kept\n")
