"""Where things of a run happen: flows, queues, radios and links, with their nodes."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from airtcp.data.run_folder import Run

if TYPE_CHECKING:
    import polars

Kind = Literal["run", "flow", "queue", "radio", "link"]


@dataclass(frozen=True)
class Place:
    """The run, a flow, queue, radio or link by its name; `node` is "" of the run and of a flow.

    `ends` are the radios of a link, by their numbers.
    """

    kind: Kind
    name: str
    node: str = ""
    ends: tuple[int, int] | None = None


@dataclass(frozen=True)
class Places:
    """The places of a run, by their numbers in its plan."""

    run: Run

    def radio_names(self) -> tuple[str, ...]:
        """A name for each radio: its node, with a number where a node has several."""
        nodes = [str(nic["node"]) for nic in self.run.plan["air"]["nics"]]
        return tuple(
            node if nodes.count(node) == 1 else f"{node}, radio {number}" for number, node in enumerate(nodes)
        )

    def radios(self) -> tuple[Place, ...]:
        """Each radio."""
        nics = self.run.plan["air"]["nics"]
        names = self.radio_names()
        return tuple(Place("radio", name, str(nic["node"])) for name, nic in zip(names, nics, strict=True))

    def flows(self) -> tuple[Place, ...]:
        """Each flow."""
        return tuple(Place("flow", str(flow["name"])) for flow in self.run.flow_plans)


def link_place(radios: tuple[Place, ...], nic: int, peer: int) -> Place | None:
    """From one of these radios to another one; `None` if there are no such radios."""
    if nic >= len(radios) or peer >= len(radios):
        return None
    return Place("link", f"{radios[nic].name} to {radios[peer].name}", radios[nic].node, (nic, peer))


def queue_place(part: "polars.DataFrame") -> Place:
    """The queue of which these rows of `qdiscs` with names are."""
    node = str(part["node_name"][0])
    return Place("queue", f"{node} {part['interface_name'][0]}", node)
