"""What a session has waited for, as it happened."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from airtcp.plans.types.messages import (
    Happening,
    HappeningFlow,
    HappeningFrame,
    HappeningLoss,
    HappeningQueue,
    HappeningRetransmission,
    HappeningRoam,
    PacketEnds,
)
from airtcp.plans.types.plan import Plan
from airtcp.sessions.condition import FLOW_COLUMNS, QUEUE_COLUMNS, STATES
from airtcp.sessions.session import Ppdu, ppdu_of

# Numbers of protocols (IANA, Protocol Numbers) whose packets are named.
_PROTOCOLS = {1: "ICMP", 6: "TCP", 17: "UDP", 58: "ICMPv6"}
# Why a radio has dropped a frame, by the names of the air's report.
_REASONS = {
    "queue_full": "its queue is full",
    "codel": "CoDel",
    "retry_limit": "given up after the last attempt",
    "no_such_station": "nobody has its address",
    "foreign_source": "it has another sender's address",
    "too_long": "it is too long",
}
Kind = Literal["value", "retransmit", "loss", "roam", "frame", "function"]
NameOfFlow = Callable[[int], str]


@dataclass(frozen=True, kw_only=True)
class Happened:
    """What a network has waited for. What does not apply is `None`.

    Attributes:
        kind: `value` of a column, `retransmit`, `loss`, `roam`, `frame`, or `function`.
        at_ns: when, in nanoseconds from traffic time zero.
        text: what, as a sentence for people.
        node: node that lost a packet, that sends, that roams, or whose queue it is.
        interface: interface that lost a packet, or whose queue it is.
        flow: name of the flow.
        column: the column that was compared.
        value: its value, in its unit.
        by: who lost a packet: `queue`, `radio`, `wire` or `interface`.
        detail: the queueing discipline, or why a radio dropped a frame.
        packets: packets that were lost so, or segments that were sent again, at this instant.
        to: node that a frame is for, or the new access point.
        also: the other parts of a condition with `and`.

    Example:
        >>> found = lab.run_until("frame from sta1", within="2 s")
        >>> found.kind, found.node, found.at_ns < lab.now_s * 1e9
        ('frame', 'sta1', True)
    """

    kind: Kind
    at_ns: int
    text: str
    node: str | None = None
    interface: str | None = None
    flow: str | None = None
    column: str | None = None
    value: float | None = None
    by: str | None = None
    detail: str | None = None
    packets: int | None = None
    to: str | None = None
    also: "tuple[Happened, ...]" = ()

    @property
    def at_s(self) -> float:
        """When, in seconds from traffic time zero.

        Example:
            >>> found.at_s == found.at_ns / 1e9
            True
        """
        return self.at_ns / 1e9

    def __str__(self) -> str:
        """The instant, to the nanosecond, and what happened."""
        return f"{stamp(self.at_ns)}  {'; '.join(one.text for one in (self, *self.also))}"


def stamp(at_ns: int) -> str:
    """An instant to the nanosecond."""
    return f"{at_ns // 10**9}.{at_ns % 10**9:09d} s"


def happened(plan: Plan, name_of: NameOfFlow, at_ns: int, parts: Sequence[Happening]) -> Happened:
    """What a session says that has happened at an instant; there is at least one part."""
    first, *others = [_one(plan, name_of, at_ns, part) for part in parts]
    if not others:
        return first
    return Happened(**{**vars(first), "also": tuple(others)})


def _one(plan: Plan, name_of: NameOfFlow, at_ns: int, part: Happening) -> Happened:
    match part["what"]:
        case "flow":
            return _flow(plan, name_of, at_ns, part)
        case "retransmission":
            return _retransmission(plan, name_of, at_ns, part)
        case "queue":
            return _queue(plan, at_ns, part)
        case "loss":
            return _loss(plan, name_of, at_ns, part)
        case "roam":
            return _roam(plan, at_ns, part)
        case "frame":
            return _frame(plan, at_ns, part)


def _node(plan: Plan, number: int | None) -> str | None:
    return None if number is None else plan["nodes"][number]["name"]


def _radio(plan: Plan, nic: int | None) -> str | None:
    return None if nic is None else plan["air"]["nics"][nic]["node"]


def _device(plan: Plan, node: int, place: int) -> str:
    own = plan["nodes"][node]
    return [one["name"] for one in (*own["interfaces"], *own["bridges"])][place]


def _number(value: float, unit: str) -> str:
    text = f"{value:,.0f}".replace(",", "") if value == int(value) else f"{value:g}"
    plural = "s" if unit in ("segment", "packet", "byte") and value != 1 else ""
    return f"{text} {unit}{plural}".rstrip()


def _flow(plan: Plan, name_of: NameOfFlow, at_ns: int, part: HappeningFlow) -> Happened:
    column, value, flow = part["column"], part["value"], name_of(part["flow"])
    unit = FLOW_COLUMNS[column].unit
    said = STATES[int(value)] if column == "ca_state" else _number(value, unit)
    node = _node(plan, part["node"])
    text = f"{column} of {flow} is {said}"
    return Happened(kind="value", at_ns=at_ns, text=text, node=node, flow=flow, column=column, value=value)


def _retransmission(plan: Plan, name_of: NameOfFlow, at_ns: int, part: HappeningRetransmission) -> Happened:
    flow, count, node = name_of(part["flow"]), part["segments"], _node(plan, part["node"])
    what = "a segment" if count == 1 else f"{count} segments"
    text = f"retransmit: {flow} sends {what} again"
    return Happened(kind="retransmit", at_ns=at_ns, text=text, node=node, flow=flow, packets=count)


def _queue(plan: Plan, at_ns: int, part: HappeningQueue) -> Happened:
    node, interface = _node(plan, part["node"]), _device(plan, part["node"], part["interface"])
    column, value, detail = part["column"], part["value"], part["discipline"]
    said = _number(value, QUEUE_COLUMNS[column].unit)
    return Happened(
        kind="value",
        at_ns=at_ns,
        text=f"{column} of {node} {interface} {detail} is {said}",
        node=node,
        interface=interface,
        column=column,
        value=value,
        detail=detail,
    )


def _loss(plan: Plan, name_of: NameOfFlow, at_ns: int, part: HappeningLoss) -> Happened:
    node, interface = _node(plan, part["node"]), _device(plan, part["node"], part["interface"])
    flow = None if part["flow"] is None else name_of(part["flow"])
    who = {
        "queue": f"{node} {interface} {part['detail']} dropped",
        "radio": f"the radio of {node} {interface} dropped",
        "wire": f"the wire of {node} {interface} lost",
        "interface": f"{node} {interface} dropped",
    }[part["by"]]
    reason = f": {_REASONS[part['detail']]}" if part["by"] == "radio" and part["detail"] else ""
    return Happened(
        kind="loss",
        at_ns=at_ns,
        text=f"loss: {who} {_packets(part, flow)}{reason}",
        node=node,
        interface=interface,
        flow=flow,
        by=part["by"],
        detail=part["detail"] or None,
        packets=part["packets"],
    )


def _packets(part: HappeningLoss, flow: str | None) -> str:
    """The packets that are lost, in words."""
    what = "acknowledgment" if part["acknowledgment"] else "packet"
    article = "an" if part["acknowledgment"] else "a"
    counted = f"{article} {what}" if part["packets"] == 1 else f"{part['packets']} {what}s"
    if flow is not None:
        return f"{counted} of {flow}"
    return f"{counted}{_ends(part['packet'])}"


def _ends(packet: PacketEnds | None) -> str:
    if packet is None:
        return ""
    protocol = _PROTOCOLS.get(packet["protocol"], f"protocol {packet['protocol']}")
    source, destination = packet["source"], packet["destination"]
    if any(packet["ports"]):
        source, destination = (
            f"{address}:{port}" for address, port in zip((source, destination), packet["ports"], strict=True)
        )
    return f" ({protocol}, {source} to {destination})"


def _roam(plan: Plan, at_ns: int, part: HappeningRoam) -> Happened:
    node, old, new = (_radio(plan, part[key]) for key in ("nic", "from", "to"))
    text = f"roam: {node} goes from {old or 'another access point'} to {new or 'another one'}"
    return Happened(kind="roam", at_ns=at_ns, text=text, node=node, to=new)


def frame_in_words(plan: Plan, ppdu: Ppdu) -> str:
    """A PPDU in one line, without its time."""
    ends = f"{_radio(plan, ppdu.nic)} > {'all' if ppdu.to is None else _radio(plan, ppdu.to)}"
    attempt = f", attempt {ppdu.attempt}" if ppdu.attempt > 1 else ""
    length_us = (ppdu.end_ns - ppdu.start_ns) / 1e3
    return (
        f"{ends}  {ppdu.kind_name}, {ppdu.bytes} octets at {ppdu.rate_bps / 1e6:g} Mbit/s, "
        f"{length_us:g} us{attempt}: {ppdu.outcome_name}"
    )


def _frame(plan: Plan, at_ns: int, part: HappeningFrame) -> Happened:
    ppdu = ppdu_of(part)
    text = f"frame: {frame_in_words(plan, ppdu)}"
    node, to = _radio(plan, ppdu.nic), _radio(plan, ppdu.to)
    return Happened(kind="frame", at_ns=at_ns, text=text, node=node, to=to)
