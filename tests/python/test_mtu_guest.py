"""Real guests: packets up to the largest MSDU go over radios and wires."""

import polars as pl
import pytest
from airtcp.data.run_folder import open_run
from airtcp.execution.locate import find_kernel, find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.execution.store import prepare_store
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

pytestmark = pytest.mark.guest

# IP and TCP headers with the timestamp option.
HEADERS_BYTES = 52


@pytest.mark.parametrize("mtu", [576, 2296])
def test_packets_have_the_mtu_of_the_scenario(tmp_path, mtu):
    scenario = {
        "name": "mtu",
        "duration": "1 s",
        "mtu": mtu,
        "wifi": {"home": {"stations": ["sta1"]}},
        "wire": [{"between": ["ap1", "h1"], "rate": "100 Mbit/s"}],
        "flow": [{"from": "sta1", "to": "h1"}],
    }
    plan = compile_scenario(scenario_from_tables(scenario))
    tools = Tools(
        find_runner(), {plan["kernel"]: find_kernel(plan["kernel"])}, prepare_store(tmp_path), False
    )
    run = open_run(run_plan(plan, tools, Running(), lambda _: None).folder)
    info = run.flow_samples(0)
    assert info["bytes_received"].max() > 1_000_000
    assert info.select(pl.col("snd_mss").max()).item() == mtu - HEADERS_BYTES
