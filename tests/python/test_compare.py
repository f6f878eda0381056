"""Two sets of results against each other: ratios and differences by hand, what is told, what is refused."""

import csv
import json
import shutil
from pathlib import Path

import jsonschema
import pytest
from airtcp.data.find_runs import find_runs
from airtcp.data.results_file import is_results, key_text, read_results
from airtcp.errors import AirtcpError
from airtcp.quantities.registry import COMPARED, QUANTITIES
from airtcp.report.comparison.comparison import compare_sides
from airtcp.report.comparison.figure import ratio_chart
from airtcp.report.comparison.files import file_side
from airtcp.report.comparison.record import ComparisonRecord
from airtcp.report.comparison.runs import RunSides
from airtcp.report.comparison.tables import comparison_tables, differences_table, notes, sides_text
from airtcp.report.comparison.values import digits_of, label_of
from airtcp.report.record import json_schema
from airtcp.scenario.compile.compiler import compile_file
from conftest import SCENARIOS
from support.run_folder import Shape, write_run_folder

ROOT = Path(__file__).parents[2]
TABLE_4 = ROOT / "studies" / "aoyagi2023" / "table4.csv"
FOREIGN = Path(__file__).parent / "foreign"

# Mbit/s of seeds 1, 2, 3 by CCA; RTTs are 10 ms times the seed.
OURS = {"cubic": (8.0, 9.0, 10.0), "vegas": (5.0, 5.0, 5.0), "reno": (12.0, 14.0, 19.0)}
THEIRS = {"cubic": (6.0, 6.0, 6.0), "vegas": (4.0, 5.0), "bbr": (7.0,)}
MEASURED_CSV = "cca,goodput_mbps,rtt_ms\ncubic,4.5,10\nvegas,10,40\nnv,1,1\n"


def make_store(store, rates, rtt_ms=10.0, **changed):
    """A run for each congestion control and seed; of vegas's second the window was not what limited it."""
    plan = dict(compile_file(SCENARIOS / "first.toml"))
    for cca, of_seeds in rates.items():
        for seed, rate in enumerate(of_seeds, 1):
            flow = {**plan["flows"][0], "congestion_control": cca}
            own = {**plan, "name": cca, "seed": seed, "flows": [flow], **changed}
            in_flight = 5 if (cca, seed) == ("vegas", 2) else 20
            write_run_folder(store, own, Shape(rate_mbps=rate, rtt_ms=rtt_ms * seed, in_flight=in_flight))
    return store


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    folder = tmp_path_factory.mktemp("compare")
    return make_store(folder / "new", OURS), make_store(folder / "old", THEIRS, 20.0, kernel="6.1")


def sides_of(*places, by=()):
    runs = RunSides()
    spans = [runs.read(place) if place.is_dir() else None for place in places]
    return [
        runs.side(place, span, made=None in spans) if span is not None else file_side(place, by=by)
        for place, span in zip(places, spans, strict=True)
    ]


def compared(*places, **options):
    return compare_sides(*sides_of(*places), **options)


def written(tmp_path, text, name="theirs.csv"):
    file = tmp_path / name
    file.write_text(text)
    return file


def ratios(found, value):
    names = (*found.columns, f"{value}_ratio")
    return {row[:-1]: row[-1] for row in found.ratios.table.select(names).rows()}


# Ratios.


def test_ratios_of_two_stores(stores):
    found = compared(*stores)
    assert found.names.keys == ("cca",)
    assert found.names.values == ("throughput", "rtt")
    assert dict(found.names.ours) == {"kernel": "6.12"}
    assert dict(found.names.theirs) == {"kernel": "6.1"}
    # 9 over 6; 5 over 4.5. RTTs: 20 ms over 40 ms; 20 ms over 30 ms.
    assert ratios(found, "throughput") == pytest.approx({("cubic",): 1.5, ("vegas",): 10 / 9}, rel=1e-3)
    assert ratios(found, "rtt") == pytest.approx({("cubic",): 0.5, ("vegas",): 2 / 3}, rel=1e-9)
    assert sides_text(found)[0].endswith("new (kernel 6.12), 9 results")


def test_tables_mark_doubt_and_tell_what_is_alone(stores):
    found = compared(*stores)
    summary, goodput, *_ = comparison_tables(found)
    assert goodput.rows == [
        ["cubic", "9.00", "6.00", "1.500", "3", "3"],
        ["vegas", "5.00 *", "4.50 *", "1.111 *", "3", "2"],
    ]
    # The geometric mean of 3/2 and 10/9, none of them within a tenth of 1.
    assert summary.rows[0] == ["Throughput [Mbit/s]", "2", "1.291", "1.111", "1.500", "0 %"]
    told = "\n".join(notes(found))
    assert "new: in 1 of 9 runs a flow failed" in told
    assert "Only ours has 1 case, theirs does not (cca): reno." in told
    assert "Only theirs has 1 case, ours does not (cca): bbr." in told
    assert "cca vegas: seed 3 is on one side only, and not paired." in told


def test_differences_on_common_seeds(stores):
    found = compared(*stores)
    cubic, vegas = differences_table(found, "throughput").rows
    # Differences 2, 3, 4: 3 +- 4.303 * 1 / sqrt(3); t = 3 sqrt(3) with 2 degrees of freedom, twice (Holm).
    assert cubic[:7] == ["cubic", "3", "9.00", "6.00", "3.000", "0.516", "5.484"]
    assert float(cubic[7]) == pytest.approx(2 * 0.0351, abs=2e-4)
    assert cubic[8:] == ["paired t", "no significant difference"]
    # Differences 1, 0 on seeds 1 and 2.
    assert vegas[:5] == ["vegas", "2", "5.00", "4.50", "0.500 *"]
    assert [row[0] for row in differences_table(found, "rtt").rows] == ["cubic", "vegas"]


def test_keys_are_found_by_their_beginning_and_values_by_name(stores):
    found = compared(*stores, by=["cca"], values=["retransmits"])
    assert ratios(found, "retransmits") == {("cubic",): 1.0, ("vegas",): 1.0}
    for name in COMPARED:
        assert label_of(name) == QUANTITIES[name].label_with_unit
        assert digits_of(name) == QUANTITIES[name].digits


def test_a_store_against_a_csv(stores, tmp_path):
    found = compared(stores[0], written(tmp_path, MEASURED_CSV))
    assert ratios(found, "throughput") == pytest.approx({("cubic",): 2.0, ("vegas",): 0.5}, rel=1e-3)
    assert ratios(found, "rtt") == pytest.approx({("cubic",): 2.0, ("vegas",): 0.5})
    assert not found.differences
    assert not any("seed" in line for line in notes(found))


def test_names_that_mean_the_same(stores, tmp_path):
    text = "congestion,clients,throughput_mbps,mean,in_control\ncubic,1,9,40,yes\nreno,1.0,10,20,no: window\n"
    side = file_side(written(tmp_path, text), {"congestion": "cca", "mean": "rtt"})
    found = compare_sides(sides_of(stores[0], tmp_path / "theirs.csv")[0], side)
    assert found.names.keys == ("cca",)
    assert ratios(found, "rtt") == pytest.approx({("cubic",): 0.5, ("reno",): 1.0})
    assert comparison_tables(found)[1].rows[1][1:4] == ["15.00", "10.00 *", "1.500 *"]


def test_repetitions_in_a_csv_are_paired(stores, tmp_path):
    text = "cca,seed,goodput_mbps\ncubic,1,6\ncubic,2,6\ncubic,3,6\n"
    found = compared(stores[0], written(tmp_path, text))
    (one,) = found.differences
    assert one.paired.difference.mean == pytest.approx(3.0, rel=1e-3)


def test_a_single_measurement(stores, tmp_path):
    ping = written(
        tmp_path,
        "PING h1 (10.0.0.2) 56(84) bytes of data.\n"
        "64 bytes from 10.0.0.2: icmp_seq=1 ttl=64 time=15.0 ms\n"
        "64 bytes from 10.0.0.2: icmp_seq=2 ttl=64 time=25.0 ms\n\n--- h1 ping statistics ---\n"
        "3 packets transmitted, 2 received, 33% packet loss, time 2002ms\n",
        "ping.txt",
    )
    found = compared(stores[0], ping, where={"cca": "cubic"})
    assert ratios(found, "rtt") == {("all",): 1.0}
    assert any("ping, mean over answered requests" in line for line in notes(found))
    with pytest.raises(AirtcpError, match=r"several results|no key in common"):
        compared(stores[0], ping)


def test_iperf3_is_one_value_with_its_congestion_control(stores, tmp_path):
    def end(mbps):
        return {"socket": 5, "bytes": 1, "seconds": 1.0, "bits_per_second": mbps * 1e6}

    streams = [{"sender": end(4.0), "receiver": end(3.0)}, {"sender": end(2.0), "receiver": end(1.5)}]
    told = {"streams": streams, "sender_tcp_congestion": "cubic"}
    text = json.dumps({"start": {"connected": []}, "intervals": [], "end": told})
    found = compared(stores[0], written(tmp_path, text, "iperf3.json"))
    # The mean of 8, 9, 10 over 4.5, of the congestion control that iperf3 names.
    assert ratios(found, "throughput") == pytest.approx({("cubic",): 2.0}, rel=1e-3)


def test_what_holds_no_single_value_is_told():
    for name in ("loopback.pcap", "iperf2-tcp-enhanced.csv"):
        with pytest.raises(AirtcpError, match="holds no value to compare"):
            file_side(FOREIGN / name)


# Files of results.


def test_the_papers_table_works_as_it_is():
    side = file_side(TABLE_4)
    assert (side.keys, side.values) == (("cca", "queue_packets"), ("rtt_ratio", "throughput_ratio"))
    assert len(side.rows) == 28
    by_key = {tuple(row.keys.values()): row.values for row in side.rows}
    assert by_key["scalable", "100"] == {"rtt_ratio": 1.1, "throughput_ratio": 1.016}
    assert by_key["bbr", "20"] == {"rtt_ratio": 1.033, "throughput_ratio": 1.001}
    found = compare_sides(side, side)
    assert set(ratios(found, "rtt_ratio").values()) == {1.0}


def test_own_ratios_can_be_held_against_the_papers(stores, tmp_path, airtcp):
    theirs = written(tmp_path, MEASURED_CSV)
    assert airtcp("compare", str(stores[0]), str(theirs), "--out", "out").returncode == 0
    paper = written(tmp_path, "cca,rtt_ratio\ncubic,4.0\nvegas,0.5\n", "paper.csv")
    own = str(tmp_path / "work" / "out" / "ratios.csv")
    answer = airtcp("compare", own, str(paper), "--out", "second")
    assert answer.returncode == 0, answer.stderr
    rows = list(csv.DictReader((tmp_path / "work" / "second" / "ratios.csv").open()))
    assert [float(row["rtt_ratio_ratio"]) for row in rows] == pytest.approx([0.5, 1.0])


def test_keys_are_the_same_however_they_are_written():
    assert [key_text(each) for each in (20, 20.0, "20", "20.0", "0.5", True, None, "reno", "inf")] == [
        *("20", "20", "20", "20", "0.5", "True", "-", "reno", "inf")
    ]
    assert not is_results(b"1,2\n")
    assert not is_results(b"")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cca,rtt_ms\nreno,20\nreno,21\n", "has cca reno twice: line 2 and line 3"),
        ("cca,seed,rtt_ms\nreno,1,20\nreno,1,21\n", "has cca reno, seed 1, twice: line 2 and line 3"),
        ("cca,rtt_ms\nreno\n", "line 2: is damaged: 1 cells under 2 names"),
        ("cca,rtt_ms\nreno,fast\n", 'line 2, rtt: "fast" is not a number'),
        ("cca,rtt_ms\nreno,inf\n", "is not finite"),
        ("cca,rtt_ms\n,20\n", "line 2: has no cca"),
        ("cca,seed,rtt_ms\nreno,x,20\n", 'line 2: "x" is not a seed'),
        ("cca,rtt_ms,rtt_ms\nreno,1,2\n", "has the column rtt twice"),
        ("cca,queue_packets\nreno,20\n", "has no column of values"),
        ("cca,rtt_ms\n", "has no rows"),
        ('cca,rtt_ms\nreno,"20\n', "is damaged: it is not CSV"),
        ("cca,speed_mbps\nreno,20\n", "no value in common: ours has throughput"),
        ("cca,rtt_ms\nRENO,20\n", "no case in common by cca"),
        ("place,rtt_ms\nattic,20\ncellar,30\n", "no key in common: ours has cca"),
        ("cca,place,rtt_ms\nreno,attic,20\nreno,cellar,30\n", "they differ in place (attic, cellar)"),
    ],
)
def test_wrong_files_are_told(stores, tmp_path, text, told):
    with pytest.raises(AirtcpError) as error:
        compared(stores[0], written(tmp_path, text))
    assert told in str(error.value)
    assert error.value.place
    assert error.value.remedy


def test_what_is_asked_for_must_be_there(stores):
    for options, told in (
        ({"by": ["queue"]}, 'ours has no key "queue"'),
        ({"values": ["speed"]}, 'there is no quantity "speed"'),
        ({"where": {"place": "attic"}}, 'neither side has a key "place"'),
        ({"where": {"cca": "bic"}}, "no result has cca bic"),
    ):
        with pytest.raises(AirtcpError) as error:
            compared(*stores, **options)
        assert told in str(error.value)
        assert error.value.remedy


def test_means_are_never_of_different_things(stores, tmp_path):
    both = tmp_path / "both"
    for store in stores:
        shutil.copytree(store, both, dirs_exist_ok=True)
    found = compared(both, both)
    assert found.names.keys == ("cca", "kernel")
    with pytest.raises(AirtcpError, match="they differ in kernel"):
        compared(both, both, by=["cca"])
    assert compared(both, both, by=["cca"], where={"kernel": "6.1"}).matched == [
        ("bbr",),
        ("cubic",),
        ("vegas",),
    ]


def test_an_empty_cell_is_no_number(stores, tmp_path):
    found = compared(stores[0], written(tmp_path, "cca,rtt_ms,goodput_mbps\nreno,,0\ncubic,-,9\n"))
    assert len(found.ratios.undefined) == 3
    assert any(line.startswith("No ratio of RTT (ping) [ms], cca cubic; ") for line in notes(found))
    assert comparison_tables(found)[0].rows[1][:2] == ["RTT (ping) [ms]", "0"]


def test_a_lone_case_needs_no_name(stores, tmp_path):
    theirs = written(tmp_path, "cca,rtt_ms,goodput_mbps\nreno,,9\n")
    found = compared(stores[0], theirs, where={"cca": "reno"})
    assert any(line.startswith("No ratio of RTT (ping) [ms]: a side") for line in notes(found)), notes(found)


def test_reading_renames_before_it_looks(tmp_path):
    found = read_results(tmp_path / "x", b"a,b\nreno,2\n", {"a": "cca", "b": "rtt_ms"})
    assert (found.keys, found.values) == (("cca",), ("rtt_ms",))
    found = read_results(tmp_path / "x", b"delay_ms,rtt_ms\n5,2\n", by=("delay_ms",))
    assert (found.keys, found.values) == (("delay_ms",), ("rtt_ms",))


# The figure, the page, the command.


def test_the_curve_of_ratios(stores):
    chart = ratio_chart(compared(*stores))
    assert [panel.value_label for panel in chart.panels] == ["Ratio of Throughput", "Ratio of RTT (ping)"]
    (line,) = chart.panels[1].lines
    assert line.values == pytest.approx((0.5, 2 / 3))
    assert line.shares == (0.5, 1.0)
    assert line.label == "all cases *"
    assert ratio_chart(compared(*stores, where={"cca": "cubic"})) is None
    table = compare_sides(file_side(TABLE_4), file_side(TABLE_4))
    assert [line.label for line in ratio_chart(table).panels[0].lines] == [
        "queue_packets 20",
        "queue_packets 100",
    ]


def test_the_command_writes_a_folder(stores, tmp_path, airtcp):
    answer = airtcp("compare", str(stores[0]), str(stores[1]), "--by", "cca", "--out", "out")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "Only theirs has 1 case" in answer.stdout
    out = tmp_path / "work" / "out"
    rows = list(csv.DictReader((out / "ratios.csv").open()))
    assert float(rows[0]["throughput_ratio"]) == pytest.approx(1.5, rel=1e-3)
    assert {file.name for file in out.iterdir()} == {
        *("ratios.csv", "differences-throughput.csv", "differences-rtt.csv"),
        *(f"ratio-cdf.{kind}" for kind in ("png", "svg", "pdf", "csv")),
        *("report.md", "report.json", "results.tex"),
    }
    (tmp_path / "work" / "mine").mkdir()
    (tmp_path / "work" / "mine" / "x").write_text("")
    answer = airtcp("compare", str(stores[0]), str(stores[1]), "--out", "mine")
    assert answer.returncode == 2
    assert "exists and is not a report" in answer.stderr


def test_the_command_writes_a_page(stores, tmp_path, airtcp):
    broken = shutil.copytree(stores[1], tmp_path / "broken")
    (find_runs([broken])[0] / "summary.json").unlink()
    answer = airtcp("compare", str(stores[0]), str(broken), "--out", "page.html")
    assert answer.returncode == 0, answer.stderr
    assert "warning: " in answer.stderr
    page = (tmp_path / "work" / "page.html").read_text()
    assert "ours over theirs" in page
    assert "1 folder is not a complete run" in page
    assert "airtcp compare " in page
    assert page.count("<figure>") == 1


def test_the_page_of_two_files_has_no_runs(tmp_path, airtcp):
    answer = airtcp("compare", str(TABLE_4), str(TABLE_4), "--out", "page.html")
    assert answer.returncode == 0, answer.stderr
    page = (tmp_path / "work" / "page.html").read_text()
    assert "every flow ran" not in page
    assert '<section id="runs" hidden>' in page


def test_wrong_commands_are_told(stores, airtcp, tmp_path):
    one = str(stores[0])
    for arguments, told in (
        ((one, "nowhere"), "nowhere: there is no such file or folder"),
        ((one, one, "--where", "cca"), '--where: "cca" is not NAME=VALUE'),
        ((one, str(ROOT / "README.md")), "has an unknown format"),
        ((one, str(tmp_path / "work")), "holds no run folder"),
    ):
        answer = airtcp("compare", *arguments)
        assert answer.returncode == 2
        assert told in answer.stderr
        assert "Traceback" not in answer.stderr


def test_two_levels_of_one_store_are_compared(tmp_path, airtcp):
    store = make_store(tmp_path / "runs", OURS)
    make_store(store, THEIRS, 20.0, kernel="6.1")
    command = ("compare", str(store), "--ours", "kernel=6.12", "--theirs", "kernel=6.1")
    answer = airtcp(*command, "--where", "cca=cubic", "--out", "out")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "runs (kernel 6.12), 3 results" in answer.stdout
    # One case: all values, in one table.
    rows = [line.split() for line in answer.stdout.splitlines() if line.startswith("  ")]
    assert ["Throughput", "[Mbit/s]", "9.00", "6.00", "1.500"] in rows
    assert ["Retransmitted", "[segments]", "3", "3", "1.000"] in rows
    assert ["value", "ours", "(6.12)", "theirs", "(6.1)", "ratio"] in rows
    told = (tmp_path / "work" / "out" / "report.md").read_text()
    assert "--ours kernel=6.12 --theirs kernel=6.1" in told
    both = airtcp(*command, "--values", "all", "--out", "both.html")
    assert "Smoothed RTT [ms]: ours over theirs" in both.stdout
    assert "runs, kernel 6.12 and kernel 6.1" in (tmp_path / "work" / "both.html").read_text()


def test_sides_of_one_store_must_be_told(stores, airtcp):
    for arguments, told in (
        ((), "there is nothing to compare it with"),
        (("--ours", "mac=linux"), "--ours: "),
        (("--theirs", "cca=bic"), "no result has cca bic"),
    ):
        answer = airtcp("compare", str(stores[0]), *arguments)
        assert answer.returncode == 2
        assert told in answer.stderr


def test_json_has_the_numbers_of_the_tables(stores, airtcp):
    answer = airtcp(
        "compare", str(stores[0]), str(stores[1]), "--by", "cca", "--values", "throughput", "--json"
    )
    assert answer.returncode == 0, answer.stderr
    told = json.loads(answer.stdout)
    jsonschema.validate(told, json_schema(ComparisonRecord))
    found = compared(*stores, by=["cca"], values=["throughput"])
    summaries, ratios, *_ = comparison_tables(found)
    assert [
        [case["case"]["cca"], f"{case['ours']:.2f}", f"{case['theirs']:.2f}", f"{case['ratio']:.3f}"]
        for case in told["cases"]
    ] == [[cell.rstrip(" *") for cell in row[:4]] for row in ratios.rows]
    (summary,) = told["summaries"]
    (row,) = summaries.rows
    assert row[1:5] == [
        str(summary["cases"]),
        *(f"{summary[name]:.3f}" for name in ("geometric_mean", "least", "most")),
    ]
    assert told["notes"] == notes(found)
    assert [one["case"]["cca"] for one in told["differences"]] == ["cubic", "vegas"]
    assert told["differences"][0]["p"] is not None
