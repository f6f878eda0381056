"""A whole study with a fake runner; its tables and figures over made-up numbers."""

import contextlib
import csv
import json
import types
from dataclasses import replace
from pathlib import Path

import pytest
from airtcp.errors import AirtcpError
from airtcp.plots.style import FORMATS
from airtcp.quantities.metric_file import MetricFile
from airtcp.studies import report
from airtcp.studies.figures.charts import draw_figures
from airtcp.studies.known_studies import study_folder
from airtcp.studies.measuring import Measured
from airtcp.studies.reference import read_reference
from airtcp.studies.study import read_study
from airtcp.studies.tables.beside import read_values
from airtcp.studies.tables.kinds import make_tables, table_notes
from support.small_study import made_up, small_study

# Mean RTTs as the paper has them, with queues of 20 and of 100 packets; where it gives none, ones that fit its words.
AS_THE_PAPER = {
    **dict.fromkeys(("reno", "bic", "cubic", "highspeed", "htcp", "hybla"), (20.0, 85.0)),
    "scalable": (22.0, 117.0),
    **dict.fromkeys(("illinois", "westwood", "yeah"), (15.0, 60.0)),
    "vegas": (4.0, 4.0),
    "bbr": (15.0, 15.0),
    "cdg": (8.0, 12.0),
    "nv": (4.0, 5.0),
}

FIGURES = """
[[figure]]
id = "bars"
part = "main"
title = "Figure 1: bars"
kind = "bars"
x = "cca"
series = ["queue"]
y = "rtt"
label = "RTT [ms]"
whiskers = "extremes"
least = "rtt_least"
most = "rtt_most"
[[figure]]
id = "lines"
part = "main"
title = "Figure 2: lines"
kind = "lines"
x = "queue"
series = ["cca"]
y = "rtt"
label = "RTT [ms]"
whiskers = "interval"
[[figure]]
id = "cdf"
part = "main"
title = "Figure 3: distributions"
kind = "cdf"
series = ["cca"]
panels = "queue"
y = "jain"
label = "Jain's index"
[[figure]]
id = "time"
part = "main"
title = "Figure 4: over time"
kind = "time"
where = { queue = "20 packets" }
series = ["cca"]
y = "cwnd"
label = "cwnd [segments]"
"""


def paper_results(more=()):
    """Results of one client in section 4.2 as the paper has them."""
    study = read_study(study_folder("aoyagi2023")).only_parts(("4.2",))
    rtts = {**AS_THE_PAPER, **dict(more)}
    results = made_up(study, lambda levels, _: rtts[levels["cca"]][levels["queue"] == "100 packets"])
    for one in results.measured.values():
        one.numbers |= {"idle_rtt": 1.3, "throughput": 9.5, "expected_goodput": 9.564}
    return results


def row_of(table, *first):
    return next(row for row in table.rows if row[: len(first)] == list(first))


def test_the_papers_tables_stand_beside_ours():
    tables = {table.title: table for table in make_tables(paper_results({"bbr": (15.0, 30.0)}))}
    beside = tables["Mean RTT beside table 4 of the paper (one client)"]
    assert len(beside.rows) == 28
    # Table 4: BBR with 100 packets 0.666, so 15 ms emulated are 22.52 ms in the actual network.
    assert row_of(beside, "BBR", "100 packets")[2:] == [
        "30.00",
        "0.666",
        "15.000",
        "22.520",
        "1.332",
        "2.000",
    ]
    assert row_of(beside, "NV", "100 packets")[3:] == ["2.682", "-", "-", "-", "-"]


def test_the_note_counts_what_is_known():
    notes = table_notes(paper_results())
    assert len(notes) == 2
    assert "of 11 (" in notes[0]


def test_table_4_is_the_papers():
    values = read_values(study_folder("aoyagi2023") / "table4-by-case.csv", ["cca", "queue"])
    assert len(values) == 28
    # mean distance of the ratios from 1, as computed from the paper's table for the reference numbers
    for queue, mean in (("20 packets", 0.130), ("100 packets", 0.222)):
        distances = [abs(row["RTT ratio"] - 1) for key, row in values.items() if key[1] == queue]
        assert sum(distances) / 14 == pytest.approx(mean, abs=0.001)
    assert values["scalable", "100 packets"]["emulated ms"] == 117.0


def test_bufferbloat_by_its_definition():
    tables = {table.title.partition(":")[0]: table for table in make_tables(paper_results())}
    table = tables["Bufferbloat with one client"]
    # 117 ms over 1.3 ms and over 22 ms; log 5.318 over log 5.
    assert row_of(table, "Scalable")[1:] == ["1.30", "90.0", "5.32", "1.04", "bufferbloat", "bufferbloat"]
    assert row_of(table, "Vegas")[4:] == ["0.00", "no bufferbloat", "no bufferbloat"]
    assert [row[0] for row in table.rows if row[-1] not in (row[-2], "both")] == []


def test_figures_show_the_levels_and_mark_doubt(tmp_path):
    study = small_study(tmp_path / "small", FIGURES).only_parts(("main",))
    results = made_up(study, lambda levels, seed: len(levels["cca"]) + seed, (1, 2), doubtful=("reno",))
    drawn = draw_figures(results, quick=False)
    assert list(drawn) == ["bars", "lines", "cdf", "time"]
    assert len(drawn["cdf"].figure.axes) == 2
    texts = [text.get_text() for text in drawn["bars"].figure.axes[0].get_xticklabels()]
    assert texts == ["Reno", "cubic", "Vegas"]
    caption = drawn["bars"].figure.get_supxlabel()
    assert caption.startswith("Figure 1: bars (small, computed by airtcp).")
    assert "was not what limited the flow" in caption
    assert "2 seeds" in drawn["lines"].figure.get_supxlabel()


def test_a_factor_that_is_not_shown_is_refused(tmp_path):
    more = FIGURES.replace('series = ["queue"]\n', "", 1)
    with pytest.raises(AirtcpError, match="queue has several levels"):
        small_study(tmp_path / "small", more)


def test_the_whole_study_in_part(airtcp, tmp_path):
    arguments = ("study", "aoyagi2023", "--section", "4.2", "--cca", "vegas,reno", "--quick", "--reps", "2")
    answer = airtcp(*arguments)
    assert answer.returncode == 0, answer.stderr
    assert "[16/16]" in answer.stderr
    out = tmp_path / "work" / "reports" / "aoyagi2023-4.2-quick"
    assert answer.stdout.strip().splitlines()[-1] == "Report: reports/aoyagi2023-4.2-quick"
    files = {file.name for file in out.iterdir()}
    figures = {f"figure-{n}a.{kind}" for n in (4, 5, 6) for kind in FORMATS}
    texts = {
        "report.md",
        "report.html",
        "report.json",
        "results.csv",
        "results.tex",
        "results.json",
        "index.txt",
    }
    assert files == {*texts, *figures}
    page = (out / "report.html").read_text()
    assert page.count('id="details-') == 16
    assert "airtcp study aoyagi2023 --section 4.2 --cca vegas,reno --quick --reps 2" in page
    rows = list(csv.DictReader((out / "results.csv").open()))
    assert len(rows) == 16
    # the fake runner's law: 1.8 ms and 1.2 ms per packet of the queue
    by_case = {(row["cca"], row["queue"], row["clients"], row["seed"]): row for row in rows}
    one = by_case["vegas", "20 packets", "1", "2"]
    assert float(one["rtt"]) == pytest.approx(25.8)
    assert float(one["idle_rtt"]) == pytest.approx(1.8)
    assert float(one["throughput"]) == pytest.approx(9.4, abs=0.01)
    assert float(by_case["vegas", "20 packets", "2", "1"]["throughput"]) == pytest.approx(9.4, abs=0.01)
    assert all(Path(row["folder"], "plan.json").is_file() for row in rows)
    results = json.loads((out / "results.json").read_text())
    assert len(results["runs"]) == 16
    findings = {claim["id"]: claim["finding"]["verdict"] for claim in results["claims"]}
    assert findings["vegas-4ms"] == "differs"
    assert findings["base-rtt"] == "differs"
    assert findings["bufferbloat-grow"] == "not computed"
    report = (out / "report.md").read_text()
    assert "QUICK" in report
    assert "±" in report
    assert one["folder"] in (out / "index.txt").read_text()


def test_a_study_of_ones_own(airtcp, tmp_path):
    small_study(tmp_path / "work" / "mine", FIGURES.partition('[[figure]]\nid = "cdf"')[0])
    answer = airtcp("study", "mine", "--only", "queue=20 packets")
    assert answer.returncode == 0, answer.stderr
    assert answer.stdout.strip().splitlines()[-1] == "Report: reports/small"
    rows = list(csv.DictReader((tmp_path / "work" / "reports" / "small" / "results.csv").open()))
    assert {row["queue"] for row in rows} == {"20 packets"}
    assert len(rows) == 3


def test_ratios_to_another_report(tmp_path):
    table = '[[table]]\nid = "t"\npart = "main"\ntitle = "RTT"\nrows = ["cca", "queue"]\nmetrics = ["rtt", "throughput"]\n'
    figure = '[[figure]]\nid = "f"\npart = "main"\ntitle = "Ratios"\nkind = "ratio"\nseries = ["queue"]\ny = "rtt"\nlabel = "x"\n'
    study = small_study(tmp_path / "small", table + figure).only_parts(("main",))
    file = tmp_path / "other.csv"
    file.write_text(
        "part,cca,queue,rtt\nmain,reno,20 packets,2\nmain,reno,20 packets,4\nmain,cubic,20 packets,4\n"
    )
    results = replace(made_up(study, lambda *_: 12.0), reference=read_reference(file, study))
    ratios = make_tables(results)[1]
    assert ratios.title == f"RTT: ratio to {file}"
    assert row_of(ratios, "Reno", "20 packets")[2:] == ["4.000", "-"]
    assert row_of(ratios, "cubic", "20 packets")[2:] == ["3.000", "-"]
    assert row_of(ratios, "Vegas")[2:] == ["-", "-"]
    # sqrt(4 * 3)
    assert ratios.rows[-1] == ["geometric mean", "", "3.464", "-"]
    assert list(draw_figures(results, quick=False)) == ["f"]
    assert make_tables(replace(results, reference=None))[1:] == []


@pytest.mark.parametrize("text", ["cca,rtt\nreno,3\n", "part,cca,queue,rtt\nother,reno,20 packets,3\n", ""])
def test_a_file_without_results_of_the_study_is_refused(tmp_path, text):
    study = small_study(tmp_path / "small")
    (tmp_path / "other.csv").write_text(text)
    with pytest.raises(AirtcpError, match="has no results of this study"):
        read_reference(tmp_path / "other.csv", study)
    with pytest.raises(AirtcpError, match="can't be read"):
        read_reference(tmp_path, study)


def test_only_some_kinds_of_figures_have_panels(tmp_path):
    figure = '\n[[figure]]\nid = "f"\npart = "main"\ntitle = "t"\nkind = "ratio"\nx = "cca"\ny = "rtt"\nlabel = "l"\n'
    with pytest.raises(AirtcpError, match='kind "ratio" has no panels') as error:
        small_study(tmp_path / "small", figure + 'panels = "queue"\n')
    assert "figure f" in str(error.value.place)


def test_a_mark_is_of_the_flows_of_its_metric():
    measured = Measured(Path("run"), out_of_control={"sta1-h1": "send buffer 40%"})
    assert measured.is_doubtful(MetricFile(of="throughput"))
    assert measured.is_doubtful(MetricFile(of="throughput", flows="sta1-*"))
    assert not measured.is_doubtful(MetricFile(of="throughput", flows="sta2-*"))


def test_a_page_says_once_that_the_congestion_control_was_not_the_limit(tmp_path, monkeypatch):
    """The page of a study counts such runs itself, with links to them; the text beside it has no links."""
    pages = []
    monkeypatch.setattr(report, "write_page", lambda page, *_: pages.append(page))
    monkeypatch.setattr(report, "Runs", types.SimpleNamespace(of=lambda *_: contextlib.nullcontext()))
    results = made_up(small_study(tmp_path / "small"), lambda *_: 1.0, doubtful=("vegas",))
    for most in (None, 1):
        made = report.StudyReport(results, report.ReportRequest("airtcp", (1,), False, page_runs_most=most))
        made._page(tmp_path, {}, 1)
    told = [[note for note in page.notes if "was not what limited" in note] for page in pages]
    assert told == [[], ["In 2 of 7 runs a congestion control was not what limited its flow."]]
    assert told[1][0] in made.notes
