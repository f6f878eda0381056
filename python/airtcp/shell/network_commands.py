"""Commands that show the network."""

from airtcp.plans.links import End, links
from airtcp.shell.shell import Command, Shell


def _nodes(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    shell.say(" ".join(shell.lab.nodes))


def _net(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    others: dict[str, list[str]] = {node["name"]: [] for node in shell.lab.plan["nodes"]}
    for link in links(shell.lab.plan):
        for own, end in enumerate(link.ends):
            far = [_name(other) for place, other in enumerate(link.ends) if place != own] or ["?"]
            other = f"cell{link.number}" if link.kind == "cell" else far[0]
            others[end.node].append(f"{end.interface['name']}:{other}")
    for node, peers in others.items():
        shell.say(" ".join([node, *peers]))


def _name(end: End) -> str:
    return f"{end.node}-{end.interface['name']}"


def _links(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    for link in sorted(links(shell.lab.plan), key=lambda link: f"{link.kind} {link.number}"):
        between = "<->" if link.kind == "wire" else " "
        shell.say(f"{link.kind} {link.number}: {between.join(map(_name, link.ends))}")


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
