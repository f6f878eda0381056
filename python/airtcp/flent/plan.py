"""The plan of a test: a scenario with Flent in one node, and the servers of its tools in others."""

import os
import shlex
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.flent.order import Order
from airtcp.plans.nodes import node_of
from airtcp.plans.types.plan import Plan, PlanProgram

PROGRAM = "flent"
FOLDER = "flent"
"""The folder in which Flent runs, below that of the programs' outputs."""
HOME_SCENARIO = Path(__file__).with_name("home.toml")
"""What a test runs over unless a scenario is given."""
# Servers are ready, and stations of `setup = "daemons"` have associated.
_START_NS = 1_000_000_000
# Flent waits for tools that end late, such as a netperf whose last bytes a starved queue holds.
_FOR_LATE_TOOLS_S = 120
# Debian's package of each program.
_PACKAGES = {"flent": "flent", "netserver": "netperf, in the section non-free"}
# Servers that tests need, and those of tools that some have: started where this machine has them.
_NEEDED = {"netserver": "netserver -D"}
_OTHERS = {"irtt": "irtt server", "iperf": "iperf -s", "ITGRecv": "ITGRecv"}


@dataclass(frozen=True)
class Ends:
    """The nodes of a test: the one in which Flent runs, and its hosts."""

    client: str
    hosts: Sequence[str]


def longest_s(order: Order) -> float:
    """Virtual seconds after which a test is given up."""
    return 2 * (order.length_s + 2 * order.delay_s) + _FOR_LATE_TOOLS_S


def ends_of(plan: Plan, order: Order, client: str | None) -> Ends:
    """The nodes that were named, else the first station, and the first host behind wires, or all of them.

    Raises:
        AirtcpError: there is no such node, or none that can be a client or a host.
    """
    stations = [nic["node"] for nic in plan["air"]["nics"] if nic["role"] != "access_point"]
    radios = {nic["node"] for nic in plan["air"]["nics"]}
    wired = [
        node["name"]
        for node in plan["nodes"]
        if node["name"] not in radios and len(node["interfaces"]) == 1 and node["interfaces"][0]["addresses"]
    ]
    if client is None and not stations + wired[:-1]:
        raise AirtcpError("the scenario has no station", "", "Name the node in which Flent runs: --from NODE")
    first = node_of(plan, client, "--from")["name"] if client else (stations + wired)[0]
    named = [node_of(plan, host, "-H")["name"] for host in order.hosts]
    others = [node for node in dict.fromkeys(wired + stations) if node != first]
    if not named and not others:
        raise AirtcpError(f"the scenario has no host beside {first}", "", "Name one: -H NODE")
    chosen = others if order.takes_several_hosts else others[:1]
    return Ends(first, list(dict.fromkeys(named)) or chosen)


def flent_plan(plan: Plan, order: Order, ends: Ends) -> Plan:
    """The plan with Flent and servers as programs, which ends with Flent."""
    flent, places = _found(PROGRAM), [_found(name) for name in _NEEDED]
    servers = {**_NEEDED, **{name: line for name, line in _OTHERS.items() if shutil.which(name)}}
    places += [found for name in _OTHERS if (found := shutil.which(name))]
    path = shlex.quote(os.pathsep.join(dict.fromkeys(str(Path(one).parent) for one in places)))
    programs = [
        _program(f"{name.lower()}-{host}", host, f'PATH="$PATH":{path} exec {line}')
        for host in ends.hosts
        for name, line in servers.items()
    ]
    hosts = [] if order.hosts else [word for host in ends.hosts for word in ("-H", host)]
    words = shlex.join([flent, order.test, *hosts, *order.options])
    folders = shlex.join([FOLDER, *(f"{FOLDER}/{one}" for one in order.folders)])
    # Flent reads settings of the user in HOME, which are not part of the plan.
    line = f'cd "$RUN_DIR" && mkdir -p {folders} && cd {FOLDER} && HOME=/tmp PATH="$PATH":{path} exec {words}'
    before = plan["programs"]
    return {
        **plan,
        "programs": [*before, *programs, {**_program(PROGRAM, ends.client, line), "start_ns": _START_NS}],
        "ends_with": [],
        "ends_with_programs": [len(before) + len(programs)],
        # One guest has all of a network that ends with a program; the results are the same.
        "split": None,
    }


def _program(name: str, node: str, command: str) -> PlanProgram:
    return {
        "name": name,
        "node": node,
        "command": command,
        "start_ns": 0,
        "must_succeed": False,
        "stop_ns": None,
    }


def _found(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        remedy = f"Install it (Debian: {_PACKAGES.get(name, name)})"
        raise AirtcpError("is not installed", name, remedy)
    return found
