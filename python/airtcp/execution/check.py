"""What one look at a machine found."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Check:
    """One thing looked at."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""
