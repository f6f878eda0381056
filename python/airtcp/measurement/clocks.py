"""The clocks of machines, compared with this machine's by exchanges over their control connections."""

from dataclasses import dataclass
from time import monotonic_ns

from airtcp.measurement.connection import Connection

# Exchanges of one comparison: the shortest one counts (RFC 5905, section 10: the clock filter).
EXCHANGES = 24


@dataclass(frozen=True)
class Comparison:
    """How far a machine's `CLOCK_MONOTONIC` was ahead of this machine's, at an instant of this machine's."""

    at_ns: int
    offset_ns: int
    error_ns: int
    """At most so far is the offset from the truth: half the shortest exchange. Without an asymmetry of the
    path it is the variation only."""
    realtime_ns: int
    """What the machine's wall clock showed minus its `CLOCK_MONOTONIC`."""

    def of(self, here_ns: int) -> int:
        """An instant of this machine's clock on the other one's."""
        return here_ns + self.offset_ns


def compare(connection: Connection) -> Comparison:
    """Compares the machine's clock with this one's."""
    best: Comparison | None = None
    for _ in range(EXCHANGES):
        sent = monotonic_ns()
        answer = connection.read_clocks()
        received = monotonic_ns()
        there = answer["monotonic_ns"]
        # As if it had been read halfway (RFC 5905, section 8).
        middle = (sent + received) // 2
        wall = answer["realtime_ns"] - there
        one = Comparison(middle, there - middle, (received - sent + 1) // 2, wall)
        if best is None or one.error_ns < best.error_ns:
            best = one
    assert best is not None
    return best


@dataclass(frozen=True)
class NodeClock:
    """The clock of a node during a run: compared before it and after it."""

    before: Comparison
    after: Comparison | None
    shared: bool
    """Whether the clock is this machine's own."""

    @property
    def drift_ppm(self) -> float:
        """How much faster it ran than this machine's; 0 if there was no second comparison."""
        if self.after is None or self.shared:
            return 0.0
        return 1e6 * (self.after.offset_ns - self.before.offset_ns) / (self.after.at_ns - self.before.at_ns)

    @property
    def error_ns(self) -> int:
        """The largest error of a time of this node on this machine's clock."""
        if self.shared:
            return 0
        return max(one.error_ns for one in (self.before, self.after) if one is not None)

    def steps_ns(self) -> int:
        """How far the wall clock, which timestamps follow, was set during the run; 0 if that is not known."""
        return 0 if self.after is None else self.after.realtime_ns - self.before.realtime_ns


def shares_clock(boot_id: str, own_boot_id: str, comparison: Comparison) -> bool:
    """Whether a node's clock is this machine's: one boot, one time namespace (time_namespaces(7))."""
    return boot_id == own_boot_id and abs(comparison.offset_ns) <= comparison.error_ns
