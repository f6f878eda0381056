"""What rate control chose, from PPDUs by hand; datagrams delivered."""

import math

import airtcp
import numpy as np
import polars as pl
import pytest
from airtcp.data.read_once import open_once
from airtcp.quantities.forms import values
from airtcp.quantities.registry import QUANTITIES
from airtcp.quantities.run_view import RunView
from airtcp.scenario.compile.compiler import compile_file
from conftest import SCENARIOS
from support.recorded_series import add_new_series
from support.run_folder import write_run_folder

MS = 1_000_000
# Start in ms, duration in ms, rate in Mbit/s, octets, outcome. The first is before the span, the last a response.
PPDUS = [
    (10, 2, 500, 60_000, 0, 0),
    (1000, 3, 10, 30_000, 0, 0),
    (1010, 1, 30, 1538, 2, 0),
    (1020, 1, 20, 40_000, 0, 0),
    (1150, 3, 10, 1538, 0, 0),
    (1151, 1, 5, 32, 0, 2),
]


@pytest.fixture
def run(tmp_path):
    folder = add_new_series(write_run_folder(tmp_path, dict(compile_file(SCENARIOS / "first.toml"))))
    names = ("start_ns", "length", "rate_bps", "bytes", "outcome", "kind")
    frame = pl.DataFrame(PPDUS, schema=names, orient="row").with_columns(
        pl.col("start_ns") * MS, pl.col("rate_bps") * MS, nic=0, to=1, attempt=1
    )
    frame = frame.with_columns(end_ns=pl.col("start_ns") + pl.col("length") * MS).drop("length")
    frame.write_parquet(folder / "series" / "ppdus.parquet")
    return open_once(folder)


def measured(run, of, **arguments):
    span = {"flows": "none", "skip": "1 s", "until": "1.2 s", **arguments}
    return airtcp.number(run, of, node=run.plan["air"]["nics"][0]["node"], **span)


def test_rates_are_weighted_with_their_time_on_the_air(run):
    # 10 for 6 ms, 20 and 30 for 1 ms each.
    assert measured(run, "chosen_rate") == pytest.approx((10 * 6 + 20 + 30) / 8)
    view = RunView(run, 1000 * MS, 1200 * MS, nodes=[])
    rates = values(QUANTITIES["chosen_rate"], view)[""].known
    assert {rate: np.mean(rates == rate) for rate in (10, 20, 30)} == {10: 0.75, 20: 0.125, 30: 0.125}


def test_a_probe_is_one_mpdu_at_a_faster_rate(run):
    assert measured(run, "upward_probes") == pytest.approx(1 / 0.2)


def test_the_rate_is_reached_with_the_bin_that_delivers_it(run):
    # Bins of 50 ms: 70 000 octets, nothing, nothing, 1538: the end is the last bin, and the first has more.
    assert measured(run, "rate_reached", bin="50 ms") == pytest.approx(0.05)
    assert math.isnan(measured(run, "rate_reached", bin="50 ms", skip="1.02 s", until="1.12 s"))
    assert math.isnan(measured(run, "chosen_rate", skip="2 s", until="3 s"))


def test_datagrams_count_when_they_arrive(run):
    # Of three of 160 octets the second was lost; the third arrives after 27 ms.
    found = [
        measured(run, "datagram_throughput", flows="voice", skip="0 s", until=end)
        for end in ("26 ms", "27 ms")
    ]
    assert found == pytest.approx([160 * 8 / 26e3, 320 * 8 / 27e3])
    assert measured(run, "datagram_throughput", flows="none", skip="0 s") == 0
