"""Names of guest kernels: a series of Linux, a flavour, a timer frequency, congestion controls of one's own.

`6.12`, `6.12-lab`, `6.12-hz1000`, `6.12-mine+other`, `6.12-lab-hz1000-mine`, as `kernel/build` calls what it
makes. A scenario gives flavour and frequency by keys of their own.
"""

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator

from airtcp.kernel_source import DEFAULT_KERNEL

# A name has at most 15 characters (TCP_CA_NAME_MAX of include/net/tcp.h is 16 with the closing zero).
CCA_NAME = r"(?!hz\d+\b)(?!lab\b)[a-z][a-z0-9_]{0,14}"
_BROUGHT = rf"(-(?P<brought>{CCA_NAME}(\+{CCA_NAME})*))?"
_SERIES = re.compile(rf"(?P<base>\d+\.\d+)(-(?P<flavour>lab))?(-hz(?P<hz>\d+))?{_BROUGHT}")
# Folders of kernel/flavours, and what all kernels are without one.
Flavour = Literal["plain", "lab"]
PLAIN: Flavour = "plain"
# Frequencies of distributions' kernels (Linux, kernel/Kconfig.hz). Debian's is not part of a kernel's name.
Hz = Literal[100, 250, 300, 1000]
USUAL_HZ: Hz = 250


def base_of(kernel: str) -> str:
    """The series of Linux."""
    found = _SERIES.fullmatch(kernel)
    return found["base"] if found else DEFAULT_KERNEL


def brought_by(kernel: str) -> list[str]:
    """Congestion controls of one's own that the kernel has."""
    found = _SERIES.fullmatch(kernel)
    return (found["brought"] or "").split("+") if found and found["brought"] else []


def kernel_name(kernel: str, flavour: str, hz: int) -> str:
    """The name of this kernel in a flavour and with a timer frequency."""
    base, dash, brought = kernel.partition("-")
    chosen = "" if flavour == PLAIN else f"-{flavour}"
    frequency = "" if hz == USUAL_HZ else f"-hz{hz}"
    return f"{base}{chosen}{frequency}{dash}{brought}"


def how_to_build(kernel: str, made_before: bool) -> str:
    """The command that builds a kernel; the files of one that was `made_before` are kept."""
    found = _SERIES.fullmatch(kernel)
    if not found or made_before:
        return f"airtcp kernel build --series {kernel}"
    files = "".join(f" --cca tcp_{name}.c" for name in brought_by(kernel))
    series = f" --series {found['base']}" if found["base"] != DEFAULT_KERNEL else ""
    hz = f" --hz {found['hz']}" if found["hz"] else ""
    flavour = f" --flavour {found['flavour']}" if found["flavour"] else ""
    options = f"{series}{flavour}{hz}{files}"
    return f"airtcp kernel build{options or ' --series ' + kernel}"


def _series(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f'{value!r} is not a kernel series; write text such as "6.12"')
    found = _SERIES.fullmatch(value)
    if not found:
        own = "with congestion controls of your own their names, 6.12-mine+other"
        raise ValueError(f'"{value}" is not a kernel series; write 6.12, or {own}')
    if found["flavour"]:
        plain = value.replace(f"-{found['flavour']}", "", 1)
        raise ValueError(
            f'the flavour has a key of its own; write kernel = "{plain}" and, in [guest], '
            f'flavour = "{found["flavour"]}"'
        )
    if found["hz"]:
        rest = f"{found['base']}-{found['brought']}" if found["brought"] else found["base"]
        raise ValueError(
            f'the timer frequency has a key of its own; write kernel = "{rest}" and hz = {found["hz"]}'
        )
    return value


KernelSeries = Annotated[str, BeforeValidator(_series)]
