"""Traffic of plans: its ends and addresses, and a plan with the traffic of another one."""

import copy
from collections.abc import Iterator, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_interface
from typing import TypeVar

from airtcp.plans.types.plan import Plan, PlanDatagramStream, PlanFlow

Stream = TypeVar("Stream", PlanFlow, PlanDatagramStream)


def ends_of_traffic(plan: Plan) -> Iterator[tuple[str, str, str]]:
    """From, to and address of each flow, stream of datagrams and ping, in this order."""
    yield from ((one["from"], one["to"], one["address"]) for one in plan["flows"])
    yield from ((one["from"], one["to"], one["address"]) for one in plan["datagrams"])
    yield from ((one["from"], one["to"], one["to_address"]) for one in plan["pings"])


def ends_of_ipv6(plan: Plan) -> tuple[str, str] | None:
    """The ends of the first traffic over IPv6; `None` if there is none."""
    every = ends_of_traffic(plan)
    return next(((source, to) for source, to, address in every if ip_address(address).version == 6), None)


def with_traffic(plan: Plan, other: Plan) -> Plan:
    """The plan with traffic and length of another one; what of its own has other names is background.

    Ports and addresses are the other plan's, unless they are taken or the network has no such address.
    """
    end_ns = other["duration_ns"]
    ends = plan["duration_ns"], end_ns
    made: Plan = {
        **plan,
        "flows": _with_background(other["flows"], plan["flows"], *ends),
        "datagrams": _with_background(other["datagrams"], plan["datagrams"], *ends),
        "pings": copy.deepcopy(other["pings"]),
        "duration_ns": end_ns,
        "ends_with": list(other["ends_with"]),
    }
    _set_addresses(made)
    return made


def _with_background(
    streams: Sequence[Stream], background: Sequence[Stream], own_end_ns: int, end_ns: int
) -> list[Stream]:
    """The streams, and those of the background that have other names, at ports that are free."""
    made = [copy.deepcopy(one) for one in streams]
    names = {one["name"] for one in made}
    ports = {(one["to"], one["port"]) for one in made}
    for one in background:
        if one["name"] in names:
            continue
        while (one["to"], one["port"]) in ports:
            one["port"] += 1
        one["stop_ns"] = end_ns if one["stop_ns"] >= own_end_ns else min(one["stop_ns"], end_ns)
        ports.add((one["to"], one["port"]))
        made.append(one)
    return made


def _set_addresses(plan: Plan) -> None:
    """Gives traffic an address that its receiver has, of the same version of IP, where nobody has its own."""
    addresses = {
        node["name"]: [
            ip_interface(address).ip
            for port in (*node["interfaces"], *node["bridges"])
            for address in port["addresses"]
        ]
        for node in plan["nodes"]
    }
    every = {address for own in addresses.values() for address in own}

    def reached(to: str, text: str) -> str:
        there: IPv4Address | IPv6Address = ip_address(text)
        alike = (own for own in addresses[to] if own.version == there.version)
        return text if there in every else str(next(alike, text))

    for flow in plan["flows"]:
        flow["address"] = reached(flow["to"], flow["address"])
    for stream in plan["datagrams"]:
        stream["address"] = reached(stream["to"], stream["address"])
    for ping in plan["pings"]:
        ping["to_address"] = reached(ping["to"], ping["to_address"])
