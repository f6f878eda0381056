"""A laboratory on this machine: nodes in network namespaces, wired by veth pairs, and `airtcp measure` on them.

    h1 --- r1 --- h2      192.168.71.0/24, 192.168.72.0/24; h1 is 192.168.71.1, h2 is 192.168.72.1

Every network of a test has namespaces of its own names, and leaves none.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest
from airtcp.data.run_folder import Run, open_run

from support.command import COMMAND, environment

ADDRESSES = {"h1": "192.168.71.1", "r1": "192.168.71.254", "h2": "192.168.72.1"}
# The names of the machine are not those of the scenario.
DEVICES = {"h1": {"eth0": "up0"}, "r1": {"eth0": "left0", "eth1": "right0"}, "h2": {"eth0": "up0"}}
LINKS = (("h1", "up0", "r1", "left0"), ("h2", "up0", "r1", "right0"))
DEVICE_ADDRESSES = (
    ("h1", "up0", "192.168.71.1/24"),
    ("r1", "left0", "192.168.71.254/24"),
    ("r1", "right0", "192.168.72.254/24"),
    ("h2", "up0", "192.168.72.1/24"),
)
ROUTES = (("h1", "192.168.71.254"), ("h2", "192.168.72.254"))
# The wires of all scenarios here: the second one is the bottleneck.
WIRES = """
[[wire]]
between = ["h1", "r1"]
rate = "100 Mbit/s"
[[wire]]
between = ["r1", "h2"]
rate = "20 Mbit/s"
delay = "0 ms"
queue = "50 packets"
[node.r1]
kind = "router"
"""
# A run on a machine that does much else, its start and its end.
MOST_S = 60

_numbers = count()


def sh(*command: str, check: bool = True) -> str:
    """What a command prints; one that fails fails the test."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0 or not check, f"{' '.join(command)}: {done.stderr}"
    return done.stdout


def require_namespaces() -> None:
    """Skips where namespaces can't be made: without root."""
    name = f"airtcp-{os.getpid()}-try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, text=True, check=False)
    if made.returncode:
        pytest.skip(f"network namespaces can't be made: {made.stderr.strip()}")
    sh("ip", "netns", "del", name)


@dataclass
class RealNetwork:
    """The namespaces of the three nodes."""

    folder: Path
    """For files, store and temporary files of agents."""
    prefix: str = field(default_factory=lambda: f"airtcp-{os.getpid()}-{next(_numbers)}")
    containers: Mapping[str, int] = field(default_factory=dict)
    """Nodes that are containers, each with a process of it: their namespaces are those of the containers."""

    def __enter__(self) -> "RealNetwork":
        (self.folder / "tmp").mkdir(parents=True)
        (self.folder / "tmp").chmod(0o1777)
        for node in ADDRESSES:
            if node in self.containers:
                sh("ip", "netns", "attach", self.namespace(node), str(self.containers[node]))
            else:
                sh("ip", "netns", "add", self.namespace(node))
            sh("ip", "-n", self.namespace(node), "link", "set", "lo", "up")
        for one, device, other, peer in LINKS:
            ends = (device, "netns", self.namespace(one)), (peer, "netns", self.namespace(other))
            sh("ip", "link", "add", *ends[0], "type", "veth", "peer", "name", *ends[1])
        for node, device, address in DEVICE_ADDRESSES:
            sh("ip", "-n", self.namespace(node), "addr", "add", address, "dev", device)
            sh("ip", "-n", self.namespace(node), "link", "set", device, "up")
        for node, gateway in ROUTES:
            sh("ip", "-n", self.namespace(node), "route", "add", "default", "via", gateway)
        self.inside("r1", "sysctl", "-qw", "net.ipv4.ip_forward=1")
        return self

    def __exit__(self, *_: object) -> None:
        for node in ADDRESSES:
            for process in self.processes(node) if node not in self.containers else ():
                os.kill(process, signal.SIGKILL)
            sh("ip", "netns", "del", self.namespace(node), check=False)

    def namespace(self, node: str) -> str:
        """The name of a node's namespace."""
        return f"{self.prefix}-{node}"

    def inside(self, node: str, *command: str, check: bool = True) -> str:
        """What a command prints in a node."""
        return sh("ip", "netns", "exec", self.namespace(node), *command, check=check)

    def processes(self, node: str) -> list[int]:
        """The processes of a node."""
        return [int(word) for word in sh("ip", "netns", "pids", self.namespace(node), check=False).split()]

    def state(self) -> dict[str, str]:
        """All that a measurement may change: disciplines, offloads, sizes, settings, processes, files."""
        found = {"files": "\n".join(sorted(file.name for file in (self.folder / "tmp").iterdir()))}
        for node in ADDRESSES:
            found[f"{node} qdiscs"] = self.inside(node, "tc", "qdisc", "show")
            links = json.loads(self.inside(node, "ip", "-d", "-j", "link", "show"))
            found[f"{node} segments"] = str([(link["ifname"], link["gso_max_segs"]) for link in links])
            for device in DEVICES[node].values():
                found[f"{node} {device} offloads"] = self.inside(node, "ethtool", "-k", device)
            found[f"{node} settings"] = self.inside(node, "sysctl", "-a", "--pattern", r"^net\.ipv4\.tcp_")
            found[f"{node} processes"] = " ".join(map(str, self.processes(node)))
        return found

    def lab(self, *nodes: str, ways: dict[str, str] | None = None, more: str = "") -> Path:
        """A lab file of these nodes, or of all; `ways` are other ways in, and `more` keys of each node."""
        text = 'lead = "1 s"\n'
        for node in nodes or ADDRESSES:
            way = (ways or {}).get(node, f'netns = "{self.namespace(node)}"')
            devices = ", ".join(f'{own} = "{name}"' for own, name in DEVICES[node].items())
            text += (
                f'[node.{node}]\n{way}\naddress = "{ADDRESSES[node]}"\ninterfaces = {{ {devices} }}\n{more}\n'
            )
        file = self.folder / f"lab-{next(_numbers)}.toml"
        file.write_text(text, encoding="utf-8")
        return file

    def scenario(self, name: str, duration: str, traffic: str, wires: str = WIRES) -> Path:
        """A scenario of these wires."""
        file = self.folder / f"{name}.toml"
        file.write_text(f'name = "{name}"\nduration = "{duration}"\n{traffic}\n{wires}', encoding="utf-8")
        return file

    @property
    def store(self) -> Path:
        """Where runs go."""
        return self.folder / "store"

    def begin(
        self, *arguments: "str | Path", path: "Path | None" = None, store: "Path | None" = None
    ) -> "subprocess.Popen[str]":
        """Starts `airtcp measure`; programs of the folder `path` are found first."""
        own = {**environment(), "TMPDIR": str(self.folder / "tmp"), "COLUMNS": "200"}
        if path is not None:
            own["PATH"] = f"{path}:{own['PATH']}"
        return subprocess.Popen(
            [*COMMAND, "measure", *map(str, arguments), "--store", str(store or self.store)],
            env=own,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def measure(
        self, *arguments: "str | Path", path: "Path | None" = None, store: "Path | None" = None
    ) -> "subprocess.CompletedProcess[str]":
        """Runs `airtcp measure` to its end."""
        process = self.begin(*arguments, path=path, store=store)
        out, err = process.communicate(timeout=MOST_S)
        return subprocess.CompletedProcess(process.args, process.returncode, out, err)

    def measured(
        self, *arguments: "str | Path", path: "Path | None" = None, store: "Path | None" = None
    ) -> list[Run]:
        """The runs of a measurement, which must succeed, in the order in which they are shown."""
        answer = self.measure(*arguments, path=path, store=store)
        assert answer.returncode == 0, answer.stderr
        return runs_of(answer.stdout)


def runs_of(shown: str) -> list[Run]:
    """The runs that a command says it has made."""
    begin = "Run folder: "
    return [open_run(Path(line.removeprefix(begin))) for line in shown.splitlines() if line.startswith(begin)]


def wait_until(holds: "object", what: str, most_s: float = 30.0) -> None:
    """Waits until a function returns something true."""
    end = time.monotonic() + most_s
    while not holds():
        assert time.monotonic() < end, f"{what} did not come within {most_s:g} s"
        time.sleep(0.05)


def children(process: int) -> list[int]:
    """The processes that a process has started, and that these have started."""
    found = sh("ps", "-eo", "pid=,ppid=")
    parents = {int(own): int(parent) for own, parent in (line.split() for line in found.splitlines())}
    own = [one for one, parent in parents.items() if parent == process]
    return own + [below for one in own for below in children(one)]


def command_line(process: int) -> str:
    """The words of a process; nothing if it has ended."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode()
    except OSError:
        return ""


PYTHON = sys.executable
