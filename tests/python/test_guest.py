"""The whole way, with real guests: scenario, plan, runner, run folder, numbers."""

import pytest
from airtcp.quantities.flows import flow_control
from airtcp.quantities.goodput import goodput_of
from airtcp.quantities.latency import ping_round_trips
from airtcp.quantities.run_view import RunView
from airtcp.report.run.figure import ALL, run_chart
from support.command import run_file

pytestmark = pytest.mark.guest

S = 1_000_000_000
SCENARIO = """
name = "end-to-end"
duration = "6 s"
seed = {seed}
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
rate = "10 Mbit/s"
delay = "5 ms"
queue = "{queue}"
[[flow]]
from = "sta1"
to = "h1"
cca = "{cca}"
start = "1 s"
[[ping]]
from = "sta1"
to = "h1"
"""


def run(folder, store, queue="20 packets", cca="reno", seed=1):
    file = folder / "scenario.toml"
    file.write_text(SCENARIO.format(queue=queue, cca=cca, seed=seed))
    return run_file(file, store)


def test_a_bottleneck_is_filled_and_its_queue_is_seen(tmp_path):
    result = run(tmp_path, tmp_path / "runs")
    # 1448 of the 1514 bytes of a frame are data: 9.56 Mbit/s
    rate = goodput_of(result, (0,))
    assert 9.2 < rate.mean_mbps < 9.57
    idle = ping_round_trips(result, 0, S // 5, S)
    # twice 5 ms, twice 78.4 us for 98 bytes, and twice the air
    assert 10.157 < idle.mean_ms < 10.4
    busy = ping_round_trips(result, 0, 2 * S, 6 * S)
    # at most 20 full frames of 1.2112 ms wait, one is being sent
    assert idle.mean_ms + 3 < busy.mean_ms
    assert busy.max_ms < idle.max_ms + 22 * 1.2112 + 2
    assert result.agent["flows"][0]["congestion_control"] == "reno"
    assert flow_control(result, 0).in_control
    assert result.agent["warnings"] == []

    medium = result.air_report["media"][0]
    # Counted from the epoch, in which nobody sends: 9.5 Mbit/s take less than half of the air.
    spent_ns = sum(value for key, value in medium.items() if key.endswith("_ns"))
    assert spent_ns == result.air_report["end_ns"] - result.plan["epoch_ns"]
    assert 0.15 < medium["data_ns"] / spent_ns < 0.5
    panels = run_chart(RunView(result, bin_ns=S // 10), [ALL]).panels
    assert [bool(panel.lines) for panel in panels if panel.value_label.startswith("Backlog ")] == [True]
    received = panels[0].lines[0]
    # the first value stands at both ends of its bin
    assert sum(received.values[1:]) / 10 == pytest.approx(rate.mean_mbps * 5, rel=0.03)


def test_the_same_run_is_not_computed_twice_and_another_store_gives_the_same(tmp_path):
    first = run(tmp_path, tmp_path / "runs")
    before = (first.folder / "manifest.json").stat().st_mtime_ns
    again = run(tmp_path, tmp_path / "runs")
    assert again.folder == first.folder
    assert (again.folder / "manifest.json").stat().st_mtime_ns == before
    other = run(tmp_path, tmp_path / "elsewhere")
    assert other.name == first.name
    assert other.air_report["frame_hash"] == first.air_report["frame_hash"]
    for series in ("flows", "pings"):
        assert other.series(series).equals(first.series(series))
    seeded = run(tmp_path, tmp_path / "runs", seed=2)
    assert seeded.name != first.name
    assert seeded.air_report["frame_hash"] != first.air_report["frame_hash"]


def test_many_stations_share_an_access_point(tmp_path):
    stations = 20
    text = SCENARIO.format(queue="100 packets", cca="reno", seed=1).replace('["sta1"]', str(stations))
    text = text.replace('"sta1"', '"sta*"').replace('"6 s"', '"4 s"').replace("10 Mbit/s", "100 Mbit/s")
    (tmp_path / "many.toml").write_text(text)
    result = run_file(tmp_path / "many.toml", tmp_path / "runs")
    received = [flow["bytes_received"] for flow in result.agent["flows"]]
    assert len(received) == stations
    assert min(received) > 0
    assert sum(received) * 8 / 1e6 > 15


def test_a_receiver_that_waits_for_much_acknowledges_every_second_segment(tmp_path):
    """By default one acknowledgement answers what an aggregate of 802.11n brings at once.

    The wire is hardly faster than the radio: nothing is lost, and the window of the receiver need not grow.
    """
    segments = {}
    for name, more in (("each", ""), ("much", 'low_water = "64 KiB"')):
        (tmp_path / f"{name}.toml").write_text(
            f'''name = "{name}"\nduration = "1 s"\n[wifi.home]\nstations = ["sta1"]\nstandard = "11n"\n'''
            f"""rate = "MCS 7"\n[[wire]]\nbetween = ["ap1", "h1"]\nrate = "60 Mbit/s"\n"""
            f"""[[flow]]\nfrom = "h1"\nto = "sta1"\n{more}\n"""
        )
        result = run_file(tmp_path / f"{name}.toml", tmp_path / "runs")
        acknowledgements = next(nic for nic in result.air_report["nics"] if nic["node"] == "sta1")["accepted"]
        segments[name] = result.agent["flows"][0]["bytes_received"] / 1448 / acknowledgements
    assert segments["each"] > 8
    assert 1.9 < segments["much"] < 3.5
