"""Power save, U-APSD, channel switches and airtime queue limits of the kernel's mac80211, in real guests."""

import subprocess

import pytest
from support.mac80211_scenarios import CELL, HEAD, UP, WIRE, output, program, run

pytestmark = pytest.mark.guest

# A beacon interval is 100 units of 1024 us.
BEACONS_MS = 102.4
PINGS = '[[ping]]\nfrom = "h1"\nto = "sta1"\ninterval = "330 ms"\n'
CAPTURE = "[[capture]]\nair = true\n"


def rtts_ms(made):
    # The first waits for an address, by a broadcast that a sleeping station hears after a DTIM only.
    answered = made.ping_samples(0).filter(made.ping_samples(0)["rtt_ns"] >= 0)
    return [rtt_ns / 1e6 for rtt_ns in answered["rtt_ns"].to_list()[2:]]


def frames(made, only, field):
    """Times, in s, at which frames began of which a filter of Wireshark is true, with a field of each."""
    file = made.folder / "pcap" / "air.pcapng"
    command = [
        "tshark",
        "-r",
        str(file),
        "-Y",
        only,
        "-T",
        "fields",
        "-e",
        "frame.time_relative",
        "-e",
        field,
    ]
    text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return [line.split("\t") for line in text.splitlines()]


def test_a_station_that_sleeps_gets_its_frames_after_beacons(tmp_path):
    awake = run(tmp_path / "awake", HEAD + CELL + WIRE + PINGS)
    asleep = run(tmp_path / "asleep", HEAD + CELL + "power_save = true\n" + WIRE + PINGS)
    assert max(rtts_ms(awake)) < 3
    # It wakes for the beacon that tells of a frame; 330 ms are no multiple of the interval, so waits differ.
    assert max(rtts_ms(asleep)) > BEACONS_MS / 2
    assert max(rtts_ms(asleep)) < BEACONS_MS + 3


@pytest.mark.parametrize(
    ("advertised", "fetch"),
    [(1, "wlan.fc.type_subtype == 44 && wlan.fc.pwrmgt == 1"), (0, "wlan.fc.type_subtype == 26")],
)
def test_a_sleeping_station_fetches_by_triggers_or_polls(tmp_path, advertised, fetch):
    keys = (
        f'power_save = true\nuapsd = true\nsetup = "daemons"\n'
        f'hostapd = ["uapsd_advertisement_enabled={advertised}"]\n'
    )
    made = run(tmp_path, HEAD + CELL + keys + WIRE + PINGS + CAPTURE)
    rtts = rtts_ms(made)
    assert BEACONS_MS / 2 < max(rtts) < BEACONS_MS + 3
    assert len(frames(made, fetch, "wlan.ta")) >= len(rtts)
    # Nothing that the station says of itself tells that it is awake.
    station = made.plan["air"]["nics"][1]["mac"]
    to_ap = f"wlan.ta == {station} && wlan.fc.type == 2"
    assert {field for _, field in frames(made, to_ap, "wlan.fc.pwrmgt")} == {"1"}
    # The first trigger fetches more than one frame.
    fetched = f"wlan.ra == {station} && icmp && frame.time_relative > 0.5"
    ended = {field for _, field in frames(made, fetched, "wlan.qos.eosp")}
    assert ended == {str(advertised)}, "a service period ends with the frame that the trigger fetched"


def test_frames_for_groups_wait_for_the_dtim_while_somebody_sleeps(tmp_path):
    group = program("group", "h1", "ping -b -c 3 -i 0.3 -W 1 10.0.0.255 || true")
    made = run(tmp_path, HEAD + CELL + "power_save = true\ndtim = 3\n" + WIRE + group + CAPTURE)
    beacons = [
        (float(at), int(count)) for at, count in frames(made, "wlan.tim.dtim_count", "wlan.tim.dtim_count")
    ]
    dtims = [at for at, count in beacons if count == 0]
    sent = [float(at) for at, _ in frames(made, "icmp && wlan.ra == ff:ff:ff:ff:ff:ff", "wlan.ta")]
    assert len(sent) >= 3
    # Behind the beacon at once: it lasts some 250 us, and at most three frames of 100 octets follow.
    assert all(any(0 < at - dtim < 2e-3 for dtim in dtims) for at in sent)


def test_a_network_changes_its_channel_while_tcp_runs(tmp_path):
    keys = 'setup = "daemons"\nchannel = 36\n'
    switch = program("switch", "ap1", "hostapd_cli chan_switch 5 5220 ht sec_channel_offset=0", "2 s")
    where = program("where", "sta1", "iw dev wlan0 link", "3.5 s")
    text = HEAD + CELL + keys + WIRE + UP + switch + where + "[sampling]\nflows = '100 ms'\n"
    made = run(tmp_path, text)
    assert "freq: 5220" in output(made, "where")
    samples = made.flow_samples(0)
    late = samples.filter(samples["time_ns"] > 3_000_000_000)["bytes_acked"]
    # MCS 7 of 20 MHz carries 50 Mbit/s and more of TCP; here for at least half a second of it.
    assert late[-1] - late[0] > 3_000_000


def test_the_airtime_limit_bounds_what_a_radio_holds_ready(tmp_path):
    """Without it, a frame of another flow waits for all PPDUs that the radio has taken out of mac80211's queues."""
    flood = '[[udp]]\nfrom = "h1"\nto = "sta1"\nrate = "40 Mbit/s"\n'
    cell = CELL + 'rate = "HT-MCS 3"\nprefetch = 8\n'
    held = {}
    for limit in ("true", "false"):
        made = run(tmp_path / limit, HEAD + cell + f"aql = {limit}\n" + WIRE + flood + PINGS)
        held[limit] = sorted(rtts_ms(made))[len(rtts_ms(made)) // 2]
    # A station's frames in the radio may take 12 ms (IEEE80211_DEFAULT_AQL_TXQ_LIMIT_H); the last may pass that by a PPDU,
    # of 5.484 ms at most, and the one on the air and the answer come on top. Without limit there are eight.
    assert held["true"] < 12 + 3 * 5.5
    assert held["false"] > 6 * 5.484
