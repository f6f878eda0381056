"""How long a run may take by the clock on the wall: what ends one that would never end by itself."""

from dataclasses import asdict, dataclass


@dataclass(frozen=True)
class Limits:
    """Both in seconds of real time; nothing of it changes a result.

    `stall_s`: how long virtual time may stand still (`None`: 30 s, the runner's own). `wall_s`: how long a
    run may take in all (`None`: as long as it needs). Waiting for another process that makes the same run
    does not count.
    """

    stall_s: int | None = None
    wall_s: int | None = None

    def options(self) -> list[str]:
        """As options of `airtcp run`."""
        named = (("--stall-limit-s", self.stall_s), ("--wall-limit-s", self.wall_s))
        return [text for name, limit in named if limit is not None for text in (name, str(limit))]

    def told(self) -> dict[str, int | None]:
        """As plain values, which travel."""
        return asdict(self)


NO_LIMITS = Limits()
"""Those of the runner, and no others."""
