"""Real guests: every start, arrival and loss on wires with traces is that of a second implementation."""

import random

import pytest
from airtcp.formats.capture_file import read_capture
from support.command import run_text
from support.wire_reference import ReferenceWire, Step, siphash

pytestmark = pytest.mark.guest

MS = 1_000_000
# A sender wakes up at the next tick of the guest's clock, 256 ns, and its call takes a tick (docs/internals/guest.md).
TICKS_NS = 1_000
# Ethernet, IPv4 and UDP headers.
HEADERS = 14 + 20 + 8
SCENARIO = """
name = "x"
duration = "{duration}"
seed = {seed}
{more}
[[wire]]
between = ["h1", "h2"]
rate = "{rate}"
delay = "5 ms"
queue = "{queue}"
trace = {{ file = "t.csv"{repeat} }}
[wire.towards.h1]
trace = {{ file = "back.csv" }}
{traffic}
[[capture]]
name = "h1"
node = "h1"
[[capture]]
name = "h2"
node = "h2"
"""
# A request before the stream, so that its first datagram need not wait for ARP.
STREAM = """
[[ping]]
from = "h1"
to = "h2"
phase = "none"
interval = "10 s"
[[udp]]
from = "h1"
to = "h2"
rate = "{rate}"
payload = {payload}
phase = "none"
start = "{start}"
stop = "{stop}"
"""


def ran(folder, text, csv, back="time_s,delay_ms\n0,1\n"):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "t.csv").write_text(csv)
    (folder / "back.csv").write_text(back)
    return run_text(folder, text)


def datagrams(run, name):
    """Times and lengths of the large packets in a capture."""
    file = run.folder / "pcap" / f"{name}.pcapng"
    return [(p.time_ns, p.wire_bytes) for p in read_capture(file, file.read_bytes()) if p.wire_bytes > 200]


def about(*times_ms):
    """These times, up to the ticks after which the sender wakes up."""
    return [pytest.approx(time_ms * MS, abs=TICKS_NS) for time_ms in times_ms]


def csv_of(steps, end_ns=None):
    """The file of these steps."""
    rates = ["" if step.rate_bps is None else f"{step.rate_bps / 1e6:.6f}" for step in steps]
    rows = [
        f"{step.time_ns / 1e9:.9f},{rate},{step.delay_ns / 1e6:.6f},{step.loss!r}"
        for step, rate in zip(steps, rates, strict=True)
    ]
    end = [] if end_ns is None else [f"{end_ns / 1e9:.9f},,,"]
    return "\n".join(["time_s,rate_mbps,delay_ms,loss", *rows, *end]) + "\n"


def test_a_frame_goes_on_at_the_new_rate_and_waits_while_there_is_none(tmp_path):
    """By hand: 1000 octets (8,000 bits) each, ready at 0, 5, 10 ms of the stream, which begins at 100 ms."""
    csv = "time_s,rate_mbps,delay_ms\n0,1,10\n0.104,0,10\n0.110,2,3\n0.112,1,3\n"
    traffic = STREAM.format(rate="1.5328 Mbit/s", payload=1000 - HEADERS, start="100 ms", stop="112 ms")
    text = SCENARIO.format(
        duration="1 s", seed=1, more="", rate="1 Mbit/s", queue="10 packets", repeat="", traffic=traffic
    )
    run = ran(tmp_path, text, csv)
    sent, received = datagrams(run, "h1"), datagrams(run, "h2")
    assert [length for _, length in sent] == [1000, 1000, 1000]
    # The first: 4,000 bits until 104 ms, none until 110 ms, 4,000 more at 2 Mbit/s: 112 ms. Its delay is that of then, 3 ms.
    # The second: 8 ms from 112 ms on; the third from 120 ms on.
    assert [time for time, _ in sent] == about(100, 112, 120)
    assert [time for time, _ in received] == about(115, 123, 131)


def test_when_the_delay_falls_none_overtakes_another(tmp_path):
    csv = "time_s,delay_ms\n0,50\n0.2,10\n0.3,70\n"
    traffic = STREAM.format(rate="0.7664 Mbit/s", payload=1000 - HEADERS, start="180 ms", stop="240 ms")
    text = SCENARIO.format(
        duration="1 s", seed=1, more="", rate="8 Mbit/s", queue="10 packets", repeat="", traffic=traffic
    )
    received = datagrams(ran(tmp_path, text, csv), "h2")
    # Every 10 ms, each 1 ms long: the first two depart at 181 and 191 ms. Those of 201, 211 and 221 ms would arrive before the
    # second, at 241 ms.
    assert [time for time, _ in received] == about(231, 241, 241, 241, 241, 241)


RATES_MBPS = (0, 1, 3, 7.5, 20, 100, 333.333)


def steps_of(randomly, count, longest_ns, unlimited):
    """Random steps, some at which nothing is sent, in round numbers that a file can hold."""
    steps, time_ns = [], 0
    for _ in range(count):
        mbps = randomly.choice([*RATES_MBPS, *([None] * 3 if unlimited else [])])
        delay_ns = randomly.choice([0, 1_000, 2 * MS, 20 * MS])
        loss = randomly.choice([0.0, 0.0, 0.01, 0.3, 1.0])
        steps.append(Step(time_ns, None if mbps is None else round(mbps * 1e6), delay_ns, loss))
        time_ns += randomly.randint(1_000, longest_ns)
    return steps, time_ns


QUEUES = ["10000 packets", "fq_codel limit 10240 target 10s interval 100s"]


@pytest.mark.parametrize("seed", range(8))
def test_every_frame_is_that_of_the_second_implementation(tmp_path, seed):
    randomly = random.Random(seed)
    unlimited = seed >= 4
    steps, end_ns = steps_of(randomly, 60, randomly.choice([200_000, 5 * MS, 40 * MS]), unlimited)
    repeat = seed % 2 == 0
    if not repeat:
        steps.append(Step(end_ns, 50_000_000, 0))
    payload = randomly.choice([200, 900, 1472])
    traffic = STREAM.format(rate="9 Mbit/s", payload=payload, start="20 ms", stop="1.2 s")
    text = SCENARIO.format(
        duration="3 s",
        seed=seed + 7,
        more="",
        rate="unlimited" if unlimited else "30 Mbit/s",
        queue=QUEUES[seed // 2 % 2],
        repeat=", repeat = true" if repeat else "",
        traffic=traffic,
    )
    run = ran(tmp_path, text, csv_of(steps, end_ns if repeat else None))
    # The wire also carries what hosts exchange before: ARP and a request.
    outgoing = frames_of(run, "h1", "h1")
    wire = ReferenceWire(steps, end_ns if repeat else None, (seed + 7, 0))
    carried = [wire.carry(time, octets) for time, octets in outgoing]
    assert len(outgoing) > 50
    assert [one.start_ns for one in carried] == [time for time, _ in outgoing]
    arrivals = sorted(
        one.arrival_ns for one in carried if one.arrival_ns is not None and one.arrival_ns < 3_000 * MS
    )
    assert [time for time, _ in frames_of(run, "h2", "h1")] == arrivals
    (report,) = [one for one in run.agent["wires"] if one["node"] == "h1"]
    assert report["frames"] == len(outgoing)
    assert report["lost"] == sum(one.arrival_ns is None for one in carried)


def frames_of(run, name, sender):
    """Frames that a node sent, by its hardware address, as a capture has them: time and octets."""
    macs = {node["name"]: node["interfaces"][0]["mac"] for node in run.plan["nodes"]}
    own = bytes.fromhex(macs[sender].replace(":", ""))
    file = run.folder / "pcap" / f"{name}.pcapng"
    packets = read_capture(file, file.read_bytes())
    return [(p.time_ns, p.wire_bytes) for p in packets if p.data[6:12] == own]


def test_the_hash_is_siphash():
    """The reference's test vector of eight octets (SipHash, vectors.h)."""
    key = tuple(int.from_bytes(bytes(range(n, n + 8)), "little") for n in (0, 8))
    assert siphash(int.from_bytes(bytes(range(8)), "little"), key) == 0x93F5F5799A932462


def test_a_flow_carries_the_integral_of_the_rate(tmp_path):
    """TCP over a wire at a millisecond's resolution, watched and not watched: the same bytes."""
    randomly = random.Random(5)
    rows = "".join(f"{n / 1000},{randomly.choice([0, 12, 24, 36])}\n" for n in range(1000))
    csv = f"time_s,rate_mbps\n{rows}1,\n"
    flow = '[[flow]]\nfrom = "h1"\nto = "h2"\ncca = "cubic"\n'
    text = SCENARIO.format(
        duration="5 s",
        seed=1,
        more="",
        rate="10 Mbit/s",
        queue="100 packets",
        repeat=", repeat = true",
        traffic=flow,
    )
    run = ran(tmp_path / "a", text, csv)
    bare = text.split("[[capture]]")[0]
    assert ran(tmp_path / "b", bare, csv).agent["flows"] == run.agent["flows"]
    bits = 5 * sum(float(row.split(",")[1]) * 1e3 for row in rows.splitlines())
    goodput = run.agent["flows"][0]["bytes_received"] * 8 * 1514 / 1448
    assert 0.97 * bits < goodput <= bits


@pytest.mark.parametrize("offloads", ["none", "host"])
def test_every_frame_arrives_or_is_counted_as_lost(tmp_path, offloads):
    """TCP in both directions; with offloads of hosts packets are cut into frames, and interrupts are moderated."""
    csv = "time_s,rate_mbps,delay_ms,loss\n0,40,2,0.01\n0.5,80,9,0\n0.9,0,1,0\n1,200,1,0.002\n1.5,,,\n"
    flow = '[[flow]]\nfrom = "{}"\nto = "{}"\ncca = "cubic"\nstop = "3 s"\n'
    text = SCENARIO.format(
        duration="4 s",
        seed=1,
        more=f'offloads = "{offloads}"',
        rate="50 Mbit/s",
        queue="100 packets",
        repeat=", repeat = true",
        traffic=flow.format("h1", "h2") + flow.format("h2", "h1"),
    ).split("[[capture]]")[0]
    run = ran(tmp_path, text.replace('file = "back.csv"', 'file = "t.csv"'), csv)
    for report in run.agent["wires"]:
        assert report["lost"] > 20
        assert 0.001 < report["lost"] / report["frames"] < 0.01
    for flow_report in run.agent["flows"]:
        assert flow_report["bytes_received"] > 1_000_000
        assert flow_report["retransmits"] > 0
    # Losses of the two directions are not the same.
    assert len({report["lost"] for report in run.agent["wires"]}) == 2


def test_a_session_ends_an_outage_that_would_last_for_ever(tmp_path):
    """Datagrams of 100 ms to 112 ms meet a rate of 0 from 104 ms on; at 500 ms the wire gets a rate of 1 Mbit/s."""
    csv = "time_s,rate_mbps,delay_ms\n0,1,10\n0.104,0,10\n"
    traffic = STREAM.format(rate="1.5328 Mbit/s", payload=1000 - HEADERS, start="100 ms", stop="112 ms")
    text = SCENARIO.format(
        duration="1 s", seed=1, more="", rate="1 Mbit/s", queue="10 packets", repeat="", traffic=traffic
    )
    end = '{ node = "h1", interface = "eth0", rate = "1 Mbit/s", delay = "20 ms" }'
    text += f'[[session]]\nat = "500 ms"\nwire = {end}\n[[session]]\nat = "900 ms"\nend = true\n'
    received = datagrams(ran(tmp_path, text, csv), "h2")
    # The frame that was on the wire begins again, 8 ms each; then the delay.
    assert [time for time, _ in received] == about(528, 536, 544)
