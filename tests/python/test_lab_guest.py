"""Real guests of the flavour lab: what their programs may do inside, and what they can't do to the host."""

import json
import re
import tempfile
from pathlib import Path

import airtcp
import pytest
from airtcp.data.run_integrity import find_damage
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from support.attempts import program
from support.command import airtcp as run_airtcp

guest = pytest.mark.guest

TICK_NS = 4_000_000
ASK_TWICE = """
ip link add v0 type veth peer name v1; ip addr add 10.9.0.1/24 dev v0; ip link set v1 up; ip link set v0 up
tcpdump -n -tt --nano -l -Q out -c 2 -i v0 arp & sleep 1; ping -c 1 -W 2 10.9.0.2; wait
"""
MADE = ("/root/airtcp-lab-new", "/var/airtcp-lab-new")
INSIDE = """
set -e
test "$(hostname)" = h1
echo changed >>/etc/hosts; echo new >/root/airtcp-lab-new; echo new >/var/airtcp-lab-new
ip netns add own; ip netns exec own ip link set lo up
ip link add bond7 type bond; ip link add vx7 type vxlan id 7 dstport 4789; ip link add gre7 type gretap local 10.0.0.1 remote 10.0.0.2
iptables -t nat -A POSTROUTING -j MASQUERADE
nft add table inet t
ipset create s hash:ip
tc qdisc replace dev eth0 root handle 1: hfsc default 1
mount -t tmpfs none /mnt
ls /sys/class/net >"$RUN_DIR/devices"
"""

ATTEMPTS = """
attempt("hostfs", lambda: mount("none", "/mnt", "hostfs", 0, "/"))
attempt("hostfs of the run", lambda: mount("none", "/mnt", "hostfs", 0, "/proc/self/fd/3"))
attempt("mounts of process 1", lambda: enter("/proc/1/ns/mnt"))
attempt("root of process 1", lambda: os.listdir("/proc/1/root/"))
attempt("probe node", lambda: os.mknod("/tmp/probe", 0o20600, os.makedev(10, 240)))
attempt("reboot", lambda: call(libc.reboot(0x4321FEDC)))

def probes():
    mount("none", "/mnt", "devtmpfs")
    os.close(os.open("/mnt/airtcp", os.O_RDWR))

attempt("probes by devtmpfs", probes)

# A mount namespace leads to the next and to the one before (ioctl_nsfs(2)).
for direction in (11, 12):
    attempt(f"neighbour {direction} in the list of mount namespaces", lambda: call(
        libc.ioctl(os.open("/proc/self/ns/mnt", os.O_RDONLY), 0x8010B700 | direction, None)
    ))

# The kernel starts a program when a control group becomes empty (cgroups(7)).
def helper():
    with open("/tmp/helper", "w") as script:
        script.write("#!/bin/sh\\ntouch /tmp/helped")
    os.chmod("/tmp/helper", 0o755)
    mount("none", "/media", "cgroup", 0, "none,name=theirs")
    for file, text in ("release_agent", "/tmp/helper"), ("notify_on_release", "1"):
        with open("/media/" + file, "w") as setting:
            setting.write(text)
    os.mkdir("/media/group")
    if os.fork() == 0:
        with open("/media/group/cgroup.procs", "w") as members:
            members.write("0")
        os._exit(0)
    os.wait()
    time.sleep(0.5)
    os.stat("/tmp/helped")

attempt("a program of the kernel", helper)

# fanotify(7) hands out what others open in a file system.
def opened_by_others():
    group = libc.fanotify_init(2, os.O_RDWR)
    call(group)
    call(libc.fanotify_mark(group, 0x101, ctypes.c_ulonglong(0x2A), -100, os.environ["RUN_DIR"].encode()))
    time.sleep(1)
    events, names = os.read(group, 4096), []
    for at in range(0, len(events), 24):
        names.append(os.readlink(f"/proc/self/fd/{int.from_bytes(events[at + 16:at + 20], 'little')}"))
    assert names, "nobody opened anything"

attempt("files that others open", opened_by_others)
with open("/proc/1/comm") as comm:
    own = comm.read().strip() == "airtcp-init"
for number, name in [*processes("hostapd", "wpa_supplicant"), *([] if own else [(1, "process 1")])]:
    look_into(number, name)
# Below the guest's own procfs is a place of the host's, whose kernel shows what the guest's kernel has open.
def host_processes():
    call(libc.umount2(b"/proc", 2))
    os.stat("/proc/self/fd/3/plan.json")

attempt("processes of the host", host_processes)
for _ in range(3):
    libc.umount2(b"/run/airtcp/programs", 2)
    libc.umount2(b"/run/airtcp", 2)
attempt("plan", lambda: os.stat("/run/airtcp/plan.json"))
write(USER + "/file")
"""
# What others find under the name of the run's folder, once nothing is mounted there.
RENAMED = """
umount -l /run/airtcp/programs /run/airtcp
mv /run/airtcp /run/elsewhere; mkdir /run/airtcp; ln -s /run/elsewhere /run/airtcp/programs; true
"""
# A node with a namespace of processes has a process 1 of its own, with the rights and the mounts of its programs.
ALLOWED = {(): set(), ("pid", "mount"): {"mounts of process 1", "root of process 1"}}


def lab(command, **guest_keys):
    return {
        "name": "lab",
        "duration": "60 s",
        "ends_with": "theirs",
        "guest": {"flavour": "lab", "privileged": True, **guest_keys},
        "wire": [{"between": ["h1", "h2"]}],
        "program": [{"name": "theirs", "node": "h1", "command": command}],
    }


def run(store, command, **guest_keys):
    return run_tables(store, lab(command, **guest_keys))


def run_tables(store, tables):
    plan = compile_scenario(scenario_from_tables(tables))
    tools = Tools(find_runner(), {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(store), False)
    return run_plan(plan, tools, Running(), lambda _: None).folder


@pytest.fixture
def place():
    """A folder that the guest sees; in `/tmp` it has its own files."""
    with tempfile.TemporaryDirectory(dir=Path.home(), prefix=".airtcp-lab-") as folder:
        yield Path(folder)


def test_the_flavour_is_part_of_the_kernels_name_and_rights_need_it():
    assert compile_scenario(scenario_from_tables(lab("true")))["kernel"] == "6.12-lab"
    with pytest.raises(ScenarioError, match="privileged") as caught:
        compile_scenario(scenario_from_tables(lab("true", flavour="plain")))
    assert 'flavour = "lab"' in str(caught.value)


@guest
def test_doctor_tries_a_kernel_with_a_flavour(tmp_path):
    answer = run_airtcp("doctor", "--series", "6.12-lab", cwd=tmp_path)
    assert (answer.returncode, answer.stdout.splitlines()[-1]) == (0, "No problems found."), answer.stderr


@guest
def test_programs_configure_their_machine_and_the_run_ends_with_them(place):
    hosts = Path("/etc/hosts").read_text()
    folder = run(place / "runs", INSIDE)
    devices = (folder / "programs" / "devices").read_text().split()
    assert {"bond7", "vx7", "gre7", "eth0", "lo"} == set(devices) - {"bonding_masters"}
    assert Path("/etc/hosts").read_text() == hosts
    assert not any(Path(made).exists() for made in MADE)
    assert json.loads((folder / "summary.json").read_text())["agent"]["end_ns"] < 1e9


@guest
@pytest.mark.parametrize("namespaces", ALLOWED)
def test_privileged_programs_reach_neither_the_host_nor_their_runs_folder(place, namespaces):
    (place / "file").write_text("mine")
    (place / "attempts.py").write_text(program(ATTEMPTS, USER=str(place)))
    folder = run(place / "runs", f"python3 {place}/attempts.py", namespaces=list(namespaces))
    told = json.loads((folder / "programs" / "told.json").read_text())
    assert {name for name, outcome in told.items() if outcome == "open"} <= ALLOWED[namespaces], told
    assert (place / "file").read_text() == "mine"


@guest
def test_privileged_programs_look_into_no_daemon(place):
    (place / "attempts.py").write_text(program(ATTEMPTS, USER=str(place)))
    (place / "file").write_text("mine")
    tables = lab(f"python3 {place}/attempts.py") | {
        "wifi": {"home": {"stations": ["sta1"], "mac": "linux", "setup": "daemons"}}
    }
    folder = run_tables(place / "runs", tables)
    told = json.loads((folder / "programs" / "told.json").read_text())
    assert "root of hostapd" in told
    assert "root of wpa_supplicant" in told
    assert not [name for name, outcome in told.items() if outcome == "open"], told
    assert find_damage(folder) == []


@guest
def test_a_renamed_folder_leads_no_later_program_to_the_run(place):
    tables = lab("sleep 0.5")
    for number, command in enumerate((RENAMED, "ls $RUN_DIR; touch $RUN_DIR/theirs"), 1):
        name = f"p{number}"
        tables["program"].append(
            {"name": name, "node": "h1", "command": command, "start": f"{number / 10} s"}
        )
    folder = run_tables(place / "runs", tables)
    assert (folder / "programs" / "p2.out").read_text().split() == [
        "p1.err",
        "p1.out",
        "p2.err",
        "p2.out",
        "theirs.err",
        "theirs.out",
    ]
    assert not (folder / "theirs").exists()


RADIOS = """
set -e
ip netns add far
iw phy air1 set netns name far
far="ip netns exec far"
ip address add 10.9.0.1/24 dev wlan0; $far ip address add 10.9.0.2/24 dev wlan1
iw dev wlan0 set type ibss; $far iw dev wlan1 set type ibss
ip link set wlan0 up; $far ip link set wlan1 up
iw dev wlan0 ibss join lab 2437 fixed-freq 02:11:22:33:44:55
$far iw dev wlan1 ibss join lab 2437 fixed-freq 02:11:22:33:44:55
sleep 3
ping -c 3 -i 0.2 10.9.0.2 >"$RUN_DIR/near"
python3 - <<'END'
import json, socket
air = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
air.connect("/run/airtcp-air")
for sender, receiver in (0, 1), (1, 0):
    act = {"kind": "rssi", "from": sender, "to": receiver, "rssi_dbm": -120}
    air.send(json.dumps(act).encode())
END
ping -c 3 -i 0.2 -W 1 10.9.0.2 >"$RUN_DIR/apart" || true
iw dev wlan0 del
ls /sys/class/net >"$RUN_DIR/devices"
"""


@guest
def test_programs_move_their_radios_use_them_and_change_the_air(place):
    tables = lab(RADIOS)
    tables["wire"] = []
    tables["wifi"] = {
        "radios": {
            "mac": "linux",
            "setup": "programs",
            "standard": "11n",
            "band": "2.4 GHz",
            "stations": ["h1", "h1"],
        }
    }
    # Changes of the air go through the session.
    tables["session"] = [{"at": "50 s", "end": True}]
    plan = compile_scenario(scenario_from_tables(tables))
    tools = Tools(
        find_runner(), {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(place / "runs"), False
    )
    folder = run_plan(plan, tools, Running(), lambda _: None).folder / "programs"
    assert "3 received" in (folder / "near").read_text()
    assert " 0 received" in (folder / "apart").read_text()
    assert "wlan0" not in (folder / "devices").read_text()


@guest
def test_namespaces_that_programs_make_have_timers_of_their_own(tmp_path):
    """Requests for addresses are repeated by a timer of the kernel, which waits for a tick of 4 ms."""
    tables = {
        "name": "namespaces-of-programs",
        "duration": "20 s",
        "guest": {"flavour": "lab", "privileged": True, "namespaces": ["mount"]},
        "wire": [{"between": ["h1", "h2"]}],
    }
    with airtcp.lab(scenario_from_tables(tables), store=tmp_path) as lab:
        repeated = [second_request(lab["h1"], name) for name in ("a", "b", "c")]
        # A namespace that is gone leaves its timers to the next.
        lab["h1"].run("ip netns del a; sleep 1").check()
        again = second_request(lab["h1"], "d")
    phases = [time % TICK_NS for time in (*repeated, again)]
    assert len(set(phases[:3])) == 3
    assert abs(phases[3] - phases[0]) < 1_000


def second_request(node, name):
    """When a new namespace asks for an address again, in ns."""
    node.run(f"ip netns add {name}").check()
    heard = node.run(f"ip netns exec {name} sh -c '{ASK_TWICE}'").output
    seconds, nanoseconds = re.findall(r"^(\d+)\.(\d{9}) ARP", heard, re.MULTILINE)[1]
    return int(seconds) * 10**9 + int(nanoseconds)
