"""`airtcp packetdrill` with guests: a program in place of packetdrill, and packetdrill itself where it is installed."""

import json
import shutil

import pytest
from support.command import airtcp

pytestmark = pytest.mark.guest

# What the command relies on: it runs in the script's folder, and its last argument is the script.
FAKE = """#!/bin/sh
for script; do :; done
../common/defaults.sh
cat /proc/sys/net/ipv4/tcp_sack /proc/sys/net/ipv4/tcp_no_metrics_save
ip -brief link
echo "$*"
. "./$script"
"""
SCRIPTS = {
    "passes.pkt": "sleep 1.5",
    "fails.pkt": 'echo "fails.pkt:7: runtime error in write call: Expected result 1 but got 2" >&2; exit 1',
    "waits.pkt": "sleep 1000",
    # Each namespace is as it was made, whatever another script does.
    "sets.pkt": "sysctl -q net.ipv4.tcp_no_metrics_save=1",
}
PKT = """// A segment that a listener answers.
0 socket(..., SOCK_STREAM, IPPROTO_TCP) = 3
+0 setsockopt(3, SOL_SOCKET, SO_REUSEADDR, [1], 4) = 0
+0 bind(3, ..., ...) = 0
+0 listen(3, 1) = 0
+.1 < S 0:0(0) win 32792 <mss 1000>
+0 > S. 0:0(0) ack 1 <mss {mss}>
+.1 < . 1:1(0) ack 1 win 32792
+0 accept(3, ..., ...) = 4
"""


def cases(answer):
    return {(one["script"], one["ip"]): one for one in json.loads(answer.stdout)["cases"]}


@pytest.fixture
def suite(tmp_path):
    """Scripts with what is beside them, and a program that runs them."""
    folder = tmp_path / "tests"
    (folder / "some").mkdir(parents=True)
    (folder / "common").mkdir()
    defaults = folder / "common" / "defaults.sh"
    defaults.write_text("#!/bin/sh\nsysctl -q net.ipv4.tcp_sack=0\n")
    defaults.chmod(0o755)
    for name, text in SCRIPTS.items():
        (folder / "some" / name).write_text(f"# with ../common/defaults.sh\n{text}\n")
    program = tmp_path / "packetdrill"
    program.write_text(FAKE)
    program.chmod(0o755)
    return folder, program


def test_scripts_run_in_namespaces_of_their_own_and_in_their_folders(suite, tmp_path):
    folder, program = suite
    answer = airtcp(
        "packetdrill",
        folder,
        "--packetdrill",
        program,
        "--ip",
        "ipv4",
        "--repeat",
        "2",
        "--json",
        cwd=tmp_path,
    )
    assert answer.returncode == 3, answer.stderr
    found = cases(answer)
    assert found["some/passes.pkt", "ipv4"]["verdict"] == "passed"
    assert 1.5 < found["some/passes.pkt", "ipv4"]["end_s"] < 1.6
    failed = found["some/fails.pkt", "ipv4"]
    assert (failed["line"], failed["reason"]) == (7, "write call: Expected result 1 but got 2")
    assert found["some/waits.pkt", "ipv4"]["reason"] == "took longer than 180 s of virtual time"
    assert json.loads(answer.stdout)["changed"] == []
    output = (tmp_path / "packetdrill-results/own/some/passes.pkt.ipv4.txt").read_text().splitlines()
    assert output[:2] == ["0", "0"]
    assert [line.split()[0] for line in output[2:-1]] == ["lo"]
    assert output[-1] == "--ip_version=ipv4 passes.pkt"


def test_runs_of_a_store_are_kept_and_not_repeated(suite, tmp_path):
    folder, program = suite
    words = (
        "packetdrill",
        folder / "some" / "passes.pkt",
        "--packetdrill",
        program,
        "--store",
        "runs",
        "--json",
    )
    first, again = (airtcp(*words, cwd=tmp_path) for _ in range(2))
    assert first.returncode == again.returncode == 0, first.stderr + again.stderr
    assert cases(first) == cases(again)
    assert len(list((tmp_path / "runs").glob("*/manifest.json"))) == 3


@pytest.mark.skipif(shutil.which("packetdrill") is None, reason="packetdrill is not installed")
def test_packetdrill_itself(tmp_path, series):
    (tmp_path / "right.pkt").write_text(PKT.format(mss=1460))
    (tmp_path / "wrong.pkt").write_text(PKT.format(mss=1000))
    answer = airtcp("packetdrill", tmp_path, "--kernel", series, "--repeat", "2", "--json", cwd=tmp_path)
    found = cases(answer)
    assert found["right.pkt", "ipv4"]["verdict"] == "passed", found["right.pkt", "ipv4"]["reason"]
    assert found["wrong.pkt", "ipv4"]["line"] == 7
    assert json.loads(answer.stdout)["changed"] == []
