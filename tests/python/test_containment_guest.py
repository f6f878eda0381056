"""Real guests: a program of a scenario that tries to leave its folder, its node and its guest."""

import json
import socket
import tempfile
from pathlib import Path

import pytest
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from support.attempts import program

pytestmark = pytest.mark.guest

ATTEMPTS = """
RDONLY, REMOUNT, BIND = 1, 32, 4096
for name, path in {
    "root": "/airtcp-theirs", "etc": "/etc/airtcp-theirs", "user": USER + "/file", "new": USER + "/new",
    "other run": OTHER + "/manifest.json", "plan": "/run/airtcp/plan.json", "report": "/run/airtcp/agent.json.part",
    "summary": "/run/airtcp/summary.json", "record": "/run/airtcp/records/pings.rec", "console": "/run/airtcp/console.log",
    "root of process 1": "/proc/1/root" + USER + "/file", "folder of process 1": "/proc/1/cwd/airtcp-theirs",
    "memory of process 1": "/proc/1/mem", "memory": "/dev/mem", "kernel memory": "/proc/kcore", "disk": "/dev/ubda",
}.items():
    attempt(name, lambda path=path: write(path))
os.makedirs("/tmp/m", exist_ok=True)
attempt("hostfs", lambda: mount("none", "/tmp/m", "hostfs", 0, USER))
attempt("remount of the root", lambda: mount("none", "/", "hostfs", REMOUNT))
attempt("remount of the root's mount", lambda: mount("none", "/", "", REMOUNT | BIND))
attempt("remount of the run", lambda: mount("none", "/run/airtcp", "", REMOUNT | BIND))
attempt("unmount of /proc", lambda: call(libc.umount2(b"/proc", 2)))
attempt("disk node", lambda: os.mknod("/tmp/disk", 0o60600, os.makedev(98, 0)))
attempt("probe node", lambda: os.mknod("/tmp/probe", 0o20600, os.makedev(10, 240)))
attempt("ptrace of process 1", lambda: call(libc.ptrace(16, 1, 0, 0)))
attempt("files of process 1", lambda: open("/proc/1/fd/0"))
attempt("namespaces of process 1", lambda: enter("/proc/1/ns/mnt"))
attempt("kexec", lambda: call(libc.syscall(246, 0, 0, 0, 0)))
attempt("module", lambda: call(libc.syscall(175, 0, 0, b"")))
attempt("reboot", lambda: call(libc.reboot(0x4321FEDC)))
attempt("clock", lambda: call(libc.clock_settime(0, (ctypes.c_long * 2)(1, 0))))
attempt("ports", lambda: call(libc.iopl(3)))
attempt("performance counters", lambda: call(libc.syscall(298, (ctypes.c_char * 128)(), 0, -1, -1, 0)))
attempt("probe", lambda: os.stat("/dev/airtcp"))

def to_host(address):
    with socket.create_connection((address, PORT), timeout=1):
        pass

attempt("host by its loopback", lambda: to_host("127.0.0.1"))
attempt("host by another address", lambda: to_host(ADDRESS))
told["devices"] = ",".join(sorted(name for _, name in socket.if_nameindex()))

# In namespaces of its own a program has every capability, over these alone.
CLONE_NEWUSER, CLONE_NEWNS, CLONE_NEWNET = 0x10000000, 0x20000, 0x40000000
attempt("own namespaces", lambda: call(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET)))
attempt("hostfs in a namespace", lambda: mount("none", "/tmp/m", "hostfs", 0, USER))
attempt("remount in a namespace", lambda: mount("none", "/", "", REMOUNT | BIND))
attempt("run in a namespace", lambda: mount("none", "/run/airtcp", "", REMOUNT | BIND))
attempt("unmount in a namespace", lambda: call(libc.umount2(b"/run/airtcp/programs", 2)))
attempt("user in a namespace", lambda: write(USER + "/file"))
attempt("host in a namespace", lambda: to_host("127.0.0.1"))
"""
# A program may have namespaces of its own; see above.
ALLOWED = {"own namespaces"}


@pytest.fixture
def place():
    """A folder that the guest sees; in `/tmp` it has its own files."""
    with tempfile.TemporaryDirectory(dir=Path.home(), prefix=".airtcp-contained-") as folder:
        yield Path(folder)


def scenario(command):
    return {
        "name": "contained",
        "duration": "1 s",
        "wifi": {"home": {"stations": ["sta1"]}},
        "ping": [{"from": "sta1", "to": "ap1"}],
        "program": [{"name": "theirs", "node": "sta1", "command": command, "must_succeed": True}],
    }


def run(store, command, **keys):
    return run_tables(store, scenario(command) | keys)


def test_a_program_stays_in_its_folder_and_its_network(place, series):
    user = place / "user"
    user.mkdir()
    (user / "file").write_text("mine")
    other = run(place / "runs", "echo first", kernel=series)
    before = {file: file.read_bytes() for file in other.rglob("*") if file.is_file()}
    with socket.create_server(("0.0.0.0", 0)) as listening:
        listening.settimeout(0)
        port = listening.getsockname()[1]
        text = program(ATTEMPTS, USER=str(user), OTHER=str(other), PORT=port, ADDRESS=own_address())
        (user / "attempts.py").write_text(text)
        folder = run(place / "runs", f"python3 {user}/attempts.py", kernel=series)
        with pytest.raises(BlockingIOError):
            listening.accept()
    told = json.loads((folder / "programs" / "told.json").read_text())
    assert {name for name, outcome in told.items() if outcome == "open"} <= ALLOWED, told
    assert told["devices"] == "lo,wlan0"
    assert sorted(file.name for file in user.iterdir()) == ["attempts.py", "file"]
    assert (user / "file").read_text() == "mine"
    assert {file: file.read_bytes() for file in other.rglob("*") if file.is_file()} == before
    assert not [path for path in (folder / "agent.json.part", folder / "new") if path.exists()]


INTO_DAEMONS = """
for number, name in [*processes("hostapd", "wpa_supplicant"), (1, "process 1")]:
    told[f"found {name}"] = "yes"
    look_into(number, name)
"""
# Whoever starts programs in a node goes by names in /run, which programs may change.
RENAMED = """
for folder in $(find /run/airtcp-nodes -mindepth 2 -maxdepth 2); do mv $folder $folder.old; ln -s /run/airtcp $folder; done
mv /run/netns /run/netns.old; ln -s /run/airtcp /run/netns; true
"""
AFTERWARDS = """
for place in /run/airtcp /run/hostapd /run/wpa_supplicant /run/netns; do
    ls $place; touch $place/theirs; cat $place/plan.json
done >$RUN_DIR/seen 2>/dev/null; true
"""


def with_daemons(*commands):
    return {
        **scenario("true"),
        "wifi": {"home": {"stations": ["sta1"], "mac": "linux", "setup": "daemons"}},
        "program": [
            {"name": f"p{n}", "node": "sta1", "command": command, "start": f"{n / 10} s"}
            for n, command in enumerate(commands, 1)
        ],
    }


def run_tables(store, tables):
    plan = compile_scenario(scenario_from_tables(tables))
    tools = Tools(find_runner(), {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(store), False)
    return run_plan(plan, tools, Running(), lambda _: None).folder


def test_a_program_looks_into_no_daemon_and_not_into_process_1(place):
    """Programs have the user and no less capabilities than hostapd has use for, and yet its rights are more."""
    (place / "attempts.py").write_text(program(INTO_DAEMONS))
    folder = run_tables(place / "runs", with_daemons(f"python3 {place}/attempts.py"))
    told = json.loads((folder / "programs" / "told.json").read_text())
    assert told["found hostapd"] == told["found wpa_supplicant"] == "yes"
    assert not [name for name, outcome in told.items() if outcome == "open"], told


def test_renamed_folders_lead_no_later_program_to_the_run(place):
    folder = run_tables(place / "runs", with_daemons(RENAMED, AFTERWARDS))
    seen = (folder / "programs" / "seen").read_text()
    assert "plan.json" not in seen
    assert '"version"' not in seen
    assert not list(folder.glob("*theirs*"))


def own_address():
    """An address of this machine, if it has one beside its loopback."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        try:
            asked.connect(("192.0.2.1", 9))
            return asked.getsockname()[0]
        except OSError:
            return "127.0.0.2"


def test_links_that_a_program_leaves_lead_nobody_astray(place):
    """Of what a program leaves in its folder, nothing is followed: not by another program's output, nor by the runner."""
    user = place / "file"
    user.write_text("mine")
    links = f"for name in summary.json manifest.json series; do ln -s {user} /run/airtcp/$name; done; ln -s {user} $RUN_DIR/mine; true"
    folder = run(place / "runs", links)
    assert user.read_text() == "mine"
    assert not (folder / "summary.json").is_symlink()
    assert json.loads((folder / "manifest.json").read_text())["run"] == folder.name
    assert (folder / "programs" / "mine").is_symlink()
