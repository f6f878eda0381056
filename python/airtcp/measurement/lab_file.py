"""The keys of a lab file: which machine is which node of a scenario, and what may be done to it."""

from collections.abc import Mapping
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, ValidationError

from airtcp.errors import AirtcpError, remedy_for
from airtcp.scenario.keys.parts import Name, Part, written
from airtcp.scenario.reading.toml_file import parse_toml, read_text
from airtcp.scenario.reading.toml_lines import with_line
from airtcp.scenario.values.units import LengthNs
from airtcp.wrong_values import wrong_value

_GUIDE = "See airtcp docs measure"
# The ways in, in the order of the page.
WAYS = ("ssh", "docker", "netns", "local")

Change = Literal["queues", "sysctls", "congestion_controls"]


def _address_of(version: type[IPv4Address | IPv6Address], name: str) -> BeforeValidator:
    """Refuses what is no address of this version of IP."""

    def check(value: Any) -> str:
        try:
            return str(version(value))
        except ValueError:
            raise ValueError(f'"{value}" is not an {name} address') from None

    return BeforeValidator(check)


class LabNode(Part):
    """A machine: `[node.NAME]`. One of `ssh`, `docker`, `netns` and `local` says how commands reach it."""

    ssh: str | None = None
    """Destination for the system's `ssh`, as `host` or `user@host`; your `~/.ssh/config` holds."""
    docker: str | None = None
    """Name of a running container."""
    netns: str | None = None
    """Name of a network namespace of this machine (`ip netns`); needs root, or `sudo`."""
    local: Literal[True] | None = None
    """This machine."""
    address: Annotated[str, _address_of(IPv4Address, "IPv4")] | None = None
    """IPv4 address to which the traffic of the other nodes goes; nodes that only forward need none."""
    address6: Annotated[str, _address_of(IPv6Address, "IPv6")] | None = None
    """IPv6 address, for traffic with `ip = 6`."""
    interfaces: dict[str, str] = Field({})
    """The machine's names of the scenario's interfaces: `{ eth0 = "enp3s0", wlan0 = "wlp2s0" }`."""
    sudo: bool = False
    """Commands that need root are run with `sudo -n`, which asks for no password."""
    set: list[Change] = Field([])
    """What is set as the scenario says, and restored: `queues` (rates, delays and queues of the interfaces
    named here), `sysctls`, `congestion_controls` (their modules are loaded)."""

    def address_like(self, other: str) -> str | None:
        """The node's address of the version of IP that another address has."""
        return self.address6 if ":" in other else self.address

    @property
    def way(self) -> str:
        """How commands reach it."""
        return next(way for way in WAYS if getattr(self, way) is not None)


class LabFile(Part):
    """A lab."""

    node: dict[Name, LabNode]
    """The machines, by the names of the scenario's nodes. Nodes that only forward may be left out."""
    lead: LengthNs = written("2 s")
    """Time from the order to start until traffic time zero, in which all machines get ready."""


def read_lab(path: Path) -> LabFile:
    """Reads a lab file; what is wrong with it is an `AirtcpError` with file, line and key."""
    text = read_text(path)
    tables = parse_toml(text, path)
    try:
        lab = LabFile.model_validate(tables)
    except ValidationError as error:
        raise _first_error(error, path, text) from None
    for name, node in lab.node.items():
        given = [way for way in WAYS if getattr(node, way) is not None]
        if len(given) != 1:
            what = f"has {' and '.join(given)}" if given else "does not say how to reach the machine"
            remedy = f"Give it one of {', '.join(WAYS)}"
            raise AirtcpError(f"node.{name} {what}", with_line(str(path), text, f"node.{name}"), remedy)
    return lab


def _first_error(error: ValidationError, path: Path, text: str) -> AirtcpError:
    detail = error.errors(include_url=False)[0]
    names = [str(part) for part in detail["loc"]]
    key = ".".join(names)
    if detail["type"] == "extra_forbidden":
        known: Mapping[str, Any] = LabNode.model_fields if names[0] == "node" else LabFile.model_fields
        what, remedy = "unknown key", remedy_for(names[-1], list(known))
    elif detail["type"] == "missing":
        what, remedy = "is missing", _GUIDE
    else:
        wrong = wrong_value(detail, key)
        what, remedy = wrong.what, wrong.remedy or _GUIDE
    return AirtcpError(f"{key}: {what}", with_line(str(path), text, key), remedy)
