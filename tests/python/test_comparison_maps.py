"""Heat maps of sweeps that are too large for bars."""

import math

from airtcp.quantities.named_number import numbers_named
from airtcp.quantities.registry import COMPARED
from airtcp.report.html.comparison_figures import comparison_figures
from airtcp.report.html.comparison_maps import _cells, comparison_maps
from airtcp.report.html.groups import Group, Groups
from airtcp.report.html.record import Record

MEASURES = numbers_named(COMPARED, "")


def record(goodput_mbps, doubted=False, seed=1):
    known = {"throughput": goodput_mbps, "retransmits": 0.0}
    return Record(
        folder="runs/x",
        run="x",
        plan_name="sweep",
        seed=seed,
        ccas=("cubic",),
        numbers={**dict.fromkeys(COMPARED, math.nan), **known},
        lacking={},
        control_known=True,
        out_of_control=("flow: send buffer",) if doubted else (),
        failed=(),
        warnings=(),
        virtual_s=1.0,
        wall_s=1.0,
        made_by="",
    )


def sweep(rows, columns):
    groups = [
        Group((str(row), f"{column} ms"), (record(row + 10.0 * column, doubted=row == column == 1),))
        for row in range(rows)
        for column in range(columns)
    ]
    return Groups(("stations", "delay"), tuple(groups), MEASURES)


def test_a_large_sweep_becomes_a_map_and_a_small_one_stays_bars():
    large, small = sweep(12, 9), sweep(5, 3)
    assert comparison_figures(large) == []
    titles = [figure.title for figure in comparison_maps(large)]
    assert titles == ["Throughput by stations and delay", "Retransmitted by stations and delay"]
    assert comparison_maps(small) == []
    assert comparison_figures(small)


def test_cells_are_means_of_their_groups_and_carry_the_doubt():
    groups = sweep(12, 9)
    names = {(f"{column} ms",): f"{column} ms" for column in range(9)}
    cells = _cells(groups, MEASURES[0], 0, names)
    assert len(cells) == 12 * 9
    assert cells["3", "4 ms"].value == 43.0
    assert [place for place, cell in cells.items() if cell.note] == [("1", "1 ms")]


def test_one_factor_alone_makes_no_map():
    groups = Groups(("stations",), tuple(Group((str(n),), (record(1.0),)) for n in range(60)), MEASURES)
    assert comparison_maps(groups) == []
