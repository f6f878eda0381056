"""Names of guest kernels: a series of Linux, a flavour, a timer frequency, congestion controls of one's own.

`6.12`, `6.12-lab`, `6.12-hz1000`, `6.12-mine+other`, `6.12-lab-hz1000-mine`. A kernel of one's own source has
the name that it was given in place of the series: `net_next`, `net_next-lab-hz1000`. `kernel/build` reads
names by `python3 -m airtcp.kernels.name`, which prints the parts as assignments of the shell.
"""

import argparse
import os
import re
import shlex
import sys
from dataclasses import dataclass, replace
from pathlib import Path

from airtcp.kernels.folder_name import KEPT_CHARACTERS, LAYOUT
from airtcp.kernels.hooks import hooks_for, patch_folders, version_of
from airtcp.kernels.own import OwnKernel, own_kernel
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
_NO_PART = "".join(rf"(?!{part}\b)" for part in (r"hz\d+", PLAIN, *FLAVOURS))
# A hyphen would begin the next part of a name.
OWN_NAME = rf"{_NO_PART}[a-z][a-z0-9_.]{{0,30}}"
_NAME = re.compile(
    rf"(?P<base>\d+\.\d+|{OWN_NAME})(-(?P<flavour>{'|'.join(FLAVOURS)}))?(-hz(?P<hz>\d+))?"
    rf"(-(?P<brought>{CCA_NAME}(\+{CCA_NAME})*))?"
)


@dataclass(frozen=True)
class KernelName:
    """The parts of a name.

    `base` is the series of Linux, or the name of a source of one's own; `brought` are one's own congestion
    controls.
    """

    base: str
    flavour: str = PLAIN
    hz: int = USUAL_HZ
    brought: tuple[str, ...] = ()

    @property
    def is_own(self) -> bool:
        """Whether it is built of a source of one's own."""
        return not self.base[0].isdigit()

    @property
    def plain(self) -> "KernelName":
        """The kernel without flavour and frequency, for which scenarios have keys of their own."""
        return replace(self, flavour=PLAIN, hz=USUAL_HZ)

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
    """The series in a kernel's name, or the name of one's own source."""
    found = parsed(name)
    return found.base if found else DEFAULT_KERNEL


def built_own(name: str) -> OwnKernel | None:
    """What a kernel of one's own source is built of; `None` of a series, and if none is built."""
    found = parsed(name)
    return own_kernel(found.base) if found and found.is_own else None


def series_of(name: str) -> KernelSeries:
    """What is known of a kernel's series; of one's own source that of the nearest series."""
    own = built_own(name)
    return SERIES.get(own.base if own else base_of(name), SERIES[DEFAULT_KERNEL])


def debugged(kernel: KernelName) -> KernelName:
    """The kernel with symbols for gdb beside one of a series; one's own source is built with them itself.

    Raises:
        ValueError: it has congestion controls of one's own.
    """
    if kernel.is_own:
        return kernel
    if kernel.brought:
        raise ValueError(
            "a kernel for gdb has no files of --cca; give them as a patch: --name NAME --patch FILE --debug"
        )
    return replace(kernel, base=f"debug_{kernel.base}")


def brought_by(name: str) -> list[str]:
    """Congestion controls of one's own that a kernel has."""
    found = parsed(name)
    return list(found.brought) if found else []


def how_to_build(name: str, made_before: bool) -> str:
    """The command that builds a kernel; the files of one that was `made_before` are kept."""
    kernel = parsed(name)
    if not kernel or made_before:
        return f"airtcp kernel build --series {name}"
    if kernel.is_own:
        return f"airtcp kernel build --name {name} --source DIR"
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
        raise ValueError(
            f"--series {name}: write 6.12, 6.12-lab, 6.12-hz1000 or 6.12-NAME, or the name of a kernel of "
            "your own source: at most 31 of a-z, 0-9, _ and ., the first a letter"
        )
    if kernel.is_own and kernel.brought:
        raise ValueError(f"--series {name}: put the congestion control into the source of {kernel.base}")
    if flavour and kernel.flavour not in (PLAIN, flavour):
        raise ValueError(f"--flavour {flavour} contradicts --series {name}; give one of them")
    flavour = flavour or kernel.flavour
    if not kernel.is_own and kernel.base not in SERIES:
        raise ValueError(f"no patches for series '{kernel.base}'; there are: {' '.join(sorted(SERIES))}")
    if not kernel.is_own and flavour != PLAIN and not _has_flavour(kernel.base, flavour):
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


def _has_flavour(base: str, flavour: str) -> bool:
    """Whether a series is not before the first for which the flavour has patches."""
    folders = [folder for folder in (kernel_source() / "flavours" / flavour).glob("*.*") if folder.is_dir()]
    return any(version_of(base) >= version_of(folder.name) for folder in folders)


def patches_of(kernel: KernelName) -> list[Path]:
    """The patches of a series and a flavour, in the order in which they apply."""
    hooks = hooks_for(version_of(kernel.base), patch_folders(kernel.flavour))
    return [hook.variants[0].file for hook in hooks if hook.required]


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,9}", text) else -1


def main() -> int:
    """Prints the parts of a kernel's name, and what names its files must not have, for `kernel/build`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--series", default=DEFAULT_KERNEL)
    parser.add_argument("--flavour", default="")
    parser.add_argument("--hz", default="")
    parser.add_argument("--name", default="", help="of a kernel of one's own source")
    parser.add_argument("--debug", default="false", help="true: one of a series for gdb")
    given = parser.parse_args()
    series = given.series or DEFAULT_KERNEL
    try:
        kernel = chosen(given.name or series, given.flavour, given.hz)
        if given.debug == "true" and not kernel.is_own:
            kernel = debugged(kernel)
            given.name = kernel.base
        if given.name and not kernel.is_own:
            raise ValueError(
                f"--name {given.name}: the name of a kernel of your own source begins with a letter"
            )
    except ValueError as error:
        print(f"{os.environ.get('AIRTCP_BUILDER', 'kernel/build')}: {error}", file=sys.stderr)
        return 2
    # The series whose source it has, if it has none of its own.
    of_source = base_of(series) if base_of(series) in SERIES else DEFAULT_KERNEL
    parts = {
        "whole": str(kernel) if kernel.is_own else series,
        "series": of_source,
        "own": kernel.base if kernel.is_own else "",
        "flavour": "" if kernel.flavour == PLAIN else kernel.flavour,
        "hz": str(kernel.hz),
        "usual_hz": str(USUAL_HZ),
        "named_ccas": f"-{'+'.join(kernel.brought)}" if kernel.brought else "",
        "label": str(KernelName(kernel.base, kernel.flavour, kernel.hz)),
        "taken": " ".join(CONGESTION_CONTROLS),
        "folder_layout": LAYOUT,
        "kept_characters": KEPT_CHARACTERS,
        "suites": " ".join(SERIES[of_source].suites),
        "wanted_version": SERIES[of_source].version,
    }
    for name, value in parts.items():
        print(f"{name}={shlex.quote(value)}")
    # Of a source of one's own its version decides, which airtcp.kernels.build_tree reads.
    patches = [] if kernel.is_own else patches_of(kernel)
    print(f"patches=({' '.join(shlex.quote(str(patch)) for patch in patches)})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
