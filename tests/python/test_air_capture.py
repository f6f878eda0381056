"""Captures of the air of real runs, as tshark reads them, against the records of the same runs."""

import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from airtcp.scenario.values.date import DEFAULT_DATE, read_date
from support.command import run_text

pytestmark = pytest.mark.guest

DATA, ACK, BLOCK_ACK, RTS, CTS, BLOCK_ACK_REQ, BEACON = range(7)
TRIGGER, QOS_NULL, MULTI_STA_BLOCK_ACK = range(8, 11)
# Trigger Type (IEEE 802.11ax-2021, Table 9-29c).
BASIC, MU_BAR, MU_RTS, BSRP = 0, 2, 3, 4
GROUP = 2**32 - 1
# wlan.fc.type_subtype by kind of PPDU.
SUBTYPES = {DATA: (0x20, 0x28), ACK: (0x1D,), BLOCK_ACK: (0x19,), BLOCK_ACK_REQ: (0x18,), BEACON: (0x08,)}
# Traffic time zero, where a scenario does not say another date.
DATE_S = read_date(DEFAULT_DATE)
FIELDS = (
    *("frame.time_epoch", "frame.len", "frame.cap_len", "wlan.fc.type_subtype", "wlan.fc.retry", "wlan.ra"),
    *("wlan.ta", "wlan.sa", "wlan.bssid", "wlan.seq", "radiotap.flags.badfcs", "radiotap.datarate"),
    *("radiotap.channel.freq", "radiotap.mactime", "radiotap.dbm_antsignal", "radiotap.vht.mcs.0"),
    *("radiotap.vht.nss.0", "radiotap.vht.bw", "radiotap.vht.gi", "radiotap.he.data_3.data_mcs"),
    *("radiotap.he.data_5.data_bw_ru_allocation", "radiotap.he.data_6.nsts", "radiotap.ampdu.reference"),
    *("radiotap.ampdu.flags.last", "ip.src", "ip.dst", "tcp.srcport", "tcp.dstport", "wlan.fcs.status"),
    *("wlan.fixed.ssc.sequence", "wlan.ssid", "_ws.malformed"),
)

LEGACY = """
name = "legacy"
duration = "1500 ms"
seed = 3
[wifi.home]
standard = "11g"
rate = "54 Mbit/s"
stations = ["sta1", "sta2"]
beacons = true
[[wire]]
between = ["ap1", "h1"]
rate = "100 Mbit/s"
delay = "1 ms"
[[flow]]
name = "one"
from = "sta1"
to = "h1"
cca = "cubic"
[[flow]]
name = "two"
from = "sta2"
to = "h1"
cca = "cubic"
[sampling]
ppdus = true
air = "10 ms"
[[capture]]
air = true
[[capture]]
name = "only-two"
air = true
flows = "two"
start = "500 ms"
stop = "800 ms"
"""

AGGREGATES = """
name = "aggregates"
duration = "500 ms"
seed = 5
[wifi.home]
standard = "{standard}"
rate = "{mode}"
width = "80 MHz"
streams = 2
stations = ["sta1", "sta2"]
[channel]
{channel}
[[wire]]
between = ["ap1", "h1"]
rate = "1 Gbit/s"
delay = "1 ms"
[[flow]]
from = "h1"
to = "sta1"
cca = "cubic"
[[flow]]
from = "sta2"
to = "h1"
cca = "cubic"
[sampling]
ppdus = true
air = "10 ms"
[[capture]]
air = true
"""


@dataclass(frozen=True)
class Run:
    folder: Path

    def series(self, name):
        return pl.read_parquet(self.folder / "series" / f"{name}.parquet")

    def fields(self, fields, name="air", *options):
        """Fields of the packets of a capture, a column of text for each, and their times."""
        asked = [part for field in fields for part in ("-e", field)]
        file = self.folder / "pcap" / f"{name}.pcapng"
        command = ["tshark", "-r", file, *options, "-T", "fields", *asked]
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
        rows = [line.split("\t") for line in answer.stdout.splitlines()]
        frame = pl.DataFrame(rows, schema=dict.fromkeys(fields, pl.String), orient="row")
        seconds, fraction = (pl.col("frame.time_epoch").str.split(".").list.get(i) for i in (0, 1))
        return frame.with_columns(
            time_ns=(seconds.cast(pl.Int64) - DATE_S) * 10**9 + fraction.str.pad_end(9, "0").cast(pl.Int64),
        )

    def packets(self, name="air", *options):
        """The packets of a capture, a column of text per field."""
        return self.fields(FIELDS, name, *options).with_columns(
            subtype=pl.col("wlan.fc.type_subtype").map_elements(lambda text: int(text, 0), pl.Int64),
            bad=pl.col("radiotap.flags.badfcs") == "1",
            retry=pl.col("wlan.fc.retry") == "1",
        )


def run(folder, text):
    return Run(run_text(folder, text).folder)


@pytest.fixture(scope="module")
def legacy(tmp_path_factory):
    return run(tmp_path_factory.mktemp("legacy"), LEGACY)


@pytest.fixture(scope="module", params=["11ac", "11ax"])
def aggregates(request, tmp_path_factory):
    mode = {"11ac": "VHT-MCS 7 x2", "11ax": "HE-MCS 9 x2"}[request.param]
    text = AGGREGATES.format(standard=request.param, mode=mode, channel="")
    return request.param, run(tmp_path_factory.mktemp(request.param), text)


def after_the_epoch(ppdus):
    return ppdus.filter(pl.col("start_ns") >= 0)


def check_against_ppdus(run, packets):
    """What is common to all: nothing malformed, each PPDU there, in the order of their starts."""
    assert set(packets["_ws.malformed"]) == {""}
    assert packets["time_ns"].is_sorted()
    ppdus = after_the_epoch(run.series("ppdus"))
    assert set(packets["time_ns"]) == set(ppdus["start_ns"])
    assert (packets["time_ns"] // 1000 == packets["radiotap.mactime"].cast(pl.Int64)).all()
    for kind, subtypes in SUBTYPES.items():
        own = packets.filter(pl.col("subtype").is_in(subtypes))
        starts = Counter(ppdus.filter(pl.col("kind") == kind)["start_ns"])
        alone = own.unique(["time_ns", "wlan.ta"]) if kind == DATA else own
        assert Counter(alone["time_ns"]) == starts, f"kind {kind}"
    return ppdus


OFDMA = """
name = "ofdma"
duration = "600 ms"
[wifi.home]
standard = "{standard}"
width = "20 MHz"
stations = 4
rts_threshold = "1000 B"
[wifi.home.multi_user]
acknowledgement = "{acknowledgement}"
mu_rts = true
uplink = true
bsrp = true
random_access = 1
[[flow]]
from = "ap1"
to = "sta*"
[[flow]]
from = "sta*"
to = "ap1"
[sampling]
ppdus = true
[[capture]]
air = true
"""
TRIGGER_FIELDS = (
    *("frame.time_epoch", "wlan.trigger.he.trigger_type", "wlan.ra", "wlan.trigger.he.user_info.aid12"),
    "_ws.malformed",
)


def test_every_ppdu_of_a_legacy_cell_is_a_packet(legacy):
    packets = legacy.packets()
    ppdus = check_against_ppdus(legacy, packets)
    assert len(packets) == len(ppdus)
    data = packets.filter(pl.col("subtype") == 0x20)
    records = ppdus.filter(pl.col("kind") == DATA)
    # A wrong check sequence is what collisions leave.
    assert data["bad"].sum() == (records["outcome"] > 0).sum() > 10
    assert data["retry"].sum() == (records["attempt"] > 1).sum() > 10
    assert set(packets["radiotap.channel.freq"]) == {"2412"}
    # The fixed rate of data, in Mbit/s; acknowledgements go at the basic rate below it, beacons at the slowest.
    single = data.filter(pl.col("radiotap.dbm_antsignal") != "")
    assert set(single["radiotap.datarate"]) == {"54"}
    assert set(packets.filter(pl.col("subtype") == 0x1D)["radiotap.datarate"]) == {"24"}
    beacons = packets.filter(pl.col("subtype") == 0x08)
    assert 13 < len(beacons) < 16
    assert set(beacons["wlan.ssid"]) == {b"home".hex()}
    assert set(beacons["radiotap.datarate"]) == {"1"}
    # Lengths behind radiotap headers of 23 octets, without a receiver's signal of 22.
    header = pl.when(pl.col("radiotap.dbm_antsignal") == "").then(22).otherwise(23)
    lengths = data.select("time_ns", pl.col("frame.len").cast(pl.Int64) - header)
    assert Counter(lengths.iter_rows()) == Counter(records.select("start_ns", "bytes").iter_rows())


def test_addresses_and_ports_are_readable(legacy):
    packets = legacy.packets("air", "-o", "wlan.check_checksum:TRUE")
    nics = {"sta1": "one", "sta2": "two"}
    plan = pl.read_json((legacy.folder / "plan.json").read_bytes())
    air, flows = plan["air"][0], plan["flows"][0]
    mac = {nic["node"]: nic["mac"] for nic in air["nics"]}
    records = after_the_epoch(legacy.series("ppdus")).filter(pl.col("kind") == DATA)
    macs = [nic["mac"] for nic in air["nics"]]
    sent = Counter((start, macs[nic]) for start, nic in records.select("start_ns", "nic").iter_rows())
    data = packets.filter(pl.col("subtype") == 0x20)
    assert Counter(zip(data["time_ns"], data["wlan.ta"], strict=True)) == sent
    for node, name in nics.items():
        flow = next(flow for flow in flows if flow["name"] == name)
        own = data.filter(pl.col("tcp.dstport") == str(flow["port"]))
        assert len(own) > 100
        assert set(own["wlan.ta"]) == {mac[node]}
        assert set(own["wlan.ra"]) == {mac["ap1"]} == set(own["wlan.bssid"])
        assert set(own["ip.dst"]) == {flow["address"]}
        back = data.filter(pl.col("tcp.srcport") == str(flow["port"]))
        assert set(back["wlan.ra"]) == {mac[node]}
        # Pure acknowledgements are whole, so their check sequence can be checked; segments with data are cut.
        whole = back.filter(pl.col("frame.len") == pl.col("frame.cap_len"))
        assert len(whole) > 50
        assert (whole["wlan.fcs.status"].cast(pl.Int64) == 1 - whole["bad"].cast(pl.Int64)).all()


def test_a_capture_of_a_flow_and_a_time(legacy):
    everything, chosen = legacy.packets(), legacy.packets("only-two")
    plan = pl.read_json((legacy.folder / "plan.json").read_bytes())
    port = str(next(flow["port"] for flow in plan["flows"][0] if flow["name"] == "two"))
    of_flow = (pl.col("tcp.srcport") == port) | (pl.col("tcp.dstport") == port)
    in_time = pl.col("time_ns").is_between(500_000_000, 800_000_000, closed="left")
    expected = everything.filter(of_flow & in_time)
    assert len(chosen) == len(expected) > 100
    assert chosen["time_ns"].to_list() == expected["time_ns"].to_list()


def test_links_add_up_to_radios(legacy):
    last = pl.col("time_ns") == pl.col("time_ns").max()
    air, links = legacy.series("air").filter(last), legacy.series("links").filter(last)
    columns = ["transmissions", "retries", "collisions", "corrupted"]
    ppdus = legacy.series("ppdus").filter((pl.col("kind") == DATA) & (pl.col("to") == GROUP))
    sums = links.select(pl.col(columns).sum()).row(0)
    radios = air.select(pl.col(columns).sum()).row(0)
    assert sums == (radios[0] - len(ppdus), *radios[1:])
    stations = links.filter(pl.col("nic") > 0)
    assert set(stations["peer"]) == {0}
    assert set(stations["rate_bps"]) == {54_000_000}
    data = legacy.series("ppdus").filter((pl.col("kind") == DATA) & (pl.col("start_ns") >= 0))
    for nic, peer, airtime in links.select("nic", "peer", "airtime_ns").iter_rows():
        own = data.filter((pl.col("nic") == nic) & (pl.col("to") == peer))
        spent = (own["end_ns"] - own["start_ns"]).sum()
        # The last PPDU may wait for its acknowledgement when the last sample is taken.
        assert 0 <= spent - airtime < 3_000_000


def test_aggregates(aggregates):
    standard, result = aggregates
    packets = result.packets()
    ppdus = check_against_ppdus(result, packets)
    data = packets.filter(pl.col("subtype") == 0x28)
    records = ppdus.filter((pl.col("kind") == DATA) & (pl.col("to") != GROUP))
    if standard == "11ac":
        mode = ("radiotap.vht.mcs.0", "radiotap.vht.nss.0")
        assert set(data.select(mode).iter_rows()) == {("7", "2")}
        assert set(data["radiotap.vht.bw"]) == {"4"}
    else:
        mode = (
            "radiotap.he.data_3.data_mcs",
            "radiotap.he.data_6.nsts",
            "radiotap.he.data_5.data_bw_ru_allocation",
        )
        assert {tuple(int(text, 0) for text in row) for row in data.select(mode).iter_rows()} == {(9, 2, 2)}
    # One reference number per PPDU, with one last MPDU.
    groups = data.group_by("radiotap.ampdu.reference").agg(
        pl.col("time_ns").n_unique().alias("times"),
        (pl.col("radiotap.ampdu.flags.last") == "1").sum().alias("last"),
        pl.len().alias("mpdus"),
    )
    assert len(groups) == len(records)
    assert (groups["times"] == 1).all()
    assert (groups["last"] == 1).all()
    assert groups["mpdus"].max() > 8
    # MPDUs as the radios counted them, within what was on the air at the end.
    summary = pl.read_json((result.folder / "summary.json").read_bytes())["air"][0]
    counted = sum(nic["mpdus"] for nic in summary["nics"])
    assert abs(counted - len(data) - (ppdus["to"] == GROUP).sum()) < 300
    answers = packets.filter(pl.col("subtype") == 0x19)
    assert len(answers) > 50
    # Each starts at the first MPDU of the aggregate that it answers.
    starts = {
        (row[0], row[1]): row[2]
        for row in data.select("time_ns", "wlan.ta", "wlan.seq").reverse().iter_rows()
    }
    pairs = ppdus.filter(pl.col("kind") == BLOCK_ACK).select("start_ns", "attempt")
    assert len(pairs) == len(answers)
    before = {}
    for time_ns, subtype, ta, ra, start in packets.select(
        "time_ns", "subtype", "wlan.ta", "wlan.ra", "wlan.fixed.ssc.sequence"
    ).iter_rows():
        if subtype == 0x28:
            before[ta] = time_ns
        elif subtype == 0x19:
            assert starts[before[ra], ra] == start


@pytest.fixture(scope="module", params=["mu_bar", "aggregated_mu_bar"])
def ofdma(request, tmp_path_factory):
    text = OFDMA.format(standard="11ax", acknowledgement=request.param)
    return request.param, run(tmp_path_factory.mktemp(request.param), text)


def test_trigger_frames_say_whom_they_ask(ofdma):
    acknowledgement, run = ofdma
    packets = run.fields(TRIGGER_FIELDS, "air", "-Y", "wlan.fc.type_subtype == 0x12")
    assert set(packets["_ws.malformed"]) == {""}
    assert {int(kind, 0) for kind in packets["wlan.trigger.he.trigger_type"]} == {BASIC, MU_BAR, MU_RTS, BSRP}
    ppdus = after_the_epoch(run.series("ppdus"))
    ap = ppdus.filter(pl.col("kind") == TRIGGER)["nic"][0]
    users = ppdus.filter(pl.col("nic") == ap).group_by("start_ns", "kind").agg(pl.col("to"), pl.len())
    asked = {(row["start_ns"], row["kind"]): row["len"] for row in users.rows(named=True)}
    separate = packets.filter(pl.col("wlan.trigger.he.trigger_type") != str(MU_BAR))
    assert separate.height
    for packet in separate.rows(named=True):
        aids = packet["wlan.trigger.he.user_info.aid12"].split(",")
        kind = RTS if int(packet["wlan.trigger.he.trigger_type"], 0) == MU_RTS else TRIGGER
        assert len(aids) == asked[packet["time_ns"], kind]
        assert packet["wlan.ra"] == "ff:ff:ff:ff:ff:ff" or len(aids) == 1
    mu_bars = packets.filter(pl.col("wlan.trigger.he.trigger_type") == str(MU_BAR))
    for packet in mu_bars.rows(named=True):
        kind = DATA if acknowledgement == "aggregated_mu_bar" else TRIGGER
        assert (packet["time_ns"], kind) in asked
        assert acknowledgement == "mu_bar" or packet["wlan.ra"] != "ff:ff:ff:ff:ff:ff"


def test_uplinks_are_acknowledged_and_queues_reported(ofdma):
    _, run = ofdma
    ppdus = after_the_epoch(run.series("ppdus"))
    fields = ("frame.time_epoch", "wlan.ba.multi_sta.aid11", "_ws.malformed")
    packets = run.fields(fields, "air", "-Y", "wlan.ba.multi_sta.aid_tid_info")
    assert set(packets["_ws.malformed"]) == {""}
    rows = ppdus.filter(pl.col("kind") == MULTI_STA_BLOCK_ACK).group_by("start_ns").len()
    acknowledged = dict(zip(rows["start_ns"], rows["len"], strict=True))
    said = zip(packets["time_ns"], packets["wlan.ba.multi_sta.aid11"], strict=True)
    assert {start: len(aids.split(",")) for start, aids in said} == acknowledged
    fields = ("frame.time_epoch", "wlan.qos.queue_size", "wlan.fc.type_subtype")
    nulls = run.fields(fields, "air", "-Y", "wlan.fc.type_subtype == 0x2c")
    assert set(nulls["time_ns"]) == set(ppdus.filter(pl.col("kind") == QOS_NULL)["start_ns"])
