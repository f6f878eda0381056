"""Data of programs arrives as it was when it was sent, also where receivers refer to the sender's pages."""

import hashlib
import random

import pytest
from support.command import run_text

pytestmark = pytest.mark.guest

# The receiver reads long after everything has arrived; the senders have changed what they sent by then.
TALK = """
import hashlib, os, random, socket, sys, time
data = random.Random(7).randbytes(100_000)
if sys.argv[1] == "receiver":
    listener = socket.create_server(("", 5000))
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2_000_000)
    for _ in range(int(sys.argv[2])):
        sock, _ = listener.accept()
        time.sleep(1)
        taken = b""
        while piece := sock.recv(65536):
            taken += piece
        print(hashlib.sha256(taken).hexdigest())
else:
    for to in sys.argv[2:]:
        sock = socket.create_connection((to, 5000))
        file = os.memfd_create("sent")
        os.write(file, data)
        if sys.argv[1] == "file":
            sent = 0
            while sent < len(data):
                sent += os.sendfile(sock.fileno(), file, sent, len(data) - sent)
        else:
            sock.sendall(data)
        time.sleep(0.5)
        os.pwrite(file, bytes(len(data)), 0)
        sock.close()
        time.sleep(1)
"""
NETWORK = """
name = "payloads"
duration = "9 s"
[wifi.home]
stations = ["sta1", "sta2"]
rate = "54 Mbit/s"
{cell}
[[wire]]
between = ["ap1", "s1"]
rate = "100 Mbit/s"
[[wire]]
between = ["s1", "h1"]
[[wire]]
between = ["s1", "h2"]
"""
PROGRAM = """
[[program]]
name = "{name}"
node = "{node}"
start = "{start}"
command = "python3 talk.py {arguments}"
"""
SENT = hashlib.sha256(random.Random(7).randbytes(100_000)).hexdigest()


@pytest.mark.parametrize("way", ["file", "write"])
@pytest.mark.parametrize(
    "cell", ['mac = "airtcp"', 'mac = "airtcp"\ngro = true\nrx_copy = false', 'mac = "linux"']
)
def test_data_arrives_as_it_was_when_it_was_sent(tmp_path, cell, way):
    (tmp_path / "talk.py").write_text(TALK)
    programs = [
        ("sta2", "sta2", "0 s", "receiver 2"),
        ("h1", "h1", "0 s", "receiver 1"),
        ("h2", "h2", "0 s", "receiver 1"),
        # To another station by way of the access point, and over a wire behind it.
        ("up", "sta1", "500 ms", f"{way} sta2 h1"),
        # To a station, and over a wire alone.
        ("down", "h1", "5 s", f"{way} sta2 h2"),
    ]
    text = NETWORK.format(cell=cell) + "".join(
        PROGRAM.format(name=name, node=node, start=start, arguments=arguments)
        for name, node, start, arguments in programs
    )
    folder = run_text(tmp_path, text).folder / "programs"
    said = {name: (folder / f"{name}.out").read_text().split() for name in ("sta2", "h1", "h2")}
    assert said == {"sta2": [SENT, SENT], "h1": [SENT], "h2": [SENT]}
