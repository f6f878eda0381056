"""Section 4.2 of aoyagi2023: claims over made-up numbers, and the whole command with a fake runner."""

import csv
import json
from pathlib import Path

import pytest
from airtcp.metrics.replication import estimate
from airtcp.report.claims import Finding
from airtcp.studies.aoyagi2023.claims import judge_claims, read_claims
from airtcp.studies.aoyagi2023.design import Case, read_design
from airtcp.studies.aoyagi2023.figures import prepare_figures
from airtcp.studies.aoyagi2023.measure import Cell, Measured, Spread

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


def made_up_cells(rtts, mbps=9.5, idle_ms=1.3, out_of_control=()):
    cells = {}
    for cca, pair in rtts.items():
        for queue, rtt_ms in zip((20, 100), pair, strict=True):
            for clients in (1, 2):
                spread = Spread(rtt_ms, rtt_ms, rtt_ms)
                run = Measured(
                    case=Case(cca, queue, clients, 1),
                    folder=Path(f"runs/{cca}-{queue}-{clients}"),
                    total_mbps=Spread(mbps, mbps, mbps),
                    flows_mbps=(mbps,),
                    rtt_ms=spread,
                    idle_rtt_ms=idle_ms,
                    unanswered=0,
                    retransmits=0,
                    out_of_control=out_of_control,
                    warnings=(),
                )
                cells[cca, queue, clients] = Cell(
                    cca, queue, clients, run.total_mbps, estimate([mbps]), spread, estimate([rtt_ms]), (run,)
                )
    return cells


def verdicts(cells) -> dict[str, Finding]:
    return {claim.id: finding for claim, finding in judge_claims(read_design(), cells)}


def test_the_papers_numbers_fulfil_the_papers_claims():
    found = verdicts(made_up_cells(AS_THE_PAPER))
    assert {name: finding.verdict for name, finding in found.items() if finding.verdict != "holds"} == {
        "nv-growth": "ours"
    }
    assert found["nv-growth"].detail == "does not grow"


@pytest.mark.parametrize(
    ("claim", "changes", "settings", "says"),
    [
        ("base-rtt", {}, {"idle_ms": 1.8}, "1.80 ms"),
        ("one-client-fills", {}, {"mbps": 9.0}, "9.00 to 9.00"),
        ("two-clients-fill", {}, {"mbps": 8.9}, "8.90"),
        ("loss-based-q20", {"hybla": (14.9, 85.0)}, {}, "not: hybla"),
        ("loss-based-growth", {"reno": (20.0, 71.0)}, {}, "not: reno"),
        ("scalable-largest", {"bic": (20.0, 118.0)}, {}, "bic 118.0 ms, then scalable"),
        ("scalable-q100", {"scalable": (22.0, 105.0)}, {}, "scalable 105.0 ms"),
        ("hybrid-growth", {"westwood": (15.0, 29.0)}, {}, "not: westwood"),
        ("vegas-4ms", {"vegas": (4.0, 5.1)}, {}, "not: vegas q100"),
        ("bbr-15ms", {"bbr": (11.0, 15.0)}, {}, "not: bbr q20"),
        ("constant-rtt", {"vegas": (3.0, 4.0)}, {}, "not: vegas"),
        ("constant-rtt", {"bbr": (15.0, 11.0)}, {}, "not: bbr"),
        ("cdg-grows-little", {"cdg": (8.0, 17.0)}, {}, "cdg 2.12"),
        ("bufferbloat", {"cdg": (8.0, 17.0)}, {}, "cdg: 2.12 times"),
    ],
)
def test_claims_can_fail(claim, changes, settings, says):
    finding = verdicts(made_up_cells({**AS_THE_PAPER, **changes}, **settings))[claim]
    assert finding.verdict == "differs"
    assert says in f"{finding.ours} ({finding.detail})"
    assert finding.runs


def test_claims_about_runs_left_out_are_not_computed():
    found = verdicts(made_up_cells({"vegas": (4.0, 4.0)}))
    assert found["vegas-4ms"].verdict == "holds"
    assert found["bufferbloat"].verdict == "not computed"
    assert found["scalable-largest"].verdict == "not computed"
    assert found["constant-rtt"].verdict == "not computed"


def test_every_claim_says_where_and_why():
    claims = read_claims(read_design())
    assert len({claim.id for claim, _ in claims}) == len(claims) == 14
    assert all(claim.place and claim.sentence and claim.tolerance and claim.reason for claim, _ in claims)


def test_the_design_is_the_papers():
    design = read_design()
    assert len(design.cases()) == 56
    assert design.ccas[:3] == ("reno", "bic", "cubic")
    assert design.flow_ns == 60_000_000_000
    table4 = list(csv.DictReader((design.folder / "table4.csv").open()))
    assert [row["cca"] for row in table4] == list(design.ccas)
    # mean distance of the ratios from 1, as computed from the paper's table for the reference numbers
    rtt_20 = [abs(float(row["rtt_ratio_q20"]) - 1) for row in table4]
    rtt_100 = [abs(float(row["rtt_ratio_q100"]) - 1) for row in table4]
    assert sum(rtt_20) / 14 == pytest.approx(0.130, abs=0.001)
    assert sum(rtt_100) / 14 == pytest.approx(0.222, abs=0.001)


def test_figures_show_the_cells_and_mark_doubt():
    charts = prepare_figures(
        read_design(), made_up_cells(AS_THE_PAPER, out_of_control=("f: send buffer 9%",))
    )
    assert list(charts) == ["figure-4a", "figure-5a", "figure-6a"]
    rtt = charts["figure-5a"]
    assert rtt.groups[0] == "Reno"
    assert rtt.groups[-1] == "YeAH"
    assert [series.label for series in rtt.series] == ["Queue of 20 packets", "Queue of 100 packets"]
    assert rtt.series[1].bars[6].mean == 117.0
    assert rtt.series[1].bars[6].note == "*"
    assert "Figure 5a of aoyagi2023" in rtt.caption
    assert "was not what limited the flow" in rtt.caption


def test_the_whole_study_in_part(airtcp, tmp_path):
    arguments = ("study", "aoyagi2023", "--section", "4.2", "--cca", "vegas,reno", "--quick", "--reps", "2")
    answer = airtcp(*arguments)
    assert answer.returncode == 0, answer.stderr
    assert "[16/16]" in answer.stderr
    out = tmp_path / "work" / "reports" / "aoyagi2023-4.2-quick"
    assert answer.stdout.strip().splitlines()[-1] == "Report: reports/aoyagi2023-4.2-quick"
    files = {file.name for file in out.iterdir()}
    figures = {f"figure-{n}a.{kind}" for n in (4, 5, 6) for kind in ("png", "svg")}
    texts = {"report.md", "report.html", "report.json", "results.csv", "results.json", "index.txt"}
    assert files == {*texts, *figures}
    page = (out / "report.html").read_text()
    assert page.index("Vegas stays at 4 ms") < page.index("Section 4.2, one client") < page.index("<svg")
    assert page.count('id="details-') == 16
    assert "airtcp study aoyagi2023 --section 4.2 --cca reno,vegas --reps 2 --quick" in page
    rows = list(csv.DictReader((out / "results.csv").open()))
    assert len(rows) == 16
    # the fake runner's law: 1.8 ms and 1.2 ms per packet of the queue
    by_case = {(row["cca"], row["queue_packets"], row["clients"], row["seed"]): row for row in rows}
    one = by_case["vegas", "20", "1", "2"]
    assert float(one["rtt_mean_ms"]) == pytest.approx(25.8)
    assert float(one["idle_rtt_ms"]) == pytest.approx(1.8)
    assert float(one["throughput_mean_mbps"]) == pytest.approx(9.4, abs=0.01)
    assert float(by_case["vegas", "20", "2", "1"]["throughput_mean_mbps"]) == pytest.approx(9.4, abs=0.01)
    assert all(Path(row["folder"], "plan.json").is_file() for row in rows)
    results = json.loads((out / "results.json").read_text())
    assert len(results["runs"]) == 16
    findings = {claim["id"]: claim["finding"]["verdict"] for claim in results["claims"]}
    assert findings["vegas-4ms"] == "differs"
    assert findings["base-rtt"] == "differs"
    assert findings["bufferbloat"] == "not computed"
    report = (out / "report.md").read_text()
    assert "QUICK" in report
    assert "+-" in report
    index = (out / "index.txt").read_text()
    assert one["folder"] in index
