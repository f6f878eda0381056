"""PPDUs to several stations at once in a run: what the series and the pictures of the air have of them."""

import polars as pl
import pytest
from airtcp.plots.gantt import draw_gantt
from airtcp.quantities.run_view import RunView
from airtcp.report.run.gantt import run_gantt
from support.command import run_text

SCENARIO = """
name = "shared"
duration = "300 ms"

[wifi.home]
standard = "11ax"
width = "20 MHz"
stations = 4
multi_user = { acknowledgement = "mu_bar" }

[[flow]]
from = "ap1"
to = "sta*"

[sampling]
ppdus = true
"""


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return run_text(tmp_path_factory.mktemp("multi_user"), SCENARIO)


def test_each_user_has_its_resource_unit_and_mode(shared):
    of_users = shared.ppdus.filter(pl.col("ru_tones") > 0)
    sent = of_users.filter((pl.col("node_name") == "ap1") & (pl.col("kind_name") == "data"))
    assert sent["mode"][0].startswith("HE-MCS ")
    for (_, _), users in sent.group_by("start_ns", "end_ns"):
        assert set(users["ru_tones"]) <= {106, 52}
        assert sorted(users["ru_index"]) == list(range(1, users.height + 1))
        assert users["to_name"].n_unique() == users.height > 1
    answers = of_users.filter(pl.col("node_name") != "ap1")
    assert set(answers["kind_name"]) == {"BlockAck"}
    one = sent.filter(sent["start_ns"] == sent["start_ns"][-1]).row(0, named=True)
    (answer,) = answers.filter(
        (pl.col("node_name") == one["to_name"]) & (pl.col("start_ns") > one["end_ns"])
    ).rows(named=True)[:1]
    assert (answer["ru_tones"], answer["ru_index"]) == (one["ru_tones"], one["ru_index"])
    alone = shared.ppdus.filter((pl.col("kind_name") == "Ack") | (pl.col("kind_name") == "trigger"))
    assert set(alone["ru_tones"]) == set(alone["ru_index"]) == {0}
    assert {mode.split()[0] for mode in alone["mode"]} == {"OFDM"}


def test_a_chart_of_ppdus_has_the_users_beside_each_other(shared):
    chart = run_gantt(RunView(shared), stop_given=False)
    shares = {}
    for ppdu in chart.ppdus:
        if ppdu.lane == 0 and ppdu.ru:
            shares.setdefault(ppdu.start_ns, []).append(ppdu.ru.high - ppdu.ru.low)
    assert shares
    assert all(len(own) > 1 and sum(own) <= 1 + 1e-9 for own in shares.values())
    (axes,) = draw_gantt(chart).axes
    assert any(", RU " in text.get_text() for text in axes.texts)
