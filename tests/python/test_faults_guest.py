"""Real guests that go wrong: the campaign goes on, tells why, loses nothing and leaves nothing."""

import os
import signal

import pytest
from airtcp.data.run_folder import open_run
from fault_lab import Lab, ended

pytestmark = pytest.mark.guest

SPIN = "sleep 0.1; while :; do :; done"
PROGRAMS = {
    "fine": "true",
    "crashes": "echo last words >&2; kill -SEGV $$",
    "spins": SPIN,
    # Each waits for the next, so that the number of processes is what stops it.
    "forks": "f() { f & f & wait; }; f",
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
    assert failure["console"]
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
