"""Programs that wait by looking again and again: time goes on whatever they look at, and they see what they wait for in time."""

import json
import re

import pytest
from airtcp.data.find_runs import find_runs
from support.command import airtcp

pytestmark = pytest.mark.guest

# Each way to look waits for the other node's datagram at 20 ms, or for a time that is later than its beginning.
LOOKS = {
    "times": "os.times().elapsed",
    "gettimeofday": "time.clock_gettime(time.CLOCK_REALTIME) // 0.01",
    "monotonic": "time.monotonic() // 0.01",
    "realtime-coarse": "time.clock_gettime(5) // 0.01",
    "monotonic-coarse": "time.clock_gettime(6) // 0.01",
    "process-time": "time.process_time() // 0.01",
    "thread-time": "time.thread_time() // 0.01",
    "rusage": "sum(resource.getrusage(resource.RUSAGE_SELF)[:2]) // 0.01",
    "uptime": "open('/proc/uptime').read()",
    "interval-timer": "signal.getitimer(signal.ITIMER_REAL)[0] // 0.01",
    "poll": "poller.poll(0)",
    "select": "select.select([udp], [], [], 0)[0]",
    "epoll": "epoll.poll(0)",
    "receive": "received()",
    "queued": "queued()",
    "yield": "(os.sched_yield(), poller.poll(0))[1]",
    "no-sleep": "(time.sleep(0), poller.poll(0))[1]",
    "child": "os.waitpid(child(), os.WNOHANG)[0]",
    "alive": "(os.kill(os.getpid(), 0), queued())[1]",
    "option": "(udp.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF), queued())[1]",
    "existing-file": "(os.stat('/proc/self'), queued())[1]",
    "read-file": "open('/proc/net/udp').read().count('00000000:00000000')",
    "time": "int(libc.time(None))",
    "sysinfo": "sysinfo()",
}
SECONDS = ("time", "sysinfo")

WAIT = """
import ctypes, fcntl, functools, os, resource, select, signal, socket, struct, sys, time
libc = ctypes.CDLL(None)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("", int(sys.argv[1])))
udp.setblocking(False)
poller, epoll = select.poll(), select.epoll()
poller.register(udp, select.POLLIN)
epoll.register(udp, select.EPOLLIN)
signal.setitimer(signal.ITIMER_REAL, 1000)

def received():
    try:
        return udp.recv(10)
    except BlockingIOError:
        return None

def queued():
    return struct.unpack("i", fcntl.ioctl(udp, 0x541B, bytes(4)))[0]

def sysinfo():
    room = ctypes.create_string_buffer(256)
    libc.sysinfo(room)
    return struct.unpack("l", room[:8])[0]

@functools.cache
def child():
    pid = os.fork()
    if pid == 0:
        time.sleep(0.02)
        os._exit(0)
    return pid

look = eval("lambda: " + sys.argv[2])
since, begin = time.monotonic(), look()
while look() == begin:
    pass
print(time.monotonic() - since, flush=True)
"""

NETWORK = """
name = "polling"
duration = "5 s"
{head}
[[wire]]
between = ["h1", "h2"]
delay = "1 ms"
"""


def run(folder, *programs, head=""):
    """Runs programs, each of a node, a start and a command; gives the run's folder, or the error text."""
    text = NETWORK.format(head=head)
    for node, start, command in programs:
        text += f'[[program]]\nnode = "{node}"\nstart = "{start}"\ncommand = {json.dumps(command)}\n'
    (folder / "polling.toml").write_text(text, encoding="utf-8")
    answer = airtcp("run", "polling.toml", "--stall-limit-s", "10", cwd=folder)
    if answer.returncode:
        return answer.stderr
    (made,) = find_runs([folder / "runs"])
    return made


SENDS = """
import socket, sys, time
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for number in range(int(sys.argv[1])):
    udp.sendto(b"x", ("h1", 7000 + number))
    time.sleep(0.1)
"""


@pytest.fixture(scope="module")
def waited_s(tmp_path_factory):
    """How long each way to look waited, by its name."""
    folder = tmp_path_factory.mktemp("looks")
    (folder / "wait.py").write_text(WAIT, encoding="utf-8")
    (folder / "send.py").write_text(SENDS, encoding="utf-8")
    looks = [
        ("h1", f"{100 * number} ms", f'python3 wait.py {7000 + number} "{LOOKS[way]}"')
        for number, way in enumerate(LOOKS)
    ]
    made = run(folder, *looks, ("h2", "20 ms", f"python3 send.py {len(looks)}"))
    assert not isinstance(made, str), made
    outputs = [(made / "programs" / f"program{number + 1}.out").read_text() for number in range(len(looks))]
    return dict(zip(LOOKS, map(float, outputs), strict=True))


def test_time_goes_on_whatever_a_program_looks_at(waited_s):
    # It saw the datagram's arrival, or the next step of its clock; that of time(2) and sysinfo is a second.
    late = {way: seconds for way, seconds in waited_s.items() if seconds > (1.01 if way in SECONDS else 0.03)}
    assert late == {}


# As a sender does that paces by the clock: waits of 0.8 ms, each before a datagram.
PACES = """
import socket, time
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
reads, late, worst = 0, 0, 0
due = time.monotonic_ns()
for number in range(500):
    due += 800_000
    while (now := time.monotonic_ns()) < due:
        reads += 1
    udp.sendto(bytes(1000), ("h2", 7000))
    if number >= 10:
        late, worst = late + now - due, max(worst, now - due)
print(reads / 500, late / 490, worst)
"""


def test_a_sender_that_paces_by_the_clock_looks_seldom_and_is_in_time(tmp_path):
    (tmp_path / "pace.py").write_text(PACES, encoding="utf-8")
    made = run(tmp_path, ("h1", "0 s", "python3 pace.py"))
    assert not isinstance(made, str), made
    reads, late, worst = map(float, (made / "programs" / "program1.out").read_text().split())
    # A look each 256 ns would be 3100 for each datagram; a step is 20 us at most.
    assert reads < 150
    assert late < 20_000
    assert worst < 25_000


BATCHES = """
import socket, time
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("", 7000))
for _ in range(3):
    udp.recv(10)
    begin = time.monotonic_ns()
    for _ in range(900):
        time.monotonic_ns()
    print((time.monotonic_ns() - begin) // 256)
"""


def test_a_program_that_waits_between_reads_the_clock_at_its_usual_price(tmp_path):
    (tmp_path / "batches.py").write_text(BATCHES, encoding="utf-8")
    (tmp_path / "send.py").write_text(SENDS.replace("7000 + number", "7000"), encoding="utf-8")
    made = run(tmp_path, ("h1", "0 s", "python3 batches.py"), ("h2", "10 ms", "python3 send.py 3"))
    assert not isinstance(made, str), made
    assert (made / "programs" / "program1.out").read_text().split() == ["901"] * 3


def test_a_program_of_another_host_does_not_wait_for_one_that_polls(tmp_path):
    polls = 'python3 -c "import time; begin = time.monotonic()\nwhile time.monotonic() < begin + 1: pass"'
    pings = ("h2", "100 ms", "ping -q -i 0.01 -c 50 h1")

    def said(name, *programs):
        (tmp_path / name).mkdir()
        made = run(tmp_path / name, *programs, pings)
        assert not isinstance(made, str), made
        said = (made / "programs" / f"program{len(programs) + 1}.out").read_text()
        worst_ms = float(re.search(r"= [\d.]+/[\d.]+/([\d.]+)", said)[1])
        return worst_ms, int(re.search(r"time (\d+)ms", said)[1])

    alone, beside = said("alone"), said("beside", ("h1", "0 s", polls))
    # Each of 50 requests and replies may wait for a look of 20 us of the other program; one that waited for a tick of 4 ms now and then
    # would need more time for all.
    assert beside == pytest.approx(alone, abs=50 * 2 * 0.02 + 1)


def test_what_never_waits_is_named(tmp_path):
    said = run(tmp_path, ("h2", "0 s", "sleep 0.1"), ("h1", "100 ms", "exec python3 -c 'while True: pass'"))
    assert isinstance(said, str)
    assert "virtual time stopped at 3." in said
    assert "h1: python3 -c while True: pass (process " in said
    assert "epollctl" not in said
    assert "memory protection" not in said


# Its threads wait in TCP, and hold entries of /proc that go when they end.
LEAVES = """
import os, socket, threading, time
listener = socket.create_server(("127.0.0.1", 5000))
held = []

def hold():
    for name in ("stat", "status", "maps", "comm"):
        held.append(open(f"/proc/thread-self/{name}"))
        held[-1].read(10)

def send(connection):
    hold()
    connection.sendall(bytes(50_000_000))

def wait(connection):
    hold()
    connection.recv(1)
    time.sleep(100)

for _ in range(4):
    ours = socket.create_connection(("127.0.0.1", 5000))
    theirs, _ = listener.accept()
    for work, end in ((send, ours), (wait, theirs)):
        threading.Thread(target=work, args=(end,), daemon=True).start()
time.sleep(0.2)
os._exit(0)
"""


def test_process_1_that_waits_for_ending_threads_lets_them_run(tmp_path):
    """`shrink_dcache_parent` of the kernel tries again until they have ended, without a sleep."""
    (tmp_path / "leaves.py").write_text(LEAVES, encoding="utf-8")
    made = run(tmp_path, ("h1", "0 s", "exec python3 leaves.py"))
    assert not isinstance(made, str), made
