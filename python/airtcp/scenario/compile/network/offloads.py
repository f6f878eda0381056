"""Offloads of hosts, and the interrupts of their Ethernet NICs."""

from collections.abc import Sequence
from dataclasses import dataclass

from airtcp.plans.types.plan import PlanSysctl, PlanWireInterrupt
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.keys.wires import Offloads, WireInterrupt, WireSettings

# 20,000 interrupts per second, as e1000e, igb, i40e and ice of Linux 6.12 (docs/models/offloads.md).
HOST_INTERRUPT: PlanWireInterrupt = {"interval_ns": 50_000, "after_first_ns": 0, "frames": None}
_FORWARDING = ("net.ipv4.ip_forward", "net.ipv4.conf.all.forwarding", "net.ipv6.conf.all.forwarding")


def has_offloads(scenario: Scenario, name: str, kind: str) -> bool:
    """Whether a node of this kind has the offloads of a host."""
    settings = scenario.node.get(name)
    own = settings.offloads if settings else None
    if own == "host" and kind != "host":
        what = f"{name} is {_A[kind]}: it forwards packets, and its queues count packets of one MTU"
        raise ScenarioError(f"node.{name}.offloads", what, "Leave it out: only hosts have offloads")
    return kind == "host" and (own or scenario.offloads) == "host"


_A = {"switch": "a switch", "router": "a router", "access_point": "an access point", "host": "a host"}


def offloads_plan(scenario: Scenario, name: str, kind: str, sysctls: Sequence[PlanSysctl]) -> Offloads:
    """The offloads of a node, whose settings must not make it forward what it has merged."""
    if not has_offloads(scenario, name, kind):
        return "none"
    forwards = [s["key"] for s in sysctls if s["key"] in _FORWARDING and s["value"] != "0"]
    if forwards:
        settings = scenario.node.get(name)
        key = f"node.{name}.offloads" if settings and settings.offloads else "offloads"
        what = f"{name} forwards packets ({forwards[0]}), and would forward those that it has merged"
        remedy = f'Set [node.{name}] kind = "router", or offloads = "none"'
        raise ScenarioError(key, what, remedy)
    return "host"


@dataclass(frozen=True)
class Merging:
    """Generic receive offload of a radio: as its settings have it, if they do, and as its card has it."""

    given: bool | None
    of_card: bool


def merges_in_radio(merging: Merging, is_host: bool, wanted: Offloads, key: str) -> bool:
    """Whether a radio merges; its setting is at `key`, and `wanted` is that of the whole scenario."""
    if merging.given is None:
        return is_host or (merging.of_card and wanted == "none")
    if merging.given and wanted == "host" and not is_host:
        what = "merges what a node forwards, and with offloads its queues count packets of one MTU"
        remedy = 'Leave it out: offloads = "host" merges at hosts'
        raise ScenarioError(key, what, remedy)
    return merging.given


def interrupt_plan(chosen: WireSettings, own: WireSettings | None, is_host: bool) -> PlanWireInterrupt | None:
    """When the end of a wire that receives interrupts its node; `own`: settings of this direction."""
    given = own.rx_interrupt if own and own.rx_interrupt is not None else chosen.rx_interrupt
    if given is None:
        return HOST_INTERRUPT if is_host else None
    if not isinstance(given, WireInterrupt):
        return None
    return {
        "interval_ns": given.interval or 0,
        "after_first_ns": given.after_first or 0,
        "frames": given.frames,
    }
