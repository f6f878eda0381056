"""The contract of docs/determinism.md over a whole run folder: captures and what programs wrote are part of it."""

import filecmp
from pathlib import Path

import pytest
from airtcp.execution.locate import find_kernel
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

pytestmark = pytest.mark.guest

# Wall-clock figures, and what the kernel says of its host.
NOT_PROMISED = {"manifest.json", "console.log"}
SCENARIO = {
    "name": "determinism",
    "duration": "2 s",
    "wifi": {"home": {"stations": ["sta1"], "standard": "11n"}},
    "wire": [{"between": ["ap1", "h1"], "rate": "20 Mbit/s", "queue": "fq_codel"}],
    "flow": [{"from": "sta1", "to": "h1", "cca": "bbr"}],
    "ping": [{"from": "sta1", "to": "h1"}],
    "program": [
        {
            "name": "clock",
            "node": "sta1",
            "command": "date +%s.%N; od -An -N8 -tx1 /dev/urandom; ls /tmp; env",
        },
        {
            "name": "tool",
            "node": "h1",
            "command": "tcpdump -i eth0 -w $RUN_DIR/tool.pcap",
            "must_succeed": False,
        },
    ],
    "capture": [{"air": True}, {"node": "sta1"}],
    "sampling": {"acks": True, "delays": True, "ppdus": True},
}


def test_every_file_of_a_repeated_run_is_the_same(real_runner: Path, tmp_path: Path, monkeypatch, series):
    kernels = {series: find_kernel(series)}
    folders = []
    for name in ("one", "another place"):
        temporary = tmp_path / f"temporary {name}"
        temporary.mkdir()
        monkeypatch.setenv("TMPDIR", str(temporary))
        monkeypatch.setenv("LANG", f"{name}.UTF-8")
        store = prepare_store(tmp_path / name)
        plan = compile_scenario(scenario_from_tables(SCENARIO | {"kernel": series}))
        folders.append(run_plan(plan, Tools(real_runner, kernels, store), Running(), lambda _: None).folder)
    files = [sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file()) for folder in folders]
    assert files[0] == files[1]
    lasting = [str(path) for path in files[0] if str(path) not in NOT_PROMISED]
    assert {"pcap/air.pcapng", "pcap/sta1.pcapng", "programs/tool.pcap", "programs/clock.out"} <= set(lasting)
    _, different, unread = filecmp.cmpfiles(*folders, lasting, shallow=False)
    assert not different
    assert not unread
