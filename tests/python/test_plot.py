"""`airtcp plot`, and the figure's data before it is drawn."""

import math

import numpy as np
import pytest
from airtcp.metrics.bins import rates_on_grid
from airtcp.plots.chart_data import chart_csv
from airtcp.plots.time_series import Panel, draw_time_series, prepare_time_series
from airtcp.quantities.line import Join, Line
from airtcp.scenario.compile.compiler import compile_file
from support.figure_series import add_series
from support.run_folder import write_run_folder


def test_a_counter_becomes_a_rate():
    times_ns, counts = np.array([0, 500_000_000, 1_500_000_000]), np.array([10, 20, 50])
    edges_ns, rates = rates_on_grid(times_ns, counts, 500_000_000)
    assert edges_ns.tolist() == [0, 500_000_000, 1_000_000_000, 1_500_000_000]
    assert rates.tolist() == [20.0, 30.0, 30.0]
    assert [part.tolist() for part in rates_on_grid(np.array([7]), np.array([1]), 5)] == [[], []]
    with pytest.raises(ValueError, match="the counter falls"):
        rates_on_grid(np.array([0, 10]), np.array([2, 1]), 10)


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
    cwnd = Line("up (cubic)", (0.0, 1.0, 2.0), (10.0, 20.0, 15.0), name="up")
    threshold = Line("up ssthresh", (1.0, 2.0), (15.0, 15.0), dashed=True, name="up")
    other = Line("down (bbr)", (0.0, 2.0), (5.0, 5.0))
    rtt = Panel("Ping RTT [ms]", (Line("ping", (0.2, 0.4), (3.0, 4.0), join=Join.NONE),))
    figure = draw_time_series(prepare_time_series([panel(cwnd, threshold, other), rtt], "x", 2.0))
    above, below = figure.axes
    assert above.get_xlim() == below.get_xlim() == (0.0, 2.0)
    colours = [line.get_color() for line in above.lines]
    assert colours[0] == colours[1] != colours[2]
    entries = [text.get_text() for text in above.get_legend().get_texts()]
    assert entries == ["up (cubic)", "dashed: ssthresh", "down (bbr)"]
    assert [line.get_linestyle() for line in above.lines] == ["-", "--", "-"]
    alike = [Line(label, (0.0, 1.0), (1.0, 1.0)) for label in ("sta1", "sta10")]
    figure = draw_time_series(prepare_time_series([panel(*alike)], "x", 1.0))
    assert len({line.get_color() for line in figure.axes[0].lines}) == 2
    assert list(above.lines[0].get_ydata()) == [10.0, 20.0, 15.0]
    assert below.lines[0].get_linestyle() == "None"
    assert [text.get_text() for text in below.get_legend().get_texts()] == ["ping"]
    assert below.get_xlabel() == "Time [s]"


def test_places_in_a_list_have_its_names_and_lines_at_one_of_them_stand_beside_each_other():
    first = Line("sta1", (0.0, 1.0), (0.0, 1.0), join=Join.UNTIL)
    second = Line("sta2", (0.0, 1.0), (0.0, math.nan), join=Join.UNTIL)
    chart = prepare_time_series([Panel("At", (first, second), names=("ap1", "ap2"))], "x", 2.0)
    (axes,) = draw_time_series(chart).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == ["ap1", "ap2"]
    above, below = (line.get_ydata() for line in axes.lines)
    # The first name is on top.
    assert (above[0], below[0]) == (-0.25, 0.25)
    assert [row.rpartition(",")[2] for row in chart_csv(chart).splitlines()] == [
        "value",
        "ap1",
        "ap2",
        "ap1",
        "",
    ]
    many = Panel("At", (first,), names=tuple(f"ap{n}" for n in range(25)))
    (axes,) = draw_time_series(prepare_time_series([many], "x", 2.0)).axes
    assert [text.get_text() for text in axes.get_yticklabels()] == [f"ap{n}" for n in range(0, 25, 3)]


def test_an_axis_of_levels_in_db_does_not_begin_at_0():
    signal = Panel("Signal [dBm]", (Line("sta1", (0.0, 1.0), (-40.0, -80.0)),))
    (axes,) = draw_time_series(prepare_time_series([signal], "x", 2.0)).axes
    least, most = axes.get_ylim()
    assert -90 < least < -80
    assert -40 < most < -30


def test_a_run_is_drawn(airtcp, run_folder, tmp_path):
    out = tmp_path / "figures" / "one"
    answer = airtcp("plot", str(run_folder), "--what", "throughput,cwnd,srtt,rtt", "--out", str(out))
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == [f"Figure: {out}.{kind}" for kind in ("png", "svg", "csv")]
    svg = out.with_suffix(".svg").read_text()
    assert all(
        text in svg for text in ("Throughput", "Congestion window", "Smoothed RTT [ms]", "RTT (ping) [ms]")
    )
    assert out.with_suffix(".png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("arguments", "files"),
    [
        (("--out", "one.svg"), ["one.svg"]),
        (("--out", "one.png", "--format", "svg,pdf"), ["one.svg", "one.pdf"]),
        (("--out", "v1.2"), ["v1.2.png", "v1.2.svg", "v1.2.csv"]),
    ],
)
def test_a_suffix_of_the_file_is_a_format(airtcp, run_folder, arguments, files):
    answer = airtcp("plot", str(run_folder), "--what", "throughput", *arguments)
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.splitlines() == [f"Figure: {file}" for file in files]


def test_what_a_run_does_not_have_is_told(airtcp, run_folder):
    answer = airtcp("plot", str(run_folder), "--what", "cwn")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert 'there is no quantity "cwn"' in answer.stderr
    assert 'Did you mean "cwnd"?' in answer.stderr
    answer = airtcp("plot", str(run_folder), "--what", "backlog")
    assert (answer.returncode, answer.stdout) == (2, "")
    assert 'recorded no series "qdiscs"' in answer.stderr
    assert 'Set qdiscs = "100 ms" in [sampling]' in answer.stderr


@pytest.fixture
def full_folder(run_folder):
    """The made-up run with every series."""
    return add_series(run_folder)


@pytest.mark.parametrize(
    ("arguments", "name"),
    [
        (("--from", "1.5 s", "--to", "2 s", "--flows", "sta*", "--bin", "200 ms"), ""),
        (("--what", "cwnd,limits,backlog,drop_rate,phy_rate"), ""),
        (("--kind", "cdf"), "-cdf"),
        (("--kind", "cdf", "--what", "delay,srtt", "--log"), "-cdf"),
        (("--kind", "stack"), "-stack"),
        (("--kind", "gantt", "--from", "2 ms", "--to", "5 ms"), "-gantt"),
        (("--kind", "gantt", "--from", "0.2 s"), "-gantt"),
    ],
)
def test_each_kind_is_drawn_beside_the_user_under_the_runs_name(airtcp, full_folder, arguments, name):
    answer = airtcp("plot", str(full_folder), *arguments, "--format", "svg")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == f"Figure: first-{full_folder.name}{name}.svg\n"


def test_formats_are_chosen_and_their_bytes_are_the_same_again(airtcp, full_folder, tmp_path):
    for out in ("a", "b"):
        command = ("plot", str(full_folder), "--what", "backlog,delay", "--out", str(tmp_path / out))
        answer = airtcp(*command, "--format", "png,svg,pdf", SOURCE_DATE_EPOCH=str(len(out)))
        assert answer.returncode == 0, answer.stderr
    for kind in ("png", "svg", "pdf"):
        first, again = (tmp_path / f"{name}.{kind}" for name in ("a", "b"))
        assert first.read_bytes() == again.read_bytes()


def test_several_runs_are_compared(airtcp, tmp_path, first_toml):
    folders = []
    for seed in (1, 2):
        folders.append(
            str(write_run_folder(tmp_path / "runs", dict(compile_file(first_toml, {"seed": seed}))))
        )
    answer = airtcp("plot", *folders, "--kind", "cdf", "--what", "rtt", "--format", "svg")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout == "Figure: 2-runs-cdf.svg\n"
    svg = (tmp_path / "work" / "2-runs-cdf.svg").read_text()
    assert "seed 1" in svg
    assert "seed 2" in svg


WRONG = [
    (("--kind", "stack", "--what", "rtt"), "--what has no effect on --kind stack. Remove one of the two."),
    (("--kind", "gantt", "--bin", "1 s"), "--bin has no effect on --kind gantt"),
    (("--log",), "--log has no effect on --kind time"),
    (("--from", "1.5"), '--from: "1.5" has no unit; write for example'),
    (("--to", "0 s"), "nothing is between 0 s and 0 s"),
    (("--from", "11 s"), "the run lasts 10 s"),
    (("--flows", "nobody"), 'there is no flow "nobody". The run has sta1-h1.'),
    (("--bin", "30 ms"), "30 ms is not a multiple of the 100 ms between samples"),
    (("--format", "jpg"), 'there is no format "jpg". Known: png, svg, pdf, csv.'),
    (("--format", ""), 'there is no format ""'),
    (("--kind", "gantt", "--from", "0 s", "--to", "1 s"), "choose a shorter time, for example --from"),
    (("--kind", "cdf", "--what", "cwn"), 'there is no quantity "cwn"'),
    (("--kind", "cdf", "--what", "retransmits", "--log"), "Leave --log out"),
]


@pytest.mark.parametrize(("arguments", "why"), WRONG)
def test_wrong_options_are_told_with_the_remedy(airtcp, full_folder, arguments, why):
    answer = airtcp("plot", str(full_folder), *arguments)
    assert (answer.returncode, answer.stdout) == (2, "")
    assert why.lower() in answer.stderr.lower()


def test_two_runs_over_time_are_refused(airtcp, run_folder):
    answer = airtcp("plot", str(run_folder), str(run_folder))
    assert answer.returncode == 2
    assert "or use --kind cdf" in answer.stderr
    assert (
        "the same run is given twice"
        in airtcp("plot", str(run_folder), str(run_folder), "--kind", "cdf").stderr
    )
