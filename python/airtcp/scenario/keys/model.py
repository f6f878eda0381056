"""The scenario as a whole."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from airtcp.kernels.table import DEFAULT_KERNEL, USUAL_HZ, Hz
from airtcp.scenario.keys.capture import CaptureSettings
from airtcp.scenario.keys.cell import STATIONS_MOST, WifiCell
from airtcp.scenario.keys.channel import Channel
from airtcp.scenario.keys.ecn import Ecn
from airtcp.scenario.keys.guest import GuestSettings
from airtcp.scenario.keys.interferer import Interferer
from airtcp.scenario.keys.parts import Name, NamePatterns, Part, written
from airtcp.scenario.keys.session import SessionSettings
from airtcp.scenario.keys.source import Source
from airtcp.scenario.keys.traffic import (
    PingSettings,
    ProgramSettings,
    SamplingSettings,
    UdpSettings,
    VoipSettings,
)
from airtcp.scenario.keys.wires import NodeSettings, Offloads, Wire
from airtcp.scenario.keys.workload import FlowSettings, RequestSettings, VideoSettings, WebSettings
from airtcp.scenario.values.date import DEFAULT_DATE, DateS
from airtcp.scenario.values.kernel_series import KernelSeries
from airtcp.scenario.values.units import LengthNs, TimeNs

# Set in every node before those of the scenario. The three memory limits are Linux's own on a host with
# plenty of memory; the guest's small memory would shrink them and change results. Metrics saved from one
# connection would steer the next. IPv6 would send its own discovery traffic over the air.
DEFAULT_SYSCTLS = {
    "net.ipv4.tcp_rmem": "4096 131072 6291456",
    "net.ipv4.tcp_wmem": "4096 16384 4194304",
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv6.conf.all.disable_ipv6": "1",
    "net.ipv6.conf.default.disable_ipv6": "1",
}

# Over them where a scenario has IPv6. Addresses are given and used at once: nobody looks for duplicates
# (RFC 4862, 5.4) or for routers, which would send over the air. Neighbour discovery and MLD remain.
IPV6_SYSCTLS = {
    f"net.ipv6.conf.{which}.{key}": value
    for which in ("all", "default")
    for key, value in (
        ("disable_ipv6", "0"),
        ("accept_dad", "0"),
        ("accept_ra", "0"),
        ("router_solicitations", "0"),
    )
}

# Tables of what needs a guest, in the order of the reference; runs without a guest refuse them.
GUEST_TABLES: Mapping[str, type[Part]] = {
    "flow": FlowSettings,
    "request": RequestSettings,
    "web": WebSettings,
    "video": VideoSettings,
    "udp": UdpSettings,
    "voip": VoipSettings,
    "ping": PingSettings,
    "program": ProgramSettings,
    "capture": CaptureSettings,
    "session": SessionSettings,
}


def _number_stations(cells: Any) -> Any:
    """Stations given by their number get names, counted over all cells."""
    if not isinstance(cells, dict):
        return cells
    named, last = {}, 0
    for name, cell in cells.items():
        count = cell.get("stations") if isinstance(cell, dict) else None
        if isinstance(count, int) and not isinstance(count, bool):
            # One more than a cell may have says as much as a million.
            count = min(max(count, 0), STATIONS_MOST + 1)
            cell = {**cell, "stations": [f"sta{last + i}" for i in range(1, count + 1)]}
            last += count
        named[name] = cell
    return named


Cells = Annotated[dict[Name, WifiCell], BeforeValidator(_number_stations)]


class Scenario(Part):
    """An experiment: a network, its traffic, and what is measured."""

    name: Name
    """Name of the experiment."""
    duration: LengthNs
    """Length of the run, counted from the epoch."""
    ends_with: str | list[Name] | None = None
    """The run ends before its `duration` when all of these flows, requests, pages or films have ended at
    their receivers, and all of these programs: a name, a list, or a pattern as `"sta*"`.
    """
    seed: int = Field(1, ge=0, le=2**63 - 1)
    """Root of every random stream."""
    kernel: KernelSeries = DEFAULT_KERNEL
    """Kernel series of the guest; with [congestion controls of your own](../how-to/own-congestion-control.md)
    their names too: `6.12-mine`.
    """
    hz: Hz = USUAL_HZ
    """Timer frequency of the guest's kernel in Hz: 100, 250, 300 or 1000. Any but 250 needs [a kernel of its
    own](../how-to/kernels.md).
    """
    guest: GuestSettings = GuestSettings()
    """The machine that all nodes share: `[guest]`."""
    memory_mib: int = Field(512, ge=256, le=65536)
    """Memory of the guest in MiB."""
    epoch: LengthNs = written("3 s")
    """Time from boot to traffic time zero, in which the network is set up."""
    date: DateS = written(DEFAULT_DATE)
    """Date of the wall clocks at traffic time zero, in UTC, unless an offset is given. Programs read it, and
    captures carry it.
    """
    mtu: int = Field(1500, ge=576, le=2296)
    """Largest IP packet in bytes, of every interface."""
    offloads: Offloads = "none"
    """Offloads of hosts: `none`, or `host`: TCP sends packets of many segments, devices cut them into frames
    (TSO, GSO), and merge frames that one interrupt brings (GRO). Routers, switches and access points have
    none ([details](../models/offloads.md)).
    """
    ecn: Ecn | None = None
    """ECN of TCP in every node: `off` (nodes neither ask for it nor agree to it), `on` (RFC 3168), or
    `accurate` (AccECN, RFC 9768; series 7.2), which falls back to that of the peer. A connection has what
    both ends support; a congestion control that needs ECN, as `dctcp`, asks for it anyway. Default: nodes
    agree to RFC 3168 and do not ask ([details](../how-to/ecn.md)).
    """
    wifi: Cells = Field({})
    """Cells: `[wifi.NAME]`."""
    channel: Channel = Channel()
    """Propagation and reception."""
    interferer: list[Interferer] = Field([])
    """Interference of sources that are no Wi-Fi: `[[interferer]]`."""
    wire: list[Wire] = Field([])
    """Wires: `[[wire]]`."""
    node: dict[Name, NodeSettings] = Field({})
    """Settings of nodes: `[node.NAME]`."""
    flow: list[FlowSettings] = Field([])
    """Bulk transfers and bursts: `[[flow]]`."""
    request: list[RequestSettings] = Field([])
    """Requests and answers: `[[request]]`."""
    web: list[WebSettings] = Field([])
    """Web pages: `[[web]]`."""
    video: list[VideoSettings] = Field([])
    """Adaptive streaming: `[[video]]`."""
    udp: list[UdpSettings] = Field([])
    """UDP datagrams: `[[udp]]`."""
    voip: list[VoipSettings] = Field([])
    """Telephone calls: `[[voip]]`."""
    ping: list[PingSettings] = Field([])
    """Echo requests: `[[ping]]`."""
    source: list[Source] = Field([])
    """Sources of frames for runs without a guest (`airtcp air`): `[[source]]`."""
    warmup: TimeNs = written("0 s")
    """Time from the start that `airtcp air` does not measure."""
    program: list[ProgramSettings] = Field([])
    """Commands: `[[program]]`."""
    groups: dict[Name, NamePatterns] = Field({})
    """Flows, streams and pings that tables, figures and metrics take together: `[groups]` with a pattern of
    names or a list of them for each group, as `calls = "v*"` ([how](../how-to/measuring.md#groups)). With
    other groups it is the same run.
    """
    sampling: SamplingSettings = SamplingSettings()
    """What is sampled."""
    capture: list[CaptureSettings] = Field([])
    """Packet captures: `[[capture]]`."""
    session: list[SessionSettings] = Field([])
    """Inputs of a session: `[[session]]`. With any of them the run lasts until one ends it, a day at most,
    and `duration` says only when flows stop.
    """
    sysctl: dict[str, str | int] = Field({})
    """Settings below `/proc/sys` of every node, over airtcp's own (listed below)."""
