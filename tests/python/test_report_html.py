"""The page of a set of runs: what it holds, and how it behaves in a browser (headless Chromium)."""

import base64
import dataclasses
import gzip
import json
import re
import shutil

import numpy as np
import pytest
from airtcp.data.find_runs import find_runs
from airtcp.data.run_folder import open_run
from airtcp.errors import AirtcpError
from airtcp.plans.factors import PlanComparison
from airtcp.plots.time_series import Panel
from airtcp.quantities.line import Line
from airtcp.report.claims import Claim, Finding
from airtcp.report.html import kept_runs, read_runs
from airtcp.report.html.campaign import campaign_page
from airtcp.report.html.columns import columns_of, envelope
from airtcp.report.html.figure import inline_svg
from airtcp.report.html.kept_runs import read_or_kept
from airtcp.report.html.packing import packed
from airtcp.report.html.page import Page, write_page
from airtcp.report.html.read_run import PageAsked
from airtcp.report.html.run_factors import factors_of, natural
from airtcp.report.html.run_list import run_list
from airtcp.report.html.runs import Runs
from airtcp.report.html.warnings import warnings_of
from airtcp.scenario.compile.compiler import compile_file
from support.run_folder import Shape, write_run_folder

EVIL = "<script>document.title = 'taken'</script>"
RATES = {"cubic": (8.0, 9.0, 10.0), "vegas": (5.0, 5.0, 5.0), "reno": (12.0, 14.0, 19.0)}


def make_store(store, first_toml):
    """Three congestion controls with three seeds each; of vegas's runs one did not use its window."""
    plan = dict(compile_file(first_toml))
    for cca, rates in RATES.items():
        for seed, rate in enumerate(rates, 1):
            flow = {**plan["flows"][0], "congestion_control": cca}
            own = {**plan, "name": f"{EVIL}-{cca}", "seed": seed, "flows": [flow]}
            in_flight = 5 if (cca, seed) == ("vegas", 2) else 20
            write_run_folder(store, own, Shape(rate_mbps=rate, rtt_ms=10 * seed, in_flight=in_flight))
    return store


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    from conftest import SCENARIOS

    return make_store(tmp_path_factory.mktemp("report") / "runs", SCENARIOS / "first.toml")


# What goes into the page.


def test_an_envelope_keeps_peaks_and_ends():
    values = np.sin(np.arange(10_000) / 50.0)
    values[[1234, 7777]] = (9.0, -9.0)
    kept = envelope(values, 100)
    assert len(kept) <= 100
    assert {0, 1234, 7777, 9999} <= set(kept.tolist())
    assert list(kept) == sorted(set(kept.tolist()))
    assert list(envelope(values[:100], 100)) == list(range(100))
    assert len(envelope(np.full(1000, np.nan), 50)) <= 50
    with pytest.raises(ValueError, match="3 points"):
        envelope(values, 3)


def undone(line, times):
    values, before = [], 0
    for step in line["y"]:
        before = before + step if step is not None else before
        values.append(None if step is None else before * 10.0 ** -line["decimals"])
    return np.cumsum(times[line["x"]]) / 1e6, values


def test_columns_come_back():
    times = (0.1, 0.2, 0.3, 0.5)
    rates = Line("a", times, (9.4321, 0.0, float("nan"), 123.456))
    counts = Line("b", times, (10.0, 20.0, 5.0, 2_000_000.0), dashed=True)
    made = columns_of([Panel("x\n[y]", (rates, counts)), Panel("none", ())], 1.0, 100)
    assert len(made["times"]) == 1
    assert [panel["label"] for panel in made["panels"]] == ["x [y]"]
    first, second = made["panels"][0]["lines"]
    at, values = undone(first, made["times"])
    assert list(at) == pytest.approx(times)
    assert values == [pytest.approx(9.4321, abs=0.05), 0.0, None, pytest.approx(123.456, abs=0.05)]
    assert undone(second, made["times"])[1] == [10, 20, 5, 2_000_000]
    assert (second["dashed"], "dashed" in first) == (True, False)


def test_what_a_store_holds_is_found(store, tmp_path):
    runs = find_runs([store])
    assert len(runs) == 9
    assert find_runs([store, runs[0], store.parent]) == runs
    (tmp_path / "empty").mkdir()
    for path, why in ((tmp_path / "nowhere", "no such folder"), (tmp_path / "empty", "no run folder")):
        with pytest.raises(AirtcpError, match=why):
            find_runs([path])


def test_broken_and_repeated_folders_are_told(store, tmp_path):
    shutil.copytree(store, tmp_path / "runs")
    folders = find_runs([tmp_path / "runs"])
    (folders[0] / "summary.json").unlink()
    (folders[1] / "series" / "flows.parquet").write_bytes(b"PAR1")
    (folders[2] / "plan.json").write_text("{")
    shutil.copytree(folders[3], tmp_path / "again" / folders[3].name)
    scene = tmp_path / "runs" / "air-1"
    scene.mkdir()
    for name in ("plan.json", "report.json"):
        (scene / name).write_text("{}")
    folders.append(scene)
    with Runs.of([*folders, tmp_path / "again" / folders[3].name]) as runs:
        assert len(runs.records) == 6
        reasons = "\n".join(one.text for one in runs.broken)
        assert all(
            part in reasons
            for part in (
                "summary.json: is missing",
                "flows.parquet: is damaged",
                "not JSON",
                "without a guest",
            )
        )
        assert [one.text.split(": ")[1] for one in runs.repeated] == [f"is the same run as {folders[3]}"]
        write_page(Page("broken"), runs, tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text()
    assert "4 folders are not complete runs" in text
    assert "1 folder holds a run that is here already" in text
    assert text.index("flows.parquet: is damaged") < text.index('id="run-list"')


def table_of(page, start):
    return next(table for table in page.tables if table.title.startswith(start))


def test_repetitions_are_compared(store):
    with Runs.of(find_runs([store])) as runs:
        page = campaign_page(runs, "three seeds")
    table = table_of(page, "Results")
    assert table.columns[1:4] == ("runs", "Throughput [Mbit/s]", "RTT (ping) [ms]")
    rows = {row[0]: row[1:] for row in table.rows}
    key = next(name for name in rows if "reno" in name)
    # 12, 14, 19: mean 15, sd sqrt(13); t(0.975, 2) = 4.3027: 15 -+ 8.957.
    assert rows[key][:2] == ["3", "15.00 ± 8.96"]
    assert rows[key][-1] == "yes"
    doubted = next(row for name, row in rows.items() if "vegas" in name)
    assert doubted[1] == "5.00 ± 0.00"
    assert doubted[-1] == "no: in 1 of 3 runs"
    assert [figure.title.split(" by ")[0] for figure in page.figures][:6] == [
        "Throughput",
        "RTT (ping)",
        "Smoothed RTT",
        "Retransmitted",
        "Queueing delay",
        "In flight",
    ]


def test_a_ranking_is_of_common_seeds(store):
    with Runs.of(find_runs([store])) as runs:
        page = campaign_page(runs)
    table = table_of(page, "cca ranked by Throughput")
    assert [row[0] for row in table.rows] == ["reno", "cubic", "vegas *"]
    assert {row[-1] for row in table.rows} == {"3"}
    assert table_of(page, "cca ranked by RTT (ping)").rows[0][1:3] == ["1", "20.00"]


def test_a_page_compares_what_is_asked_for_and_says_why_a_cell_is_empty(store):
    with Runs.of(find_runs([store]), values=["cwnd", "rtt_most", "aql"]) as runs:
        page = campaign_page(runs)
        listed = run_list(runs, page.factors)
    labels = ["Congestion window [segments]", "most of RTT (ping) [ms]", "Pending airtime (AQL) [ms]"]
    assert list(table_of(page, "Results").columns[2:5]) == labels
    assert table_of(page, "Results").rows[0][3:5] == ["20.00 ± 24.84", "-"]
    assert [figure.title for figure in page.figures] == [
        f"{label.partition(' [')[0]} by cca" for label in labels[:2]
    ]
    assert listed.columns[3:6] == labels
    assert {row.cells[4] for row in listed.rows} == {"-"}
    (why,) = [note for note in page.notes if "is empty" in note]
    assert why.startswith(
        'Pending airtime (AQL) is empty in 9 of 9 runs: the run recorded no series "station_queues"; set '
    )
    with pytest.raises(AirtcpError, match=r'--values: there is no quantity "cwind"\. Did you mean "cwnd"'):
        Runs.of(find_runs([store]), values=["cwind"])


def test_a_quantity_that_real_machines_cannot_record_is_said_to_be_none_of_theirs(store, tmp_path):
    shutil.copytree(store, tmp_path / "runs")
    for folder in find_runs([tmp_path / "runs"]):
        manifest = json.loads((folder / "manifest.json").read_text())
        (folder / "manifest.json").write_text(json.dumps({**manifest, "measured": {}}))
    with Runs.of(find_runs([tmp_path / "runs"]), values=["collisions"]) as runs:
        notes = campaign_page(runs).notes
    said = 'the run has no series "air", which only virtual runs have: its network was a real one.'
    assert f"Collisions is empty in 9 of 9 runs: {said}" in notes


def test_what_is_kept_of_a_run_is_of_the_values_asked_for(store, tmp_path):
    shutil.copytree(store, tmp_path / "runs")
    (tmp_path / "runs" / ".campaigns").mkdir(exist_ok=True)
    folders = find_runs([tmp_path / "runs"])
    for values in (["cwnd"], ["rtt"], ["cwnd"]):
        with Runs.of(folders, values=values) as runs:
            assert {tuple(record.numbers) for record in runs.records} == {tuple(values)}


def test_runs_of_other_versions_are_no_repetitions(store, tmp_path):
    shutil.copytree(store, tmp_path / "runs")
    for folder in find_runs([tmp_path / "runs"]):
        manifest = json.loads((folder / "manifest.json").read_text())
        name = f"{folder.name[:-4]}beef"
        (folder / "manifest.json").write_text(json.dumps({**manifest, "run": name, "airtcp_version": "9"}))
    with Runs.of(find_runs([store, tmp_path / "runs"])) as runs:
        page = campaign_page(runs)
    assert list(page.factors.names) == ["cca", "made by"]
    assert {row[2] for row in table_of(page, "Results").rows} == {"3"}


def test_too_many_factors_become_cases(store):
    with Runs.of(find_runs([store])) as runs:
        plans = PlanComparison()
        for n in range(9):
            # The bits of n, and keys that go their own ways.
            plan = {"seed": 1, "name": "x", "a_ns": (n & 1) * 10**6, "b_bps": (n & 2) * 10**6, "c": n & 4}
            plans.add({**plan, "d": n % 3, "e": n % 5, "f": n // 5, "g": n // 7})
        factors = factors_of(runs.records, plans)
    assert len(factors.names) == 7
    assert factors.names[-1] == "case"
    assert len(factors.untold) == 1
    assert {"a ms", "b Mbit/s"} <= {*factors.names, *factors.untold}
    assert len({factors.of(record) for record in runs.records}) == 9


def test_a_failed_flow_is_never_a_plain_number(store, tmp_path):
    shutil.copytree(store, tmp_path / "runs")
    folder = find_runs([tmp_path / "runs"])[0]
    summary = json.loads((folder / "summary.json").read_text())
    summary["agent"]["flows"][0]["error"] = "connection refused"
    summary["agent"]["warnings"] = ["the guest was late"]
    (folder / "summary.json").write_text(json.dumps(summary))
    with Runs.of(find_runs([tmp_path / "runs"])) as runs:
        page = campaign_page(runs)
        row = next(row for row in run_list(runs, page.factors).rows if row.name == folder.name)
        told = [one.text for one in warnings_of(runs)]
    assert row.cells[2].endswith(" *")
    assert "no: flow sta1-h1: connection refused" in row.cells[-1]
    assert told[0] == "In 1 of 9 runs a flow failed (marked *)."
    assert told[-1] == "In 1 run: the guest was late"


def test_two_processes_read_the_same(store, monkeypatch, tmp_path):
    monkeypatch.setattr(read_runs, "WORTH_PROCESSES", 2)
    folders = find_runs([store])[:3]
    shutil.copytree(folders[0], tmp_path / folders[0].name)
    (tmp_path / folders[0].name / "summary.json").unlink()
    with Runs.of(folders) as one, Runs.of([*folders, tmp_path / folders[0].name], processes=2) as two:
        assert repr(one.records) == repr(two.records)
        assert list(one.details()) == list(two.details())
        assert len(two.broken) == 1


def test_what_is_kept_of_a_run_is_what_its_folder_holds_now(store, monkeypatch, tmp_path):
    shutil.copytree(store, tmp_path / "runs")
    folder = find_runs([tmp_path / "runs"])[0]
    read = read_or_kept(folder, PageAsked(300))
    assert not (tmp_path / "runs" / ".campaigns").exists(), "a folder without caches gets none"
    (tmp_path / "runs" / ".campaigns").mkdir()
    assert repr(read_or_kept(folder, PageAsked(300))) == repr(read)
    with monkeypatch.context() as kept_only:
        kept_only.setattr(kept_runs, "read_run", lambda *_: pytest.fail("it was read again"))
        assert repr(read_or_kept(folder, PageAsked(300))) == repr(read)
    assert len(read_or_kept(folder, PageAsked(10)).details) < len(read.details)
    series = folder / "series" / "flows.parquet"
    series.write_bytes(series.read_bytes()[:-1])
    assert "is damaged" in read_or_kept(folder, PageAsked(300)).text
    assert "is damaged" in read_or_kept(folder, PageAsked(300)).text


def test_groups_that_are_asked_for_are_those_of_the_runs_that_have_them(store, tmp_path):
    shutil.copytree(store, tmp_path / "runs")
    folder = find_runs([tmp_path / "runs"])[0]
    name = open_run(folder).plan["flows"][0]["name"]
    with Runs.of([folder], groups={"ours": [name], "others": ["none*"]}) as runs:
        (details,) = runs.details()
    tables = json.loads(gzip.decompress(base64.b64decode(details)))["tables"]
    assert tables[0]["title"] == "Groups (flows together)"
    assert [row[0] for row in tables[0]["rows"]] == ["ours"]


def test_numbers_are_in_their_order():
    assert sorted(["100 packets", "20 packets", "b", "a", "9"], key=natural) == [
        "9",
        "20 packets",
        "100 packets",
        "a",
        "b",
    ]


def test_an_svg_becomes_part_of_a_page():
    svg = '<?xml version="1.0"?><!DOCTYPE x>\n<svg viewBox="0 0 1 1"><metadata>a</metadata><style type="text/css">*{x: y}</style>'
    svg += '<path id="a"/><use xlink:href="#a" clip-path="url(#b)"/></svg>'
    made = inline_svg(svg, 3)
    assert made.startswith(
        '<svg id="figure-3" viewBox="0 0 1 1"><style type="text/css">#figure-3 *{x: y}</style>'
    )
    assert '<path id="f3-a"/><use xlink:href="#f3-a" clip-path="url(#f3-b)"/>' in made


def test_nothing_else_is_replaced(store, tmp_path, airtcp):
    out = tmp_path / "thesis.html"
    out.write_text("<p>my thesis</p>")
    answer = airtcp("report", str(store), "--out", str(out))
    assert (answer.returncode, out.read_text()) == (2, "<p>my thesis</p>")
    assert "exists and is not a report" in answer.stderr
    page = tmp_path / "sub" / "page.html"
    with Runs.of([]) as runs:
        write_page(Page("older"), runs, page)
    one = str(find_runs([store])[0])
    answer = airtcp("report", one, "--out", str(page), "--title", "newer")
    assert (answer.returncode, answer.stderr) == (0, "")
    assert "<title>newer</title>" in page.read_text()
    assert [file.name for file in (tmp_path / "sub").iterdir()] == ["page.html"]
    assert "Runs: 1" in answer.stdout


# How it behaves.


@pytest.fixture(scope="module")
def file(store, tmp_path_factory):
    """A page with everything: claims, tables, figures, runs."""
    out = tmp_path_factory.mktemp("page") / "report.html"
    with Runs.of(find_runs([store])) as runs:
        page = campaign_page(runs, f"Title {EVIL}")
        claim = Claim("c1", "4.2", f"CUBIC is fast {EVIL}", "x", "8 Mbit/s", "10 %", "as printed", "the air")
        names = tuple(record.folder.split("/")[-1] for record in runs.records[:2])
        page.claims = [(claim, Finding("holds", "9 Mbit/s", runs=names)), (claim, Finding("differs", "5"))]
        page.notes = [*page.notes, f"note {EVIL}"]
        page.commands = [f"airtcp run '{EVIL}'"]
        write_page(page, runs, out)
    return out


class Watched:
    """A tab, and all that it says or asks for."""

    def __init__(self, browser, file):
        self.file = file
        self.problems = []
        self.requests = []
        self.page = browser.new_page(viewport={"width": 1280, "height": 900})
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())

    def check(self):
        assert self.problems == []
        assert self.requests == [self.file.as_uri()]
        assert self.page.title() != "taken"
        self.page.close()


@pytest.fixture
def tab(browser, file):
    watched = Watched(browser, file)
    yield watched.page
    watched.check()


def test_claims_come_first_and_figures_show(tab):
    places = [
        tab.locator(f"#{name}").bounding_box()["y"]
        for name in ("summary", "claims", "tables", "figures", "runs")
    ]
    assert places == sorted(places)
    assert tab.locator("h1").inner_text() == f"Title {EVIL}"
    assert tab.locator(".verdicts").inner_text().split("\n") == ["1 hold", "1 differ"]
    assert tab.locator("#figures svg").count() == tab.locator("#figures figure").count()
    for box in (svg.bounding_box() for svg in tab.locator("#figures svg").all()):
        assert box["width"] > 300
        assert box["height"] > 150


def test_warnings_are_at_the_top_and_lead_to_the_runs(tab):
    warning = tab.locator(".warnings li").first
    assert "In 1 of 9 runs the congestion control was not what limited a flow" in warning.inner_text()
    assert warning.bounding_box()["y"] < tab.locator("#claims").bounding_box()["y"]
    warning.locator(".show-runs").click()
    shown = tab.locator("#run-list tbody tr:visible")
    assert shown.count() == 1
    assert "vegas" in shown.inner_text()
    assert " *" in shown.inner_text()
    tab.locator("#chosen").click()
    assert tab.locator("#run-list tbody tr:visible").count() == 9
    tab.locator("#claims .show-runs").click()
    assert tab.locator("#run-list tbody tr:visible").count() == 2


def column(tab, name):
    headers = [text.strip() for text in tab.locator("#run-list thead th").all_inner_texts()]
    return headers.index(name)


def test_sorting_is_by_numbers_and_turns_round(tab):
    place = column(tab, "Throughput [Mbit/s]")
    header = tab.locator("#run-list thead th").nth(place)

    def values():
        cells = tab.locator(f"#run-list tbody td:nth-child({place + 1})").all_inner_texts()
        return [float(text.split()[0]) for text in cells]

    header.locator("button").click()
    assert values() == sorted(value for rates in RATES.values() for value in rates)
    assert values()[:4] == [5.0, 5.0, 5.0, 8.0]
    assert header.get_attribute("aria-sort") == "ascending"
    header.locator("button").focus()
    tab.keyboard.press("Enter")
    assert values()[0] == 19.0
    assert values() == sorted(values(), reverse=True)
    assert header.get_attribute("aria-sort") == "descending"


def test_the_list_is_filtered(tab):
    tab.fill("#find", "vegas 5.00 yes")
    assert tab.locator("#run-list tbody tr:visible").count() == 2
    assert tab.locator("#count").inner_text() == "2 of 9 shown"
    tab.fill("#find", "")
    tab.check("#doubtful")
    assert tab.locator("#run-list tbody tr:visible").count() == 1


def until(tab, expression):
    """Waits until an expression holds. The page's policy forbids `wait_for_function`, which evaluates a string."""
    for _ in range(200):
        if tab.evaluate(expression):
            return
        tab.wait_for_timeout(25)
    raise AssertionError(f"not within 5 s: {expression}")


def test_figures_are_zoomed_and_moved(tab):
    tab.locator(".enlarge").first.click()
    svg = tab.locator("#figure svg")

    def view():
        return [float(part) for part in svg.get_attribute("viewBox").split()]

    everything = view()
    box = svg.bounding_box()
    assert box["width"] > 1000
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.mouse.move(*middle)
    tab.mouse.wheel(0, -100)
    until(tab, f"document.querySelector('#figure svg').viewBox.baseVal.width < {everything[2]} - 1")
    zoomed = view()
    assert zoomed[3] / zoomed[2] == pytest.approx(everything[3] / everything[2])
    tab.mouse.down()
    tab.mouse.move(middle[0] - 80, middle[1], steps=4)
    tab.mouse.up()
    assert view()[0] > zoomed[0]
    tab.keyboard.press("0")
    assert view() == everything
    tab.keyboard.press("+")
    tab.keyboard.press("Escape")
    assert not tab.locator("#figure").is_visible()
    assert tab.locator("#figures svg").count() == tab.locator("#figures figure").count()


PIXELS = """canvas => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  let blue = 0;
  for (let i = 0; i < data.length; i += 4) blue += data[i + 3] > 0 && data[i + 2] > data[i] + 60 ? 1 : 0;
  return blue;
}"""


def open_first(tab):
    tab.locator("#run-list tbody a").first.click()
    tab.wait_for_selector("#run[open] canvas")
    tab.wait_for_timeout(50)


def test_a_run_opens_with_charts_tables_and_how_to_repeat_it(tab, store):
    open_first(tab)
    charts = tab.locator("#run canvas")
    assert charts.count() == 4
    assert all(chart.evaluate(PIXELS) > 100 for chart in charts.all())
    text = tab.locator("#run").inner_text()
    name = tab.locator("#run-list tbody a").first.inner_text()
    assert f"airtcp run {store / name / 'plan.json'}" in text
    assert "Flows (at the receiver" in text
    assert EVIL in text
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save the plan").click()
    saved = json.loads(download.value.path().read_text())
    assert saved == json.loads((store / name / "plan.json").read_text())
    tab.locator("#next").click()
    until(tab, f"!document.getElementById('run-title').textContent.includes({name!r})")
    tab.keyboard.press("Escape")
    assert not tab.locator("#run").is_visible()


def test_charts_of_a_run_zoom_together(tab):
    open_first(tab)
    ranges = "drawn.map((plot) => [plot.scales.x.min, plot.scales.x.max])"
    assert tab.evaluate(ranges) == [[0, 10]] * 4
    box = tab.locator("#run .u-over").first.bounding_box()
    tab.mouse.move(box["x"] + box["width"] * 0.2, box["y"] + 40)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 0.5, box["y"] + 40, steps=5)
    tab.mouse.up()
    until(tab, "drawn.every((plot) => plot.scales.x.max < 6)")
    for low, high in tab.evaluate(ranges):
        assert (low, high) == (pytest.approx(2, abs=0.1), pytest.approx(5, abs=0.1))
    tab.locator("#run .u-over").nth(1).dblclick()
    until(tab, "drawn.every((plot) => plot.scales.x.max === 10)")


def test_a_link_opens_its_run(browser, file):
    watched = Watched(browser, file)
    watched.page.goto(f"{file.as_uri()}#run-3")
    watched.page.reload()
    watched.page.wait_for_selector("#run[open] canvas")
    assert watched.page.locator("#run").get_attribute("data-shown") == "3"
    watched.page.close()


def test_a_page_without_runs_or_figures(browser, tmp_path):
    out = tmp_path / "empty.html"
    with Runs.of([]) as runs:
        write_page(Page("nothing"), runs, out)
    watched = Watched(browser, out)
    assert watched.page.locator("#count").inner_text() == "0 of 0 shown"
    watched.check()


def test_two_thousand_runs(browser, store, tmp_path):
    """The page of 2,000 runs; only the reading of their folders is left out, of which there are nine."""
    out = tmp_path / "many.html"
    with Runs.of(find_runs([store])[:1]) as runs:
        one, details = runs.records[0], next(runs.details())
        runs.records = [
            dataclasses.replace(
                one, seed=n, numbers={**one.numbers, "throughput": float(n)}, out_of_control=()
            )
            for n in range(2000)
        ]
        runs._details.write((details + "\n") * 1999)
        write_page(campaign_page(runs), runs, out)
    watched = Watched(browser, out)
    assert watched.page.locator("#count").inner_text() == "2000 of 2000 shown"
    place = column(watched.page, "Throughput [Mbit/s]")
    for _ in range(2):
        watched.page.locator("#run-list thead th button").nth(place).click()
    assert watched.page.locator("#run-list tbody td").nth(place).inner_text() == "1999.00"
    open_first(watched.page)
    assert watched.page.locator("#run canvas").first.evaluate(PIXELS) > 100
    watched.check()


def test_equal_runs_make_equal_pages(store, tmp_path):
    for name in ("a.html", "b.html"):
        with Runs.of(find_runs([store])[:2]) as runs:
            write_page(campaign_page(runs), runs, tmp_path / name)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert packed({"a": 1}) == packed({"a": 1})
    text = (tmp_path / "a.html").read_text()
    assert not re.search(r'(src|href)="(https?:)?//', text)


# Names, filters, stacks and floor plans of the charts of a run, without a run: the page's own code draws made-up panels.

DRAWN = """panels => {
  const times = [[0, 1e6, 1e6, 1e6]];
  const lines = (names, y) => names.map((label, n) => ({ label, look: n, x: 0, decimals: 0, y: [y[n], 0, 0, 0], join: 'since' }));
  const place = document.createElement('div');
  place.style.width = '800px';
  document.body.prepend(place);
  const names = [...Array(10).keys()].map((n) => `line ${n}`);
  drawCharts(place, { end_s: 3, times, panels: [
    { label: 'Many', lines: lines(names, names.map((_, n) => n + 1)) },
    { label: 'Airtime [%]', stacked: true, lines: lines(['ap1', 'sta1', 'nobody'], [30, 50, 20]) },
  ] });
}"""


def test_lines_have_names_at_the_pointer_and_are_filtered(tab):
    tab.evaluate(DRAWN)
    box = tab.locator(".u-over").first.bounding_box()
    # The axis reaches from 0 to 1.08 of the highest line, 10: here is the sixth.
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] * (1 - 6 / 10.8))
    tab.wait_for_timeout(50)
    assert tab.locator(".line-name").first.inner_text() == "line 5"
    assert "line 5" in tab.locator(".u-legend").first.inner_text()
    tab.locator(".uplot + input[type=search]").fill("line 3")
    assert tab.evaluate("drawn[0].series.filter((one, n) => n > 0 && one.show).map((one) => one.label)") == [
        "line 3"
    ]
    # Ten lines of seven colours: the last three are dashed.
    dashes = tab.evaluate("drawn[0].series.slice(1).map((one) => one.dash ?? [])")
    assert dashes[:7] == [[]] * 7
    assert dashes[7] == dashes[8] == dashes[9] != []


def test_a_stack_adds_up_and_its_legend_has_the_parts(tab):
    tab.evaluate(DRAWN)
    tops = tab.evaluate("drawn[1].data.slice(1).map((column) => column[1])")
    assert tops == [100, 80, 30]
    box = tab.locator(".u-over").nth(1).bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.wait_for_timeout(50)
    told = "".join(tab.locator(".u-legend").nth(1).inner_text().split())
    assert told.endswith("nobody20sta150ap130")


@pytest.mark.parametrize("width", [1000, 1400, 2000])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_use_the_window_and_no_number_is_broken(browser, file, width, scheme):
    page = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page.goto(file.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert page.locator("main").bounding_box()["width"] > 0.9 * min(width, 2080) - 60
    heights = page.evaluate(
        "[...document.querySelectorAll('td')].filter((cell) => /^[-+>.\\d ±*%]*\\d[-+>.\\d ±*%]*$/.test(cell.textContent))"
        ".map((cell) => { const range = document.createRange(); range.selectNodeContents(cell);"
        " return new Set([...range.getClientRects()].map((box) => Math.round(box.top / 8))).size; })"
    )
    assert len(heights) > 50
    assert max(heights) == 1
    ink, paper = page.evaluate(
        "['color', 'backgroundColor'].map((name) => getComputedStyle(document.body)[name]"
        ".match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0))"
    )
    assert (ink < paper) == (scheme == "light")
    page.close()


def test_a_printed_page_is_black_on_white(browser, file):
    page = browser.new_page(color_scheme="dark")
    page.goto(file.as_uri())
    page.emulate_media(media="print", color_scheme="dark")
    assert page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
    assert len(page.pdf()) > 10_000
    page.close()
