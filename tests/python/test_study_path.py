"""The way of a flow through a plan, and what arithmetic expects of it."""

from types import SimpleNamespace

import pytest
from airtcp.plans.links import path
from airtcp.quantities.expected import QUANTITIES
from airtcp.scenario.compile.compiler import compile_file
from airtcp.studies.known_studies import study_folder


@pytest.fixture(scope="module")
def home():
    """Server, emulator, switch, access point and five devices; the Internet hangs at the switch by a slower line."""
    return compile_file(study_folder("taank-peng") / "e.toml")


def rates_mbps(egresses):
    return [egress and int(egress["rate_bps"]) / 1e6 for egress in egresses]


def test_the_path_there_and_back(home):
    hops = path(home, "server", "seamoss")
    assert rates_mbps(hop.there for hop in hops) == [100, 4, 100, None]
    hops = path(home, "cempaka", "internet")
    assert rates_mbps(hop.there for hop in hops) == [None, 100, 0.448]
    assert rates_mbps(hop.back for hop in hops) == [None, 100, 8]


def test_stations_of_a_cell_meet_in_the_air_and_strangers_do_not(home):
    assert [hop.there for hop in path(home, "seamoss", "davana")] == [None]
    assert path(home, "seamoss", "seamoss") == []
    assert path(home, "seamoss", "nobody") == []


def test_arithmetic_is_about_the_path_of_the_flow_alone(home):
    view = SimpleNamespace(run=SimpleNamespace(plan=home, flow_plans=home["flows"]), flows=[0])
    expected = {name: one.override.number(view) for name, one in QUANTITIES.items()}
    assert expected["expected_propagation"] == pytest.approx(175)
    assert expected["expected_goodput"] == pytest.approx(4 * 1448 / 1514)
    assert expected["expected_queue_delay"] == pytest.approx(60 * 1514 * 8 / 4e3)
