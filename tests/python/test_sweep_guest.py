"""A campaign of real guests: four runs of a second, computed once."""

import pytest
from airtcp.campaign.campaign import read_campaign
from airtcp.campaign.schedule import Request, make_schedule
from airtcp.campaign.sweep import local_executor, run_campaign
from support.small_campaign import CAMPAIGN, write_campaign

pytestmark = pytest.mark.guest


def test_four_runs_of_a_second(tmp_path):
    file = write_campaign(tmp_path, CAMPAIGN.replace("2 s", "1 s"))
    store = tmp_path / "runs"
    computed = []
    for at_once in (2, 1):
        schedule = make_schedule(read_campaign(file), Request(store))
        result = run_campaign(schedule, store, local_executor(schedule, store, at_once))
        assert [one.error for one in result.failed] == []
        computed.append(result.computed)
        rates = [result.measured[folder].numbers["throughput"] for _, folder in result.cases()]
        assert len(rates) == 4
        # The wire carries 10 Mbit/s.
        assert all(1 < rate < 10 for rate in rates)
        # A longer queue delays more, whatever the congestion control.
        rtts = {case.key(): result.measured[folder].numbers["rtt"] for case, folder in result.cases()}
        assert all(rtts[cca, "100 packets"] > rtts[cca, "20 packets"] for cca in ("reno", "cubic"))
    assert computed == [4, 0]
    # What the index knows needs neither compiling nor a runner; without it the runner finds the runs.
    for index in (store / ".campaigns").glob("*.json"):
        index.unlink()
    schedule = make_schedule(read_campaign(file), Request(store))
    assert run_campaign(schedule, store, local_executor(schedule, store, 1)).computed == 0
