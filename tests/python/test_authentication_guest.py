"""Authentication of TCP segments (RFC 2385, RFC 5925), the kernel's algorithms for programs, and departure at a time, in the plain guest."""

import hashlib
import json

import pytest
from airtcp.data.find_runs import find_runs
from support.command import airtcp

pytestmark = pytest.mark.guest

NETWORK = """
name = "keys"
duration = "5 s"
kernel = "{kernel}"
[[wire]]
between = ["h1", "h2"]
delay = "5 ms"
"""

KEYS = """
import socket, struct, sys

def address_of(host):
    return struct.pack("=H", socket.AF_INET) + bytes(2) + socket.inet_aton(socket.gethostbyname(host)) + bytes(120)

def set_md5(tcp, peer, key):
    # struct tcp_md5sig of linux/tcp.h
    tcp.setsockopt(6, 14, address_of(peer) + struct.pack("=BBHi80s", 0, 0, len(key), 0, key))

def set_ao(tcp, peer, key):
    # struct tcp_ao_add of linux/tcp.h: keys 100 and 101 of 96 bits, as in its selftests
    algorithm = b"hmac(sha1)".ljust(64, b"\\0")
    ids = struct.pack("=iIHBBBBBB", 0, 0, 0, 32, 100, 100, 12, 0, len(key))
    tcp.setsockopt(6, 38, address_of(peer) + algorithm + ids + key.ljust(80, b"\\0"))

kind, role, peer, key = sys.argv[1:]
tcp = socket.socket()
{"md5": set_md5, "ao": set_ao}[kind](tcp, peer, key.encode())
tcp.settimeout(2)
if role == "serves":
    tcp.bind(("", 7000))
    tcp.listen()
    connection, _ = tcp.accept()
    data = b""
    while piece := connection.recv(65536):
        data += piece
    connection.sendall(str(len(data)).encode())
else:
    tcp.connect((peer, 7000))
    tcp.sendall(bytes(100000))
    tcp.shutdown(socket.SHUT_WR)
    print(tcp.recv(100).decode())
"""


def outputs(folder, *programs, kernel="6.12"):
    """What each program printed, and how it ended: of a node, a start and a command."""
    text = NETWORK.format(kernel=kernel)
    for node, start, command in programs:
        text += f'[[program]]\nnode = "{node}"\nstart = "{start}"\nmust_succeed = false\n'
        text += f"command = {json.dumps(command)}\n"
    (folder / "keys.toml").write_text(text, encoding="utf-8")
    (folder / "keys.py").write_text(KEYS, encoding="utf-8")
    answer = airtcp("run", "keys.toml", cwd=folder)
    assert answer.returncode == 0, answer.stderr
    (made,) = find_runs([folder / "runs"])
    paths = [made / "programs" / f"program{number + 1}" for number in range(len(programs))]
    return [(path.with_suffix(".out").read_text(), path.with_suffix(".err").read_text()) for path in paths]


@pytest.mark.parametrize("kind", ["md5", "ao"])
def test_connections_with_a_key_carry_data_and_others_do_not(tmp_path, kind):
    serves = f"python3 keys.py {kind} serves h1 secret"
    (_, served), (said, failed) = outputs(
        tmp_path, ("h2", "0 s", serves), ("h1", "100 ms", f"python3 keys.py {kind} sends h2 secret")
    )
    assert (said, served, failed) == ("100000\n", "", "")
    other = tmp_path / "other"
    other.mkdir()
    _, (said, failed) = outputs(
        other, ("h2", "0 s", serves), ("h1", "100 ms", f"python3 keys.py {kind} sends h2 another")
    )
    assert said == ""
    assert "TimeoutError" in failed or "timed out" in failed


HASHES = """
import socket
algorithms = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
algorithms.bind(("hash", "sha256"))
one, _ = algorithms.accept()
one.sendall(b"abc")
print(one.recv(32).hex())
cipher = socket.socket(socket.AF_ALG, socket.SOCK_SEQPACKET)
cipher.bind(("skcipher", "cbc(aes)"))
cipher.setsockopt(socket.SOL_ALG, socket.ALG_SET_KEY, bytes(16))
two, _ = cipher.accept()
two.sendmsg_afalg([bytes(16)], op=socket.ALG_OP_ENCRYPT, iv=bytes(16))
print(two.recv(16).hex())
"""


def test_programs_use_the_kernels_algorithms(tmp_path):
    (tmp_path / "hashes.py").write_text(HASHES, encoding="utf-8")
    ((said, failed),) = outputs(tmp_path, ("h1", "0 s", "python3 hashes.py"))
    # AES-128 of a block of zeros with a key of zeros (FIPS 197 calculators agree).
    assert said.split() == [hashlib.sha256(b"abc").hexdigest(), "66e94bd4ef8a2c3b884cfa59ca342b2e"], failed


def test_packets_depart_at_their_time(tmp_path):
    ((said, failed),) = outputs(
        tmp_path,
        (
            "h1",
            "0 s",
            "/sbin/tc qdisc replace dev eth0 root etf clockid CLOCK_TAI delta 0; /sbin/tc qdisc show",
        ),
    )
    assert "qdisc etf" in said, failed
