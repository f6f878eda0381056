"""Programs that scripts of Mininet find in the guest, without a guest."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from airtcp.cli.mininet import _words
from airtcp.errors import AirtcpError
from airtcp.mininet import guest
from airtcp.mininet.guest import cgroups, kept_files, terminal_window
from airtcp.mininet.plan import NODE, mininet_plan
from airtcp.mininet.start import Command


@pytest.fixture
def groups(tmp_path, monkeypatch):
    """Controllers as the guest has them, of files."""
    for controller in ("cpu", "cpuacct", "cpuset"):
        (tmp_path / "cg" / controller).mkdir(parents=True)
        (tmp_path / "cg" / controller / "tasks").touch()
    monkeypatch.setattr(cgroups, "ROOT", tmp_path / "cg")
    monkeypatch.setattr(cgroups, "LIMITED", tmp_path / "limited")
    return tmp_path / "cg"


def control(monkeypatch, line):
    """Runs a command of control groups."""
    monkeypatch.setattr(sys, "argv", line.split())
    cgroups.main()


def test_sets_of_processors_are_files_that_keep_what_is_written(groups, monkeypatch, capsys):
    control(monkeypatch, "cgcreate -g cpuset:/h1")
    control(monkeypatch, "cgset -r cpuset.cpus=0,1 /h1")
    control(monkeypatch, "cgclassify -g cpuset:/h1 17")
    control(monkeypatch, "cgget -r cpuset.cpus /h1")
    assert capsys.readouterr().out == "/h1:\ncpuset.cpus: 0,1\n"
    assert (groups / "cpuset" / "h1" / "tasks").read_text() == "17"
    control(monkeypatch, "cgdelete -r cpuset:/h1")
    assert not (groups / "cpuset" / "h1").exists()


def test_what_mininet_asks_first_has_version_1_of_all_its_controllers(groups, monkeypatch, capsys):
    (groups / "cpu" / "cpu.cfs_period_us").write_text("100000\n")
    (groups / "cpuacct" / "cpuacct.usage").write_text("0\n")
    control(monkeypatch, "cgget -n -g cpu -g cpuacct -g cpuset /")
    shown = capsys.readouterr().out
    assert "cpu.cfs_period_us: 100000" in shown
    assert "cpuacct.usage: 0" in shown
    assert "cpuset.cpus: 0" in shown


@pytest.mark.usefixtures("groups")
@pytest.mark.parametrize(
    ("line", "told"),
    [
        (
            "cgcreate -g blkio:/h1",
            "cgcreate: the controller blkio does not exist; there are cpu, cpuacct and cpuset",
        ),
        ("cgset -r cpu.no=1 /", "cgset: the group cpu has no cpu.no"),
        ("cgdelete -r cpu:/none", "cgdelete: the group cpu/none does not exist: no such file"),
    ],
)
def test_what_can_not_be_done_with_groups_is_said(monkeypatch, line, told):
    with pytest.raises(SystemExit) as caught:
        control(monkeypatch, line)
    assert str(caught.value) == told


@pytest.mark.parametrize(("quota", "is_limit"), [("-1", False), ("40000", True)])
def test_only_a_limit_of_processor_time_is_noted(groups, monkeypatch, quota, is_limit):
    (groups / "cpu" / "cpu.cfs_quota_us").write_text("-1")
    control(monkeypatch, f"cgset -r cpu.cfs_quota_us={quota} /")
    assert cgroups.LIMITED.exists() == is_limit


@pytest.fixture
def layer(tmp_path):
    """A layer in memory in which a script has written below /home/u/lab."""
    lab = tmp_path / "layer" / "home" / "u" / "lab"
    (lab / "results").mkdir(parents=True)
    (lab / "results" / "a.txt").write_text("a")
    (lab / "b.txt").write_text("bb")
    (lab / "__pycache__").mkdir()
    (lab / "__pycache__" / "x.pyc").write_text("x")
    (tmp_path / "secret").write_text("secret")
    (lab / "link.txt").symlink_to(tmp_path / "secret")
    (lab / "linked").symlink_to(tmp_path)
    os.mkfifo(lab / "pipe")
    return tmp_path / "layer"


def test_written_files_are_kept_and_links_are_not_followed(layer, tmp_path):
    kept = kept_files.Kept(tmp_path / "files", layer)
    kept.keep_below([Path("/home/u/lab"), Path("/home/u/lab/results"), Path("/home/none")])
    assert kept.names == ["b.txt", "results/a.txt"]
    assert (tmp_path / "files" / "results" / "a.txt").read_text() == "a"
    assert kept_files.message(kept) == (
        "airtcp: files that the script wrote are in programs/files of the run folder: b.txt, results/a.txt\n"
    )


def test_a_folder_that_became_a_link_is_not_followed(layer):
    assert list(kept_files.written_below(Path("/home/u/lab/linked"), layer)) == []


@pytest.mark.parametrize(("limit", "most"), [("MOST_FILES", 1), ("MOST_BYTES", 2)])
def test_what_is_too_much_is_named(layer, tmp_path, monkeypatch, limit, most):
    monkeypatch.setattr(kept_files, limit, most)
    kept = kept_files.Kept(tmp_path / "files", layer)
    kept.keep_below([Path("/home/u/lab")])
    assert (kept.names, kept.left) == (["b.txt"], ["results/a.txt"])
    assert "these are not kept" in kept_files.message(kept)


def test_nothing_is_said_if_nothing_was_written(layer, tmp_path):
    kept = kept_files.Kept(tmp_path / "files", layer)
    kept.keep_below([Path("/home/none")])
    assert kept_files.message(kept) == ""


@pytest.mark.parametrize(
    ("words", "title", "command"),
    [
        (
            ["-title", '"Node: h1"', "-display", ":0", "-e", "env TERM=ansi bash -c 'x'"],
            "Node-h1",
            ["/bin/sh", "-c", "env TERM=ansi bash -c 'x'"],
        ),
        (["-e", "ping", "-c", "1", "10.0.0.1"], "terminal", ["ping", "-c", "1", "10.0.0.1"]),
        (["--title", "../../etc", "--", "top"], "etc", ["/bin/sh", "-c", "top"]),
        (["-T", "h2"], "h2", ["/bin/bash"]),
    ],
)
def test_terminals_have_a_title_and_a_command(words, title, command):
    assert terminal_window.title_of(words).strip(".-") == title
    assert "/" not in terminal_window.title_of(words)
    assert terminal_window.command_of(words) == command


def test_the_output_of_a_terminal_is_a_file_of_its_own(tmp_path):
    code = "from airtcp.mininet.guest import terminal_window as t; t.main()"
    for number in range(2):
        subprocess.run(
            [sys.executable, "-c", code, "-title", "h1", "-e", f"echo {number}; echo e >&2"],
            env={**os.environ, "RUN_DIR": str(tmp_path)},
            check=True,
        )
    shown = {path.name: path.read_text() for path in (tmp_path / "terminals").iterdir()}
    assert shown == {"h1.txt": "0\ne\n", "h1-1.txt": "1\ne\n"}


# Mininet-WiFi's own commands, and such as scripts give.
LEFT_OUT = [
    "qdisc replace dev {} root handle 2: netem rate 12.0000mbit latency 1.00ms",
    "qdisc add dev {} parent 2:1 handle 10: pfifo limit 1000",
    "qdisc add dev {} root handle 5:0 htb default 1",
    "class add dev {} parent 5:0 classid 5:1 htb rate 5.000000Mbit burst 15k",
    "qdisc add dev {} parent 5:1 handle 10: netem delay 15ms loss 30.00000",
    "qdisc add dev {} root handle 5: tbf rate 5Mbit burst 15000 latency 1ms",
    "qdisc add dev {} root handle 10: netem delay 5ms",
]
GIVEN = [
    "qdisc add dev {} root tbf rate 3mbit burst 15k latency 50ms",
    "qdisc replace dev {} root pfifo limit 20",
    "qdisc add dev {} root fq_codel",
    "qdisc add dev {} root handle 1: htb default 10",
    "class add dev {} parent 1: classid 1:10 htb rate 3mbit",
    "qdisc show dev {}",
]


@pytest.fixture
def tc(tmp_path):
    """Runs `tc` of the guest where wlan0 is a radio; returns whether the real one ran."""
    (tmp_path / "net" / "wlan0" / "phy80211").mkdir(parents=True)
    (tmp_path / "net" / "eth0").mkdir()
    text = (Path(guest.__file__).parent / "tc.sh").read_text()
    text = text.replace("/sys/class/net", str(tmp_path / "net")).replace("/run/", f"{tmp_path}/")
    (tmp_path / "tc").write_text(text.replace("/usr/sbin/tc", "echo real"))

    def run(words):
        done = subprocess.run(
            ["sh", tmp_path / "tc", *words.split()], capture_output=True, text=True, check=True
        )
        return done.stdout.startswith("real")

    return run


@pytest.mark.parametrize("words", LEFT_OUT)
def test_tc_of_mininet_wifi_is_left_out_on_radios_alone(tc, words):
    assert not tc(words.format("wlan0"))
    assert tc(words.format("eth0"))


@pytest.mark.parametrize("words", GIVEN)
def test_tc_of_scripts_is_not_left_out(tc, words):
    assert tc(words.format("wlan0"))


def test_the_node_of_mininet_is_the_first_namespace_of_the_kernel():
    plan = mininet_plan(0, seed=1)
    assert plan["nodes"][plan["guest"]["initial_node"]]["name"] == NODE


def test_folders_of_scripts_and_the_current_one_are_kept(tmp_path):
    (tmp_path / "labs").mkdir()
    (tmp_path / "labs" / "lab.py").write_text("")
    line = Command(["python3", "labs/lab.py", "--dir", "x"], tmp_path).line()
    assert f"keep-files {tmp_path} {tmp_path / 'labs'}\n" in line


@pytest.mark.parametrize(
    ("text", "is_said"), [("position='1,2,0'", True), ("net.setMobilityModel()", True), ("h1, h2", False)]
)
def test_only_scripts_with_places_are_told_of_their_effect(tmp_path, text, is_said):
    (tmp_path / "a.py").write_text(text)
    assert ("positions have no effect" in Command(["a.py"], tmp_path).line()) == is_said


@pytest.mark.parametrize(
    ("rate", "told"), [("10", "no unit"), ("100 kbit/s", "less than 1 Mbit/s"), ("fast", "is not a rate")]
)
def test_a_rate_of_links_that_is_none_is_refused(rate, told):
    from airtcp.cli.mininet import _link_mbit_s

    with pytest.raises(AirtcpError, match=told):
        _link_mbit_s(rate)
    assert _link_mbit_s("10 Gbit/s") == 10_000
    assert _link_mbit_s(None) == 1000


def test_a_script_is_run_by_the_interpreter_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("lab.py", "run.sh"):
        (tmp_path / name).touch()
    assert _words(["lab.py", "-n", "3"]) == ["/usr/bin/python3", "lab.py", "-n", "3"]
    assert _words(["run.sh", "20"]) == ["/bin/bash", "run.sh", "20"]
    assert _words(["elsewhere.sh"]) == ["elsewhere.sh"]
    assert _words(["mn", "--test", "pingall"]) == ["mn", "--test", "pingall"]
    with pytest.raises(AirtcpError, match="there is no such script"):
        _words(["none.py"])


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["echo", "-n", "a  b"], "a  b"),
        (["-n", "-E", "A=1 2", "sh", "-c", "echo $A"], "1 2\n"),
        (["-u", "root", "echo", "me"], "me\n"),
        (["-nE", "--", "echo", "-u"], "-u\n"),
        (["--preserve-env", "echo", "kept"], "kept\n"),
        (["-s", "echo", "a;", "echo", "b"], "a\nb\n"),
        (["-v"], ""),
    ],
)
def test_sudo_runs_the_command(words, told):
    """Scripts are root already. That of the machine works only if its root has started airtcp."""
    script = Path(guest.__file__).parent / "sudo.sh"
    done = subprocess.run(["sh", script, *words], capture_output=True, text=True, check=True)
    assert done.stdout == told


def test_sudo_says_how_its_command_ended():
    script = Path(guest.__file__).parent / "sudo.sh"
    assert subprocess.run(["sh", script, "false"], check=False).returncode == 1
    assert subprocess.run(["sh", script], check=False, capture_output=True).returncode == 1
