"""The guest: which kernel it has beside the plain one, and what programs may do in it."""

from airtcp.scenario.keys.parts import Part
from airtcp.scenario.values.kernel_series import PLAIN, Flavour


class GuestSettings(Part):
    """The machine that all nodes share: `[guest]`."""

    flavour: Flavour = PLAIN
    """Flavour of the kernel: `plain`, or `lab` with [all of Linux's networking](../how-to/lab.md) and a
    writable root.
    """
    privileged: bool = False
    """Whether programs may mount, make namespaces and trace, as root of their own machine; needs `lab`."""
