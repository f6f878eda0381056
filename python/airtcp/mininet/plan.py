"""The plan of a command of Mininet: one node, in which Mininet itself makes the network."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airtcp.plans.types.plan import Plan, PlanFile
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables

NODE = "mininet"
TYPIST = "batch/typist"
"""The program that types commands at the prompt."""
# Open vSwitch counts processors no earlier than 10 s after boot (COUNT_CPU_UPDATE_TIME_MS of its
# lib/ovs-thread.c), and handles no packet before.
_EPOCH = "60 s"
_GUEST = Path(__file__).parent / "guest"
# Receivers as in wmediumd, whose noise is -91 dBm and whose threshold of carrier sensing is -90 dBm: which
# radios are in reach of each other is a matter of positions alone, not of cells.
_CHANNEL = {
    "reception": "table",
    "noise_figure": "10 dB",  # over the thermal noise of 20 MHz, -101 dBm
    "carrier_sense": "-90 dBm",
    "sensitivity": "-90 dBm",
}
# Programs in place of those for radios of a machine: modules of that folder.
_TOOLS = ("hostapd", "hwsim_mgmt", "lsmod", "modprobe", "rmmod", "wmediumd")
# Those that have several names.
_NAMED = {
    "cgroups": ("cgclassify", "cgcreate", "cgdelete", "cgexec", "cgget", "cgroupfs-mount", "cgset"),
    "kept_files": ("keep-files",),
    "terminal_window": ("gnome-terminal", "lxterminal", "x-terminal-emulator", "xterm"),
}
# Those that are shell scripts: files of that folder.
_SCRIPTS = ("rfkill", "sudo", "tc", "xhost")
# Programs that Debian does not have: the user's own come before.
_FALLBACKS = ("dpctl", "ofdatapath", "ofprotocol")
LIBRARY = "tools/lib"
"""Folder of the modules of these programs."""
# As Debian mounts them with cgroupfs-mount: version 1. The kernel has no CPU sets, which are files here.
_CGROUPS = """cgroup /sys/fs/cgroup tmpfs mode=755,size=1m 0 0
cpu /sys/fs/cgroup/cpu cgroup cpu,X-mount.mkdir 0 0
cpuacct /sys/fs/cgroup/cpuacct cgroup cpuacct,X-mount.mkdir 0 0
cpuset /sys/fs/cgroup/cpuset tmpfs mode=755,size=1m,X-mount.mkdir 0 0
"""
TOOL = """#!/usr/bin/python3 -SE
import sys
sys.path.insert(0, "/run/scenario/{library}")
from airtcp.mininet.guest import {name}
{name}.main()
"""
"""A program that is a module of `guest`. Without the site module Python starts five times as fast."""


@dataclass(frozen=True)
class RadioKind:
    """What radios are: the standard and width at 5 GHz. From 11ax on they have channels at 6 GHz always."""

    standard: str = "11ac"
    width: str = "80 MHz"


def mininet_plan(radios: int, seed: int, kind: RadioKind = RadioKind()) -> Plan:
    """The plan of a lab guest with so many radios, which Mininet-WiFi finds as those of mac80211_hwsim."""
    tables: dict[str, Any] = {
        "name": "mininet",
        "seed": seed,
        "duration": "86400 s",
        "epoch": _EPOCH,
        "memory_mib": 2048,
        "guest": {"flavour": "lab", "privileged": True},
        # Nothing of this node is an interface of the plan.
        "sampling": {"qdiscs": "0 s", "sockets": False},
        "node": {NODE: {"kind": "host"}},
        "sysctl": {"net.ipv6.conf.all.disable_ipv6": 0, "net.ipv6.conf.default.disable_ipv6": 0},
    }
    if radios:
        tables["wifi"] = _radios(radios, kind)
        tables["channel"] = _CHANNEL
    plan = compile_scenario(scenario_from_tables(tables))
    plan["files"] = _files()
    # As of a machine: hosts begin with its settings, and those of the whole kernel are there.
    plan["guest"]["initial_node"] = next(n for n, node in enumerate(plan["nodes"]) if node["name"] == NODE)
    _name_radios(plan)
    return plan


def _name_radios(plan: Plan) -> None:
    """Scripts know the addresses of mac80211_hwsim, whose fifth octet counts the radios."""
    for radio in [*plan["air"]["nics"], *(one for node in plan["nodes"] for one in node["interfaces"])]:
        number = int(radio["mac"].rpartition(":")[2], 16) - 1
        radio["mac"] = f"02:00:00:00:{number:02x}:00"


def _radios(count: int, kind: RadioKind) -> dict[str, Any]:
    """Radios for 2.4, 5 and 6 GHz: those of one network have the bands of all its cells."""
    radios = {"mac": "linux", "setup": "programs", "ssid": "radios"}
    return {
        "radios": {**radios, "standard": kind.standard, "width": kind.width, "stations": [NODE] * count},
        "radios-2.4": {**radios, "standard": "11n", "band": "2.4 GHz", "stations": []},
        "radios-6": {**radios, "standard": "11ax", "band": "6 GHz", "stations": []},
    }


def _files() -> list[PlanFile]:
    programs = [
        guest_file(f"{folder}/{name}", TOOL.format(library=LIBRARY, name=name), executable=True)
        for folder, names in (("tools", _TOOLS), ("fallbacks", _FALLBACKS))
        for name in names
    ]
    programs += [
        guest_file(f"tools/{name}", TOOL.format(library=LIBRARY, name=module), executable=True)
        for module, names in _NAMED.items()
        for name in names
    ]
    programs.append(guest_file("cgroups.fstab", _CGROUPS, executable=False))
    programs += [
        guest_file(f"tools/{name}", (_GUEST / f"{name}.sh").read_text("utf-8"), executable=True)
        for name in _SCRIPTS
    ]
    programs.append(guest_file(TYPIST, TOOL.format(library=LIBRARY, name="typist"), executable=True))
    # The folders are packages, so that no other airtcp of the machine comes before.
    packages = [
        guest_file(f"{LIBRARY}/airtcp/{part}__init__.py", "", executable=False) for part in ("", "mininet/")
    ]
    modules = [
        guest_file(
            f"{LIBRARY}/airtcp/mininet/guest/{source.name}", source.read_text("utf-8"), executable=False
        )
        for source in sorted(_GUEST.glob("*.py"))
    ]
    # Python looks for this name when it starts (module site).
    start = guest_file(
        f"{LIBRARY}/usercustomize.py", (_GUEST / "usercustomize.py").read_text("utf-8"), executable=False
    )
    return [*programs, *packages, *modules, start]


def guest_file(path: str, text: str, *, executable: bool) -> PlanFile:
    """A file of a plan with this text."""
    return {"path": path, "executable": executable, "content": {"kind": "text", "text": text}}
