"""Real guests that go wrong: the campaign goes on, tells why, loses nothing and leaves nothing."""

import os
import re
import shutil
import signal
import subprocess
import sys

import pytest
from airtcp.data.run_folder import open_run
from support.isolated_campaign import BASE, Lab, ended

pytestmark = pytest.mark.guest

SPIN = "sleep 0.1; while :; do :; done"
PROGRAMS = {
    "fine": "true",
    "crashes": "echo last words >&2; kill -SEGV $$",
    "spins": SPIN,
    # No process of them ever ends well: the guest's number of processes stops the first one, or the stall limit all of them.
    "forks": "f() { while :; do f & done; }; f",
    "fills-its-disk": "cat /dev/zero > /tmp/file",
    "fills-its-memory-disks": "for d in /tmp /var/tmp /dev/shm; do cat /dev/zero > $d/file; done; exit 1",
    "fine-too": "sleep 0.5; echo done",
}


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    """A campaign of programs that do what they should not, and of two that do nothing wrong."""
    lab = Lab(tmp_path_factory.mktemp("programs"), PROGRAMS)
    return lab, lab.sweep("--jobs", "4", "--stall-limit-s", "5")


def test_a_campaign_with_failed_runs_goes_on_and_tells_each(programs):
    lab, swept = programs
    assert swept.status == 3
    assert swept.done() == ["fine", "fine-too"]
    assert set(swept.failed()) == set(PROGRAMS) - {"fine", "fine-too"}
    assert swept.events[-1] == {**swept.events[-1], "event": "summary", "computed": 2, "failed": 5}
    lab.assert_nothing_left()
    told = (lab.folder / "reports" / "faults" / "failed.json").read_text()
    assert "last words" in told


def test_nothing_finished_is_lost(programs):
    lab, _ = programs
    for run in lab.runs():
        assert open_run(lab.store / run).agent["programs"][0]["status"] == 0
    again = lab.sweep("--only", "case=fine,fine-too")
    assert (again.status, again.events[-1]["cached"]) == (0, 2)


@pytest.mark.parametrize(
    ("case", "kind", "says"),
    [
        ("crashes", "program", "was ended by signal 11: last words"),
        ("spins", "hang", "virtual time stopped at"),
        ("fills-its-disk", "program", "No space left on device"),
        ("fills-its-memory-disks", "program", "No space left on device"),
    ],
)
def test_the_reason_names_what_the_program_did(programs, case, kind, says):
    failure = programs[1].failed()[case]
    assert failure["kind"] == kind
    assert says in failure["what"], failure
    assert failure["remedy"]


def test_forks_without_end_are_stopped_by_the_guest_or_by_the_limit(programs):
    failure = programs[1].failed()["forks"]
    assert failure["kind"] in ("program", "hang")


@pytest.fixture
def lab(tmp_path):
    return Lab(tmp_path, {"victim": SPIN, "fine": "true"})


def kill(process, number):
    os.kill(process, number)


@pytest.mark.parametrize(
    ("signal_number", "says"),
    [(signal.SIGKILL, "signal 9"), (signal.SIGSEGV, "Kernel panic - not syncing")],
    ids=["killed", "panic"],
)
def test_a_guest_that_dies(lab, signal_number, says):
    campaign = lab.start("--jobs", "1")
    # The guest's kernel takes a segmentation fault of its own as a bug, and panics.
    kill(lab.await_guest(), signal_number)
    swept = ended(campaign)
    assert swept.status == 3
    failure = swept.failed()["victim"]
    assert failure["kind"] == "guest"
    assert says in failure["what"]
    # What every kernel says when it boots explains no failure, and a kernel that is killed says nothing more.
    assert bool(failure["console"]) == (signal_number is signal.SIGSEGV)
    assert swept.done() == ["fine"]
    lab.assert_nothing_left()


def test_a_runner_that_is_killed_takes_its_guest_along_and_its_folder(lab):
    campaign = lab.start("--jobs", "1")
    lab.await_guest()
    kill(lab.processes("airtcp-runner")[0], signal.SIGKILL)
    swept = ended(campaign)
    assert (swept.status, swept.failed()["victim"]["kind"]) == (3, "killed")
    assert swept.done() == ["fine"]
    lab.assert_nothing_left()


def test_a_campaign_that_is_killed_leaves_no_process_and_goes_on(lab):
    campaign = lab.start("--jobs", "1", "--only", "case=victim")
    lab.await_guest()
    campaign.kill()
    campaign.communicate()
    lab.assert_nothing_left()
    assert lab.sweep("--only", "case=fine").status == 0


@pytest.fixture
def roomy(tmp_path):
    """Programs that fill what the host gives them."""
    return Lab(
        tmp_path,
        {
            # Written in one go, as holes: their length counts.
            "long-file": "truncate -s 2G $RUN_DIR/file; sleep 0.1",
            "many-files": "mkdir $RUN_DIR/many; cd $RUN_DIR/many; seq 1 10100 | xargs touch",
            "fine": "echo little",
        },
    )


def test_programs_may_not_fill_the_hosts_disk(roomy):
    swept = roomy.sweep("--jobs", "3")
    failed = swept.failed()
    assert {name: failure["kind"] for name, failure in failed.items()} == {
        "long-file": "program",
        "many-files": "program",
    }
    assert "wrote more than 1024 MiB" in failed["long-file"]["what"]
    assert "wrote more than 10000 files" in failed["many-files"]["what"]
    assert swept.done() == ["fine"]
    roomy.assert_nothing_left()


def in_a_mount(lab, *words):
    """A shell that may mount, in which the lab's store is a file system of its own; then the command."""
    as_root = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    if subprocess.run(["unshare", *as_root, "--mount", "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine lets nobody mount: no root, no user namespaces")
    lab.store.mkdir(exist_ok=True)
    # What the store has in the end is seen in this shell only.
    look = f'status=$?; ls -A {lab.store} | sed "s/^/left: /" >&2; exit $status'
    return "unshare", *as_root, "--mount", "sh", "-c", f'{" && ".join(words)} && "$@"; {look}', "sh"


def left_in(swept):
    return {line.removeprefix("left: ") for line in swept.errors.splitlines() if line.startswith("left: ")}


def test_a_disk_that_fills_while_a_run_goes_on(tmp_path):
    writes = "while head -c 20000000 /dev/zero; do sleep 0.01; done"
    lab = Lab(tmp_path, {"fine": "true", "writes": writes, "fine-too": "sleep 0.2"})
    mount = in_a_mount(lab, f"mount -t tmpfs -o size=80m store {lab.store}")
    swept = lab.sweep("--jobs", "1", before=mount)
    assert swept.status == 3
    assert swept.failed()["writes"]["kind"] in ("disk", "program")
    assert "o space left" in swept.failed()["writes"]["what"]
    assert swept.done() == ["fine", "fine-too"]
    assert {name for name in left_in(swept) if name.startswith(".")} == {".campaigns"}
    assert len(left_in(swept)) == 3
    lab.assert_nothing_left()


def test_a_full_disk_is_told_before_anything_runs(lab):
    mount = in_a_mount(lab, f"mount -t tmpfs -o size=20m store {lab.store}")
    swept = lab.sweep(before=mount)
    assert swept.status == 2
    assert "no space left on the device" in swept.errors
    assert left_in(swept) == set()
    lab.assert_nothing_left()


def test_a_store_that_can_only_be_read(lab):
    mount = in_a_mount(lab, f"mount -t tmpfs -o ro store {lab.store}")
    swept = lab.sweep(before=mount)
    assert swept.status == 2
    assert re.search("store can't be written: Read-only file system", swept.errors)
    assert swept.events == []
    lab.assert_nothing_left()


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """Three complete runs in a store; every test that takes some away computes them again."""
    lab = Lab(tmp_path_factory.mktemp("sound"), {"fine": "true"})
    assert lab.sweep("--reps", "3").status == 0
    return lab


def manifests(lab):
    return {run: open_run(lab.store / run).manifest["sha256"] for run in lab.runs()}


def test_what_is_complete_is_read_off_a_store_that_can_only_be_read(sound):
    as_it_was = {path.name for path in sound.store.iterdir()}
    swept = sound.sweep("--reps", "3", before=in_a_mount(sound, *read_only(sound.store)))
    assert (swept.status, swept.events[-1]["cached"]) == (0, 3)
    assert left_in(swept) == as_it_was


def read_only(folder):
    return f"mount --bind {folder} {folder}", f"mount -o remount,bind,ro {folder}"


def test_damaged_run_folders_are_computed_afresh(sound):
    before = manifests(sound)
    cut, incomplete, rubbish = (sound.store / run for run in before)
    pings = cut / "series" / "pings.parquet"
    pings.write_bytes(pings.read_bytes()[:-100])
    (incomplete / "manifest.json").unlink()
    (rubbish / "manifest.json").write_text("{]", encoding="utf-8")
    shutil.rmtree(sound.store / ".campaigns")
    swept = sound.sweep("--reps", "3")
    assert (swept.status, swept.failed()) == (0, {})
    assert manifests(sound) == before
    sound.assert_nothing_left()


def test_the_hosts_clocks_do_not_matter(sound):
    as_root = () if os.geteuid() == 0 else ("--user", "--map-root-user")
    shifted = ("unshare", *as_root, "--time", "--monotonic", "100000000", "--boottime", "100000000")
    if subprocess.run([*shifted, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine has no time namespaces, or lets nobody use them")
    before = manifests(sound)
    shutil.rmtree(sound.store)
    assert sound.sweep("--reps", "3", before=shifted).status == 0
    assert manifests(sound) == before
    sound.assert_nothing_left()


def test_a_run_that_takes_too_long_by_the_clock_on_the_wall(tmp_path):
    # Time moves, but slowly: no stall.
    lab = Lab(
        tmp_path, {"slow": "while :; do n=0; while [ $n -lt 2000 ]; do n=$((n+1)); done; sleep 0.001; done"}
    )
    swept = lab.sweep("--wall-limit-s", "4", "--jobs", "1")
    failure = swept.failed()["slow"]
    assert (swept.status, failure["kind"]) == (3, "hang")
    assert failure["what"] == "took longer than 4 s of real time"
    assert "of 1 s" in failure["place"]
    lab.assert_nothing_left()


# Runs a command; tells the most memory that a process of it had. Counts its own descendants only.
PEAK = """
import resource, subprocess, sys
status = subprocess.call(sys.argv[1:])
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(status)
"""


def test_a_hundred_runs_at_once(tmp_path):
    lab = Lab(tmp_path, {"fine": "true"})
    (lab.folder / "base.toml").write_text(BASE.replace("1 s", "100 ms").replace('"1 ms"', '"2 ms"'))
    measured = (sys.executable, "-c", PEAK)
    swept = lab.sweep("--jobs", "100", "--reps", "100", "--stall-limit-s", "120", before=measured)
    assert swept.status == 0
    assert (swept.events[0]["at_once"], len(swept.done()), len(lab.runs())) == (100, 100, 100)
    # Of the largest process, in KiB: a guest that uses all of its memory has 512 MiB.
    assert int(re.search(r"peak (\d+)", swept.errors).group(1)) < 400 * 1024
    lab.assert_nothing_left()
