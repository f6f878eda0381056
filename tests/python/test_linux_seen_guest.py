"""What is recorded of mac80211's peers, against what the kernel's debugfs and `iw` tell a program, and against the air."""

import csv
import os
import re

import polars as pl
import pytest
from support import mac80211_scenarios

pytestmark = pytest.mark.guest

MS, S = 1_000_000, 1_000_000_000
# IEEE 802.11-2020, table 17-21: at 5 GHz.
SIFS_NS = 16_000
DATA, ACK, BLOCK_ACK, RTS, CTS = 0, 1, 2, 3, 4
AP = 0
# While traffic goes on and when it has ended.
BUSY, QUIET = "1500 ms", "3200 ms"

# Short queues overflow, and PPDUs that wait in the radio count against the airtime queue limits.
SCENARIO = """
name = "seen"
duration = "4 s"
kernel = "{kernel}"
[wifi.home]
mac = "linux"
standard = "{standard}"
streams = 2
stations = 2
prefetch = 2
txq = {{ packets = 60 }}
{more}
[channel]
reception = "table"
[[channel.link]]
between = ["ap1", "sta1"]
rssi = "-60 dBm"
[[channel.link]]
between = ["ap1", "sta2"]
rssi = "-78 dBm"
[[wire]]
between = ["ap1", "h1"]
[[flow]]
name = "down"
from = "h1"
to = "sta*"
stop = "2500 ms"
[[flow]]
name = "up"
from = "sta1"
to = "h1"
stop = "2500 ms"
[sampling]
stations = "{stations}"
rates = "{rates}"
ppdus = true
"""

# Each file after a line with the station's address and the file's name.
READ = """
[[program]]
name = "{name}"
node = "ap1"
start = "{start}"
command = '''
radio=/sys/kernel/debug/ieee80211/air0
for station in $radio/netdev:wlan0/stations/*; do
    for file in airtime aql aqm rc_stats_csv; do
        echo "=== $(basename $station) $file"
        cat $station/$file
    done
    echo "=== $(basename $station) iw"
    iw dev wlan0 station get $(basename $station)
done
echo "=== radio aqm"
cat $radio/aqm
echo "=== the end"
date +%s.%N
'''
"""

KERNEL = os.environ.get("AIRTCP_TEST_KERNEL", "6.12")


def run(folder, more="", standard="11n", stations="1 ms", rates="1 ms"):
    keys = {"more": more, "standard": standard, "stations": stations, "rates": rates, "kernel": KERNEL}
    text = SCENARIO.format(**keys) + "".join(
        READ.format(name=name, start=start) for name, start in (("busy", BUSY), ("quiet", QUIET))
    )
    return mac80211_scenarios.run(folder, text)


@pytest.fixture(scope="module")
def seen(tmp_path_factory):
    return run(tmp_path_factory.mktemp("seen") / "run")


def printed(run, name):
    """What a program printed: by station (its radio) or "radio", and file."""
    text = (run.folder / "programs" / f"{name}.out").read_text()
    radios = {nic["mac"]: number for number, nic in enumerate(run.plan["air"]["nics"])}
    found = {}
    for part in text.split("=== ")[1:]:
        head, _, body = part.partition("\n")
        whose, file = head.split()
        found[radios.get(whose, whose), file] = body
    return found


def numbers(text):
    return [int(number) for number in re.findall(r"-?\d+", text)]


def debugfs_station(found, peer):
    """Numbers of one station by the names of the series' columns."""
    airtime, aql = (numbers(found[peer, name]) for name in ("airtime", "aql"))
    told = dict(
        re.findall(
            r"(tx bytes|tx packets|rx bytes|rx packets|tx failed|tx retries):\s*(\d+)", found[peer, "iw"]
        )
    )
    return {
        "rx_airtime_us": airtime[0],
        "tx_airtime_us": airtime[1],
        "airtime_weight": airtime[2],
        # Voice, video, best effort, background.
        "deficit_us": airtime[5],
        "pending_us": aql[2],
        "limit_low_us": aql[8],
        "limit_high_us": aql[9],
        **{name.replace(" ", "_"): int(value) for name, value in told.items()},
    }


def debugfs_queue(found, peer):
    """The sum over the TIDs of best effort."""
    # Linux 6.1 has a line of CoDel's parameters first.
    lines = found[peer, "aqm"].splitlines()
    head, *rows = lines[next(n for n, line in enumerate(lines) if line.startswith("tid")) :]
    names = head.split()
    told = [dict(zip(names, row.split(), strict=False)) for row in rows]
    best_effort = [row for row in told if row["ac"] == "2"]
    assert len(best_effort) >= 2
    columns = {
        "backlog_bytes": "backlog-bytes",
        "backlog_packets": "backlog-packets",
        "new_flows": "new-flows",
        "drops": "drops",
        "marks": "marks",
        "overlimit": "overlimit",
        "collisions": "collisions",
    }
    return {ours: sum(int(row[theirs]) for row in best_effort) for ours, theirs in columns.items()}


def debugfs_rates(found, peer):
    """`rc_stats_csv`: by minstrel's number of the rate."""
    rows = {}
    for row in csv.reader(found[peer, "rc_stats_csv"].splitlines()):
        mode, guard, streams, chosen, name, index = row[:6]
        tx_time_us, _, throughput, probability = row[6:10]
        successes, attempts = row[13:15]
        rows[int(index)] = {
            "width_mhz": int(mode[-2:]),
            "guard_ns": {"LGI": 800, "SGI": 400}[guard],
            "streams": int(streams),
            "chosen_name": chosen,
            "mcs": name.strip(),
            "tx_time_us": int(tx_time_us),
            "throughput": float(throughput),
            "probability": float(probability),
            "successes": int(successes),
            "attempts": int(attempts),
        }
    return rows


def at(run, series, time_ns, peer, **more):
    """The row of the access point's books of a peer."""
    rows = run.named(series).filter(pl.col("time_ns") == time_ns, nic=AP, peer=peer, **more)
    assert rows.height == 1
    return rows.row(0, named=True)


def around(run, name):
    """The samples before and after a program's reading."""
    start_ns = next(each["start_ns"] for each in run.plan["programs"] if each["name"] == name)
    text = printed(run, name)["the", "end"]
    # The scenario's date is that of time zero.
    seconds, nanoseconds = text.split(".")
    end_ns = (int(seconds) - run.plan["date_s"]) * S + int(nanoseconds)
    assert start_ns <= end_ns < start_ns + 50 * MS
    return start_ns, -(-end_ns // MS) * MS


def test_when_nothing_moves_all_values_are_those_of_debugfs(seen):
    found, (time_ns, _) = printed(seen, "quiet"), around(seen, "quiet")
    for peer in (1, 2):
        station = at(seen, "stations", time_ns, peer)
        queue = at(seen, "station_queues", time_ns, peer, ac=1)
        told = debugfs_station(found, peer)
        both = {**station, **queue, **{name: station[name] for name in station if name in told}}
        # Counts of the whole station are in `stations`, those of best effort in `station_queues`.
        assert {name: both[name] for name in told} == told
        told = debugfs_queue(found, peer)
        assert {name: queue[name] for name in told} == told
        assert queue["tx_packets"] <= station["tx_packets"]
        assert f"signal:  \t{station['signal_dbm']} dBm" in found[peer, "iw"]
        mcs = station["tx_mode"].split()[1]
        assert f"{station['tx_rate_bps'] / 1e6:.1f} MBit/s MCS {mcs}" in found[peer, "iw"]
    radio = seen.radio_queues.filter(pl.col("time_ns") == time_ns, nic=AP).row(0, named=True)
    told = dict(re.findall(r"(fq_\w+) (\d+)", found["radio", "aqm"]))
    assert radio["backlog_packets"] == int(told["fq_backlog"])
    assert radio["memory_bytes"] == int(told["fq_memory_usage"])
    assert radio["collisions"] == int(told["fq_collisions"])
    # The kernel's file has these two under each other's name (net/mac80211/debugfs.c, aqm_read).
    assert (radio["overlimit"], radio["overmemory"]) == (
        int(told["fq_overmemory"]),
        int(told["fq_overlimit"]),
    )
    assert radio["overlimit"] > 0, "the queues are short enough to overflow"


def test_when_nothing_moves_all_rates_are_those_of_rc_stats(seen):
    found, (time_ns, _) = printed(seen, "quiet"), around(seen, "quiet")
    for peer in (1, 2):
        told = debugfs_rates(found, peer)
        rows = seen.station_rates.filter(pl.col("time_ns") == time_ns, nic=AP, peer=peer)
        known = {row["index"]: row for row in rows.rows(named=True)}
        # Rates that were tried or are chosen, and no others.
        assert set(known) == {
            n for n, rate in told.items() if rate["attempts"] or set(rate["chosen_name"]) - {"S"}
        }
        assert len(known) > 5
        for index, row in known.items():
            rate = told[index]
            for name in ("width_mhz", "guard_ns", "streams", "chosen_name", "successes", "attempts"):
                assert row[name] == rate[name], (index, name)
            assert row["mode"].startswith(f"HT-{rate['mcs'][:3]} {rate['mcs'][3:]} ")
            # The file cuts off after one digit.
            assert rate["probability"] == int(row["probability_ppm"] / 1e3) / 10
            assert row["throughput_bps"] == round(rate["throughput"] * 10) * 96_000
            # Its time on the air is that of 16 MPDUs of 1200 bytes in one PPDU without preamble.
            assert 1200 * 8 / row["rate_bps"] * 1e6 == pytest.approx(rate["tx_time_us"], rel=0.02, abs=1)


def test_in_motion_counts_lie_between_the_samples_before_and_after(seen):
    found, (before_ns, after_ns) = printed(seen, "busy"), around(seen, "busy")
    for peer in (1, 2):
        for series, more, told in (
            ("stations", {}, debugfs_station(found, peer)),
            ("station_queues", {"ac": 1}, debugfs_queue(found, peer)),
        ):
            before, after = (at(seen, series, time_ns, peer, **more) for time_ns in (before_ns, after_ns))
            counts = {"tx_airtime_us", "rx_airtime_us", "tx_packets", "tx_bytes", "rx_packets", "rx_bytes"}
            counts |= {"tx_failed", "new_flows", "drops", "overlimit"}
            for name in counts & set(told) & set(before):
                assert before[name] <= told[name] <= after[name], (peer, name)
        # It was in motion.
        moved = (
            at(seen, "stations", time_ns, peer)["tx_bytes"] for time_ns in (before_ns - 50 * MS, after_ns)
        )
        assert next(moved) < next(moved)


def test_queues_limits_and_signals_are_those_of_the_plan(seen):
    queues = seen.station_queues.filter(nic=AP, ac=1).filter(pl.col("peer").is_in([1, 2]))
    assert queues["limit_low_us"].unique().to_list() == [5000]
    assert queues["limit_high_us"].unique().to_list() == [12000]
    assert queues["pending_us"].max() > 0
    busy = queues.filter(pl.col("time_ns").is_between(S, 2 * S))
    assert busy["backlog_packets"].max() > 10
    by_time = seen.radio_queues.filter(nic=AP).sort("time_ns")
    # More than 60 packets never wait; what waits for peers and groups is all that waits.
    assert by_time["backlog_packets"].max() <= 60
    sums = seen.station_queues.filter(nic=AP).group_by("time_ns").agg(pl.col("backlog_packets").sum())
    both = by_time.join(sums, on="time_ns", suffix="_sum")
    assert (both["backlog_packets"] == both["backlog_packets_sum"]).all()
    for peer, dbm in ((1, -60), (2, -78)):
        assert at(seen, "stations", 3 * S, peer)["signal_dbm"] == dbm


def exchanges_us(run, sender, receiver, until_ns):
    """Least and most of what the air tells of the airtime of all attempts to send data, in us.

    mac80211 gets protection, data, and the response that is due, also where none came; of its length the air tells where
    one came. Each attempt is rounded down to a microsecond.
    """
    ppdus = run.ppdus.filter(pl.col("end_ns") <= until_ns)
    sent = ppdus.filter(nic=sender, to=receiver)
    lengths_ns = {
        kind: (rows["end_ns"] - rows["start_ns"])
        for kind, rows in (
            (kind, ppdus.filter(pl.col("kind").is_in(kinds)))
            for kind, kinds in (("response", [ACK, BLOCK_ACK]), ("cts", [CTS]))
        )
    }
    data, rts = sent.filter(kind=DATA), sent.filter(kind=RTS)
    alone_ns = int((data["end_ns"] - data["start_ns"]).sum() + (rts["end_ns"] - rts["start_ns"]).sum())
    bounds = []
    for of in (min, max):
        total_ns = alone_ns + data.height * (SIFS_NS + of(lengths_ns["response"]))
        if rts.height:
            total_ns += rts.height * (2 * SIFS_NS + of(lengths_ns["cts"]))
        bounds.append(total_ns / 1e3)
    least_us, most_us = bounds
    return least_us - data.height - rts.height, most_us


def test_airtime_is_that_of_the_air(seen):
    for peer in (1, 2):
        row = at(seen, "stations", 3 * S, peer)
        least_us, most_us = exchanges_us(seen, AP, peer, 3 * S)
        assert least_us <= row["tx_airtime_us"] <= most_us
        # An Ack has 28 us and a BlockAck 32 us at 24 Mbit/s: few percent of it, else the check would say little.
        assert most_us < 1.1 * least_us
        assert row["tx_airtime_us"] > 100_000
        # What was received of the station's data, in the other direction: without responses.
        data = seen.ppdus.filter(pl.col("end_ns") <= 3 * S, nic=peer, to=AP, kind=DATA)
        lengths_us = (data["end_ns"] - data["start_ns"]) / 1e3
        read_us = lengths_us.filter(data["outcome"] == 0)
        assert read_us.sum() - read_us.len() <= row["rx_airtime_us"] <= lengths_us.sum()
        # Both ends of a link tell the same: the station's transmissions less what its access point did not read.
        own = seen.stations.filter(pl.col("time_ns") == 3 * S, nic=peer, peer=AP).row(0, named=True)
        assert own["tx_airtime_us"] > row["rx_airtime_us"]


def test_looking_changes_no_frame(seen, tmp_path):
    blind = run(tmp_path / "blind", stations="0 s", rates="0 s")
    assert not {"stations", "station_queues", "radio_queues", "station_rates"} & set(blind.recorded)
    assert blind.manifest["frame_hash"] == seen.manifest["frame_hash"]
    sparse = run(tmp_path / "sparse", stations="100 ms", rates="1 s")
    assert sparse.manifest["frame_hash"] == seen.manifest["frame_hash"]


def test_vht_modes_and_rates_of_the_librarys_own_control(tmp_path):
    vht = run(tmp_path / "vht", standard="11ac", stations="100 ms", rates="100 ms")
    modes = vht.station_rates.filter(nic=AP, peer=1)["mode"].unique().to_list()
    assert all(mode.startswith("VHT-MCS ") for mode in modes)
    assert any(mode.endswith("x2 80 MHz") for mode in modes)
    he = run(tmp_path / "he", standard="11ax", stations="100 ms", rates="100 ms")
    assert "station_rates" not in he.recorded
    assert at(he, "stations", 2 * S, 1)["tx_mode"].startswith("HE-MCS ")
