"""`airtcp store`, on made-up run folders."""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tarfile
import time
from pathlib import Path

import pytest
from airtcp.data.run_folder import open_run
from airtcp.data.run_integrity import find_damage, result_digests
from airtcp.errors import AirtcpError
from airtcp.execution.run_lock import is_held, run_lock
from airtcp.scenario.compile.compiler import compile_file
from airtcp.store.contents import read_contents, select_runs
from airtcp.store.copying import ExportResult, copy_run
from airtcp.store.garbage import (
    DAMAGED,
    FAILED,
    INCOMPLETE,
    LEFTOVER,
    OLD,
    OTHER_ENGINE,
    RemovalFilter,
    find_garbage,
    remove,
)
from conftest import SCENARIOS
from support.run_folder import Shape, write_run_folder

HERE = Path(__file__).parent
DEAD_RUN, BUSY_RUN = "dead" * 4, "b0b0" * 4
# A process that makes a run: it holds the lock, as the runner does, until its input ends.
HOLDER = """
import fcntl, sys
file = open(sys.argv[1], "w")
fcntl.flock(file, fcntl.LOCK_EX)
print("held", flush=True)
sys.stdin.read()
"""


@pytest.fixture
def airtcp(airtcp, tmp_path):
    """As the command of other tests; its current folder has the store as `runs`."""
    (tmp_path / "work" / "runs").symlink_to(tmp_path / "runs")
    return airtcp


@pytest.fixture
def plan(first_toml):
    from airtcp.scenario.compile.compiler import compile_file

    return dict(compile_file(first_toml))


@pytest.fixture
def store(tmp_path, plan):
    """Three sound runs of the present layout."""
    store = tmp_path / "runs"
    for seed in (1, 2, 3):
        seal(write_run_folder(store, {**plan, "seed": seed, "duration_ns": 2_000_000_000}))
    return store


def seal(folder):
    """Checksums and engine in the manifest, and the name that follows from them, as the runner has it."""
    manifest = json.loads((folder / "manifest.json").read_text())
    engine = {"library_sha256": "1" * 64, "agent_sha256": "2" * 64}
    kernel = {"series": "6.12", "release": "6.12.0-airtcp", "id": "3" * 16}
    parts = [manifest["plan_sha256"], kernel["id"], *engine.values()]
    run = hashlib.sha256("".join(f"{part}\n" for part in parts).encode()).hexdigest()[:16]
    whole = {**manifest, **engine, "run": run, "kernel": kernel, "virtual_s": 2.0}
    (folder / "manifest.json").write_text(json.dumps({**whole, "sha256": result_digests(folder)}))
    return folder.rename(folder.parent / run)


def runs_of(store):
    return sorted(folder for folder in store.iterdir() if len(folder.name) == 16)


def cut(file):
    file.write_bytes(file.read_bytes()[:-7])


@pytest.fixture
def holder(store):
    """A run under way, with its working folder."""
    working = store / f".working-{BUSY_RUN}-1"
    working.mkdir()
    (working / "records").write_text("growing")
    command = [sys.executable, "-c", HOLDER, str(store / f".lock-{BUSY_RUN}")]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout.readline() == b"held\n"
    yield process
    process.kill()
    process.communicate()


@pytest.fixture
def leftover(store):
    """What a runner left that was killed with -9: its process's number is that of one that lives."""
    folder = store / f".working-{DEAD_RUN}-{os.getpid()}"
    (folder / "records").mkdir(parents=True)
    (folder / "records" / "air.rec").write_bytes(bytes(5000))
    (store / f".lock-{DEAD_RUN}").touch()
    return folder


def garbage(store, wish=None, others=lambda _folders: set()):
    return list(find_garbage(read_contents(store), wish or RemovalFilter(), others, 2, lambda _done: None))


def test_a_sound_run_is_sound(store):
    for folder in runs_of(store):
        assert find_damage(folder) == []
        open_run(folder)


def put_elsewhere(folder, name):
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["sha256"] = {**manifest["sha256"], name: "0" * 64}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def with_other(folder, **values):
    manifest = json.loads((folder / "manifest.json").read_text())
    (folder / "manifest.json").write_text(json.dumps({**manifest, **values}))


def as_link(file):
    shutil.move(file, file.parent.parent / "programs-output")
    file.symlink_to(file.parent.parent / "programs-output")


@pytest.mark.parametrize(
    ("harm", "told"),
    [
        (
            lambda folder: cut(folder / "series" / "flows.parquet"),
            "series/flows.parquet: is not what was written",
        ),
        (lambda folder: (folder / "series" / "pings.parquet").unlink(), "series/pings.parquet: is missing"),
        (lambda folder: (folder / "summary.json").unlink(), "summary.json: is missing"),
        (lambda folder: cut(folder / "plan.json"), "plan.json: is not what was written"),
        (
            lambda folder: (folder / "series" / "x.parquet").touch(),
            "series/x.parquet: is not in the manifest",
        ),
        (lambda folder: cut(folder / "manifest.json"), "manifest.json: is damaged: it is not JSON"),
        (
            lambda folder: (folder / "manifest.json").write_text(""),
            "manifest.json: is damaged: it is not JSON",
        ),
        (
            lambda folder: (folder / "manifest.json").write_text("[]"),
            "manifest.json: is damaged: it is not an object",
        ),
        (lambda folder: (folder / "manifest.json").write_text("{}"), "manifest.json: has no run"),
        (lambda folder: (folder / "manifest.json").unlink(), "manifest.json: is missing"),
        (lambda folder: put_elsewhere(folder, "../../etc/passwd"), "its checksums are not a table of paths"),
        (
            lambda folder: put_elsewhere(folder, "series/../plan.json"),
            "its checksums are not a table of paths",
        ),
        (lambda folder: with_other(folder, sha256=5), "its checksums are not a table of paths"),
        (lambda folder: with_other(folder, run="0" * 16), "is the manifest of another run"),
        (lambda folder: with_other(folder, agent_sha256="4" * 64), "the run's name is not that of its plan"),
        (
            lambda folder: as_link(folder / "series" / "flows.parquet"),
            "flows.parquet: can't be read, or is not a regular file",
        ),
        (lambda folder: os.mkfifo(folder / "series" / "pipe"), "series/pipe: is not in the manifest"),
    ],
)
def test_every_damage_is_found_and_named(store, harm, told):
    folder = runs_of(store)[1]
    harm(folder)
    assert any(told in damage for damage in find_damage(folder)), find_damage(folder)


def test_a_run_of_an_older_version_is_held_against_its_plan(tmp_path, plan):
    folder = write_run_folder(tmp_path, plan)
    assert find_damage(folder) == []
    cut(folder / "plan.json")
    assert find_damage(folder) != []


@pytest.fixture
def old_run(store, plan):
    """A run as the first versions wrote it: another plan, no checksums, neither virtual time nor kernel's name."""
    old = {**plan, "version": 2, "flows": [{**flow, "to_address": "10.0.0.3"} for flow in plan["flows"]]}
    folder = write_run_folder(store, old)
    manifest = json.loads((folder / "manifest.json").read_text())
    for key in ("sha256", "virtual_s", "kernel"):
        manifest.pop(key, None)
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return folder


def test_runs_of_older_versions_are_listed_verified_and_kept(store, old_run, airtcp):
    listed = airtcp("store", "ls")
    assert listed.returncode == 0, listed.stderr
    assert f"{old_run.name}  first" in listed.stdout
    assert "damaged" not in listed.stdout
    verified = airtcp("store", "verify")
    assert verified.returncode == 0, verified.stdout
    assert "1 run of a version without checksums: only plan and name were checked" in verified.stdout
    tidied = airtcp("store", "gc", "--yes")
    assert tidied.stdout == "Nothing to remove.\n"
    assert len(runs_of(store)) == 4


def test_a_runner_that_does_not_know_a_plan_did_not_make_its_run(store, old_run, airtcp):
    """`plan` stands for the runner's refusal of another version; only on request does such a run go."""
    names = ",".join("plan" if folder == old_run else folder.name for folder in runs_of(store))
    answer = airtcp("store", "gc", "--other-engines", "--yes", FAKE_NAMES=names)
    assert answer.returncode == 0, answer.stderr
    assert len(runs_of(store)) == 3
    assert old_run not in runs_of(store)
    assert OTHER_ENGINE in answer.stdout


@pytest.mark.usefixtures("holder")
def test_ls_shows_runs_and_names_what_is_wrong(store, leftover, airtcp):
    first, second, third = runs_of(store)
    (second / "manifest.json").unlink()
    cut(third / "manifest.json")
    (store / "air-0123456789abcdef").mkdir()
    (store / "my-notes.txt").touch()
    answer = airtcp("store", "ls")
    assert answer.returncode == 0, answer.stderr
    lines = answer.stdout.splitlines()
    assert lines[0].split() == ["run", "name", "seed", "kernel", "virtual", "s", "size", "computed"]
    assert lines[1].startswith(first.name)
    assert "6.12.0-airtcp" in lines[1]
    assert f"incomplete: {second.name}: no manifest" in lines
    assert f"damaged: {third.name}: manifest.json: is damaged: it is not JSON" in lines
    assert f"left by a process that was killed: {leftover.name}" in lines
    assert f"under way: {BUSY_RUN}" in lines
    assert "and 1 result of airtcp air" in lines
    assert "my-notes" not in answer.stdout

    listed = json.loads(airtcp("store", "ls", "--json").stdout)
    assert [each["run"] for each in listed["runs"]] == [first.name]
    assert listed["runs"][0]["size_bytes"] == sum(f.stat().st_size for f in first.rglob("*") if f.is_file())
    assert listed["under_way"] == [BUSY_RUN]
    assert listed["leftovers"] == [f".lock-{DEAD_RUN}", leftover.name]


def test_ls_filters_by_name(store, airtcp, plan):
    seal(write_run_folder(store, {**plan, "name": "other"}))
    assert airtcp("store", "ls", "--name", "oth*").stdout.splitlines()[-1].startswith("1 run,")
    assert airtcp("store", "ls", "--name", "nosuch").stdout.splitlines()[-1] == "0 runs, 0 B"


def test_verify_says_what_is_wrong_by_its_status(store, airtcp):
    first, second, third = runs_of(store)
    good = airtcp("store", "verify")
    assert (good.returncode, good.stdout) == (0, "3 runs, none damaged\n")
    cut(second / "series" / "flows.parquet")
    (third / "manifest.json").unlink()
    bad = airtcp("store", "verify")
    assert bad.returncode == 1
    assert f"{second.name}: series/flows.parquet: is not what was written" in bad.stdout
    assert f"{third.name}: manifest.json: is missing" in bad.stdout
    assert "2 of 3 runs damaged" in bad.stdout
    assert airtcp("store", "verify", first.name[:8]).returncode == 0
    assert airtcp("store", "verify", second.name).returncode == 1
    missing = airtcp("store", "verify", "ffff")
    assert missing.returncode == 2
    assert "has no run ffff. List the runs with: airtcp store ls" in missing.stderr


def test_a_store_that_is_not_there_is_told(airtcp):
    answer = airtcp("store", "ls", "--store", "nowhere")
    assert answer.returncode == 2
    assert "nowhere: the store can't be read" in answer.stderr
    assert "--store" in answer.stderr


def test_gc_removes_what_is_broken_and_only_when_told(store, leftover, holder, airtcp):
    first, second, third = runs_of(store)
    (second / "manifest.json").unlink()
    cut(third / "series" / "flows.parquet")
    before = sorted(store.iterdir())
    dry = airtcp("store", "gc")
    assert dry.returncode == 0, dry.stderr
    assert sorted(store.iterdir()) == before
    assert "Nothing was removed: give --yes" in dry.stdout
    for named in (second.name, third.name, leftover.name):
        assert named in dry.stdout
    assert first.name not in dry.stdout
    done = airtcp("store", "gc", "--yes")
    assert done.returncode == 0, done.stderr
    busy = [store / f".lock-{BUSY_RUN}", store / f".working-{BUSY_RUN}-1"]
    assert sorted(store.iterdir()) == sorted([first, *busy])
    assert airtcp("store", "gc").stdout == "Nothing to remove.\n"
    holder.kill()
    holder.wait()
    assert [each.reason for each in garbage(store)] == [LEFTOVER, LEFTOVER]


def test_gc_leaves_alone_what_came_under_way_or_was_replaced(store):
    first, second, _third = runs_of(store)
    whole = (first / "plan.json").read_bytes()
    cut(first / "plan.json")
    (second / "manifest.json").rename(second / "aside")
    found = garbage(store)
    assert [each.reason for each in found] == [INCOMPLETE, DAMAGED]
    with run_lock(store, second.name) as mine:
        assert mine
        assert not remove(store, found[0])
    (first / "plan.json").write_bytes(whole)
    (second / "aside").rename(second / "manifest.json")
    assert [remove(store, each) for each in found] == [False, False]
    assert len(runs_of(store)) == 3


def test_gc_by_age_and_by_engine_means_both_when_both_are_given(store):
    first, second, third = runs_of(store)
    long_ago = time.time() - 40 * 86_400
    for folder in (first, second):
        os.utime(folder / "manifest.json", (long_ago, long_ago))
    before = time.time() - 30 * 86_400

    def others(folders):
        return {folder for folder in folders if folder in (second, third)}

    def named(wish):
        return {(each.path, each.reason) for each in garbage(store, wish, others)}

    assert named(RemovalFilter(before_s=before)) == {(first, OLD), (second, OLD)}
    assert named(RemovalFilter(other_engines=True)) == {(second, OTHER_ENGINE), (third, OTHER_ENGINE)}
    assert named(RemovalFilter(True, before)) == {(second, OTHER_ENGINE)}
    assert named(RemovalFilter(True, None, frozenset([third.name]))) == {(second, OTHER_ENGINE)}


def test_gc_by_engine_asks_the_present_runner(store, airtcp):
    first, second, third = runs_of(store)
    renamed = airtcp("store", "gc", "--other-engines", "--json", FAKE_NAMES=f"{first.name},-,{third.name}")
    assert renamed.returncode == 0, renamed.stderr
    assert [each["run"] for each in json.loads(renamed.stdout)] == [second.name]


def test_runs_of_kernels_that_are_not_built_are_kept(store, airtcp, plan):
    other = seal(write_run_folder(store, {**plan, "kernel": "5.4"}))
    names = ",".join("-" if folder != other else "kernel" for folder in runs_of(store))
    answer = airtcp("store", "gc", "--other-engines", "--yes", FAKE_NAMES=names)
    assert answer.returncode == 0, answer.stderr
    assert "kept: 1 run of kernel 5.4, which is not built here" in answer.stderr
    assert runs_of(store) == [other]


def test_gc_keeps_what_a_report_names(store, airtcp, tmp_path):
    first, second, _third = runs_of(store)
    report = tmp_path / "report.html"
    report.write_text(f"<td>{first.name}</td><td data-run='{second.name}'></td>")
    answer = airtcp("store", "gc", "--older-than", "0h", "--keep-used-by", str(report), "--yes")
    assert answer.returncode == 0, answer.stderr
    assert runs_of(store) == [first, second]
    report.write_text("nothing")
    assert "names no run" in airtcp("store", "gc", "--keep-used-by", str(report)).stderr
    assert "--older-than: '3x' is not an age" in airtcp("store", "gc", "--older-than", "3x").stderr


def as_ordinary_user(command, **settings):
    """Runs a command that may not write where it has no permission, also where the tests are run by root."""
    if os.geteuid() == 0:
        command = ["setpriv", "--bounding-set=-all", "--inh-caps=-all", *command]
    path = os.pathsep.join([str(HERE.parents[1] / "python"), str(HERE)])
    return subprocess.run(
        command,
        env={**os.environ, "PYTHONPATH": path, **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_read_only_store_is_listed_and_verified_and_not_tidied(store, leftover):
    command = [sys.executable, "-m", "airtcp", "store"]
    store.chmod(0o555)
    try:
        listed = as_ordinary_user([*command, "ls", "--store", str(store)])
        verified = as_ordinary_user([*command, "verify", "--store", str(store)])
        would = as_ordinary_user([*command, "gc", "--store", str(store)])
        tidied = as_ordinary_user([*command, "gc", "--yes", "--store", str(store)])
        exported = as_ordinary_user([*command, "export", str(store.parent / "copy"), "--store", str(store)])
        into = as_ordinary_user([*command, "export", str(store), "--store", str(store.parent / "copy")])
    finally:
        store.chmod(0o755)
    assert (listed.returncode, verified.returncode, would.returncode, exported.returncode) == (0, 0, 0, 0)
    assert leftover.name in would.stdout
    for refused in (tidied, into):
        assert refused.returncode == 2
        assert str(store) in refused.stderr
        assert "Permission denied" in refused.stderr
    assert leftover.is_dir()


def test_export_copies_whole_runs_and_overwrites_nothing(store, tmp_path, airtcp):
    first, second, third = runs_of(store)
    cut(third / "summary.json")
    (first / "programs").mkdir()
    (first / "programs" / "output.txt").write_text("said")
    (first / "programs" / "link").symlink_to("/etc/passwd")
    to = tmp_path / "copy"
    answer = airtcp("store", "export", str(to))
    assert answer.returncode == 1
    assert f"not exported: {third.name}: is damaged: summary.json" in answer.stdout
    assert f"2 runs exported to {to}" in answer.stdout
    assert runs_of(to) == sorted(to.iterdir()) == [to / first.name, to / second.name]
    assert result_digests(to / first.name) == result_digests(first)
    assert (to / first.name / "programs" / "output.txt").read_text() == "said"
    assert not (to / first.name / "programs" / "link").is_symlink()
    assert (to / first.name / "manifest.json").stat().st_mtime == (first / "manifest.json").stat().st_mtime
    again = airtcp("store", "export", str(to), first.name, second.name)
    assert again.returncode == 0
    assert "0 runs exported" in again.stdout
    assert "2 were already there" in again.stdout


def test_other_results_under_the_same_name_are_not_overwritten(store, tmp_path):
    first, second, _third = runs_of(store)
    to = tmp_path / "copy"
    shutil.copytree(store, to)
    summary = to / first.name / "summary.json"
    summary.write_text(summary.read_text() + "\n")
    with_other(to / first.name, sha256=result_digests(to / first.name))
    cut(to / second.name / "series" / "flows.parquet")
    kept = summary.read_bytes()
    exported = ExportResult()
    copy_run(first, to, exported)
    copy_run(second, to, exported)
    assert "has other results and is not overwritten" in exported.refused[first.name]
    assert "is damaged: airtcp store gc --store" in exported.refused[second.name]
    assert (exported.copied, exported.present) == ([], [])
    assert summary.read_bytes() == kept


@pytest.mark.parametrize("name", ["runs.tar.gz", "runs.tar.zst"])
def test_an_archive_unpacks_as_a_store(store, tmp_path, airtcp, name):
    first, second, third = runs_of(store)
    cut(third / "summary.json")
    file = tmp_path / name
    answer = airtcp("store", "export", str(file))
    assert answer.returncode == 1
    assert "2 runs exported" in answer.stdout
    to = tmp_path / "unpacked"
    to.mkdir()
    subprocess.run(["tar", "-xf", str(file), "-C", str(to)], check=True)
    assert sorted(folder.name for folder in to.iterdir()) == sorted([first.name, second.name])
    assert [find_damage(folder) for folder in runs_of(to)] == [[], []]
    before = file.read_bytes()
    refused = airtcp("store", "export", str(file))
    assert refused.returncode == 2
    assert "already exists and is not overwritten" in refused.stderr
    assert file.read_bytes() == before
    assert not list(tmp_path.glob(".runs*")), "a temporary file is left"


def test_the_manifest_is_the_last_of_a_run_in_an_archive(store, tmp_path, airtcp):
    airtcp("store", "export", str(tmp_path / "runs.tgz"))
    with tarfile.open(tmp_path / "runs.tgz") as archive:
        members = archive.getnames()
    for folder in runs_of(store):
        own = [member for member in members if member.startswith(folder.name)]
        assert own[-1] == f"{folder.name}/manifest.json"
        assert len([member for member in own if member.endswith("manifest.json")]) == 1


@pytest.mark.usefixtures("store")
def test_without_zstd_another_format_is_named(tmp_path, airtcp):
    answer = airtcp("store", "export", str(tmp_path / "runs.tar.zst"), PATH=str(tmp_path))
    assert answer.returncode == 2
    assert "zstd was not found" in answer.stderr
    assert ".tar.gz" in answer.stderr
    assert not list(tmp_path.glob("*runs.tar*"))


def test_two_exports_at_once_make_one_store(store, tmp_path, plan):
    for seed in range(10, 20):
        seal(write_run_folder(store, {**plan, "seed": seed, "duration_ns": 1_000_000_000}))
    to = tmp_path / "copy"
    command = [sys.executable, "-m", "airtcp", "store", "export", str(to), "--store", str(store)]
    environment = {**os.environ, "PYTHONPATH": str(HERE.parents[1] / "python")}
    both = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    said = [each.communicate(timeout=60)[0] for each in both]
    assert [each.returncode for each in both] == [0, 0], said
    assert sum(int(text.split()[0]) for text in said) == 13
    assert [folder.name for folder in sorted(to.iterdir())] == [folder.name for folder in runs_of(store)]
    assert not any(find_damage(folder) for folder in runs_of(to))


def test_a_disk_that_fills_up_leaves_no_half_run(store, tmp_path, monkeypatch):
    first = runs_of(store)[0]
    to = tmp_path / "copy"
    to.mkdir()

    def full(*_arguments, **_keys):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("airtcp.store.copying.os.fsync", full)
    with pytest.raises(AirtcpError, match="No space left on device"):
        copy_run(first, to, ExportResult())
    assert list(to.iterdir()) == []


def test_a_lock_is_known_by_all_and_ends_with_its_holder(store, holder):
    assert is_held(store, BUSY_RUN)
    assert not is_held(store, DEAD_RUN)
    with run_lock(store, BUSY_RUN) as mine:
        assert not mine
    holder.kill()
    holder.wait()
    assert not is_held(store, BUSY_RUN)
    with run_lock(store, BUSY_RUN, wait=True) as mine:
        assert mine
        assert is_held(store, BUSY_RUN)
    assert not (store / f".lock-{BUSY_RUN}").exists()


@pytest.mark.usefixtures("leftover")
def test_a_file_system_without_locks_removes_nothing(store, monkeypatch):
    def none(*_arguments):
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(fcntl, "flock", none)
    assert read_contents(store).leftovers == []
    with pytest.raises(AirtcpError, match="has no locks"), run_lock(store, DEAD_RUN):
        pass


def test_runs_are_chosen_by_the_beginning_of_their_names(store):
    contents = read_contents(store)
    first = runs_of(store)[0]
    assert select_runs(contents, []) == runs_of(store)
    assert select_runs(contents, [first.name[:12], f"runs/{first.name}/"]) == [first]


def test_gc_knows_sessions_and_what_programs_of_failed_runs_wrote(store):
    """A session that runs is left alone."""
    dead, alive = store / ".working-session-4194000-4194000", store / ".working-session-4194001-4194001"
    failed = store / f"failed-{DEAD_RUN}"
    for folder in (dead, alive, failed / "programs"):
        folder.mkdir(parents=True)
    with run_lock(store, "session-4194001"):
        found = {each.path.name: each.reason for each in garbage(store)}
        assert found.get(dead.name) == LEFTOVER
        assert found.get(failed.name) == FAILED
        assert alive.name not in found
        for each in garbage(store):
            remove(store, each)
    assert alive.exists()
    assert not dead.exists()
    assert not failed.exists()


def test_ls_shows_what_varies_and_numbers(tmp_path, airtcp):
    """A row for each run; filtered by levels, sorted by any column, `-` for the largest first."""
    store = tmp_path / "varied"
    for cca, rate in (("cubic", 9), ("bbr", 7), ("reno", 8)):
        plan = compile_file(SCENARIOS / "first.toml", {"flow[*].cca": cca})
        write_run_folder(store, plan, Shape(rate_mbps=rate))

    def listed(*words):
        answer = airtcp("store", "ls", "--store", str(store), *words)
        assert answer.returncode == 0, answer.stderr
        return [line.split() for line in answer.stdout.splitlines()]

    head, *rows, count = listed("--values", "throughput", "--sort", "-throughput")
    assert head == ["run", "name", "seed", "cca", "throughput"]
    assert [row[3] for row in rows] == ["cubic", "reno", "bbr"]
    assert count == ["3", "runs"]
    assert [row[3] for row in listed("--values", "throughput", "--where", "cca=bbr")[1:-1]] == ["bbr"]
    assert [row[3] for row in listed("--sort", "cca")[1:-1]] == ["bbr", "cubic", "reno"]
    # Nothing recorded the queues of these runs.
    assert [row[-1] for row in listed("--values", "queue")[1:-1]] == ["-"] * 3
    told = json.loads(airtcp("store", "ls", "--store", str(store), "--values", "throughput", "--json").stdout)
    assert {run["cca"]: round(run["throughput"]) for run in told["runs"]} == {"cubic": 9, "reno": 8, "bbr": 7}
    for words, says in (
        (["--where", "cac=bbr"], 'there is no column "cac". Did you mean "cca"?'),
        (["--sort", "-cac"], 'there is no column "cac"'),
        (["--values", "thruput"], 'there is no quantity "thruput"'),
    ):
        wrong = airtcp("store", "ls", "--store", str(store), *words)
        assert wrong.returncode == 2
        assert says in wrong.stderr


def test_ls_keeps_its_table_until_a_run_is_another(tmp_path, airtcp):
    store = tmp_path / "varied"
    # As of a store in which something was computed.
    (store / ".campaigns").mkdir(parents=True)

    def listed():
        answer = airtcp("store", "ls", "--store", str(store), "--values", "throughput")
        assert answer.returncode == 0, answer.stderr
        return answer.stdout

    def add(cca, rate):
        plan = compile_file(SCENARIOS / "first.toml", {"flow[*].cca": cca})
        return write_run_folder(store, plan, Shape(rate_mbps=rate))

    for cca, rate in (("cubic", 9), ("bbr", 7)):
        add(cca, rate)
    first = listed()
    (kept,) = (store / ".campaigns" / "answers").iterdir()
    assert listed() == first
    assert "2 runs" in first
    # What is said is what was kept.
    kept.write_text(kept.read_text().replace("cubic", "CUBIC"))
    assert "CUBIC" in listed()
    add("reno", 8)
    assert "CUBIC" not in listed()
    assert "3 runs" in listed()
