"""User-space switches: each is an Open vSwitch of its own, in the network namespace of whoever starts it.

OpenFlow's reference switch and its successor are programs that Debian does not have: `ofdatapath` moves
frames, `ofprotocol` connects it to controllers, and `dpctl` is a client. Scripts start them by these names.
Here the frames are moved by the user-space datapath of Open vSwitch.
"""

import ctypes
import shutil
import signal
import subprocess
from pathlib import Path

from airtcp.mininet.guest import link_offloads

FOLDER = Path("/run/airtcp-user-switches")
_SCHEMA = "/usr/share/openvswitch/vswitch.ovsschema"
# The user-space datapath without interfaces of its own. One of `netdev` is called ovs-netdev whatever the
# switch, so that a network namespace could have one switch only.
_DATAPATH = "dummy"
# linux/prctl.h
_PR_SET_PDEATHSIG = 1
READY_S = 30
"""How long clients wait for a switch that is being started."""


class UserSwitch:
    """A switch by the socket that its datapath listens to, such as `punix:/tmp/ap1`."""

    def __init__(self, socket: str) -> None:
        self.name = Path(socket.partition(":")[2]).name.removesuffix(".listen")
        self.folder = FOLDER / self.name

    @classmethod
    def of_target(cls, target: str) -> "UserSwitch":
        """The switch that clients find there: at its socket, or at a port of TCP that it listens to."""
        kind, _, place = target.partition(":")
        if kind == "tcp":
            listening = f"ptcp:{place.rpartition(':')[2]}"
            for file in FOLDER.glob("*/listening"):
                if listening in file.read_text().split():
                    return cls(f"unix:{file.parent.name}")
        return cls(target)

    @property
    def exists(self) -> bool:
        """Whether the switch was started and has its ports."""
        return (self.folder / "ready").is_file()

    @property
    def management(self) -> str:
        """Address at which `ovs-ofctl` finds the switch."""
        return f"unix:{self.folder}/{self.name}.mgmt"

    @property
    def environment(self) -> dict[str, str]:
        """Environment of programs of Open vSwitch that are about this switch."""
        own = str(self.folder)
        return {
            "PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
            "OVS_RUNDIR": own,
            "OVS_LOGDIR": own,
            "OVS_DBDIR": own,
        }

    def configure(self, *words: str) -> str:
        """Changes or reads the configuration with `ovs-vsctl`; returns what it writes."""
        command = ["ovs-vsctl", f"--db=unix:{self.folder}/db.sock", f"--timeout={READY_S}", "--retry", *words]
        done = subprocess.run(command, env=self.environment, capture_output=True, text=True, check=True)
        return done.stdout

    def listen(self, targets: list[str]) -> None:
        """Notes where the switch listens for clients."""
        (self.folder / "listening").write_text("\n".join(targets))

    def run(self, datapath_id: str, interfaces: list[str]) -> int:
        """Runs the switch until it ends or this program is killed. Ports count from 1, in this order."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        subprocess.run(["ovsdb-tool", "create", f"{self.folder}/conf.db", _SCHEMA], check=True)
        self._start("ovsdb-server", f"{self.folder}/conf.db", f"--remote=punix:{self.folder}/db.sock")
        self.configure("--no-wait", *self._bridge(datapath_id, interfaces))
        (self.folder / "ready").touch()
        link_offloads.switch_off(interfaces)
        database = f"unix:{self.folder}/db.sock"
        switch = self._start("ovs-vswitchd", database, "--disable-system", "--enable-dummy")
        return switch.wait()

    def _bridge(self, datapath_id: str, interfaces: list[str]) -> list[str]:
        words = ["init", "--", "add-br", self.name, "--", "set", "bridge", self.name]
        words += [f"datapath_type={_DATAPATH}", "fail-mode=secure"]
        if datapath_id:
            words += [f"other-config:datapath-id={int(datapath_id, 16):016x}"]
        for number, interface in enumerate(interfaces, 1):
            words += ["--", "add-port", self.name, interface]
            words += ["--", "set", "interface", interface, f"ofport_request={number}"]
        return words

    def _start(self, program: str, *arguments: str) -> "subprocess.Popen[bytes]":
        """A part of the switch: it ends with this program, however that ends."""
        die = ctypes.CDLL(None).prctl
        return subprocess.Popen(
            [program, *arguments, "--log-file", "--pidfile", "-vconsole:off"],
            env=self.environment,
            preexec_fn=lambda: die(_PR_SET_PDEATHSIG, signal.SIGKILL),
        )
