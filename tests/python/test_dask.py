"""Campaigns on a Dask cluster: workers with a fake runner, one of which is killed."""

import json
import os
import signal
import sys
from contextlib import closing
from pathlib import Path

import dask
import pytest
from airtcp.campaign.listener import CampaignListener
from airtcp.errors import AirtcpError
from airtcp.execution.events import Done, RunFailed
from airtcp.execution.executors.dask import dask_executor
from airtcp.execution.executors.executor import Job
from airtcp.execution.runner import Tools
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_file
from support.small_campaign import write_campaign


@pytest.fixture
def tools(fake_tools, fake_runner, kernel, tmp_path):  # noqa: ARG001
    return Tools(fake_runner, {"6.12": kernel}, prepare_store(tmp_path / "store"))


def jobs(first_toml, count):
    plan = compile_file(first_toml)
    return [Job(f"seed {seed}", {**plan, "seed": seed}) for seed in range(count)]


def test_a_killed_worker_s_runs_are_run_elsewhere(tools, first_toml, monkeypatch, tmp_path):
    scratch = tmp_path / "scratch"
    monkeypatch.setitem(dask.config.config, "temporary-directory", str(scratch))
    monkeypatch.setenv("FAKE_SECONDS", "0.3")
    monkeypatch.setenv("FAKE_FAIL", '"seed": 3,')
    with dask_executor(tools, None, 2) as executor:
        assert executor.at_once == 2
        victim = executor.client.run(os.getpid)
        ends, killed = {}, False
        with closing(executor.outcomes(jobs(first_toml, 6), CampaignListener())) as outcomes:
            for outcome in outcomes:
                ends[outcome.number] = outcome.end
                if not killed:
                    os.kill(next(iter(victim.values())), signal.SIGKILL)
                    killed = True
    assert sorted(ends) == list(range(6))
    failed = ends.pop(3)
    assert isinstance(failed, RunFailed)
    assert "nosuch" in str(failed)
    for end in ends.values():
        assert isinstance(end, Done)
        assert end.folder.parent == tools.store
        assert (end.folder / "manifest.json").is_file()
    assert not [file for file in tools.store.iterdir() if file.name.startswith(".")]
    # Nor has the killed worker left its working folder.
    assert not list(scratch.rglob("airtcp-run-*"))


def test_a_campaign_on_a_cluster(airtcp, tmp_path):
    ended = airtcp("sweep", str(write_campaign(tmp_path)), "--dask", "1", "--only", "cca=reno", "--json")
    assert ended.returncode == 0, ended.stderr
    said = [json.loads(line) for line in ended.stdout.splitlines()]
    assert said[-1]["computed"] == 2
    assert [one["event"] for one in said].count("done") == 2


def test_no_cluster_there(tools, monkeypatch):
    monkeypatch.setattr("airtcp.execution.executors.dask.WORKERS_LIMIT_S", 0.3)
    with (
        pytest.raises(AirtcpError, match=r"tcp://127.0.0.1:9: no Dask cluster answers there"),
        dask_executor(tools, "tcp://127.0.0.1:9", 0),
    ):
        pass


def test_without_dask_the_remedy_is_told(tools, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(AirtcpError, match=r"pip install 'airtcp\[dask\]'"), dask_executor(tools, None, 1):
        pass


@pytest.mark.usefixtures("fake_tools")
def test_a_worker_without_a_kernel_is_a_failed_run(first_toml, monkeypatch):
    from airtcp.execution.executors.dask_worker import compute

    monkeypatch.setenv("AIRTCP_KERNELS", str(Path("/nonexistent")))
    answer = compute(jobs(first_toml, 1)[0].plan, "campaign")
    assert "no kernel 6.12 is built" in answer["failed"]["what"]
