"""Names of guest kernels: a series of Linux, a flavour, a timer frequency, congestion controls of one's own.

`6.12`, `6.12-lab`, `6.12-hz1000`, `6.12-mine+other`, `6.12-lab-hz1000-mine`. `kernel/build` reads names by
`python3 -m airtcp.kernels.name`, which prints the parts as assignments of the shell.
"""

import argparse
import os
import re
import shlex
import sys
from dataclasses import dataclass

from airtcp.kernels.folder_name import KEPT_CHARACTERS, LAYOUT
from airtcp.kernels.source import kernel_source
from airtcp.kernels.table import (
    CONGESTION_CONTROLS,
    DEFAULT_KERNEL,
    FLAVOURS,
    FREQUENCIES_HZ,
    PLAIN,
    SERIES,
    USUAL_HZ,
    KernelSeries,
)

_NO_CCA = "".join(rf"(?!{flavour}\b)" for flavour in FLAVOURS)
# A name has at most 15 characters (TCP_CA_NAME_MAX of include/net/tcp.h is 16 with the closing zero).
CCA_NAME = rf"(?!hz\d+\b){_NO_CCA}[a-z][a-z0-9_]{{0,14}}"
_NAME = re.compile(
    rf"(?P<base>\d+\.\d+)(-(?P<flavour>{'|'.join(FLAVOURS)}))?(-hz(?P<hz>\d+))?"
    rf"(-(?P<brought>{CCA_NAME}(\+{CCA_NAME})*))?"
)


@dataclass(frozen=True)
class KernelName:
    """The parts of a name: `base` is the series of Linux, `brought` are one's own congestion controls."""

    base: str
    flavour: str = PLAIN
    hz: int = USUAL_HZ
    brought: tuple[str, ...] = ()

    def __str__(self) -> str:
        flavour = "" if self.flavour == PLAIN else f"-{self.flavour}"
        hz = "" if self.hz == USUAL_HZ else f"-hz{self.hz}"
        brought = f"-{'+'.join(self.brought)}" if self.brought else ""
        return f"{self.base}{flavour}{hz}{brought}"


def parsed(name: str) -> KernelName | None:
    """The parts of a name; `None` of a text that is not one."""
    found = _NAME.fullmatch(name)
    if not found:
        return None
    brought = tuple((found["brought"] or "").split("+")) if found["brought"] else ()
    return KernelName(found["base"], found["flavour"] or PLAIN, int(found["hz"] or USUAL_HZ), brought)


def base_of(name: str) -> str:
    """The series of Linux in a kernel's name."""
    found = parsed(name)
    return found.base if found else DEFAULT_KERNEL


def series_of(name: str) -> KernelSeries:
    """What is known of a kernel's series; of a series that is not in the table, as of the default."""
    return SERIES.get(base_of(name), SERIES[DEFAULT_KERNEL])


def brought_by(name: str) -> list[str]:
    """Congestion controls of one's own that a kernel has."""
    found = parsed(name)
    return list(found.brought) if found else []


def how_to_build(name: str, made_before: bool) -> str:
    """The command that builds a kernel; the files of one that was `made_before` are kept."""
    kernel = parsed(name)
    if not kernel or made_before:
        return f"airtcp kernel build --series {name}"
    files = "".join(f" --cca tcp_{own}.c" for own in kernel.brought)
    series = f" --series {kernel.base}" if kernel.base != DEFAULT_KERNEL else ""
    hz = f" --hz {kernel.hz}" if kernel.hz != USUAL_HZ else ""
    flavour = f" --flavour {kernel.flavour}" if kernel.flavour != PLAIN else ""
    options = f"{series}{flavour}{hz}{files}"
    return f"airtcp kernel build{options or ' --series ' + name}"


def chosen(name: str, flavour: str, hz: str) -> KernelName:
    """The kernel of a name and of options beside it ("": not given); a contradiction is a `ValueError`."""
    kernel = parsed(name)
    if kernel is None:
        raise ValueError(f"--series {name}: write 6.12, 6.12-lab, 6.12-hz1000 or 6.12-NAME")
    if flavour and kernel.flavour not in (PLAIN, flavour):
        raise ValueError(f"--flavour {flavour} contradicts --series {name}; give one of them")
    flavour = flavour or kernel.flavour
    if not (kernel_source() / "patches" / kernel.base).is_dir():
        raise ValueError(f"no patches for series '{kernel.base}'; there are: {' '.join(sorted(SERIES))}")
    if flavour != PLAIN and not (kernel_source() / "flavours" / flavour / kernel.base).is_dir():
        have = " ".join(FLAVOURS)
        raise ValueError(
            f"--flavour {flavour}: series {kernel.base} has no such flavour; {DEFAULT_KERNEL} has: {have}"
        )
    if f"-hz{USUAL_HZ}" in name:
        usual = KernelName(kernel.base, kernel.flavour, USUAL_HZ, kernel.brought)
        raise ValueError(
            f"--series {name}: the default of {USUAL_HZ} Hz is not part of a name; write {usual}"
        )
    if hz and kernel.hz not in (USUAL_HZ, _number(hz)):
        raise ValueError(f"--hz {hz} contradicts --series {name}; give one of them")
    wanted_hz = _number(hz) if hz else kernel.hz
    if wanted_hz not in FREQUENCIES_HZ:
        raise ValueError(f"--hz {hz or kernel.hz}: choose one of {' '.join(map(str, FREQUENCIES_HZ))}")
    return KernelName(kernel.base, flavour, wanted_hz, kernel.brought)


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,9}", text) else -1


def main() -> int:
    """Prints the parts of a kernel's name, and what names its files must not have, for `kernel/build`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", default=DEFAULT_KERNEL)
    parser.add_argument("--flavour", default="")
    parser.add_argument("--hz", default="")
    given = parser.parse_args()
    try:
        kernel = chosen(given.series or DEFAULT_KERNEL, given.flavour, given.hz)
    except ValueError as error:
        print(f"{os.environ.get('AIRTCP_BUILDER', 'kernel/build')}: {error}", file=sys.stderr)
        return 2
    parts = {
        "whole": given.series or DEFAULT_KERNEL,
        "series": kernel.base,
        "flavour": "" if kernel.flavour == PLAIN else kernel.flavour,
        "hz": str(kernel.hz),
        "usual_hz": str(USUAL_HZ),
        "named_ccas": f"-{'+'.join(kernel.brought)}" if kernel.brought else "",
        "label": str(KernelName(kernel.base, kernel.flavour, kernel.hz)),
        "taken": " ".join(CONGESTION_CONTROLS),
        "folder_layout": LAYOUT,
        "kept_characters": KEPT_CHARACTERS,
        "suites": " ".join(series_of(kernel.base).suites),
        "wanted_version": series_of(kernel.base).version,
    }
    for name, value in parts.items():
        print(f"{name}={shlex.quote(value)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
