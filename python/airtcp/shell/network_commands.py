"""Commands that show the network, or try it."""

import re
from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError
from airtcp.shell.addresses import address_of
from airtcp.shell.node_pair import pair
from airtcp.shell.shell import Command, Shell

if TYPE_CHECKING:
    from airtcp.scenario.plan_types.plan import PlanNode

# A ping of `pingall` waits so long for its answer.
PING_WAIT_S = 1
IPERF_S = 5
IPERF_PORT = 5201


def _nodes(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    shell.say(" ".join(shell.lab.nodes))


def _peers(shell: Shell, node: "PlanNode") -> list[str]:
    """Each interface of a node with what is at its other side."""
    lines = []
    for interface in node["interfaces"]:
        attachment = interface["attachment"]
        if attachment["kind"] == "air":
            nic = shell.lab.plan["air"]["nics"][attachment["nic"]]
            lines.append(f"{interface['name']}:cell{nic['cell']}")
        else:
            others = (
                f"{other['name']}-{far['name']}"
                for other in shell.lab.plan["nodes"]
                for far in other["interfaces"]
                if far["attachment"] == attachment and (other["name"], far) != (node["name"], interface)
            )
            lines.append(f"{interface['name']}:{next(others, '?')}")
    return lines


def _net(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    for node in shell.lab.plan["nodes"]:
        shell.say(" ".join([node["name"], *_peers(shell, node)]))


def _links(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    plan = shell.lab.plan
    ends: dict[str, list[str]] = {}
    for node in plan["nodes"]:
        for interface in node["interfaces"]:
            attachment = interface["attachment"]
            if attachment["kind"] == "wire":
                key = f"wire {attachment['wire']}"
            else:
                key = f"cell {plan['air']['nics'][attachment['nic']]['cell']}"
            ends.setdefault(key, []).append(f"{node['name']}-{interface['name']}")
    for key, names in sorted(ends.items()):
        shell.say(f"{key}: {'<->'.join(names) if key.startswith('wire') else ' '.join(names)}")


def _dump(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    for node in shell.lab.plan["nodes"]:
        ports = [*node["interfaces"], *node["bridges"]]
        shown = ", ".join(
            f"{port['name']} {' '.join(port['addresses']) or '-'} {port['mac']}" for port in ports
        )
        shell.say(f"{node['name']}: {shown}")


def _addressed(shell: Shell) -> list[str]:
    return [node["name"] for node in shell.lab.plan["nodes"] if address_of(node) is not None]


def _pingall(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    names = _addressed(shell)
    sent = lost = 0
    for one in names:
        answers = []
        for other in (name for name in names if name != one):
            sent += 1
            command = f"ping -c 1 -W {PING_WAIT_S} {shell.address(other)}"
            answered = shell.run_quietly(one, command).status == 0
            lost += not answered
            answers.append(other if answered else "X")
        shell.say(f"{one} -> {' '.join(answers)}")
    share = 100 * lost / sent if sent else 0
    shell.say(f"{share:.0f}% lost ({sent - lost} of {sent} received)")


def _iperf(shell: Shell, words: list[str]) -> None:
    names = _addressed(shell)
    if not words and len(names) < 2:
        raise AirtcpError("this network has less than two nodes with addresses", "iperf", "")
    one, other, _ = pair(words or [names[0], names[-1]])
    server = shell.lab[other].popen(f"iperf3 -s -1 -p {IPERF_PORT}")
    shell.lab.run_for("1 ms")
    command = f"iperf3 -c {shell.address(other)} -p {IPERF_PORT} -t {IPERF_S}"
    result = shell.run_quietly(one, command)
    if server.job.runs:
        shell.lab.session.signal(server.job, 15)
    rates = re.findall(r"([\d.]+ [KMG]?bits/sec).*(sender|receiver)", result.output)
    if result.status or not rates:
        raise AirtcpError((result.error or result.output).strip() or "no result", f"iperf {one} {other}", "")
    shell.say(f"{one} -> {other}: " + ", ".join(f"{end} {rate}" for rate, end in rates))


COMMANDS = (
    Command("nodes", "", "List the nodes.", _nodes),
    Command("net", "", "List each node's interfaces, and what is at their other ends.", _net),
    Command("links", "", "List wires and cells with their ends.", _links),
    Command("dump", "", "List the addresses of each node.", _dump),
    Command("pingall", "", "Ping every node from every other.", _pingall),
    Command("iperf", "[A B]", f"Measure TCP from a node to another for {IPERF_S} s (iperf3).", _iperf),
)
