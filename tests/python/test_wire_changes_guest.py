"""Real guests: what leaves a wire while it changes, and when, does not depend on who looks."""

from itertools import pairwise

import pytest
from support.command import run_text

pytestmark = pytest.mark.guest

MS = 1_000_000
# A sender wakes up at the next tick of the guest's clock, 256 ns, and its call takes a tick (docs/internals/guest.md).
TICKS_NS = 2_000
# Intervals at which queues are sampled: none, some that meet nothing, the default, and one longer than the delay.
SAMPLED = ("0 s", "7 ms", "33 ms", "100 ms", "1 s")
# Ten frames of 1000 octets, 8 ms each at 1 Mbit/s, wait in the router from 1.2 s on; before them a ping for ARP.
WAITING = """
name = "waiting"
duration = "3 s"
[node.r1]
kind = "router"
[[wire]]
between = ["h1", "r1"]
rate = "unlimited"
[[wire]]
between = ["r1", "h2"]
rate = "1 Mbit/s"
delay = "100 ms"
{wire}
[[ping]]
from = "h1"
to = "h2"
phase = "none"
interval = "10 s"
[[udp]]
from = "h1"
to = "h2"
rate = "80 Mbit/s"
payload = 958
phase = "none"
start = "1.2 s"
stop = "1.20095 s"
{more}
[[session]]
at = "2.9 s"
end = true
[sampling]
qdiscs = "{sampled}"
"""
FRAMES = 10
FRAME_NS = 8 * MS
CHANGE = """
[[session]]
at = "1.205 s"
wire = {{ node = "r1", interface = "eth1", rate = "{rate}", delay = "{delay}" }}
"""


def waiting(folder, more, wire=""):
    """The runs of these ten frames, one for each interval of sampling."""
    for sampled in SAMPLED:
        text = WAITING.format(wire=wire, more=more, sampled=sampled)
        yield run_text(folder / sampled.replace(" ", ""), text)


def journeys(run):
    """When the datagrams were sent and received."""
    rows = run.series("datagrams").select("time_ns", "delay_ns").rows()
    assert len(rows) == FRAMES
    return [(sent, sent + delay) for sent, delay in rows]


@pytest.mark.parametrize("trace", [False, True], ids=["a wire", "a wire with a trace"])
@pytest.mark.parametrize(
    ("rate", "delay_ms", "frame_ns"),
    [("unlimited", 100, 0), ("unlimited", 150, 0), ("unlimited", 0, 0), ("0.5 Mbit/s", 100, 2 * FRAME_NS)],
)
def test_what_waits_starts_when_the_wire_is_free(tmp_path, trace, rate, delay_ms, frame_ns):
    """The first frame goes on at the old rate and keeps its arrival; the others follow it, and none overtakes it."""
    tmp_path.joinpath("t.csv").write_text("time_s,rate_mbps,delay_ms\n0,1,100\n")
    wire = f'trace = {{ file = "{tmp_path}/t.csv" }}' if trace else ""
    change = CHANGE.format(rate=rate, delay=f"{delay_ms} ms")
    found = [journeys(run) for run in waiting(tmp_path, change, wire)]
    assert all(one == found[0] for one in found)
    free = found[0][0][0] + FRAME_NS
    first = free + 100 * MS
    expected = [first] + [max(first, free + n * frame_ns + delay_ms * MS) for n in range(1, FRAMES)]
    assert [received for _, received in found[0]] == pytest.approx(expected, abs=TICKS_NS)


# Nothing but the change: `ip` would ask for the device, and its statistics, first.
DOWN = """
[[program]]
name = "down"
node = "r1"
start = "1.2213 s"
command = '''
python3 -c "
import fcntl, socket, struct
to, name = socket.socket(), b'eth1'
flags, = struct.unpack_from('h', fcntl.ioctl(to, 0x8913, struct.pack('16sh14x', name, 0)), 16)
fcntl.ioctl(to, 0x8914, struct.pack('16sh14x', name, flags & ~1))
"'''
"""
COUNT = """
[[program]]
name = "{name}"
node = "r1"
start = "{start}"
command = "cd /sys/class/net/eth1/statistics; cat tx_packets tx_dropped"
"""


def test_what_has_left_the_queue_is_sent_when_the_link_goes_down(tmp_path):
    """Of the frames that start at 1.2, 1.208 and 1.216 s none arrives; the other seven are the queue's."""
    more = COUNT.format(name="before", start="1.1 s") + DOWN + COUNT.format(name="after", start="1.5 s")
    for run in waiting(tmp_path, more):
        told = [(run.folder / "programs" / f"{name}.out").read_text().split() for name in ("before", "after")]
        sent, lost = (int(after) - int(before) for before, after in zip(*told, strict=True))
        assert (sent, lost) == (3, 3)
        assert run.series("datagrams")["delay_ns"].to_list() == FRAMES * [-1]


# What the programs share: the flags of SO_TIMESTAMPING are TX_SOFTWARE, SOFTWARE, OPT_ID and OPT_TSONLY.
TOLD_WHEN_SENT = """
import socket, struct, time
s = socket.socket(); s.connect(("h2", 9000)); time.sleep(1)
s.setsockopt(socket.SOL_SOCKET, 37, (1 << 1) | (1 << 4) | (1 << 7) | (1 << 11))
for n in range(2): s.send(b"x" * 1448)
time.sleep(0.5)
for n in range(2):
    for level, kind, data in s.recvmsg(100, 1000, socket.MSG_ERRQUEUE | socket.MSG_DONTWAIT)[1]:
        if kind == 37: print(*struct.unpack("qq", data[:16]))
"""
# The smallest buffer has room for two datagrams, and again when less than half of it is used (sock_writeable). TCP small queues
# do not wait for two segments.
SMALL_BUFFER = """
import select, socket, time
tcp = socket.socket(); tcp.connect(("h2", 9000)); time.sleep(1)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM); udp.connect(("h2", 9000))
udp.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1)
for n in range(2): tcp.send(b"x" * 1448)
for n in range(3):
    while True:
        try: udp.send(b"x" * 1400, socket.MSG_DONTWAIT)
        except BlockingIOError: select.select([], [udp], [])
        else: break
    print(time.clock_gettime_ns(time.CLOCK_REALTIME))
"""
SINK = """
import socket
s = socket.socket(); s.bind(("", 9000)); s.listen(); c, _ = s.accept()
while c.recv(65536): pass
"""
TWO_HOSTS = """
name = "sender"
duration = "4 s"
[[wire]]
between = ["h1", "h2"]
rate = "1 Mbit/s"
delay = "100 ms"
[[program]]
name = "sink"
node = "h2"
command = "python3 sink.py"
[[program]]
name = "sender"
node = "h1"
start = "0.5 s"
command = "python3 sender.py"
[sampling]
qdiscs = "{sampled}"
"""


def runs_of(folder, sender, sink=SINK, more=""):
    """Runs of these programs, one for each interval of sampling."""
    for sampled in SAMPLED:
        place = folder / sampled.replace(" ", "")
        place.mkdir()
        (place / "sender.py").write_text(sender)
        (place / "sink.py").write_text(sink)
        yield run_text(place, TWO_HOSTS.format(sampled=sampled) + more)


def told_by(folder, sender):
    """What this sender prints, for each interval of sampling."""
    for run in runs_of(folder, sender):
        yield (run.folder / "programs" / "sender.out").read_text()


def test_tcp_learns_when_its_segments_are_sent(tmp_path):
    """Each starts when the one before it has departed: 1514 octets at 1 Mbit/s take 12.112 ms."""
    found = list(told_by(tmp_path, TOLD_WHEN_SENT))
    assert all(one == found[0] for one in found)
    seconds_ns = [line.split() for line in found[0].splitlines()]
    times = [int(seconds) * 10**9 + int(ns) for seconds, ns in seconds_ns]
    gaps = [after - before for before, after in pairwise(times)]
    assert gaps == pytest.approx([12_112_000], abs=TICKS_NS)


def test_a_socket_behind_tcp_has_room_when_its_datagrams_have_departed(tmp_path):
    """Two segments of 12.112 ms, and two datagrams of 1442 octets: 11.536 ms each."""
    found = list(told_by(tmp_path, SMALL_BUFFER))
    assert all(one == found[0] for one in found)
    times = [int(line) for line in found[0].split()]
    gaps = [after - before for before, after in pairwise(times)]
    assert gaps == pytest.approx([0, 2 * 12_112_000 + 2 * 11_536_000], abs=20_000)


# Ten segments at 2 s, of which TCP small queues let two or three into the device at a time.
TEN_SEGMENTS = """
import socket, time
s = socket.socket(); s.connect(("h2", 9000)); time.sleep(2 - time.time() % 1)
print(time.clock_gettime_ns(time.CLOCK_REALTIME), flush=True)
s.send(10 * 1448 * b"x")
s.shutdown(socket.SHUT_WR); s.recv(1)
"""
TEN_CAME = """
import socket, time
s = socket.socket(); s.bind(("", 9000)); s.listen(); c, _ = s.accept()
left = 10 * 1448
while left: left -= len(c.recv(left))
print(time.clock_gettime_ns(time.CLOCK_REALTIME))
"""
NO_DELAY = """
[[session]]
at = "2.005 s"
wire = { node = "h1", interface = "eth0", rate = "1 Mbit/s", delay = "0 ms" }
[[session]]
at = "3 s"
end = true
"""


def test_tcp_knows_each_departure_when_the_delay_ends(tmp_path):
    """The delay ends while the first segment is on the wire. All go on at 12.112 ms each, and none overtakes the first."""
    found = []
    for run in runs_of(tmp_path, TEN_SEGMENTS, TEN_CAME, NO_DELAY):
        sent, came = (
            int((run.folder / "programs" / f"{name}.out").read_text()) for name in ("sender", "sink")
        )
        found.append(came - sent)
    assert found == len(SAMPLED) * [pytest.approx(10 * 12_112_000, abs=20_000)]


LATE_WATCHER = """
[[program]]
name = "watcher"
node = "r1"
start = "1.2213 s"
command = '''
python3 -c "
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
s.bind(('eth1', 3)); s.settimeout(0.5)
s.setsockopt(socket.SOL_SOCKET, 35, 1)
try:
    while True:
        data, told, _, _ = s.recvmsg(2000, 200)
        if len(data) == 1000: print(int.from_bytes(told[0][2][:8], 'little') * 10**9 + int.from_bytes(told[0][2][8:], 'little'))
except TimeoutError: pass
"'''
"""


def test_a_packet_socket_sees_what_starts_from_then_on(tmp_path):
    """Seven of the ten: three have started when it begins to look. Each at its time, 8 ms after the one before."""
    found = [(run.folder / "programs" / "watcher.out").read_text() for run in waiting(tmp_path, LATE_WATCHER)]
    assert all(one == found[0] for one in found)
    times = [int(line) for line in found[0].split()]
    assert [after - before for before, after in pairwise(times)] == 6 * [FRAME_NS]


TRACER = """
[guest]
flavour = "lab"
privileged = true
[[program]]
name = "tracer"
node = "r1"
start = "1.215 s"
command = '''
mount -t tracefs none /sys/kernel/tracing; cd /sys/kernel/tracing
echo mono >trace_clock; echo 'len == 1000' >events/net/net_dev_start_xmit/filter
echo 1 >events/net/net_dev_start_xmit/enable; sleep 0.5
sed -n 's/.* \\([0-9.]*\\): net_dev_start_xmit: dev=eth1 .*/\\1/p' trace
'''
"""


def test_tracing_sees_what_starts_from_then_on(tmp_path):
    found = [(run.folder / "programs" / "tracer.out").read_text() for run in waiting(tmp_path, TRACER)]
    assert all(one == found[0] for one in found)
    # Programs take a millisecond to start in guests for labs, so one of the ten may have started by then.
    times = [float(line) for line in found[0].split()]
    assert len(times) >= 7
    # The clock of the trace has microseconds.
    gaps = [after - before for before, after in pairwise(times)]
    assert gaps == pytest.approx(len(gaps) * [FRAME_NS / 1e9], abs=2e-6)
