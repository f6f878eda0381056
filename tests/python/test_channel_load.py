"""How busy radios find their channel: quantities of made-up samples, by hand, and of the model with neighbours."""

import airtcp
import polars as pl
import pytest
from airtcp.data.run_folder import open_run
from airtcp.quantities.run_view import RunView
from airtcp.report.run.figure import run_chart
from airtcp.report.run.report import run_tables
from support.recorded_series import add_new_series, zeros

S = 1_000_000_000


@pytest.fixture
def folder(run_folder):
    """Each second radio 0 is busy for 500 ms: it sends for 200, hears its BSS for 125 and others for 175."""
    folder = add_new_series(run_folder)
    spent = {"busy_ns": 500, "tx_ns": 200, "bss_rx_ns": 125}
    made = [
        {**zeros("air"), "time_ns": at, "nic": nic, **{name: ms * at // 1000 for name, ms in own.items()}}
        for nic, own in ((0, spent), (1, {"busy_ns": 100}))
        for at in range(0, 10 * S + 1, S // 10)
    ]
    pl.DataFrame(made).write_parquet(folder / "series" / "air.parquet")
    return folder


def test_the_load_of_a_channel_and_what_of_it_is_others(folder):
    first = open_run(folder).plan["air"]["nics"][0]["node"]
    assert airtcp.number(folder, "channel_busy", node=first) == pytest.approx(0.5)
    assert airtcp.number(folder, "airtime_of_others", node=first) == pytest.approx(0.175)
    # Radio 1 senses 10 %, all of it others'.
    assert airtcp.number(folder, "airtime_of_others") == pytest.approx((0.175 + 0.1) / 2)


def test_it_is_drawn_over_time_and_in_the_table_of_radios(folder):
    run = open_run(folder)
    panels = run_chart(RunView(run), ["channel_busy", "airtime_of_others"]).panels
    assert [panel.lines[0].values[-1] for panel in panels] == pytest.approx([50, 17.5])
    (table,) = (table for table in run_tables(run) if table.title.startswith("Radios"))
    assert list(table.columns[-2:]) == ["Channel busy", "Airtime of others"]
    assert table.rows[0][-2:] == ["50.0%", "17.5%"]


def test_a_run_of_an_older_version_says_that_it_is_not_there(folder):
    file = folder / "series" / "air.parquet"
    pl.read_parquet(file).drop("busy_ns", "tx_ns", "bss_rx_ns").write_parquet(file)
    with pytest.raises(airtcp.AirtcpError, match="busy_ns"):
        run_chart(RunView(open_run(folder)), ["channel_busy"])
    (table,) = (table for table in run_tables(open_run(folder)) if table.title.startswith("Radios"))
    assert table.columns[-1] == "Airtime"
