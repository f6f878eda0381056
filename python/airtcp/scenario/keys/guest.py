"""The guest: which kernel it has beside the plain one, and what programs may do in it."""

from typing import Literal

from pydantic import Field

from airtcp.scenario.keys.parts import Part
from airtcp.scenario.values.kernel_series import PLAIN, Flavour

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
