"""Limits of the time that a run may take."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Limits:
    """Limits in seconds; they do not change results.

    `stall_s`: for how long a guest may compute without moving virtual time (`None`: 30 s, the runner's
    default); waiting for a core does not count. `wall_s`: how much real time a run may take (`None`: no
    limit). Waiting for another process that computes the same run does not count.
    """

    stall_s: int | None = None
    wall_s: int | None = None

    def options(self) -> list[str]:
        """The limits as options of `airtcp run`."""
        named = (("--stall-limit-s", self.stall_s), ("--wall-limit-s", self.wall_s))
        return [text for name, limit in named if limit is not None for text in (name, str(limit))]

    def as_dict(self) -> dict[str, int | None]:
        """The limits as JSON, for another machine."""
        return asdict(self)


NO_LIMITS = Limits()
"""The runner's defaults."""
