"""What a run's trace of Perfetto and its page say is what its series, its tables and its JSON say."""

import json
import shutil

import pytest
from airtcp.report.html.timeline_page import write_timeline_page
from airtcp.report.run.radios import radio_records, radio_table
from airtcp.timeline.perfetto.trace import offset_ns, write_trace
from airtcp.timeline.timeline import timeline_of
from support.command import airtcp, run_text
from support.perfetto_trace import read_trace

pytestmark = pytest.mark.guest

RECORDED = """
[sampling]
ppdus = true
acks = true
delays = true

[[capture]]
air = true
"""
# A short queue, so that something is lost; one station far away, so that rates differ.
LOSSES = """
name = "losses"
duration = "3 s"

[wifi.home]
standard = "11n"
stations = ["sta1", "sta2"]

[[wire]]
between = ["ap1", "h1"]
rate = "8 Mbit/s"
delay = "5 ms"
queue = "15 packets"

[[flow]]
from = "sta1"
to = "h1"

[[flow]]
from = "h1"
to = "sta2"
start = "500 ms"
"""
SHARED = """
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
"""


@pytest.fixture(scope="module", params=[LOSSES, SHARED], ids=["losses", "shared"])
def run(request, tmp_path_factory):
    return run_text(tmp_path_factory.mktemp("trace"), request.param + RECORDED)


@pytest.fixture(scope="module")
def timeline(run):
    return timeline_of(run)


@pytest.fixture(scope="module")
def trace(timeline, tmp_path_factory):
    file = tmp_path_factory.mktemp("trace") / "run.pftrace"
    assert write_trace(timeline, file) == file.stat().st_size
    with read_trace(file) as tables:
        yield tables


def test_airtime_of_each_link_is_that_of_the_series(run, trace):
    found = trace.execute(
        "select nic.int_value, peer.int_value, sum(time.int_value) from slice"
        " join args nic on nic.slice_id = slice.id and nic.key = 'nic'"
        " join args peer on peer.slice_id = slice.id and peer.key = 'peer'"
        " join args time on time.slice_id = slice.id and time.key = 'airtime_ns'"
        " where name like 'data%' and peer.int_value < 4294967295 group by 1, 2"
    ).fetchall()
    # The last sample may stand before the end of the last exchange.
    last = run.series("links").group_by("nic", "peer").last().sort("nic", "peer")
    known = {(nic, peer): time for nic, peer, time in last.select("nic", "peer", "airtime_ns").iter_rows()}
    assert known.keys() == {(nic, peer) for nic, peer, _ in found}
    for nic, peer, time in found:
        assert known[nic, peer] == pytest.approx(time, abs=3e6), (nic, peer)


def test_every_ppdu_is_a_slice_with_its_mode_receiver_and_outcome(run, trace):
    counts = trace.execute(
        "select name, outcome.string_value, count(*) from slice"
        " join args outcome on outcome.slice_id = slice.id and outcome.key = 'outcome' group by 1, 2"
    ).fetchall()
    series = run.named("ppdus").group_by("kind_name", "outcome_name").len()
    named = {
        (kind if outcome == "received" else f"{kind}, {outcome}", outcome): count
        for kind, outcome, count in series.iter_rows()
    }
    assert {(name, outcome): count for name, outcome, count in counts} == named
    modes = trace.execute("select distinct string_value from args where key = 'mode'").fetchall()
    assert {mode for (mode,) in modes} == set(run.named("ppdus")["mode"])


def test_arrows_lead_from_a_packet_to_its_ppdus_and_to_its_acknowledgement(timeline, trace):
    arrows = trace.execute(
        "select flow.id, group_concat(name, ' > ') from"
        " (select flow.id, name from flow join slice on slice.id = slice_id order by flow.id, ts) as flow group by 1"
    ).fetchall()
    crossings = timeline.crossings
    assert len(arrows) == crossings.acked_by.size > 100
    whole = [path for _, path in arrows if path.startswith("data > data")]
    assert len(whole) > 0.9 * len(arrows)
    starts, acked = timeline.ppdus.start_ns, crossings.acked_by[crossings.segment]
    known = acked >= 0
    assert (starts[acked[known]] > starts[crossings.ppdu[known]]).mean() > 0.99
    with_packet = crossings.packet >= 0
    sent = timeline.packets.time_ns[crossings.packet[with_packet]]
    assert (sent <= starts[crossings.ppdu[with_packet]]).all()


def test_what_is_sent_again_is_what_the_kernel_counts(run, timeline, trace):
    counts = dict.fromkeys((flow["name"] for flow in run.flow_plans), 0)
    for marks in timeline.marks:
        if marks.name == "sent again":
            counts[marks.place.name] = marks.times_ns.size
    assert counts == {report["name"]: report["retransmits"] for report in run.flow_reports}
    (found,) = trace.execute("select count(*) from slice where name = 'sent again'").fetchone()
    assert found == sum(counts.values())


def test_counters_have_every_acknowledgement(run, timeline, trace):
    for number, place in enumerate(timeline.flows):
        windows = trace.execute(
            "select ts, value from counter join track on track.id = track_id"
            " join track parent on parent.id = track.parent_id"
            " where track.name = 'cwnd [segments]' and parent.name = ? order by ts",
            (f"flow {place.name}",),
        ).fetchall()
        acks = run.part("acks", "flow", number)
        known = set(acks.select("time_ns", "cwnd").iter_rows())
        assert windows
        offset = offset_ns(timeline)
        assert {(time - offset, int(value)) for time, value in windows} <= known


def test_the_command_writes_it_and_says_what_is_not_recorded(run, tmp_path):
    answer = airtcp("export", "--perfetto", run.folder, "--out", tmp_path, cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    assert answer.stderr == ""
    (file,) = tmp_path.iterdir()
    assert file.suffix == ".pftrace"
    plain = run_text(tmp_path, LOSSES.replace("3 s", "600 ms"))
    answer = airtcp("export", "--format", "perfetto", plain.folder, "--out", tmp_path / "plain.pftrace")
    assert (
        "Not recorded: PPDUs and TXOPs (a scenario asks for it by ppdus = true in [sampling])"
        in answer.stderr
    )
    with read_trace(tmp_path / "plain.pftrace") as tables:
        assert tables.execute("select count(*) from counter where value > 0").fetchone()[0] > 10
        assert tables.execute("select count(*) from slice where name = 'data'").fetchone()[0] == 0


def test_airtime_is_the_same_on_the_page_in_the_trace_in_tables_and_in_json(run, timeline, trace, tmp_path):
    from playwright.sync_api import sync_playwright

    write_timeline_page(timeline, tmp_path / "page.html")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        page = browser.new_page()
        page.goto((tmp_path / "page.html").as_uri())
        page.wait_for_selector("[data-ready]")
        page.evaluate(
            f"(() => {{ const own = airtcpTimeline.pages[0]; own.shown.chosen = [0, {run.end_ns}]; own.select(undefined, 0); }})()"
        )
        caption = page.locator("caption", has_text="Begun from")
        rows = page.locator("table", has=caption).locator("tbody tr").all()
        of_page = {cells[0]: cells[5] for cells in (row.locator("td").all_inner_texts() for row in rows)}
        browser.close()
    in_trace = trace.execute(
        "select substr(parent.name, 7), sum(time.int_value * 1.0 / users.int_value) from slice"
        " join track on track.id = track_id join track parent on parent.id = track.parent_id"
        " join args time on time.slice_id = slice.id and time.key = 'airtime_ns'"
        " join args users on users.slice_id = slice.id and users.key = 'users'"
        " where track.name = 'PPDUs' and slice.ts >= ? group by 1",
        (offset_ns(timeline),),
    )
    # Resource units have a part of a PPDU's airtime each, so only PPDUs of one user add up by themselves.
    of_trace = dict(in_trace.fetchall()) if (timeline.ppdus.users == 1).all() else {}
    of_table = {row[0]: row[-3] for row in radio_table(radio_records(run)).rows}
    answer = airtcp("run", run.folder / "plan.json", "--store", run.folder.parent, "--json")
    of_json = {radio["node"]: radio["airtime_share"] for radio in json.loads(answer.stdout)["radios"]}
    last = run.series("air").group_by("nic").last()
    of_series = dict(last.select("nic", "airtime_ns").iter_rows())
    for number, place in enumerate(timeline.radios):
        share = of_json[place.name]
        assert of_page[place.name].replace(" %", "%") == of_table[place.name] == f"{share:.1%}"
        assert of_series[number] / run.end_ns == pytest.approx(share, rel=0.02)
        if of_trace:
            assert of_trace[place.name] / run.end_ns == pytest.approx(share, rel=0.001)
