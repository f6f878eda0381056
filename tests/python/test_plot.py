"""`airtcp plot`, and the figure's data before it is drawn."""

import math

import pytest
from airtcp.metrics.rates import per_second
from airtcp.plots.time_series import Line, Panel, draw_time_series, prepare_time_series


def test_a_counter_becomes_a_rate():
    assert per_second([0, 500_000_000, 1_500_000_000], [10, 20, 50]) == ([0.5, 1.5], [20.0, 30.0])
    assert per_second([7], [1]) == ([], [])
    wrong = (([0, 0], [1, 2], "0 ns"), ([0, 1], [2, 1], "-1 more"), ([0], [], "1 times and 0 counts"))
    for times, counts, why in wrong:
        with pytest.raises(ValueError, match=why):
            per_second(times, counts)


def panel(*lines):
    return Panel("cwnd\n[segments]", lines)


def test_lines_that_make_no_sense_are_refused():
    for line in (
        Line("a", (0.0, 1.0), (1.0,)),
        Line("a", (1.0, 0.0), (1.0, 1.0)),
        Line("a", (0.0,), (math.inf,)),
    ):
        with pytest.raises(ValueError, match="a"):
            prepare_time_series([panel(line)], "", 1.0)


def test_panels_stand_above_each_other_on_one_clock():
    cwnd = Line("up (cubic)", (0.0, 1.0, 2.0), (10.0, 20.0, 15.0))
    threshold = Line("up (cubic) ssthresh", (1.0, 2.0), (15.0, 15.0), dashed=True)
    other = Line("down (bbr)", (0.0, 2.0), (5.0, 5.0))
    rtt = Panel("Ping RTT [ms]", (Line("ping", (0.2, 0.4), (3.0, 4.0), points=True),))
    figure = draw_time_series(prepare_time_series([panel(cwnd, threshold, other), rtt], "x", 2.0))
    above, below = figure.axes
    assert above.get_xlim() == below.get_xlim() == (0.0, 2.0)
    colours = {line.get_label(): line.get_color() for line in above.lines}
    assert colours["up (cubic)"] == colours["up (cubic) ssthresh"] != colours["down (bbr)"]
    assert [line.get_linestyle() for line in above.lines] == ["-", "--", "-"]
    alike = [Line(label, (0.0, 1.0), (1.0, 1.0)) for label in ("sta1", "sta10")]
    figure = draw_time_series(prepare_time_series([panel(*alike)], "x", 1.0))
    assert len({line.get_color() for line in figure.axes[0].lines}) == 2
    assert list(above.lines[0].get_ydata()) == [10.0, 20.0, 15.0]
    assert (below.lines[0].get_linestyle(), below.get_legend()) == ("None", None)
    assert below.get_xlabel() == "Time [s]"


def test_a_run_is_drawn(airtcp, run_folder, tmp_path):
    out = tmp_path / "figures" / "one"
    answer = airtcp("plot", str(run_folder), "--what", "rate,cwnd,srtt,rtt", "--out", str(out))
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == [f"Figure: {out}.png", f"Figure: {out}.svg"]
    svg = out.with_suffix(".svg").read_text()
    assert all(text in svg for text in ("Received", "cwnd, ssthresh", "srtt [ms]", "Ping RTT [ms]"))
    assert out.with_suffix(".png").stat().st_size > 10_000


def test_what_a_run_does_not_have_is_told(airtcp, run_folder):
    answer = airtcp("plot", str(run_folder), "--what", "cwn")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert 'there is no quantity "cwn"' in answer.stderr
    assert "Known: rate, cwnd," in answer.stderr
    answer = airtcp("plot", str(run_folder), "--what", "queue")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert "air.parquet: is missing" in answer.stderr
