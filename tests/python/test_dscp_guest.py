"""Code points of pings on the air, in both MACs, and in the tins of CAKE; what CAKE and fq_codel tell of themselves."""

import airtcp
import polars as pl
import pytest
from airtcp.quantities.forms import values
from airtcp.quantities.registry import QUANTITIES
from airtcp.quantities.run_view import RunView
from airtcp.report.run.report import run_tables
from support.command import run_text

pytestmark = pytest.mark.guest

BACKGROUND, BEST_EFFORT, VIDEO, VOICE = range(4)
PING = """
[[ping]]
name = "{name}"
from = "{from_}"
to = "{to}"
interval = "50 ms"
phase = "none"
start = "{start} ms"
{more}
"""
CELL = """
name = "marked"
duration = "1 s"
[wifi.home]
standard = "11n"
stations = ["sta1"]
{mac}
[sampling]
ppdus = true
"""


def ping(name, start, dscp, from_="sta1", to="ap1", more=""):
    own = f'dscp = "{dscp}"\n' if dscp else ""
    return PING.format(name=name, start=start, from_=from_, to=to, more=own + more)


@pytest.mark.parametrize("mac", ["", 'mac = "linux"'], ids=["airtcp", "mac80211"])
@pytest.mark.parametrize("version", [4, 6])
def test_requests_and_answers_have_the_access_category_of_their_code_point(tmp_path, mac, version):
    ip = f"ip = {version}"
    # Ten milliseconds after each other, so that the time of a PPDU says whose it is.
    points = {None: BEST_EFFORT, "EF": VOICE, "AF41": VIDEO, "CS1": BACKGROUND}
    pings = [ping(f"p{n}", 10 * n, dscp, more=ip) for n, dscp in enumerate(points)]
    run = run_text(tmp_path, CELL.format(mac=mac) + "".join(pings))
    assert [ping["dscp"] for ping in run.plan["pings"]] == [0, 46, 34, 8]
    assert all(ping["received"] == ping["sent"] == 20 for ping in run.agent["pings"])
    # The first half has ARP, neighbour discovery and beacons of setting up; a TXOP without PPDUs is a beacon's.
    data = run.txops.filter((pl.col("ppdus") > 0) & (pl.col("start_ns") >= 500_000_000))
    for number, category in enumerate(points.values()):
        own = data.filter((pl.col("start_ns") // 10_000_000) % 5 == number)
        # Ten requests of the station, ten answers of the access point.
        assert own.group_by("node_name").len().sort("node_name").rows() == [("ap1", 10), ("sta1", 10)]
        assert own["ac"].unique().to_list() == [category], f"ping p{number}"


CAKE = """
name = "tins"
duration = "4 s"
[[wire]]
between = ["h1", "r1"]
[[wire]]
between = ["r1", "h2"]
delay = "5 ms"
[wire.towards.h2]
queue = "cake bandwidth 10mbit {mode}"
[node.r1]
kind = "router"
[[flow]]
name = "bulk"
from = "h1"
to = "h2"
start = "1 s"
[[udp]]
name = "video"
from = "h1"
to = "h2"
rate = "1 Mbit/s"
dscp = "AF41"
"""
ENDS = {"from_": "h1", "to": "h2"}


def tins_of(run):
    """The last sample of each tin, by its name."""
    last = run.tins.sort("time_ns").group_by("tin_name", maintain_order=True).last()
    return {row["tin_name"]: row for row in last.sort("tin").iter_rows(named=True)}


@pytest.fixture(scope="module")
def four_tins(tmp_path_factory):
    pings = [
        ping("voice", 0, "EF", **ENDS),
        ping("plain", 5, None, **ENDS),
        ping("background", 10, "CS1", **ENDS),
    ]
    text = CAKE.format(mode="diffserv4") + "".join(pings)
    return run_text(tmp_path_factory.mktemp("four"), text)


def test_pings_are_in_the_tin_of_their_code_point(four_tins):
    tins = tins_of(four_tins)
    assert list(tins) == ["Bulk", "Best Effort", "Video", "Voice"]
    sent = {ping["name"]: ping["sent"] for ping in four_tins.agent["pings"]}
    assert tins["Bulk"]["packets"] == sent["background"] == 80
    # Voice has priority and no other packets but ARP, which CAKE puts there (priority of control).
    assert sent["voice"] <= tins["Voice"]["packets"] <= sent["voice"] + 2
    (stream,) = four_tins.agent["datagrams"]
    assert tins["Video"]["packets"] == stream["sent"]
    assert tins["Best Effort"]["packets"] > sent["plain"] + 1000


def test_tins_add_up_to_their_discipline(four_tins):
    last = four_tins.qdiscs.filter(pl.col("qdisc") == "cake").sort("time_ns").row(-1, named=True)
    tins = tins_of(four_tins).values()
    assert sum(tin["drops"] for tin in tins) == last["drops"]
    assert sum(tin["marks"] for tin in tins) == last["marks"]
    assert sum(tin["backlog_bytes"] for tin in tins) == last["backlog_bytes"]
    # The kernel counts packets of a discipline when they leave, those of a tin when they enter.
    waiting_and_dropped = last["drops"] + last["backlog_packets"]
    assert sum(tin["packets"] for tin in tins) == last["packets"] + waiting_and_dropped


def test_quantities_of_tins(four_tins):
    # Video sends 1 Mbit/s of payload; a datagram of 1472 bytes has 28 of headers, and CAKE counts no Ethernet header.
    view = RunView.while_flows_ran(four_tins)
    found = values(QUANTITIES["tin_throughput"], view)
    shares = {name.removeprefix("r1 eth1 "): sample.known.mean() for name, sample in found.items()}
    assert shares["Video"] == pytest.approx(1500 / 1472, rel=0.02)
    assert shares["Best Effort"] == pytest.approx(10 - 1500 / 1472, rel=0.35)
    # The shaper leaves the download alone in its tin: its queue is what the others do not feel.
    assert airtcp.number(four_tins, "tin_delay", across="mean") >= 0
    delays = four_tins.tins.group_by("tin_name").agg(pl.col("avg_delay_us").max())
    most = dict(delays.iter_rows())
    assert most["Best Effort"] > most["Voice"]


def test_the_table_has_a_row_for_each_tin_that_was_used(four_tins):
    (table,) = (table for table in run_tables(four_tins) if table.title.startswith("Tins of CAKE"))
    assert [row[1] for row in table.rows] == ["Bulk", "Best Effort", "Video", "Voice"]
    # diffserv4: bulk has a sixteenth, video half, voice a quarter of the rate.
    assert [row[2] for row in table.rows] == ["0.62", "10.00", "5.00", "2.50"]


@pytest.mark.parametrize(
    ("mode", "names"),
    [
        ("besteffort", ["Tin 0"]),
        ("diffserv3", ["Bulk", "Best Effort", "Voice"]),
        ("diffserv8", [f"Tin {n}" for n in range(8)]),
    ],
)
def test_names_of_tins_are_those_that_tc_prints(tmp_path, mode, names):
    program = '[[program]]\nname = "tc"\nnode = "r1"\nstart = "3 s"\ncommand = "tc -s qdisc show dev eth1"\n'
    text = CAKE.format(mode=mode).replace('"4 s"', '"3500 ms"') + ping("voice", 0, "EF", **ENDS) + program
    run = run_text(tmp_path, text)
    assert list(tins_of(run)) == names
    printed = (run.folder / "programs" / "tc.out").read_text()
    heads = {" ".join(line.split()) for line in printed.splitlines()}
    assert " ".join(names) in heads, printed


def test_runs_without_cake_have_no_tins_and_fq_codel_tells_of_its_flows(tmp_path):
    text = CAKE.replace("cake bandwidth 10mbit {mode}", "fq_codel limit 1000")
    text = text.replace('delay = "5 ms"\n', 'delay = "5 ms"\nrate = "10 Mbit/s"\n')
    run = run_text(tmp_path, text)
    assert "tins" not in run.recorded
    rows = run.flow_queues.filter(pl.col("node_name") == "r1").sort("time_ns")
    assert rows["qdisc"].unique().to_list() == ["fq_codel"]
    assert rows["new_flow_count"][-1] > 0
    assert (rows["new_flows"] + rows["old_flows"]).max() >= 1
    assert rows["memory_bytes"].max() > 1500


def test_a_queue_without_flow_queues_has_no_such_series(tmp_path):
    text = CAKE.replace("cake bandwidth 10mbit {mode}", "100 packets")
    run = run_text(tmp_path, text)
    assert not {"tins", "flow_queues"} & set(run.recorded)


def test_the_program_ping_keeps_its_own_option(tmp_path):
    """Of sessions, too: `ping` at a prompt is this program."""
    program = """
[[program]]
name = "ping"
node = "sta1"
command = "ping -Q 0xb8 -c 5 -i 0.1 h1"
[[wire]]
between = ["ap1", "h1"]
"""
    run = run_text(tmp_path, CELL.format(mac="") + program)
    assert "5 received" in (run.folder / "programs" / "ping.out").read_text()
    assert run.txops.filter(pl.col("ac") == VOICE)["ppdus"].sum() == 10
