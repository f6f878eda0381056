"""Studies of recordings of Wi-Fi networks: what they read, what they ask for, and their verdicts."""

import gzip
import json
import math
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import polars
import pytest
from airtcp.errors import AirtcpError
from airtcp.recorded import ath9k_irtt, busy_neighbour, chain_11a, lab_wifi
from airtcp.recorded.beside import Beside, beside_table, beside_values, mean_and_half
from airtcp.recorded.known import recorded_study
from airtcp.recorded.recorded_study import Work, judged
from airtcp.recorded.runs_of import goodput_mbps, received_mbps, rtts_ms, srtt_ms
from support.command import airtcp

MS = 1_000_000


def ignored(jobs):
    """Runs that nothing is read of: what is read of them is given by the test."""
    return [job.plan for job in jobs]


def judge(name, values):
    study = recorded_study(name).about
    return {claim.id: finding.verdict for claim, finding in judged(study, values)}


# Limits


def test_limits_are_those_of_the_quantity():
    near = Beside("a", "throughput", 100, 109)
    far = Beside("a", "throughput", 100, 111)
    assert (near.verdict, far.verdict) == ("predicted", "differs")
    # A median may be off by a millisecond, whatever its share.
    assert Beside("a", "median RTT", 1.0, 1.9).within
    assert not Beside("a", "median RTT", 10.0, 12.0).within
    assert Beside("a", "95 % RTT", 10.0, 12.4).within
    fitted = Beside("b", "throughput", 1, 9, fitted=True)
    assert beside_values([near, far, fitted])["share predicted"] == 0.5
    assert "± 3.00" in beside_table("t", [Beside("a", "throughput", 1, 2, 3.0)]).markdown()


def test_interval_of_a_mean():
    # Student's t of 2 degrees of freedom is 4.303; the standard error of 1, 2, 3 is 0.577.
    mean, half = mean_and_half([1.0, 2.0, 3.0])
    assert (mean, half) == (2.0, pytest.approx(4.303 * 0.57735, rel=1e-3))
    assert math.isnan(mean_and_half([1.0])[1])


def test_numbers_of_runs():
    flows = polars.DataFrame({"time_ns": [0, 2 * 10**9], "bytes_received": [0, 10**6], "srtt_us": [0, 2000]})
    sent = polars.DataFrame({"time_ns": [0, 10**9, 2 * 10**9], "delay_ns": [10**9, -1, 10**9]})
    pings = polars.DataFrame({"rtt_ns": [9 * MS, -1, 2 * MS]})
    run = SimpleNamespace(
        plan={"flows": [{"start_ns": 10**9}], "datagrams": [{"payload_bytes": 1000}]},
        flow_samples=lambda _: flows,
        part=lambda *_: sent,
        ping_samples=lambda _: pings,
    )
    assert goodput_mbps(run) == 8.0
    # Two of three arrive within 3 s.
    assert received_mbps(run) == pytest.approx(2 * 1000 * 8 / 3 / 1e6)
    assert rtts_ms(run).tolist() == [2.0]
    assert srtt_ms(run) == 2.0


# 802.11ax at home


def iperf3(rates, udp=False):
    """Tests with these rates in Mbit/s; of UDP a tenth is lost."""
    made = ""
    for rate in rates:
        count = round(rate * 1e6 / 8)
        each = {
            "socket": 5,
            "start": 0,
            "end": 1,
            "seconds": 1,
            "bytes": count,
            "bits_per_second": rate * 1e6,
        }
        more = {"packets": 10} if udp else {"retransmits": 0}
        total = {key: value for key, value in each.items() if key != "socket"}
        parts = [{"streams": [{**each, **more}], "sum": total}]
        loss = {"jitter_ms": 0, "lost_packets": 1, "packets": 10}
        streams = [{"udp": {**each, **loss}}] if udp else [{"sender": each, "receiver": each}]
        start = {"connected": [{"socket": 5}]}
        made += json.dumps({"start": start, "intervals": parts, "end": {"streams": streams}}) + "\n"
    return made


@pytest.fixture
def lab(tmp_path):
    rates = {"2-ETH-TCP": 940, "3-Mixed-TCP": 660, "1-WiFi-TCP": 430, "3-Mixed-UDP": 750, "1-WiFi-UDP": 450}
    for name, rate in rates.items():
        folder = tmp_path / name / "client"
        folder.mkdir(parents=True)
        (folder / "client_log.json").write_text(iperf3([rate - 10, rate + 10], udp="UDP" in name))
    return tmp_path


def test_udp_counts_what_arrived(lab):
    assert lab_wifi.measured_mbps(lab, "3-Mixed-UDP") == pytest.approx([740 * 0.9, 760 * 0.9])
    with pytest.raises(AirtcpError, match="has no recordings of LabWiFi"):
        lab_wifi.measured_mbps(lab, "5-None")


def test_one_hop_chooses_the_mode_and_the_limit(lab, monkeypatch):
    asked = []

    def runs(jobs):
        asked.extend(jobs)
        return ignored(jobs)

    by_mode = iter([850, 780, 700, 655, *(655, 940, 330), *(661, 950, 425)])
    monkeypatch.setattr(lab_wifi, "goodput_mbps", lambda _run: next(by_mode))
    monkeypatch.setattr(lab_wifi, "received_mbps", lambda _run: 400.0)
    found = lab_wifi.compute(lab, Work(runs, None))
    assert found.values["mode"] == 8
    assert found.values["mode: relayed, TCP: throughput"] == pytest.approx(330 / 430)
    assert found.values["limit: relayed, TCP: throughput"] == pytest.approx(425 / 430)
    limited = [job.plan for job in asked if job.plan["flows"] and job.plan["flows"][0]["pacing_bps"]]
    assert len(limited) == 2
    assert all(
        plan["flows"][0]["pacing_bps"] == pytest.approx(660e6 * 1500 / 1448, rel=1e-3) for plan in limited
    )
    assert judge("lab-wifi", found.values)["limit-predicts-two-hops"] == "holds"


# irtt over ath9k


def irtt(rtts_ms):
    trips = [
        {
            "seqno": number,
            "lost": "false",
            "timestamps": {"client": {"send": {"monotonic": number * 10 * MS}}},
            "delay": {"rtt": round(rtt * MS)},
        }
        for number, rtt in enumerate(rtts_ms)
    ]
    made = {
        "version": {"irtt": "0.9.0", "json_format": 1},
        "config": {"params": {}},
        "stats": {"packets_sent": len(trips), "packets_received": len(trips)},
        "round_trips": trips,
    }
    return gzip.compress(json.dumps(made).encode())


@pytest.fixture
def data_bak(tmp_path):
    files = {
        "20MHz_MCS0_0": 2.2,
        "40MHz_MCS4_0": 1.9,
        "20MHz_MCS0_3TP_Bulk4M_1": 9.0,
        "20MHz_MCS4_3TP_Bulk4M_0": 1.2,
    }
    for name, rtt in files.items():
        (tmp_path / f"802.11n_{name}.json.gz").write_bytes(irtt([rtt] * 50))
    (tmp_path / "802.11n_20MHz_MCS1_3TP_Bulk4M_0.json.gz").write_bytes(irtt([5.0] * 50) + b"rest of another")
    return tmp_path


def test_host_and_load_are_chosen_at_mcs_0(data_bak, monkeypatch):
    labels = []

    def runs(jobs):
        labels.extend(job.label for job in jobs)
        return [job.label for job in jobs]

    def rtts(label, _ping=0):
        host = 1.0 if "host delay" in label and "no host" not in label else 0.0
        modes = {"load: 4 Mbit/s to one of the three": 9.5, "loaded, MCS 0": 9.5, "loaded, MCS 4": 1.6}
        return np.full(300, modes.get(label, 30.0 if label.startswith(("load", "FIFO")) else 1.2 + host))

    monkeypatch.setattr(ath9k_irtt, "rtts_ms", rtts)
    found = ath9k_irtt.compute(data_bak, Work(runs, None))
    assert found.everything["load"] == "4 Mbit/s to one of the three"
    # 1 ms is lacking, of which a host has half on each of its two ways; the run with that gains all of it.
    assert found.everything["host_us"] == pytest.approx(500)
    assert found.values["damaged files"] == 1
    assert "follow the end of its gzip stream" in found.notes[0]
    assert found.values["loaded, MCS 4, 0: median RTT"] == pytest.approx(1.6 / 1.2)
    assert {"idle, 40 MHz, MCS 4", "loaded, MCS 4", "FIFO, MCS 0"} <= set(labels)


def test_without_recordings(tmp_path):
    with pytest.raises(AirtcpError, match="Name the folder data_bak"):
        ath9k_irtt.compute(tmp_path, Work(ignored, None))


# A chain

PAGE = """
Single Hop Throughput 5.00Mbps Packet Drop Rate 0.11%
Two Hop Experiments (unit Mbps)
#exp    iperf_send_speed    tx      rx      Packet_Drop_Rate
1       1                   1       1.0   3.1%
2       2                   2       1.9    8.2%
3       3                   3       2.0    39%
4       6                   3.28    2.0    40%
Three Hop Experiments (unit Mbps)
1       6                   2.68    1.5    33%
Multiple Interface, Multiple Channel
Two Hop Experiments (unit Mbps)
1       3                   3       3.0   0.7%
2       5                   5       4.9    0.47%
3       6                   5.28    5.1    0.89%
"""


def test_a_chain(tmp_path, monkeypatch):
    (tmp_path / "MultiChannel.md").write_text(PAGE)
    rates = iter([4.9, 5.3, 1.0, 2.0, 2.5, 2.5, 1.5, 3.0, 5.0, 5.2, *(1.7, 0.9) * 3])
    monkeypatch.setattr(chain_11a, "received_mbps", lambda _run: next(rates))
    plans = []

    def runs(jobs):
        plans.extend(job.plan for job in jobs)
        return ignored(jobs)

    found = chain_11a.compute(tmp_path, Work(runs, None))
    assert found.values["CWmin"] == 15
    assert found.values["2 hops, 6 offered: throughput"] == pytest.approx(1.25)
    assert found.values["share predicted"] == pytest.approx(6 / 8)
    assert judge("chain-11a", found.values)["two-hops-saturated"] == "holds"
    assert len(plans) == 16


def test_another_page_is_refused(tmp_path):
    (tmp_path / "MultiChannel.md").write_text(PAGE.replace("Three Hop", "Many Hop"))
    with pytest.raises(AirtcpError, match="is not the page that is known"):
        chain_11a.compute(tmp_path, Work(ignored, None))
    with pytest.raises(AirtcpError, match=r"has no MultiChannel\.md"):
        chain_11a.compute(tmp_path / "none", Work(ignored, None))


# A busy neighbour


def test_the_neighbours_load_is_found_by_the_busy_share(monkeypatch):
    asked = []

    def runs(jobs):
        asked.extend(job.plan["datagrams"][0] for job in jobs)
        nics = [{"node": "sta1", "retries": 1, "transmissions": 100}]
        return [SimpleNamespace(air_report={"nics": nics}) for _ in jobs]

    monkeypatch.setattr(busy_neighbour, "busy_share", lambda _run: 0.35)
    monkeypatch.setattr(busy_neighbour, "rtts_ms", lambda _run: np.array([0.3, 0.5]))
    found = busy_neighbour.compute(Path(), Work(runs, None))
    # 20 Mbit/s make the channel busy for 35 %: half of it for 17.5 %.
    assert found.everything["rate_mbps"] == pytest.approx(10)
    assert len(asked) == 3
    assert judge("busy-neighbour", found.values) == {"neighbour-adds-little": "holds", "driver": "holds"}


def test_busy_share():
    medium = {"data_ns": 100, "response_ns": 50, "collision_ns": 25}
    assert busy_neighbour.busy_share(SimpleNamespace(air_report={"media": [medium]}, end_ns=1000)) == 0.175


@pytest.mark.parametrize("name", ["lab-wifi", "ath9k-irtt", "chain-11a"])
def test_the_folder_of_the_recordings_is_needed(name, tmp_path):
    told = airtcp("study", name, cwd=tmp_path)
    assert "needs its recordings" in told.stderr
