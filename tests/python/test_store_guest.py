"""One store and several runners, with real guests: no run is lost, made twice or left behind."""

import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import pytest
from airtcp.data.run_integrity import find_damage
from airtcp.execution.locate import find_kernel
from airtcp.execution.run_names import names

pytestmark = pytest.mark.guest


class Lab:
    """A store, a kernel whose processes can be told from others', and a plan of a second or two of real time."""

    def __init__(self, folder, runner, first_toml):
        from airtcp.scenario.compile.compiler import compile_file

        self.store, self.kernel, self.runner = folder / "runs", folder / "kernel", runner
        self.plan = dict(compile_file(first_toml, {"duration": "200 s"}))
        self.kernel.mkdir()
        built = find_kernel(self.plan["kernel"])
        for file in ("linux", "kernel.json"):
            shutil.copy(built / file, self.kernel / file)
        (folder / "plan.json").write_text(json.dumps(self.plan))
        self.command = [str(runner), "run", "--plan", str(folder / "plan.json")]
        self.command += ["--store", str(self.store), "--kernel", str(self.kernel)]

    def start(self):
        return subprocess.Popen(self.command, stdout=subprocess.PIPE, text=True)

    def assert_one_run_and_nothing_else(self):
        (name,) = names(self.runner, {"6.12": self.kernel}, [self.plan])
        assert [entry.name for entry in self.store.iterdir()] == [name]
        assert find_damage(self.store / name) == []
        deadline = time.monotonic() + 5
        while self.guests():
            assert time.monotonic() < deadline, "a guest is left running"
            time.sleep(0.02)

    def guests(self):
        found = []
        for process in Path("/proc").iterdir():
            try:
                if os.readlink(process / "exe") == str(self.kernel / "linux"):  # noqa: PTH115
                    found.append(process.name)
            except OSError:
                continue
        return found


@pytest.fixture
def lab(tmp_path, real_runner, first_toml):
    return Lab(tmp_path, real_runner, first_toml)


def until(process, event):
    """Reads events up to the first of this kind."""
    for line in process.stdout:
        fields = json.loads(line)
        if fields["event"] == event:
            return fields
    raise AssertionError(f"the runner ended without saying {event}")


def test_two_runners_of_one_plan_make_one_run(lab):
    first = lab.start()
    until(first, "progress")
    second = lab.start()
    until(second, "waiting")
    done = [until(each, "done") for each in (first, second)]
    assert [each["cached"] for each in done] == [False, True]
    assert done[0]["folder"] == done[1]["folder"]
    assert [each.wait() for each in (first, second)] == [0, 0]
    lab.assert_one_run_and_nothing_else()


def test_a_killed_runner_hands_its_run_to_who_waits(lab):
    first = lab.start()
    until(first, "progress")
    second = lab.start()
    until(second, "waiting")
    first.kill()
    assert until(second, "done")["cached"] is False
    assert (first.wait(), second.wait()) == (-9, 0)
    lab.assert_one_run_and_nothing_else()


def test_after_kill_9_the_next_run_has_its_result_and_tidies_up(lab):
    killed = lab.start()
    until(killed, "progress")
    killed.kill()
    killed.wait()
    left = sorted(entry.name.split("-")[0] for entry in lab.store.iterdir())
    assert left == [".lock", ".working"]
    following = lab.start()
    assert until(following, "done")["cached"] is False
    assert following.wait() == 0
    lab.assert_one_run_and_nothing_else()


def test_a_damaged_run_is_made_again(lab):
    first = lab.start()
    folder = Path(until(first, "done")["folder"])
    assert first.wait() == 0
    manifest = folder / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:100])
    (folder / "rubbish").touch()
    again = lab.start()
    assert until(again, "done")["cached"] is False
    assert again.wait() == 0
    assert not (folder / "rubbish").exists()
    lab.assert_one_run_and_nothing_else()
