"""`airtcp kernel test` with guests: an installation with tests of one line."""

import json
import tempfile
from pathlib import Path

import pytest
from support.command import airtcp

pytestmark = pytest.mark.guest

TESTS = {
    # Links, namespaces and IPv6 as on a machine that was just booted.
    "passes.sh": "ip netns add a && ip -n a link add v type veth && ip -n a link set lo up && ip netns exec a ping -c 1 -W 1 ::1 >/dev/null && "
    "sleep 2 && echo 'ok 1 - a name # time=2ms'",
    "skips.sh": "echo 'SKIP: no such tool'; exit 4",
    "fails.sh": "echo 'not ok 1 - a step'; exit 1",
    "waits.sh": "sleep 1000",
    # What a test changes ends with its guest.
    "writes.sh": "touch here && ls /etc/hostname >/dev/null && sysctl -q net.ipv4.tcp_sack=0",
}


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    """What the command says of them."""
    out = tmp_path_factory.mktemp("results")
    # The guest has a /tmp of its own.
    with tempfile.TemporaryDirectory(dir=Path.home(), prefix=".airtcp-selftests-") as name:
        folder = Path(name) / "net"
        folder.mkdir()
        (folder / "settings").write_text("timeout=20\n")
        (folder / "config").write_text("CONFIG_VETH=m\nCONFIG_NO_SUCH_OPTION=y\n")
        for test, text in TESTS.items():
            (folder / test).write_text(f"#!/bin/sh\n{text}\n")
            (folder / test).chmod(0o755)
        (Path(name) / "kselftest-list.txt").write_text("".join(f"net:{test}\n" for test in TESTS))
        words = (
            "kernel",
            "test",
            "--source",
            name,
            "net",
            "--out",
            out,
            "--junit",
            out / "junit.xml",
            "--json",
        )
        said = airtcp(*words, cwd=out)
        assert not (folder / "here").exists()
    assert said.returncode == 3, said.stderr
    return json.loads(said.stdout), out


def test_verdicts_are_those_of_exit_statuses(answer):
    found = {one["test"]: (one["verdict"], one["reason"]) for one in answer[0]["tests"]}
    assert found == {
        "passes.sh": ("passed", ""),
        "skips.sh": ("skipped", "SKIP: no such tool"),
        "fails.sh": ("failed", "a step"),
        "waits.sh": ("failed", "took longer than 20 s of virtual time"),
        "writes.sh": ("passed", ""),
    }


def test_time_is_virtual(answer):
    ends = {one["test"]: one["end_s"] for one in answer[0]["tests"]}
    assert 2 < ends["passes.sh"] < 2.5
    assert ends["waits.sh"] == 20


def test_what_the_kernel_lacks_is_data(answer):
    assert answer[0]["missing_options"] == {"net": ["CONFIG_NO_SUCH_OPTION=y"]}


def test_outputs_are_kept(answer):
    assert (answer[1] / "net" / "fails.sh.txt").read_text() == "not ok 1 - a step\n"
    assert (answer[1] / "junit.xml").is_file()
