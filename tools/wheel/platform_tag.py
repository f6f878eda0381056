"""The platform tag of programs: x86-64 and the oldest glibc that has every symbol they use (PEP 600)."""

from collections.abc import Iterable
from pathlib import Path

from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile
from elftools.elf.gnuversions import GNUVerNeedSection

# Libraries on every system with glibc (the list of PEP 513) that these programs may need.
SYSTEM_LIBRARIES = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "ld-linux-x86-64.so.2"}


def wheel_tag(programs: Iterable[Path]) -> str:
    """For example `manylinux_2_34_x86_64`; a program for another machine or with other libraries fails."""
    return "manylinux_{}_{}_x86_64".format(*max(_glibc(program) for program in programs))


def _glibc(program: Path) -> tuple[int, int]:
    """The version of glibc that a program needs; a static program needs none."""
    with program.open("rb") as stream:
        elf = ELFFile(stream)
        if elf.get_machine_arch() != "x64":
            raise SystemExit(
                f"{program}: built for {elf.get_machine_arch()}, a wheel is made of programs for x86-64"
            )
        dynamic = elf.get_section_by_name(".dynamic")
        tags = dynamic.iter_tags("DT_NEEDED") if isinstance(dynamic, DynamicSection) else []
        foreign = {str(getattr(tag, "needed", "")) for tag in tags} - SYSTEM_LIBRARIES
        if foreign:
            raise SystemExit(f"{program}: needs {', '.join(sorted(foreign))}, which not every system has")
        versions = elf.get_section_by_name(".gnu.version_r")
        if not isinstance(versions, GNUVerNeedSection):
            return (2, 5)  # the oldest that PEP 600 knows
        names = [need.name for _, needs in versions.iter_versions() for need in needs]
    numbers = [name.removeprefix("GLIBC_").split(".") for name in names if name.startswith("GLIBC_2")]
    return max(((int(major), int(minor)) for major, minor, *_ in numbers), default=(2, 5))
