"""PPDUs of several users and triggered uplinks below the kernel's mac80211, in real guests."""

import filecmp

import polars as pl
import pytest
from support.mac80211_scenarios import HEAD, goodput_mbps, output, program, run

pytestmark = pytest.mark.guest

# Wall-clock figures, and what the kernel says of its host.
NOT_PROMISED = {"manifest.json", "console.log"}
STATIONS = ["sta1", "sta2", "sta3", "sta4"]

DOWNLOADS = '[[flow]]\nname = "down"\nfrom = "h1"\nto = "sta*"\nstart = "1 s"\n'
UPLOADS = '[[flow]]\nname = "up"\nfrom = "sta*"\nto = "h1"\nstart = "1 s"\n'


def scenario(multi_user, rest="", keys=""):
    """Four stations of 11ax with WPA2, and what is beyond their access point."""
    return f"""
name = "shared"
duration = "3 s"

[wifi.home]
mac = "linux"
standard = "11ax"
width = "20 MHz"
security = "wpa2"
stations = 4
multi_user = {multi_user}
{keys}

[[wire]]
between = ["ap1", "h1"]
rate = "1 Gbit/s"

[sampling]
ppdus = true

{rest}
"""


def check_radios(made):
    """Every MPDU that the lower MAC took from mac80211 was sent or dropped for a reason, or is still there."""
    radios = made.air_report["nics"]
    assert len(radios) == 1 + len(STATIONS)
    for radio in radios:
        assert radio["accepted"] == radio["sent"] + sum(radio["dropped"].values()) + radio["in_flight"]


def data(made, node, *, to=None):
    of_node = made.ppdus.filter((pl.col("kind_name") == "data") & (pl.col("node_name") == node))
    return of_node if to is None else of_node.filter(pl.col("to_name") == to)


def most_users(ppdus):
    """Users of the PPDU that has most, of PPDUs with resource units."""
    return ppdus.filter(pl.col("ru_tones") > 0).group_by("start_ns").len()["len"].max() or 0


@pytest.mark.parametrize("uplink", [False, True])
@pytest.mark.parametrize("acknowledgement", ["sequential", "mu_bar", "aggregated_mu_bar"])
def test_tcp_down_and_up_goes_in_shared_ppdus(tmp_path, acknowledgement, uplink):
    keys = f'{{ acknowledgement = "{acknowledgement}", uplink = {str(uplink).lower()} }}'
    made = run(tmp_path, scenario(keys, DOWNLOADS + UPLOADS))
    check_radios(made)
    downs = [
        goodput_mbps(made, flow["name"]) for flow in made.agent["flows"] if flow["name"].startswith("down")
    ]
    ups = [goodput_mbps(made, flow["name"]) for flow in made.agent["flows"] if flow["name"].startswith("up")]
    assert len(downs) == len(ups) == len(STATIONS)
    assert min(downs) > 2
    assert min(ups) > 2
    shared = data(made, "ap1")
    assert most_users(shared) == len(STATIONS)
    # Each PPDU has one user for each receiver.
    users = shared.filter(pl.col("ru_tones") > 0).group_by("start_ns")
    assert all(of_one["to_name"].n_unique() == of_one.height > 1 for _, of_one in users)
    triggered = made.ppdus.filter((pl.col("node_name") != "ap1") & (pl.col("ru_tones") > 0))
    assert ("data" in set(triggered["kind_name"])) == uplink
    answers = triggered.filter(pl.col("kind_name") == "data")
    if uplink:
        assert most_users(answers) > 1
        assert (made.ppdus["kind_name"] == "multi-STA BlockAck").any()


def test_a_repeated_run_is_the_same(tmp_path):
    rest = DOWNLOADS + UPLOADS + "[[capture]]\nair = true\n"
    text = scenario('{ acknowledgement = "mu_bar", uplink = true, mu_rts = true }', rest)
    folders = [run(tmp_path / name, text).folder for name in ("one", "two")]
    files = [sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file()) for folder in folders]
    assert files[0] == files[1]
    lasting = [str(path) for path in files[0] if str(path) not in NOT_PROMISED]
    assert "pcap/air.pcapng" in lasting
    _, different, unread = filecmp.cmpfiles(*folders, lasting, shallow=False)
    assert not different
    assert not unread


def test_sleeping_stations_are_not_asked(tmp_path):
    """Nothing but a ping in three seconds: stations that are awake say every 20 ms that they have nothing."""
    keys = "{ uplink = true }"
    ping = '[[ping]]\nfrom = "h1"\nto = "sta1"\ninterval = "330 ms"\n'
    triggers = {}
    for power_save in ("false", "true"):
        made = run(tmp_path / power_save, scenario(keys, ping, f"power_save = {power_save}"))
        check_radios(made)
        later = made.ppdus.filter(pl.col("start_ns") > 1e9)
        triggers[power_save] = (later["kind_name"] == "trigger").sum()
        answered = made.ping_samples(0)
        assert (answered["rtt_ns"] >= 0).sum() >= answered.height - 1
    assert triggers["false"] > 50
    assert triggers["true"] < triggers["false"] / 4


def test_a_station_is_asked_by_the_access_point_where_it_is(tmp_path):
    """It roams from one to the other, on another channel, while it uploads."""
    cells = "".join(
        f"""
[wifi.{name}]
mac = "linux"
ssid = "office"
standard = "11ax"
width = "20 MHz"
channel = {channel}
multi_user = {{ uplink = true }}
stations = {stations}
"""
        for name, channel, stations in (("left", 36, '["sta1"]'), ("right", 149, "[]"))
    )
    rest = """
[[wire]]
between = ["ap1", "sw"]
[[wire]]
between = ["ap2", "sw"]
[[wire]]
between = ["sw", "h1"]
[[flow]]
from = "sta1"
to = "h1"
[sampling]
ppdus = true
"""
    where = "wpa_cli scan_results; wpa_cli roam $(wpa_cli scan_results | awk '/office/ && /5745/ {print $1; exit}')"
    made = run(tmp_path, HEAD + cells + rest + program("roam", "sta1", where, "2 s"))
    assert "OK" in output(made, "roam")
    asked = made.ppdus.filter((pl.col("kind_name") == "trigger") & (pl.col("to_name") == "sta1"))
    assert set(asked["node_name"]) == {"ap1", "ap2"}
    left, right = (asked.filter(pl.col("node_name") == ap)["start_ns"] for ap in ("ap1", "ap2"))
    assert left.max() < right.min()
    uploads = made.ppdus.filter((pl.col("kind_name") == "data") & (pl.col("node_name") == "sta1"))
    assert set(uploads["to_name"]) >= {"ap1", "ap2"}
