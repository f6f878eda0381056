"""What is known of each kernel series: `series.toml` beside the script that builds kernels."""

import tomllib
from dataclasses import dataclass
from typing import Any, Literal

from airtcp.kernels.source import kernel_source

DscpMap = Literal["three_bits", "rfc8325"]
# As in `series.toml` and the folder `flavours`, which a test holds them against; scenarios have them as keys.
Flavour = Literal["plain", "lab"]
Hz = Literal[100, 250, 300, 1000]


@dataclass(frozen=True)
class KernelSeries:
    """A series of Linux; `series.toml` says what the entries mean."""

    dscp_map: DscpMap
    slow_station_codel: bool
    random_scenarios: int
    accurate_ecn: bool = False
    qdiscs: tuple[str, ...] = ()
    suites: tuple[str, ...] = ()
    version: str = ""


_TABLE: dict[str, Any] = tomllib.loads((kernel_source() / "series.toml").read_text(encoding="utf-8"))

# The series of scenarios that name none.
DEFAULT_KERNEL: str = _TABLE["default"]


def _of_table(entries: dict[str, Any]) -> KernelSeries:
    values: dict[str, Any] = {key: tuple(it) if isinstance(it, list) else it for key, it in entries.items()}
    return KernelSeries(**values)


SERIES = {name: _of_table(entries) for name, entries in _TABLE["series"].items()}
# Patches that Linux does not need any more: by their numbers, the version from which it does not.
PATCHES_UNTIL: dict[str, str] = _TABLE["patches_until"]
# Linux's own, in every series.
CONGESTION_CONTROLS: tuple[str, ...] = tuple(_TABLE["congestion_controls"])
FREQUENCIES_HZ: tuple[int, ...] = tuple(_TABLE["frequencies_hz"])
USUAL_HZ: Hz = _TABLE["usual_hz"]
# Folders of further options and patches; a kernel without one is plain.
FLAVOURS: tuple[str, ...] = tuple(
    sorted(folder.name for folder in (kernel_source() / "flavours").glob("*") if folder.is_dir())
)
PLAIN: Flavour = "plain"
