"""The page of a run's timeline in a browser (headless Chromium): numbers, keys, hostile names, sizes."""

import json
import re

import pytest
from airtcp.data.run_folder import open_run
from airtcp.errors import AirtcpError
from airtcp.report.html import timeline_script
from airtcp.report.html.campaign import campaign_page
from airtcp.report.html.page import write_page
from airtcp.report.html.runs import Runs
from airtcp.report.html.timeline_page import write_timeline_page
from airtcp.scenario.compile.compiler import compile_file
from airtcp.timeline.timeline import timeline_of
from support.air_series import ACK_NS, COLLIDES_EVERY, DATA_NS, PERIOD_NS, add_exchanges
from support.run_folder import write_run_folder

EVIL = "<script>document.title = 1</script><b>"
EXCHANGES = 10_000


def make_run(store, count):
    """A run whose station has a name that is a program, with so many exchanges."""
    from conftest import SCENARIOS

    text = json.dumps(dict(compile_file(SCENARIOS / "first.toml"))).replace('"sta1', f'"{EVIL}')
    folder = write_run_folder(store, json.loads(text))
    if count:
        add_exchanges(folder, count)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return make_run(tmp_path_factory.mktemp("timeline") / "runs", EXCHANGES)


@pytest.fixture(scope="module")
def file(folder, tmp_path_factory):
    out = tmp_path_factory.mktemp("page") / "timeline.html"
    write_timeline_page(timeline_of(open_run(folder)), out)
    return out


class Opened:
    """A page that is ready, and all that it says or asks for."""

    def __init__(self, browser, file, width=1400, scheme="light"):
        self.file = file
        self.problems = []
        self.requests = []
        self.page = browser.new_page(viewport={"width": width, "height": 1000}, color_scheme=scheme)
        self.page.on("console", lambda message: self.problems.append(message.text))
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.goto(file.as_uri())
        self.page.wait_for_selector("[data-ready]")
        self.page.locator("canvas.tracks").focus()

    def span(self):
        """What is shown, in nanoseconds, when the page has settled."""
        self.page.wait_for_timeout(300)
        return tuple(
            float(self.page.locator("[data-ready]").get_attribute(f"data-{end}")) for end in ("from", "to")
        )

    def check(self):
        assert self.problems == []
        assert self.requests == [self.file.as_uri()]
        assert self.page.title() != "1"
        assert self.page.locator("b").count() == 0
        self.page.close()


@pytest.fixture
def opened(browser, file):
    one = Opened(browser, file)
    yield one
    one.check()


def rows_of(page, caption):
    table = page.locator("table", has=page.locator("caption", has_text=caption))
    return [row.locator("td").all_inner_texts() for row in table.locator("tbody tr").all()]


def test_numbers_are_those_of_the_series(opened, folder):
    page = opened.page
    box = page.locator("canvas.tracks").bounding_box()
    # From the very left to the right, beyond the end of the tracks.
    page.mouse.move(box["x"] + 230, box["y"] + 200)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] - 2, box["y"] + 200, steps=3)
    page.mouse.up()
    frame = open_run(folder).named("ppdus")
    found = {row[0]: row[1:5] for row in rows_of(page, "Begun from")}
    for (radio,), own in frame.group_by("node_name"):
        airtime_s = float((own["end_ns"] - own["start_ns"]).sum()) / 1e9
        lost, data = int((own["outcome"] > 0).sum()), int((own["kind"] == 0).sum())
        text = f"{airtime_s:.4g} s" if airtime_s >= 1 else f"{airtime_s * 1e3:.4g} ms"
        assert found[radio] == [str(own.height), str(data), str(lost), text]
    assert found[EVIL][2] == str(EXCHANGES // COLLIDES_EVERY)
    assert DATA_NS > ACK_NS


def test_keys_zoom_move_and_show_all(opened):
    page = opened.page
    everything = opened.span()
    for _ in range(40):
        page.keyboard.press("w")
    low, high = opened.span()
    assert high - low < 100_000, "not down to a backoff"
    page.keyboard.press("d")
    moved, _ = opened.span()
    assert moved == pytest.approx(low + 0.12 * (high - low), abs=2)
    page.keyboard.press("s")
    low, high = opened.span()
    page.keyboard.press("0")
    assert opened.span() == everything
    box = page.locator("canvas.tracks").bounding_box()
    page.mouse.move(box["x"] + 700, box["y"] + 60)
    page.keyboard.down("Control")
    page.mouse.wheel(0, -300)
    page.keyboard.up("Control")
    low, high = opened.span()
    assert high - low < 0.5 * (everything[1] - everything[0])


def test_the_next_collision_is_found_selected_and_leads_to_a_shell(opened, folder):
    page = opened.page
    page.get_by_label("Look for").select_option("collision")
    page.locator("canvas.tracks").focus()
    for _ in range(3):
        page.keyboard.press("n")
    at_ns = (3 * COLLIDES_EVERY - 1) * PERIOD_NS
    text = page.locator(".selection").inner_text()
    assert text.startswith("data, collision")
    fields = dict(
        zip(
            page.locator(".selection dt").all_inner_texts(),
            page.locator(".selection dd").all_inner_texts(),
            strict=True,
        )
    )
    assert fields["at"] == f"{at_ns / 1e9:.9f} s"
    assert fields["track"] == f"{EVIL} PPDUs"
    assert (fields["to"], fields["mode"], fields["attempt"]) == ("ap1", "OFDM 54 Mbit/s", "1")
    assert f'airtcp shell {folder} --at "{at_ns / 1e9:g} s"' in text
    page.keyboard.press("]")
    fields = dict(
        zip(
            page.locator(".selection dt").all_inner_texts(),
            page.locator(".selection dd").all_inner_texts(),
            strict=True,
        )
    )
    assert (fields["attempt"], fields["outcome"]) == ("2", "received")
    page.keyboard.press("p")
    assert page.locator(".controls output").first.inner_text() == f"data, collision at {at_ns / 1e9:.9f} s"


def test_the_state_at_an_instant_is_that_of_the_samples(opened, folder):
    page = opened.page
    for _ in range(2000 // COLLIDES_EVERY // 10):
        page.keyboard.press("n")
    page.evaluate("airtcpTimeline.pages[0].select(undefined, 5.05e9)")
    samples = open_run(folder).part("flows", "flow", 0)
    last = samples.filter(samples["time_ns"] <= 5_050_000_000).row(-1, named=True)
    state = {what: value for _, what, value in rows_of(page, "State at")}
    assert state["cwnd"] == f"{last['cwnd']} segments"
    assert state["in flight"] == f"{last['unacked']} segments"
    assert state["srtt"] == f"{last['srtt_us'] / 1000:g} ms"


def test_the_same_as_a_table(opened):
    page = opened.page
    page.evaluate("airtcpTimeline.pages[0].shown.span.show(0, 1.2e6)")
    page.keyboard.press("ArrowDown")
    page.locator(".as-table summary").click()
    opened.span()
    rows = rows_of(page, "events")
    assert [row[2] for row in rows if row[1] == EVIL] == ["data", "TXOPs"] * 3
    assert [row[0] for row in rows] == sorted(row[0] for row in rows)


def test_what_is_not_recorded_is_said_with_the_key_that_records_it(opened):
    text = opened.page.locator(".lacking").text_content()
    assert "TCP packets" in text
    assert "delays = true in [sampling]" in text
    assert "air = true" in text


def test_the_clock_runs_and_the_map_shows_who_sends(opened):
    page = opened.page
    before = page.evaluate("airtcpTimeline.pages[0].shown.cursor")
    page.keyboard.press(" ")
    page.wait_for_timeout(400)
    page.keyboard.press(" ")
    assert page.evaluate("airtcpTimeline.pages[0].shown.cursor") > before
    coloured = """(time) => {
      airtcpTimeline.pages[0].select(undefined, time);
      airtcpTimeline.pages[0].map.draw(time, 0);
      const canvas = document.querySelector('canvas.floor');
      const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) count += data[i] === 0x56 && data[i + 1] === 0xb4 && data[i + 2] === 0xe9;
      return count;
    }"""
    sending, silent = (page.evaluate(coloured, time) for time in (DATA_NS / 2, PERIOD_NS - 1000))
    assert sending > 300
    assert silent == 0


@pytest.mark.parametrize("width", [1000, 1400, 2000])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("count", [0, 5, EXCHANGES])
def test_pages_fit_the_window_and_follow_its_colours(browser, tmp_path, width, scheme, count):
    out = tmp_path / "page.html"
    write_timeline_page(timeline_of(open_run(make_run(tmp_path / "runs", count))), out)
    one = Opened(browser, out, width, scheme)
    assert one.page.evaluate("document.documentElement.scrollWidth") <= width
    assert one.page.locator("canvas.tracks").bounding_box()["width"] > width - 60
    paper = one.page.evaluate(
        "(() => { const c = document.querySelector('canvas.tracks'); "
        "return [...c.getContext('2d').getImageData(c.width - 3, c.height - 3, 1, 1).data].slice(0, 3); })()"
    )
    assert (sum(paper) > 600) == (scheme == "light")
    one.check()


def test_a_million_events_are_columns_and_not_elements(browser, tmp_path):
    out = tmp_path / "many.html"
    write_timeline_page(timeline_of(open_run(make_run(tmp_path / "runs", 400_000))), out)
    assert out.stat().st_size < 20e6
    one = Opened(browser, out)
    assert one.page.evaluate("document.querySelectorAll('*').length") < 500
    drawn = one.page.evaluate(
        "airtcpTimeline.pages[0].model.tracks.filter((t) => 'end' in t).reduce((sum, t) => sum + t.start.length, 0)"
    )
    assert drawn == 400_000 * 2 + 400_000 * 9 // 10
    one.check()


def test_equal_runs_make_equal_pages_that_ask_for_nothing(folder, file, tmp_path):
    write_timeline_page(timeline_of(open_run(folder)), tmp_path / "again.html")
    assert (tmp_path / "again.html").read_bytes() == file.read_bytes()
    assert not re.search(r'(src|href)="(https?:)?//', file.read_text())


def test_the_report_of_a_few_runs_has_their_timelines(browser, folder, tmp_path):
    out = tmp_path / "report.html"
    with Runs.of([folder]) as runs:
        write_page(campaign_page(runs), runs, out)
    page = browser.new_page()
    problems = []
    page.on("console", lambda message: problems.append(message.text))
    page.goto(f"{out.as_uri()}#run-0")
    page.wait_for_selector("#run .timeline[data-ready] canvas.tracks")
    page.locator("#run canvas.tracks").focus()
    page.keyboard.press("n")
    assert problems == []
    page.close()


def test_without_the_built_program_the_error_says_what_builds_it(folder, monkeypatch, tmp_path):
    monkeypatch.setattr(timeline_script, "_FILE", tmp_path / "timeline.js")
    timeline_script.timeline_script.cache_clear()
    with pytest.raises(AirtcpError, match=r"timeline\.js: was not built.*Run 'make build'"):
        write_timeline_page(timeline_of(open_run(folder)), tmp_path / "page.html")
    with Runs.of([folder]) as runs:
        write_page(campaign_page(runs), runs, tmp_path / "report.html")
    assert "data-ready" not in (tmp_path / "report.html").read_text()
