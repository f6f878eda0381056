"""Windows of one length that move over a span of time by one step."""

from dataclasses import dataclass

import numpy as np

from airtcp.metrics.arrays import Integers


@dataclass(frozen=True)
class Windows:
    """The half-open windows `[t, t + length_ns)` for t = `start_ns`, `start_ns + step_ns`, and so on.

    Only windows that lie wholly between `start_ns` and `stop_ns` are there, so that all have one length.
    A step shorter than the length makes them overlap (a running mean), one as long makes them bins.
    """

    start_ns: int
    stop_ns: int
    length_ns: int
    step_ns: int

    def __post_init__(self) -> None:
        if self.length_ns <= 0 or self.step_ns <= 0:
            raise ValueError(f"windows of {self.length_ns} ns moved by {self.step_ns} ns")

    @property
    def starts_ns(self) -> Integers:
        """Where each window begins; empty if the span is shorter than one."""
        last_ns = self.stop_ns - self.length_ns
        return np.arange(self.start_ns, last_ns + 1, self.step_ns, dtype=np.int64)

    @property
    def stops_ns(self) -> Integers:
        """Where each window ends; a window does not contain its end."""
        return self.starts_ns + self.length_ns
