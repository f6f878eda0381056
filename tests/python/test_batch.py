"""Campaigns as batch arrays: the script is run as Slurm runs it, a task after another."""

import json
import os
import subprocess
import sys

from support.small_campaign import write_campaign


def run_array(script, tmp_path, **settings):
    """What sbatch does: the script once for each number of its array."""
    line = next(line for line in script.read_text().splitlines() if line.startswith("#SBATCH --array="))
    first, last = map(int, line.partition("=")[2].split("-"))
    loop = f'for n in $(seq {first} {last}); do SLURM_ARRAY_TASK_ID=$n bash "{script}" || failed=1; done; exit $failed'
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **settings}
    return subprocess.run(
        ["bash", "-c", loop], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )


def test_an_array_runs_what_is_missing(airtcp, tmp_path):
    campaign = write_campaign(tmp_path / "campaign")
    airtcp("sweep", str(campaign), "--only", "cca=reno", "--quiet")
    batch = tmp_path / "work" / "batch"
    told = airtcp("sweep", str(campaign), "--batch", "batch")
    assert told.returncode == 0, told.stderr
    assert "2 runs. Start them: sbatch batch/array.sh" in told.stdout
    assert len(list((batch / "plans").iterdir())) == 2
    ended = run_array(batch / "array.sh", tmp_path)
    assert ended.returncode == 0, ended.stderr
    collected = airtcp("sweep", str(campaign), "--dry-run", "--json")
    assert json.loads(collected.stdout)["runs"] == 4
    done = json.loads(airtcp("sweep", str(campaign), "--json").stdout.splitlines()[-1])
    assert (done["runs"], done["failed"]) == (4, 0)
    assert airtcp("sweep", str(campaign), "--batch", "batch").stdout.startswith("Nothing to run")


def test_a_folder_of_something_else_is_not_replaced(airtcp, tmp_path):
    campaign = write_campaign(tmp_path / "campaign")
    ended = airtcp("sweep", str(campaign), "--batch", str(tmp_path / "campaign"))
    assert ended.returncode == 2
    assert "was not written by --batch" in ended.stderr
    assert campaign.exists()
