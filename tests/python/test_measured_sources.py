"""Folders with `sources.toml`: files of other programs as measured runs."""

import json
import math
import struct
from pathlib import Path

import airtcp
import pytest
from airtcp.data.find_runs import find_runs
from airtcp.data.run_folder import Run, open_run
from airtcp.errors import AirtcpError
from airtcp.fitting.measured import measured_of
from airtcp.fitting.settings import settings_of
from airtcp.report.comparison.files import file_side
from airtcp.sources.imported import import_sources
from airtcp.sources.places import with_sources
from support.command import airtcp as airtcp_command

FOREIGN = Path(__file__).parent / "foreign"
S, MS = 1_000_000_000, 1_000_000
SCENARIO = """
name = "home"
duration = "60 s"
[wifi.home]
standard = "11n"
stations = ["sta1"]
rate = "HT-MCS 7"
[channel]
rssi = "-70 dBm ? -40 dBm"
[[wire]]
between = ["ap1", "h1"]
rate = "?"
[[flow]]
from = "sta1"
to = "h1"
start = "1 s"
[[ping]]
name = "idle"
from = "h1"
to = "sta1"
interval = "1 s"
"""


def iperf3(rate_mbps: float, seconds: int = 4) -> str:
    """A test of iperf3 with a constant rate, of which the receiver got 99 %."""
    count = round(rate_mbps * 1e6 / 8)
    parts = []
    for number in range(seconds):
        each = {"start": number, "end": number + 1.0001, "bytes": count, "bits_per_second": rate_mbps * 1e6}
        stream = {
            **each, "socket": 5, "retransmits": 2, "snd_cwnd": 144_800, "rtt": 20_000, "rttvar": 900,
            "omitted": False, "sender": True,
        }  # fmt: skip
        parts.append({"streams": [stream], "sum": {**each, "omitted": False, "sender": True}})
    total = {"socket": 5, "seconds": seconds, "bytes": count * seconds, "bits_per_second": rate_mbps * 1e6}
    got = {**total, "bytes": round(count * seconds * 0.99)}
    end = {"streams": [{"sender": {**total, "retransmits": 8}, "receiver": got}]}
    start = {"connected": [{"socket": 5}], "tcp_mss_default": 1448}
    return json.dumps({"start": start, "intervals": parts, "end": end}) + "\n"


PING = (
    "PING 10.0.0.2 (10.0.0.2) 56(84) bytes of data.\n"
    + "".join(
        f"[{100 + 0.2 * n + (2 + n) / 1000:.6f}] 64 bytes from 10.0.0.2: icmp_seq={n + 1} ttl=64 time={2 + n} ms\n"
        for n in range(10)
        if n != 4
    )
    + "\n--- 10.0.0.2 ping statistics ---\n10 packets transmitted, 9 received, 10% packet loss, time 1800ms\n"
)


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def folder(place: Path, sources: str, **files: str) -> Path:
    """A folder of sources; names of files have `_` for the point."""
    made = place / "measured"
    made.mkdir(exist_ok=True)
    (made / "home.toml").write_text(SCENARIO)
    (made / "sources.toml").write_text(f'scenario = "home.toml"\n{sources}')
    for name, content in files.items():
        (made / name.replace("_", ".")).write_text(content)
    return made


def runs(place: Path) -> list[Run]:
    return [open_run(found) for found in find_runs([import_sources(place)])]


def refusal(place: Path) -> str:
    with pytest.raises(AirtcpError) as caught:
        import_sources(place)
    return str(caught.value)


ONE = """
[[run]]
[[run.source]]
file = "iperf3.json"
flow = "sta1-h1"
[[run.source]]
file = "ping.txt"
ping = "idle"
"""


def test_a_flow_and_a_ping_become_a_run(tmp_path):
    (run,) = runs(folder(tmp_path, ONE, iperf3_json=iperf3(80), ping_txt=PING))
    assert run.measured
    flows = run.flow_samples(0)
    assert flows["bytes_received"].to_list() == [round(10e6 * 0.99 * n) for n in range(5)]
    assert flows["srtt_us"].to_list() == [0, *[20_000] * 4]
    assert flows["cwnd"].to_list() == [0, *[100] * 4]
    assert flows["total_retrans"].to_list() == [0, 2, 4, 6, 8]
    # What iperf3 does not say is null, and is not read as 0.
    assert flows["min_rtt_us"].null_count() == 5
    pings = run.ping_samples(0)
    assert pings["rtt_ns"].to_list() == [(2 + n) * MS if n != 4 else -1 for n in range(10)]
    planned = run.plan["pings"][0]
    assert (planned["interval_ns"], planned["stop_ns"]) == (200 * MS, 2_000 * MS)
    assert run.plan["flows"][0]["stop_ns"] == 5 * S
    assert run.plan["sampling"]["flows_interval_ns"] == S


def test_tests_of_one_file_are_repetitions(tmp_path):
    made = folder(tmp_path, ONE, iperf3_json=iperf3(80) + iperf3(90), ping_txt=PING)
    (setting,) = settings_of([import_sources(made)])
    assert len(setting.folders) == 2
    names = measured_of([setting]).names[0]
    assert "goodput of sta1-h1" in names
    assert "least RTT of sta1-h1" not in names
    rates = sorted(airtcp.number(open_run(place), "throughput") for place in setting.folders)
    assert rates == [pytest.approx(79.2, rel=0.001), pytest.approx(89.1, rel=0.001)]
    assert math.isnan(airtcp.number(open_run(setting.folders[0]), "inflight"))


def test_a_part_of_the_time(tmp_path):
    part = ONE.replace("[[run]]", '[[run]]\nbegin = "1 s"\nend = "1900 ms"', 1)
    only_ping = part[: part.index("[[run.source]]")] + part[part.rindex("[[run.source]]") :]
    (run,) = runs(folder(tmp_path, only_ping, ping_txt=PING))
    assert run.ping_samples(0)["rtt_ns"].to_list() == [(2 + n) * MS for n in range(5, 10)]
    assert run.ping_samples(0)["time_ns"].to_list() == [200 * MS * n for n in range(5)]


def test_settings_differ_by_keys_and_traffic(tmp_path):
    sources = """
[[run]]
set = { "wifi.home.rate" = "HT-MCS 0" }
[[run.source]]
file = "a.txt"
ping = "idle"
[[run]]
[[run.source]]
file = "b.txt"
ping = "idle"
"""
    made = folder(tmp_path, sources, a_txt=PING, b_txt=PING)
    settings = settings_of([import_sources(made)])
    assert len(settings) == 2
    assert all(setting.varied for setting in settings)
    assert all(not setting.plan["flows"] for setting in settings)


STATION = "Station 68:2f:67:8b:98:ed (on wlan0)\n\tsignal:  \t-{} dBm\n\ttx bitrate:\t65.0 MBit/s MCS 7\n"


def test_statistics_of_stations_give_the_signal(tmp_path):
    sources = (
        ONE + '[[run.source]]\nfile = "log.txt"\nnode = "ap1"\npeers = { "68:2F:67:8B:98:ED" = "sta1" }\n'
    )
    log = "".join(f"{100 + n}\n{STATION.format(50 + n)}" for n in range(3))
    (run,) = runs(folder(tmp_path, sources, iperf3_json=iperf3(80), ping_txt=PING, log_txt=log))
    named = run.named("stations")
    assert named["signal_dbm"].to_list() == [-50, -51, -52]
    assert named.select("node_name", "peer_name").row(0) == ("ap1", "sta1")


@pytest.mark.parametrize("name", ["iperf3-text.txt", "iperf2-text-udp-server.txt"])
def test_a_flow_of_other_formats(tmp_path, name):
    made = folder(tmp_path, '[[run]]\n[[run.source]]\nfile = "a.txt"\nflow = "sta1-h1"\n')
    (made / "a.txt").write_bytes((FOREIGN / name).read_bytes())
    (run,) = runs(made)
    assert run.flow_samples(0)["bytes_received"].to_list()[-1] > 600_000
    assert run.flow_reports[0]["retransmits"] is None


def test_irtt_is_a_ping(tmp_path):
    made = folder(tmp_path, '[[run]]\n[[run.source]]\nfile = "a.json"\nping = "idle"\n')
    (made / "a.json").write_bytes((FOREIGN / "irtt.json").read_bytes())
    (run,) = runs(made)
    assert run.plan["pings"][0]["interval_ns"] == pytest.approx(20 * MS, rel=0.05)
    assert run.ping_samples(0).height == 10


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (ONE.replace('"sta1-h1"', '"sta1-h2"'), 'the scenario has no flow "sta1-h2". Did you mean "sta1-h1"?'),
        (ONE.replace("iperf3.json", "iperf.json"), 'run[0].source[0]: there is no file "iperf.json"'),
        (ONE.replace('flow = "sta1-h1"\n', ""), "does not say what the file is"),
        (ONE.replace("flow =", "flwo ="), "unknown key"),
        (ONE.replace("iperf3.json", "ping.txt"), "says nothing of a flow (ping text)"),
        (ONE.replace('file = "ping.txt"', 'file = "iperf3.json"'), "has no round-trip times (iperf3 JSON)"),
        (ONE.replace("[[run]]", '[[run]]\nbegin = "50 s"'), "has nothing in this part"),
        (ONE.replace('flow = "sta1-h1"', 'flow = "sta1-h1"\ntest = 3'), "has no test 3. It has 1 tests"),
        ("", "run: is missing"),
    ],
)  # fmt: skip
def test_mistakes_are_named(tmp_path, wrong, why):
    assert why in refusal(folder(tmp_path, wrong, iperf3_json=iperf3(80), ping_txt=PING))


def test_damaged_files_are_named(tmp_path):
    told = refusal(folder(tmp_path, ONE, iperf3_json=iperf3(80)[:-30], ping_txt=PING))
    assert "iperf3.json: is damaged" in told


def test_other_places_stay_and_files_are_read_once(tmp_path):
    made = folder(tmp_path, ONE, iperf3_json=iperf3(80), ping_txt=PING)
    store = import_sources(made)
    assert with_sources([made, tmp_path]) == [store, tmp_path]
    (made / "ping.txt").write_text(PING.replace("time=2 ms", "time=3 ms"))
    assert import_sources(made) != store


@pytest.mark.parametrize("kind", ["csv", "parquet", "flent"])
def test_they_are_exported_like_other_runs(tmp_path, kind):
    made = folder(tmp_path, ONE, iperf3_json=iperf3(80), ping_txt=PING)
    out = tmp_path / "out"
    answer = airtcp_command("export", made, "--format", kind, "--out", out, cwd=tmp_path)
    assert answer.returncode == 0, answer.stderr
    if kind == "flent":
        measured = airtcp.load(out)
        names = measured.frame("series")["series"].unique().to_list()
        assert {"TCP upload::1", "Ping (ms) ICMP"} <= set(names)
    else:
        assert {"flows", "pings"} <= {file.stem for file in out.iterdir()}


def test_files_alone_are_compared(tmp_path):
    (tmp_path / "ours.txt").write_text(PING)
    (tmp_path / "theirs.json").write_bytes((FOREIGN / "irtt.json").read_bytes())
    answer = airtcp_command(
        "compare", tmp_path / "ours.txt", tmp_path / "theirs.json", "--json", cwd=tmp_path
    )
    assert answer.returncode == 0, answer.stderr
    for name in ("iperf3-text.txt", "iperf2-text-udp-server.txt", "netperf-udp-stream.txt"):
        value = file_side(FOREIGN / name).rows[0].values["throughput"]
        assert value == pytest.approx({"iperf3": 3260, "iperf2": 5.27, "netper": 3709.26}[name[:6]])


def radiotap(power_dbm: int, seconds: int) -> bytes:
    """A capture of data frames from 02:..:01 to 02:..:02, ten a second, with this power."""
    header = struct.pack("<BBHIb", 0, 0, 9, 1 << 5, power_dbm)
    frame = bytes([0x88, 0, 0, 0]) + bytes([2, 0, 0, 0, 0, 2]) + bytes([2, 0, 0, 0, 0, 1]) + bytes(20)
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 127)
    for number in range(10 * seconds):
        packet = header + frame
        content += (
            struct.pack("<IIII", 100 + number // 10, number % 10 * 100_000, len(packet), len(packet)) + packet
        )
    return content


def test_a_capture_of_the_air_gives_the_signal(tmp_path):
    sources = (
        ONE + '[[run.source]]\nfile = "air.pcap"\nnode = "ap1"\npeers = { "02:00:00:00:00:01" = "sta1" }\n'
    )
    made = folder(tmp_path, sources, iperf3_json=iperf3(80), ping_txt=PING)
    (made / "air.pcap").write_bytes(radiotap(-47, 2))
    (run,) = runs(made)
    assert set(run.named("stations")["signal_dbm"].to_list()) == {-47}
    (made / "sources.toml").write_text((made / "sources.toml").read_text().replace("00:01", "00:09"))
    assert "has no station 02:00:00:00:00:09" in refusal(made)
