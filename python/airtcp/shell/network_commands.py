"""Commands that show the network."""

from typing import TYPE_CHECKING

from airtcp.shell.shell import Command, Shell

if TYPE_CHECKING:
    from airtcp.plans.types.plan import PlanNode


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


COMMANDS = (
    Command("nodes", "", "List the nodes.", _nodes),
    Command("net", "", "List each node's interfaces, and what is at their other ends.", _net),
    Command("links", "", "List wires and cells with their ends.", _links),
    Command("dump", "", "List the addresses of each node.", _dump),
)
