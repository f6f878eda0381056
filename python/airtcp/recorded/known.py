"""The studies of recordings that there are."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.studies.known_studies import studies_home, title_in

if TYPE_CHECKING:
    from airtcp.recorded.recorded_study import Computation, RecordedFile


# In the folder of each.
RECORDED_FILE = "recorded.toml"


@dataclass(frozen=True)
class RecordedStudy:
    """A study of recordings: what it says of itself, and what computes it."""

    about: "RecordedFile"
    compute: "Computation"


def _half_trace() -> "Computation":
    from airtcp.recorded.half_trace import compute

    return compute


def _orbit_losses() -> "Computation":
    from airtcp.recorded.orbit_losses import compute

    return compute


def _lab_wifi() -> "Computation":
    from airtcp.recorded.lab_wifi import compute

    return compute


def _ath9k_irtt() -> "Computation":
    from airtcp.recorded.ath9k_irtt import compute

    return compute


def _chain_11a() -> "Computation":
    from airtcp.recorded.chain_11a import compute

    return compute


def _busy_neighbour() -> "Computation":
    from airtcp.recorded.busy_neighbour import compute

    return compute


COMPUTATIONS = {
    "half-trace": _half_trace,
    "orbit-losses": _orbit_losses,
    "lab-wifi": _lab_wifi,
    "ath9k-irtt": _ath9k_irtt,
    "chain-11a": _chain_11a,
    "busy-neighbour": _busy_neighbour,
}


def recorded_titles() -> Mapping[str, str]:
    """What each of them is, by its name."""
    return {name: title_in(_file(name)) for name in COMPUTATIONS}


def recorded_study(name: str) -> RecordedStudy | None:
    """The study with this name; `None` if it is none of recordings."""
    return RecordedStudy(_about(name), COMPUTATIONS[name]()) if name in COMPUTATIONS else None


def _about(name: str) -> "RecordedFile":
    from airtcp.recorded.recorded_study import read_recorded

    return read_recorded(_file(name))


def _file(name: str) -> Path:
    return studies_home() / name / RECORDED_FILE
