"""Parts of measurements without machines: clocks, queues as commands, stations, the order of runs, merged series."""

import json
import struct

import airtcp
import pytest
from airtcp.data.read_once import NotRecorded
from airtcp.data.record_file import MAGIC
from airtcp.measurement.changes import queue_commands
from airtcp.measurement.clocks import EXCHANGES, Comparison, NodeClock, compare, shares_clock
from airtcp.measurement.facts import InterfaceFacts, MachineFacts
from airtcp.measurement.merged_report import merged_report
from airtcp.measurement.merged_series import merged_series
from airtcp.measurement.node_records import NodeRecords, aligned
from airtcp.measurement.program_connections import program_connections
from airtcp.measurement.schedule import scheduled_runs
from airtcp.measurement.station_polls import read_samples
from airtcp.plans.factors import PlanComparison
from airtcp.plans.flat import flatten
from support.wifi_scenarios import plan_of

S, MS, US = 10**9, 10**6, 10**3


# Clocks


class Machine:
    """The clock of a machine that is `ahead_ns` ahead, behind a path on which answers take `back_ns`."""

    def __init__(self, monkeypatch, ahead_ns, trips):
        self.now_ns, self.ahead_ns, self.trips = 10**12, ahead_ns, iter(trips)
        monkeypatch.setattr("airtcp.measurement.clocks.monotonic_ns", lambda: self.now_ns)

    def read_clocks(self):
        out_ns, back_ns = next(self.trips)
        self.now_ns += out_ns
        there = self.now_ns + self.ahead_ns
        self.now_ns += back_ns
        return {"monotonic_ns": there, "realtime_ns": there + 7 * S}


def test_the_shortest_exchange_counts(monkeypatch):
    trips = [(5 * MS, 9 * MS)] * (EXCHANGES - 1) + [(40 * US, 60 * US)]
    found = compare(Machine(monkeypatch, 3 * S, trips))
    # The way there was 10 us shorter than half of the exchange.
    assert found.offset_ns == 3 * S - 10 * US
    assert found.error_ns == 50 * US
    assert abs(found.offset_ns - 3 * S) <= found.error_ns
    assert found.realtime_ns == 7 * S


def test_drift_is_what_changed_between_two_comparisons():
    before = Comparison(at_ns=0, offset_ns=1000, error_ns=100, realtime_ns=5)
    after = Comparison(at_ns=10 * S, offset_ns=1000 + 50 * US, error_ns=300, realtime_ns=5 + 2 * MS)
    clock = NodeClock(before, after, shared=False)
    assert clock.drift_ppm == pytest.approx(5.0)
    assert clock.error_ns == 300
    assert clock.steps_ns() == 2 * MS
    # A clock that runs fast has come too far: a second of it is shorter.
    import polars as pl

    assert aligned(clock)(pl.Series([0, S, -1])).to_list() == [0, S - 5000, -1]


def test_a_clock_of_this_machine_is_exact():
    one = Comparison(0, 40, 50, 0)
    shared = NodeClock(one, Comparison(S, 90, 200, 0), shared=True)
    assert (shared.drift_ppm, shared.error_ns) == (0.0, 0)
    assert NodeClock(one, None, shared=False).drift_ppm == 0.0
    assert shares_clock("boot", "boot", one)
    assert not shares_clock("boot", "other", one)
    # The same boot in another time namespace.
    assert not shares_clock("boot", "boot", Comparison(0, 3600 * S, 50, 0))


# Queues


def egress(**keys):
    none = {"rate_bps": None, "delay_ns": 0, "queue": {"kind": "none"}}
    return none | keys


@pytest.mark.parametrize(
    ("planned", "commands"),
    [
        ({}, []),
        ({"queue": {"kind": "packets", "limit": 50}}, ["root handle 1: pfifo limit 50"]),
        ({"queue": {"kind": "bytes", "limit": 9000}}, ["root handle 1: bfifo limit 9000"]),
        (
            {
                "rate_bps": 20_000_000,
                "delay_ns": 5_000_000,
                "queue": {"kind": "tc", "args": ["fq_codel", "limit", "10"]},
            },
            [
                "root handle 1: netem delay 5000us limit 1000000",
                # At least two packets of 1514 bytes.
                "parent 1:1 handle 2: tbf rate 20000000bit burst 3028 limit 1000000000",
                "parent 2:1 handle 3: fq_codel limit 10",
            ],
        ),
        # 50 us at 10 Gbit/s are 62,500 bytes.
        ({"rate_bps": 10**10}, ["root handle 1: tbf rate 10000000000bit burst 62500 limit 1000000000"]),
    ],
)
def test_the_disciplines_of_an_interface(planned, commands):
    found = [" ".join(words) for words in queue_commands("eth9", egress(**planned))]
    assert found == [f"tc qdisc add dev eth9 {command}" for command in commands]


# Stations

DUMP = """\
Station 02:00:00:00:01:00 (on wlp2s0)
	inactive time:	8 ms
	rx bytes:	12345
	rx packets:	67
	tx bytes:	890123
	tx packets:	456
	tx retries:	78
	tx failed:	9
	signal:  	-54 [-57, -58] dBm
	signal avg:	-55 dBm
	tx bitrate:	{tx}
	tx duration:	4321 us
	rx bitrate:	{rx}
	rx duration:	1234 us
	expected throughput:	41.321Mbps
	airtime weight: 256
	authorized:	yes
"""


def dumped(tmp_path, *outputs):
    file = tmp_path / "stations.jsonl"
    lines = (json.dumps({"time_ns": n * S, "output": output}) for n, output in enumerate(outputs))
    file.write_text("\n".join(lines) + "\n")
    return file


def samples(tmp_path, *outputs, other=None):
    return list(read_samples(dumped(tmp_path, *outputs), 1, {"02:00:00:00:01:00": 0}, other))


def mode(row, way):
    keys = ("format", "mcs", "streams", "width_mhz", "guard_ns", "rate_bps")
    return tuple(row[f"{way}_{key}"] for key in keys)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5.5 MBit/s", (0, 2, 1, 20, 0, 5_500_000)),
        ("11.0 MBit/s", (0, 3, 1, 20, 0, 11_000_000)),
        ("54.0 MBit/s", (1, 7, 1, 20, 800, 54_000_000)),
        ("6.0 MBit/s", (1, 0, 1, 20, 800, 6_000_000)),
        ("144.4 MBit/s MCS 15 short GI", (2, 7, 2, 20, 400, 144_400_000)),
        ("270.0 MBit/s MCS 15 40MHz", (2, 7, 2, 40, 800, 270_000_000)),
        ("866.7 MBit/s VHT-MCS 9 80MHz short GI VHT-NSS 2", (3, 9, 2, 80, 400, 866_700_000)),
        ("1200.9 MBit/s 80MHz HE-MCS 11 HE-NSS 2 HE-GI 0 HE-DCM 0", (4, 11, 2, 80, 800, 1_200_900_000)),
        ("1080.8 MBit/s 80MHz HE-MCS 11 HE-NSS 2 HE-GI 1 HE-DCM 0", (4, 11, 2, 80, 1600, 1_080_800_000)),
        ("2882.3 MBit/s 160MHz EHT-MCS 13 EHT-NSS 2 EHT-GI 0", (5, 13, 2, 160, 800, 2_882_300_000)),
    ],
)
def test_modes_of_stations(tmp_path, text, expected):
    (row,) = samples(tmp_path, DUMP.format(tx=text, rx="6.0 MBit/s"))
    assert mode(row, "tx") == expected
    assert mode(row, "rx") == (1, 0, 1, 20, 800, 6_000_000)


def test_numbers_of_stations(tmp_path):
    (row,) = samples(tmp_path, DUMP.format(tx="54.0 MBit/s", rx="54.0 MBit/s"))
    expected = {
        "time_ns": 0,
        "nic": 1,
        "peer": 0,
        "rx_packets": 67,
        "rx_bytes": 12345,
        "tx_packets": 456,
        "tx_retries": 78,
        "tx_failed": 9,
        "signal_dbm": -54,
        "signal_avg_dbm": -55,
        "tx_airtime_us": 4321,
        "rx_airtime_us": 1234,
        "airtime_weight": 256,
        "expected_throughput_kbps": 41321,
    }
    assert row | expected == row


def test_several_stations_and_those_that_nobody_knows(tmp_path):
    one = DUMP.format(tx="54.0 MBit/s", rx="54.0 MBit/s")
    stranger = one.replace("02:00:00:00:01:00", "02:00:00:00:99:00")
    assert [row["peer"] for row in samples(tmp_path, one + stranger)] == [0]
    assert [row["peer"] for row in samples(tmp_path, one + stranger, other=5)] == [0, 5]
    assert [row["time_ns"] for row in samples(tmp_path, one, "", one)] == [0, 2 * S]


def test_what_iw_does_not_know_or_cuts_is_left_out(tmp_path):
    damaged = "Station 02:00:00:00:01:00 (on wlp2s0)\n\tsignal:\n\ttx bitrate:\t(unknown)\n\trx bytes:\tmany\n\ttx by"
    assert samples(tmp_path, damaged) == [{"time_ns": 0, "nic": 1, "interface": 1, "peer": 0}]
    assert samples(tmp_path, "\tsignal: -50 dBm\n", "command failed: No such device (-19)\n") == []


# The order of runs


def test_repetitions_have_seeds_in_a_row_and_any_order(tmp_path):
    text = 'name = "{0}"\nduration = "1 s"\nseed = 5\n[[wire]]\nbetween = ["h1", "h2"]\n'
    files = []
    for name in ("a", "b"):
        files.append(tmp_path / f"{name}.toml")
        files[-1].write_text(text.format(name))
    own = [(run.file, run.plan["seed"]) for run in scheduled_runs(files, {}, 3, shuffled=False)]
    assert own == [(file, seed) for file in files for seed in (5, 6, 7)]
    orders = set()
    for _ in range(30):
        runs = scheduled_runs(files, {}, 3, shuffled=True)
        orders.add(tuple((run.plan["name"], run.plan["seed"]) for run in runs))
    assert {tuple(sorted(order)) for order in orders} == {tuple((f.stem, seed) for f, seed in own)}
    assert len(orders) > 1


def test_measured_runs_are_no_repetitions_of_virtual_ones():
    plan = plan_of(SCENARIO)
    comparison = PlanComparison()
    for seed, measured in ((1, False), (2, False), (1, True), (2, True)):
        comparison.add(flatten({**plan, "seed": seed}, measured))
    (factor,) = comparison.factors()
    assert (factor.name, factor.values) == ("measured", ("no", "no", "yes", "yes"))


@pytest.mark.parametrize("of", ["retry_share", "collision_share", "radio_drops"])
def test_what_only_the_model_of_the_air_knows_is_refused(run_folder, of):
    """A virtual run has a number, or nothing to divide by; of a measured one it is not known, and not 0."""
    assert airtcp.number(run_folder, of) is not None
    for name, change in (
        ("manifest.json", {"measured": {}}),
        ("summary.json", {"air": {"nics": [], "media": []}}),
    ):
        file = run_folder / name
        file.write_text(json.dumps(json.loads(file.read_text()) | change))
    with pytest.raises(NotRecorded, match="the network was a real one"):
        airtcp.number(run_folder, of)


# Records of machines

SCENARIO = """
name = "merged"
duration = "1 s"
[[wire]]
between = ["h1", "h2"]
[[flow]]
from = "h1"
to = "h2"
[[udp]]
from = "h1"
to = "h2"
rate = "1 Mbit/s"
[[ping]]
name = "other"
from = "h2"
to = "h1"
[[ping]]
name = "own"
from = "h1"
to = "h2"
"""
TCP_INFO_BYTES, CC_INFO_BYTES = 280, 20
TABLES = {
    "senders": ("qIQ280s20s", ("time_ns", "flow", "bytes_acked", "tcp_info", "cc_info")),
    "receivers": ("qIQ", ("time_ns", "flow", "bytes_received")),
    "pings": ("qIIq", ("time_ns", "ping", "sequence", "rtt_ns")),
    "datagrams": ("qIIIq", ("time_ns", "stream", "sequence", "bytes", "delay_ns")),
    "arrivals": ("qIQ", ("time_ns", "stream", "sequence")),
    "qdiscs": (
        "qIIIIQQQQ",
        (
            "time_ns",
            "interface",
            "handle",
            "backlog_packets",
            "backlog_bytes",
            "packets",
            "bytes",
            "drops",
            "overlimits",
        ),
    ),
}
KINDS = {"q": "i64", "I": "u32", "Q": "u64"}
SAME = NodeClock(Comparison(0, 0, 0, 0), Comparison(S, 0, 0, 0), shared=True)


def kinds(form):
    import re

    return [
        {"bytes": int(code[:-1])} if code.endswith("s") else KINDS[code]
        for code in re.findall(r"\d+s|\w", form)
    ]


def records(folder, node, tables, clock=SAME, report=None):
    """The files of an agent with these rows."""
    place = folder / node / "records"
    place.mkdir(parents=True)
    for name, rows in tables.items():
        form, columns = TABLES[name]
        header = {
            "name": name,
            "columns": [{"name": n, "kind": k} for n, k in zip(columns, kinds(form), strict=True)],
        }
        text = json.dumps(header).encode()
        content = b"".join(struct.pack(f"<{form}", *row) for row in rows)
        (place / f"{name}.rec").write_bytes(MAGIC + len(text).to_bytes(4, "little") + text + content)
    interface = InterfaceFacts("eth0", 7, "02:00:00:00:00:01", 1, {}, {})
    facts = MachineFacts("boot", "6.12.0", True, {"eth0": interface}, {})
    nothing = {"flows": [], "datagrams": [], "pings": [], "programs": [], "warnings": []}
    return NodeRecords(node, folder / node, {**nothing, **(report or {})}, facts, clock)


def info(bytes_acked):
    """`struct tcp_info` with one counter (include/uapi/linux/tcp.h: `tcpi_bytes_acked` is at 120)."""
    raw = bytearray(TCP_INFO_BYTES)
    raw[120:128] = bytes_acked.to_bytes(8, "little")
    return bytes(raw)


def merged(plan, own):
    return dict(merged_series(plan, own, program_connections(plan, own)))


def test_a_senders_sample_has_what_the_receiver_had_nearest_to_it(tmp_path):
    own = {
        "h1": records(
            tmp_path, "h1", {"senders": [(n * 100 * MS, 0, n, info(n), bytes(20)) for n in range(3)]}
        ),
        "h2": records(
            tmp_path,
            "h2",
            {"receivers": [(1 * MS, 0, 10), (99 * MS, 0, 500), (140 * MS, 0, 700), (190 * MS, 0, 900)]},
        ),
    }
    flows = merged(plan_of(SCENARIO), own)["flows"]
    assert flows["bytes_received"].to_list() == [10, 500, 900]
    assert flows["bytes_acked"].to_list() == [0, 1, 2]


def test_numbers_of_items_are_those_of_the_plan(tmp_path):
    """An agent counts its own pings only."""
    own = {
        node: records(tmp_path, node, {"pings": [(at, 0, 0, 5), (at + 1, 0, 1, -1)]})
        for at, node in ((10, "h1"), (20, "h2"))
    }
    pings = merged(plan_of(SCENARIO), own)["pings"]
    assert pings["ping"].to_list() == [1, 1, 0, 0]
    assert pings["rtt_ns"].to_list() == [5, -1, 5, -1]


def test_delays_of_datagrams(tmp_path):
    """First arrivals count; one that never came is lost; an error of the clocks makes no delay negative."""
    sent = [(n * MS, 0, n, 100, -1) for n in range(4)]
    arrived = [(3 * MS, 0, 1), (2 * MS, 0, 1), (2 * MS - 30_000, 0, 2), (9 * MS, 0, 0)]
    own = {
        "h1": records(tmp_path, "h1", {"datagrams": sent}),
        "h2": records(tmp_path, "h2", {"arrivals": arrived}),
    }
    assert merged(plan_of(SCENARIO), own)["datagrams"]["delay_ns"].to_list() == [9 * MS, MS, 0, -1]


def test_times_of_a_machine_whose_clock_drifts_are_aligned(tmp_path):
    fast = NodeClock(Comparison(0, 0, 0, 0), Comparison(10 * S, 1 * MS, 0, 0), shared=False)
    own = {"h2": records(tmp_path, "h2", {"pings": [(0, 0, 0, 5), (10 * S, 0, 1, 5)]}, fast)}
    assert merged(plan_of(SCENARIO), own)["pings"]["time_ns"].to_list() == [0, 10 * S - 1 * MS]


def test_queues_of_the_named_interfaces(tmp_path):
    """Counted from traffic time zero; several queues without a handle are one; others are left out."""
    rows = [(0, 7, 1, 2, 3, 100, 1000, 1, 0), (0, 9, 1, 2, 3, 4, 5, 6, 7)]
    rows += [(S, 7, 1, 1, 2, 110, 1500, 3, 0), (S, 7, 1, 1, 2, 1, 1, 0, 0)]
    own = {"h1": records(tmp_path, "h1", {"qdiscs": rows})}
    queues = merged(plan_of(SCENARIO), own)["qdiscs"]
    assert queues.select("interface", "packets", "drops", "backlog_packets").rows() == [
        (0, 0, 0, 2),
        (0, 11, 2, 2),
    ]


@pytest.mark.parametrize("lost", ["h1", "h2"])
def test_a_run_of_which_a_machine_was_lost(tmp_path, lost):
    """It has the series of the plan, and the reports of all of its items."""
    tables = {
        "h1": {
            "senders": [(0, 0, 9, info(9), bytes(20))],
            "datagrams": [(0, 0, 0, 100, -1)],
            "pings": [(0, 0, 0, 5)],
        },
        "h2": {"receivers": [(0, 0, 7)], "arrivals": [(5, 0, 0)], "pings": [(0, 0, 0, 5)]},
    }
    received = {"name": "h1-h2", "finished_ns": None, "bytes_received": 7, "error": None}
    own = {node: records(tmp_path, node, rows) for node, rows in tables.items() if node != lost}
    for one in own.values():
        one.report["flows"].append({**received, "bytes_received": 7 * (one.node == "h2")})
    plan = plan_of(SCENARIO)
    series = merged(plan, own)
    assert {"flows", "pings", "datagrams"} <= set(series)
    assert series["flows"].height == (lost == "h2")
    report = merged_report(plan, own, S, [f"node {lost} was lost"])
    assert report["flows"][0]["bytes_received"] == (0 if lost == "h2" else 7)
    assert [ping["name"] for ping in report["pings"]] == ["other", "own"]
    assert report["datagrams"][0]["received"] == (0 if lost == "h2" else 1)
    assert report["warnings"] == [f"node {lost} was lost"]
