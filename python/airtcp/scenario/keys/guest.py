"""The guest: its kernel beside the plain one, what programs may do in it, and whether it may be two."""

from typing import Literal

from pydantic import Field

from airtcp.kernels.table import PLAIN, Flavour
from airtcp.scenario.keys.parts import Part

Namespace = Literal["pid", "mount"]


class GuestSettings(Part):
    """The machine that all nodes share: `[guest]`."""

    flavour: Flavour = PLAIN
    """Flavour of the kernel: `plain`, or `lab` with [all of Linux's networking](../how-to/lab.md) and a
    writable root.
    """
    privileged: bool = False
    """Whether programs may mount, make namespaces and trace, as root of their own machine; needs `lab`."""
    namespaces: list[Namespace] = Field([])
    """Namespaces that each node has of its own, beside that of its network: `pid` and `mount`
    ([what they change](../how-to/lab.md#namespaces-of-a-node)).
    """
    files: list[str] = Field([])
    """Files of the scenario's folder that every command finds in `$SCENARIO_DIR`, also those that are typed
    in sessions, as patterns (`"tools/**"`). Those that a `[[program]]` or a `[[session]]` names are there
    anyway.
    """
    split: bool = False
    """Whether two guests may compute the network, one part each
    ([how](../internals/two-guests.md)). airtcp finds the parts: wires with a delay of at least 1 ms in both
    directions join them, and only bulk transfers, flows of `bytes` and pings cross. Results are the same with
    one guest (`airtcp run --guests 1`) and with two, but not the same as without `split`, which draws other
    random numbers. Programs, sessions, captures, `ends_with`, cells of `mac = "linux"` and
    `delays` of `[sampling]` are for networks that are not split.
    """
