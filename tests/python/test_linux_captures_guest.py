"""Captures of networks of the kernel's mac80211: the air, and what a radio in monitor mode hears, as tshark reads both."""

import subprocess
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import pytest
from airtcp.data.run_folder import open_run
from airtcp.scenario.values.date import DEFAULT_DATE, read_date
from support import mac80211_scenarios

pytestmark = pytest.mark.guest

BEACON, AUTHENTICATION, DEAUTHENTICATION, ACTION = 0x08, 0x0B, 0x0C, 0x0D
REASSOCIATION = (0x02, 0x03)
# Responses of access points.
ASSOCIATED = (0x01, 0x03)
BLOCK_ACK_REQ, BLOCK_ACK, RTS, CTS, ACK = 0x18, 0x19, 0x1B, 0x1C, 0x1D
DATA, QOS_DATA = 0x20, 0x28
NULL = (0x24, 0x2C)
CONTROL = (BLOCK_ACK, RTS, CTS, ACK)
# `wlan.fc.type_subtype` by kind of PPDU, as the series `ppdus` numbers them.
KINDS = {0: (DATA, QOS_DATA, *NULL), 1: (ACK,), 2: (BLOCK_ACK,), 3: (RTS,), 4: (CTS,), 5: (BLOCK_ACK_REQ,)}
KINDS[6] = (BEACON,)
GROUP = 2**32 - 1
# As the "Ignore the Protection bit" of Wireshark's settings for IEEE 802.11.
PLAIN = ("-o", "wlan.ignore_wep:Yes - with IV")
# Traffic time zero, where a scenario does not say another date.
DATE_S = read_date(DEFAULT_DATE)
FIELDS = (
    *(
        "frame.time_epoch",
        "frame.len",
        "frame.cap_len",
        "wlan.fc.type_subtype",
        "wlan.fc.retry",
        "wlan.fc.protected",
    ),
    *("wlan.ra", "wlan.ta", "wlan.duration", "wlan.seq", "wlan.qos.tid", "wlan.ba.bm", "wlan.ba.control"),
    *("wlan.fixed.ssc.sequence", "wlan.fixed.timestamp", "wlan.ssid", "wlan.ccmp.extiv", "wlan.fcs.status"),
    *(
        "wlan_rsna_eapol.keydes.msgnr",
        "radiotap.length",
        "radiotap.mactime",
        "radiotap.flags.badfcs",
        "radiotap.datarate",
    ),
    *("radiotap.channel.freq", "radiotap.dbm_antsignal", "radiotap.mcs.index", "radiotap.mcs.bw"),
    *("radiotap.vht.mcs.0", "radiotap.vht.nss.0", "radiotap.vht.bw", "radiotap.vht.gi"),
    *("radiotap.he.data_3.data_mcs", "radiotap.he.data_6.nsts", "radiotap.he.data_5.data_bw_ru_allocation"),
    *(
        "radiotap.he.data_5.gi",
        "radiotap.he.data_3.coding",
        "radiotap.ampdu.reference",
        "radiotap.ampdu.flags.last",
    ),
    *("ip.src", "ip.dst", "tcp.dstport", "_ws.malformed", "_ws.expert.severity", "_ws.expert.message"),
)
# From here on Wireshark's severities are warnings and errors (epan/expert.h).
WARNING = 0x600000

HEAD = 'name = "x"\nduration = "{seconds} s"\nseed = 4\n[sampling]\nppdus = true\nair = "100 ms"\n'
AIR = '[[capture]]\nair = true\nsnap = "{snap} B"\n'
WIRE = '[[wire]]\nbetween = ["ap1", "h1"]\n'
UP = '[[flow]]\nname = "up"\nfrom = "sta2"\nto = "h1"\n'
DOWN = '[[flow]]\nname = "down"\nfrom = "h1"\nto = "sta1"\n'
CELL = '[wifi.home]\nmac = "linux"\nstations = 2\n'
EARS = 'monitors = ["ears"]\n'
LISTEN = (
    '[[program]]\nname = "ears"\nnode = "ears"\nstart = "0 s"\n'
    'command = "timeout {seconds} tcpdump -i mon0 -U -s 4096 -w $RUN_DIR/ears.pcap; true"\n'
)
AGAIN = '[[program]]\nname = "again"\nnode = "sta2"\nstart = "500 ms"\ncommand = "wpa_cli reassociate"\n'


def number(text):
    """A number as tshark writes it, of the first of several."""
    return int(text.split(",")[0], 0) if text else None


@dataclass(frozen=True)
class Made:
    """A finished run."""

    folder: Path

    @property
    def run(self):
        return open_run(self.folder)

    def series(self, name):
        return pl.read_parquet(self.folder / "series" / f"{name}.parquet")

    @property
    def macs(self):
        return {nic["node"]: nic["mac"] for nic in self.run.plan["air"]["nics"]}

    def air(self, *options):
        return read(self.folder / "pcap" / "air.pcapng", *options)

    def ears(self, *options):
        return read(self.folder / "programs" / "ears.pcap", *options)


def read(file, *options):
    """The packets of a capture, a column of text per field."""
    fields = [part for field in FIELDS for part in ("-e", field)]
    command = ["tshark", "-r", file, *options, "-T", "fields", *fields]
    answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=120)
    rows = [line.split("\t") for line in answer.stdout.splitlines()]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(FIELDS, pl.String), orient="row")
    seconds, fraction = (pl.col("frame.time_epoch").str.split(".").list.get(i) for i in (0, 1))
    of = {"subtype": "wlan.fc.type_subtype", "seq": "wlan.seq", "start": "wlan.fixed.ssc.sequence"}
    numbers = {name: pl.col(field).map_elements(number, pl.Int64) for name, field in of.items()}
    return frame.with_columns(
        time_ns=(seconds.cast(pl.Int64) - DATE_S) * 10**9 + fraction.str.pad_end(9, "0").cast(pl.Int64),
        mactime=pl.col("radiotap.mactime").cast(pl.Int64),
        bad=pl.col("radiotap.flags.badfcs") == "1",
        **numbers,
    )


def make(folder, text):
    return Made(mac80211_scenarios.run(folder, text).folder)


@pytest.fixture(scope="module")
def protected(tmp_path_factory):
    """11ac with WPA2, whose first station is far away and whose second associates again."""
    cell = (
        CELL + 'standard = "11ac"\nstreams = 2\nsecurity = "wpa2"\npassphrase = "nobody else knows"\n' + EARS
    )
    far = '[[channel.link]]\nbetween = ["ap1", "sta1"]\nrssi = "-72 dBm"\n'
    text = HEAD.format(seconds=1) + cell + far + WIRE + UP + DOWN + AIR.format(snap=192) + AGAIN
    return make(tmp_path_factory.mktemp("protected"), text + LISTEN.format(seconds=0.9))


@pytest.fixture(scope="module")
def given_up(tmp_path_factory):
    """11ax with few attempts over a link that loses much: what is given up is followed by a BlockAckReq."""
    cell = CELL + 'standard = "11ax"\nstreams = 2\nsubframe_retry_limit = 2\n' + EARS
    cell += 'rts_threshold = "500 B"\n'
    loss = '[[channel.loss]]\nfrom = "sta2"\nto = "ap1"\nprobability = 0.3\n'
    text = HEAD.format(seconds=1) + cell + loss + WIRE + UP + DOWN + AIR.format(snap=192)
    return make(tmp_path_factory.mktemp("given_up"), text + LISTEN.format(seconds=0.9))


def check_nothing_is_wrong(packets):
    """Nothing malformed, and no warning of Wireshark about anything below TCP."""
    assert set(packets["_ws.malformed"]) == {""}
    severe = packets.filter(
        pl.col("_ws.expert.severity").map_elements(
            lambda text: any(int(part, 0) >= WARNING for part in text.split(",") if part), pl.Boolean
        )
    )
    # Each retry is a segment again, and its order that of the air.
    of_tcp = ("segment", "not captured", "ACK", "retransmission", "window")
    assert [text for text in severe["_ws.expert.message"] if not any(word in text for word in of_tcp)] == []


def check_against_ppdus(made, packets):
    """Each PPDU after the epoch is there, in the order of their starts, as what it is."""
    assert packets["time_ns"].is_sorted()
    assert (packets["time_ns"] // 1000 == packets["mactime"]).all()
    ppdus = made.series("ppdus").filter(pl.col("start_ns") >= 0)
    assert set(packets["time_ns"]) == set(ppdus["start_ns"])
    for kind, subtypes in KINDS.items():
        own = packets.filter(pl.col("subtype").is_in(subtypes))
        alone = own.unique(["time_ns", "wlan.ta"]) if kind == 0 else own
        expected = Counter(ppdus.filter(pl.col("kind") == kind)["start_ns"])
        if kind == 0:
            # EAPOL and null frames may go as management does.
            either = (pl.col("wlan_rsna_eapol.keydes.msgnr") != "") | pl.col("subtype").is_in(NULL)
            known = expected - Counter(alone.filter(either)["time_ns"])
            assert Counter(alone.filter(~either)["time_ns"]) == known
        else:
            assert Counter(alone["time_ns"]) == expected, f"kind {kind}"


def check_answers(packets):
    """Who is acknowledged or cleared to send has just sent, and a BlockAck comes from who was asked."""
    before, checked = [], Counter()
    for row in packets.select("subtype", "wlan.ra", "wlan.ta").iter_rows():
        subtype, ra, ta = row
        senders = {sender for _, _, sender in before[-2:]}
        if subtype == ACK:
            assert ra in senders, (row, before)
        elif subtype == CTS:
            assert any(kind == RTS and sender == ra for kind, _, sender in before[-2:]), (row, before)
        elif subtype == BLOCK_ACK:
            assert any((to, sender) == (ta, ra) for _, to, sender in before), (row, before)
        checked[subtype] += 1
        # The MPDUs of an aggregate are one; two that began together may both be answered.
        if row not in before[-1:]:
            before = [*before[-3:], row]
    return checked


def check_block_acks(packets):
    """The bitmap of every BlockAck has what its receiver had received till then; how many answer a BlockAckReq."""
    arrived, last, after_request = defaultdict(dict), {}, []
    rows = packets.select(
        "subtype", "wlan.ra", "wlan.ta", "seq", "start", "wlan.ba.bm", "bad", "wlan.qos.tid"
    )
    for count, (subtype, ra, ta, seq, start, bitmap, bad, tid) in enumerate(rows.iter_rows()):
        if subtype == QOS_DATA and not bad and tid == "0":
            # What is 2048 numbers behind belongs to the round before.
            own = arrived[ta, ra]
            own[seq] = count
            own.pop((seq + 2048) % 4096, None)
        elif subtype in ASSOCIATED:
            # Numbers begin anew.
            for ends in ((ta, ra), (ra, ta)):
                arrived.pop(ends, None)
        if subtype in (QOS_DATA, BLOCK_ACK_REQ) and not bad:
            last[ta, ra] = subtype
        if subtype != BLOCK_ACK:
            continue
        own = arrived[ra, ta]
        octets = bytes.fromhex(bitmap.replace(":", ""))
        said = {
            (start + 8 * at + bit) % 4096
            for at, octet in enumerate(octets)
            for bit in range(8)
            if octet >> bit & 1
        }
        spoken_of = {(start + place) % 4096 for place in range(8 * len(octets))}
        assert said == spoken_of & set(own), (count, start)
        if last[ra, ta] == BLOCK_ACK_REQ:
            after_request.append(len(said))
    return after_request


def test_the_capture_of_a_protected_network_has_everything(protected):
    packets = protected.air()
    check_nothing_is_wrong(packets)
    check_against_ppdus(protected, packets)
    counted = check_answers(packets)
    assert min(counted[ACK], counted[BLOCK_ACK], counted[RTS], counted[CTS]) > 5
    check_block_acks(packets)
    macs = protected.macs
    for subtype in (BEACON, AUTHENTICATION, DEAUTHENTICATION, ACTION, *REASSOCIATION):
        assert subtype in counted, f"{subtype:#x}"
    assert set(packets.filter(pl.col("subtype") == BEACON)["wlan.ssid"]) == {b"home".hex()}
    keys = packets.filter((pl.col("wlan_rsna_eapol.keydes.msgnr") != "") & ~pl.col("bad"))
    told = [(row[0], row[1]) for row in keys.select("wlan_rsna_eapol.keydes.msgnr", "wlan.ta").iter_rows()]
    ap, sta = macs["ap1"], macs["sta2"]
    assert [pair for n, pair in enumerate(told) if pair not in told[:n]] == [
        ("1", ap),
        ("2", sta),
        ("3", ap),
        ("4", sta),
    ]
    assert set(packets["radiotap.channel.freq"]) == {"5180"}


def test_modes_retries_and_losses_are_those_of_the_records(protected):
    packets = protected.air()
    ppdus = protected.series("ppdus").filter((pl.col("start_ns") >= 0) & (pl.col("kind") == 0))
    data = packets.filter(pl.col("subtype") == QOS_DATA)
    first = data.unique(["time_ns", "wlan.ta"], keep="first", maintain_order=True)
    modes = first.filter(pl.col("radiotap.vht.mcs.0") != "")
    assert len(modes) > 100
    # Mbit/s with one stream at 20 MHz, by MCS (IEEE 802.11-2020, Table 21-29), times tones of data, and guard interval.
    base = (6.5, 13, 19.5, 26, 39, 52, 58.5, 65, 78, 260 / 3)
    tones = {"0": 52, "1": 108, "4": 234}
    by_start = {
        (start, nic): rate for start, nic, rate in ppdus.select("start_ns", "nic", "rate_bps").iter_rows()
    }
    nics = [nic["mac"] for nic in protected.run.plan["air"]["nics"]]
    columns = (
        "time_ns",
        "wlan.ta",
        "radiotap.vht.mcs.0",
        "radiotap.vht.nss.0",
        "radiotap.vht.bw",
        "radiotap.vht.gi",
    )
    for time_ns, ta, mcs, nss, width, guard in modes.select(columns).iter_rows():
        rate = base[int(mcs)] * int(nss) * tones[width] / 52 * (10 / 9 if guard == "1" else 1)
        assert by_start[time_ns, nics.index(ta)] == pytest.approx(rate * 1e6, rel=1e-6)
    assert len(set(modes["radiotap.vht.mcs.0"])) > 3, "minstrel has tried several"
    # One reference number per PPDU, with one last MPDU.
    groups = (
        data.filter(pl.col("radiotap.ampdu.reference") != "")
        .group_by("radiotap.ampdu.reference")
        .agg(
            pl.col("time_ns").n_unique().alias("times"),
            (pl.col("radiotap.ampdu.flags.last") == "1").sum().alias("last"),
            pl.len().alias("mpdus"),
        )
    )
    assert (groups["times"] == 1).all()
    assert (groups["last"] == 1).all()
    assert groups["mpdus"].max() > 8
    # What has the Retry bit was there before, and was lost or not acknowledged.
    seen = set()
    for ta, ra, seq, retry in data.select("wlan.ta", "wlan.ra", "wlan.seq", "wlan.fc.retry").iter_rows():
        if retry == "1" and len(seen) > 5000:
            assert (ta, ra, seq) in seen
        seen.add((ta, ra, seq))
    assert (data["wlan.fc.retry"] == "1").sum() > 50
    lost = ppdus.filter((pl.col("outcome") > 0) & (pl.col("to") != GROUP))
    assert set(lost["start_ns"]) <= set(data.filter(pl.col("bad"))["time_ns"])


def test_what_is_protected_has_its_header_and_a_readable_body(protected):
    packets = protected.air()
    data = packets.filter((pl.col("subtype") == QOS_DATA) & (pl.col("wlan_rsna_eapol.keydes.msgnr") == ""))
    assert set(data["wlan.fc.protected"]) == {"1"}
    # Wireshark takes a few packet numbers for those of TKIP.
    data = data.filter(pl.col("wlan.ccmp.extiv") != "")
    assert len(data) > 0.99 * (packets["wlan.fc.protected"] == "1").sum() - 10
    assert set(data["ip.src"]) == {""}, "by itself Wireshark takes them for encrypted"
    # Packet numbers rise by one with each MPDU that is new, between two and within one association.
    new = data.filter((pl.col("wlan.fc.retry") == "0") & (pl.col("time_ns") < 400_000_000))
    for _, own in new.group_by("wlan.ta", "wlan.ra"):
        numbers = [int(text, 0) for text in own["wlan.ccmp.extiv"]]
        assert numbers == sorted(numbers)
        assert len(set(numbers)) == len(numbers)
    shown = protected.air(*PLAIN).filter(pl.col("subtype") == QOS_DATA)
    check_nothing_is_wrong(shown)
    flows = {flow["name"]: flow for flow in protected.run.plan["flows"]}
    up = shown.filter(pl.col("tcp.dstport") == str(flows["up"]["port"]))
    assert len(up) > 1000
    assert set(up["wlan.ta"]) == {protected.macs["sta2"]}
    assert set(up["ip.dst"]) == {flows["up"]["address"]}
    # Header, CCMP header and integrity code around LLC, SNAP and packet, and the check sequence.
    full = up["frame.len"].cast(pl.Int64).max()
    assert full == int(up["radiotap.length"][0]) + 26 + 8 + 8 + 1500 + 8 + 4


def test_a_monitor_hears_what_is_on_the_air(protected):
    heard, air = protected.ears(), protected.air()
    check_nothing_is_wrong(heard)
    counted = check_answers(heard)
    assert min(counted[ACK], counted[BLOCK_ACK], counted[RTS], counted[CTS], counted[QOS_DATA]) > 5
    # Its timer began earlier.
    beacon = heard.filter(pl.col("subtype") == BEACON).row(0, named=True)
    same = air.filter(
        (pl.col("subtype") == BEACON) & (pl.col("wlan.fixed.timestamp") == beacon["wlan.fixed.timestamp"])
    )
    ahead = beacon["mactime"] - same["mactime"][0]
    assert ahead > 0
    what = (
        *(
            "subtype",
            "wlan.ra",
            "wlan.ta",
            "wlan.duration",
            "wlan.seq",
            "start",
            "wlan.ba.bm",
            "wlan.fc.retry",
        ),
        *("radiotap.datarate", "radiotap.channel.freq", "radiotap.vht.mcs.0", "radiotap.vht.nss.0"),
        *("radiotap.vht.bw", "radiotap.vht.gi", "wlan.fixed.timestamp"),
    )
    # Their timers differ by 40 parts per million at most, the tolerance of both.
    beacons = heard.filter(pl.col("subtype") == BEACON).join(
        air, on="wlan.fixed.timestamp", suffix="_of_sender"
    )
    drifts = (beacons["mactime"] - beacons["mactime_of_sender"] - ahead).abs()
    assert (drifts <= 40e-6 * (beacons["mactime"] - beacon["mactime"]).abs() + 2).all()
    sent = Counter(air.select(*what).iter_rows())
    got = Counter(heard.select(*what).iter_rows())
    assert got - sent == Counter(), "it hears nothing that was not sent"
    # Between its first and its last packet it misses only what met something else on the air.
    span = pl.col("mactime").is_between(heard["mactime"].min() - ahead, heard["mactime"].max() - ahead)
    missed = Counter(air.filter(span & ~pl.col("bad")).select(*what).iter_rows()) - got
    assert missed.total() < 0.01 * got.total()
    references = heard.filter(pl.col("subtype") == QOS_DATA).group_by("radiotap.ampdu.reference")
    last = references.agg((pl.col("radiotap.ampdu.flags.last") == "1").sum().alias("last"))
    assert last["last"].max() == 1
    assert (last["last"] == 1).mean() > 0.9


def test_a_block_ack_req_is_answered_with_what_has_arrived(given_up):
    packets = given_up.air()
    check_nothing_is_wrong(packets)
    check_against_ppdus(given_up, packets)
    counted = check_answers(packets)
    assert counted[BLOCK_ACK_REQ] > 20
    answers = check_block_acks(packets)
    assert len(answers) > 20
    assert max(answers) > 0
    # A monitor hears the same answers, though it has itself heard what was lost on the way to the access point.
    what = ("wlan.ra", "wlan.ta", "start", "wlan.ba.bm")
    of_air, of_ears = (
        Counter(frame.filter(pl.col("subtype") == BLOCK_ACK).select(what).iter_rows())
        for frame in (packets, given_up.ears())
    )
    assert of_ears.total() > 20
    assert of_ears - of_air == Counter()


def test_a_monitor_is_told_the_modes_of_he(given_up):
    fields = ("radiotap.he.data_3.data_mcs", "radiotap.he.data_6.nsts", "radiotap.he.data_3.coding")
    places = (*fields, "radiotap.he.data_5.data_bw_ru_allocation", "radiotap.he.data_5.gi")
    of_air, of_ears = (
        packets.filter((pl.col("subtype") == QOS_DATA) & (pl.col("radiotap.he.data_3.data_mcs") != ""))
        for packets in (given_up.air(), given_up.ears())
    )
    assert len(of_ears) > 300
    assert set(of_ears.select(places).iter_rows()) <= set(of_air.select(places).iter_rows())
    assert len(set(of_ears["radiotap.he.data_3.data_mcs"])) > 3


def test_the_passphrase_opens_what_the_kernel_has_encrypted(tmp_path):
    cell = (
        CELL
        + 'standard = "11n"\nsecurity = "wpa2"\npassphrase = "nobody else knows"\nhardware_crypto = false\n'
    )
    text = HEAD.format(seconds=1) + cell + WIRE + UP + AIR.format(snap=4096) + AGAIN
    made = make(tmp_path, text)
    key = 'uat:80211_keys:"wpa-pwd","nobody else knows:home"'
    closed, opened = made.air(), made.air("-o", "wlan.enable_decryption:TRUE", "-o", key)
    for packets in (closed, opened):
        check_nothing_is_wrong(packets)
        # All of them are whole.
        assert (packets["frame.len"] == packets["frame.cap_len"]).all()
        status = packets["wlan.fcs.status"].cast(pl.Int64, strict=False)
        assert ((status == 1 - packets["bad"].cast(pl.Int64)) | status.is_null() | (status == 2)).all()
    again = closed.filter(pl.col("wlan_rsna_eapol.keydes.msgnr") == "4")["time_ns"].max()
    late = (pl.col("subtype") == QOS_DATA) & (pl.col("time_ns") > again) & ~pl.col("bad")
    assert set(closed.filter(late)["ip.dst"]) == {""}
    data = opened.filter(late & (pl.col("wlan.ta") == made.macs["sta2"]))
    port = str(made.run.plan["flows"][0]["port"])
    assert (data["tcp.dstport"] == port).sum() > 100
    # There are ARP and such things as well.
    assert (data["tcp.dstport"] == port).mean() > 0.9


@pytest.mark.parametrize(
    "keys",
    ['standard = "11n"', 'standard = "11ax"\nsecurity = "wpa2"\nsubframe_retry_limit = 2'],
)
def test_a_capture_does_not_change_the_traffic(tmp_path, keys):
    loss = "[[channel.loss]]\nprobability = 0.2\n"
    text = HEAD.format(seconds=1) + CELL + keys + "\n" + loss + WIRE + UP + DOWN
    late = '[[capture]]\nname = "late"\nair = true\nflows = "up"\nstart = "600 ms"\n'
    hashes = []
    for place, captures in enumerate(("", AIR.format(snap=4096) + late)):
        folder = tmp_path / str(place)
        folder.mkdir()
        made = make(folder, text + captures)
        hashes.append((made.run.manifest["frame_hash"], made.series("ppdus").hash_rows().sum()))
    assert hashes[0] == hashes[1]
    flow = next(flow for flow in made.run.plan["flows"] if flow["name"] == "up")
    only = read(made.folder / "pcap" / "late.pcapng", *PLAIN)
    assert len(only) > 100
    assert only["time_ns"].min() >= 600_000_000
    assert {made.macs["sta2"]} < set(only["wlan.ta"]) <= {made.macs["sta2"], made.macs["ap1"]}
    assert str(flow["port"]) in set(only["tcp.dstport"])


MOVING = """
name = "moving"
duration = "4 s"
[wifi.east]
mac = "linux"
ssid = "n"
standard = "11n"
channel = 36
stations = ["sta1", "sta2"]
[wifi.west]
mac = "linux"
ssid = "n"
standard = "11n"
channel = 149
stations = []
[wifi.east.radio.ap1]
position = ["0 m", "0 m"]
[wifi.east.radio.sta2]
position = ["0 m", "5 m"]
[wifi.west.radio.ap2]
position = ["60 m", "0 m"]
[wifi.east.radio.sta1]
position = ["3 m", "0 m"]
waypoints = [{ time = "1 s", position = ["3 m", "0 m"] }, { time = "3 s", position = ["57 m", "0 m"] }]
[channel]
propagation = "log_distance"
reference_loss = "45 dB"
[[wire]]
between = ["sw", "ap1"]
[[wire]]
between = ["sw", "ap2"]
[[wire]]
between = ["sw", "h1"]
[[flow]]
from = "sta1"
to = "h1"
[[flow]]
from = "h1"
to = "sta2"
[[program]]
node = "sta1"
start = "1800 ms"
command = "wpa_cli scan; sleep 0.5; wpa_cli roam $(wpa_cli scan_results | awk '$2 == 5745 {print $1; exit}')"
[sampling]
ppdus = true
air = "100 ms"
[[capture]]
air = true
"""


@pytest.fixture(scope="module")
def moving(tmp_path_factory):
    """Two access points on two channels, and a station that goes from one to the other."""
    return make(tmp_path_factory.mktemp("moving"), MOVING)


def test_samples_of_radios_that_move_between_channels_add_up(moving):
    nodes = {nic["node"]: number for number, nic in enumerate(moving.run.plan["air"]["nics"])}
    air, links, ppdus = (moving.series(name) for name in ("air", "links", "ppdus"))
    for frame, keys in ((air, ["nic"]), (links, ["nic", "peer"])):
        for _, own in frame.group_by(keys):
            assert own["time_ns"].is_sorted()
            for counter in ("transmissions", "retries", "collisions", "corrupted", "airtime_ns"):
                assert own[counter].is_sorted()
    assert air.group_by("nic").len()["len"].to_list() == [41] * 4
    pairs = set(links.select("nic", "peer").iter_rows())
    for station, access_point in (("sta1", "ap1"), ("sta1", "ap2"), ("sta2", "ap1")):
        assert (nodes[station], nodes[access_point]) in pairs
        assert (nodes[access_point], nodes[station]) in pairs
    last = pl.col("time_ns") == pl.col("time_ns").max()
    data = ppdus.filter(pl.col("kind") == 0)
    for nic in nodes.values():
        own = data.filter(pl.col("nic") == nic)
        radio = air.filter(last & (pl.col("nic") == nic)).row(0, named=True)
        of_links = links.filter(last & (pl.col("nic") == nic))
        groups = (own["to"] == GROUP).sum()
        assert of_links["transmissions"].sum() == radio["transmissions"] - groups
        for counter in ("retries", "collisions", "corrupted"):
            assert of_links[counter].sum() == radio[counter]
        # The last exchange may not be over when the last sample is taken.
        assert 0 <= len(own) - radio["transmissions"] <= 1
        late = ppdus.filter((pl.col("nic") == nic) & (pl.col("end_ns") > 0))
        spent = (late["end_ns"] - late["start_ns"].clip(lower_bound=0)).sum()
        assert 0 <= spent - radio["airtime_ns"] < 10_000_000
    after = data.filter(pl.col("start_ns") >= 0)
    for nic, peer, airtime in links.filter(last).select("nic", "peer", "airtime_ns").iter_rows():
        own = after.filter((pl.col("nic") == nic) & (pl.col("to") == peer))
        assert 0 <= (own["end_ns"] - own["start_ns"]).sum() - airtime < 10_000_000


def test_a_capture_says_on_which_channel_a_radio_was(moving):
    packets, macs = moving.air(), moving.macs
    check_nothing_is_wrong(packets)
    check_against_ppdus(moving, packets)
    channels = defaultdict(set)
    for ta, channel in (
        packets.filter(pl.col("wlan.ta") != "").select("wlan.ta", "radiotap.channel.freq").iter_rows()
    ):
        channels[ta].add(channel)
    assert channels[macs["ap1"]] == {"5180"}
    assert channels[macs["ap2"]] == {"5745"}
    assert channels[macs["sta1"]] >= {"5180", "5745"}
    # Each channel by itself is a conversation.
    for channel in ("5180", "5745"):
        own = packets.filter(pl.col("radiotap.channel.freq") == channel)
        check_answers(own)
        check_block_acks(own)
    answers = packets.filter((pl.col("subtype") == ACK) & (pl.col("wlan.ra") == macs["sta1"]))
    assert set(answers["radiotap.channel.freq"]) == {"5180", "5745"}
    signal = packets.filter((pl.col("wlan.ta") == macs["sta1"]) & (pl.col("radiotap.dbm_antsignal") != ""))
    near = signal["radiotap.dbm_antsignal"].cast(pl.Int64)
    assert near.max() - near.min() > 20, "it went away and came near"
