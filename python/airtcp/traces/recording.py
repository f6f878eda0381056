"""What was recorded: quantities over time of one direction of a link or wire, or the way of a node."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from airtcp.errors import AirtcpError

Use = Literal["wire", "link", "way"]
Values = list[float | None]
# Names of columns, as files of traces have them, and of the coordinates of a way.
RATE, DELAY, LOSS, RSSI = "rate_mbps", "delay_ms", "loss", "rssi_dbm"
PLACE = ("x_m", "y_m", "z_m")
QUANTILES = (0.0, 0.05, 0.5, 0.95, 1.0)


@dataclass(frozen=True)
class Recording:
    """Columns over time: each row holds from its time until the next, the last one until `end_s`.

    `use` says what replays it: a `wire` (its trace), a `link` (`[[channel.trace]]`), or a radio on its `way`
    (`waypoints`). Times are seconds from the start of the recording.
    """

    name: str
    use: Use
    times_s: list[float]
    columns: dict[str, Values]
    end_s: float
    notes: tuple[str, ...] = ()

    def only(self, wanted: Sequence[str]) -> "Recording":
        """The recording with some of its columns; one that it does not have is an `AirtcpError`."""
        for name in wanted:
            if name not in self.columns:
                raise AirtcpError(f"has no {name}", self.name, f"It has: {', '.join(self.columns)}")
        columns = {name: self.columns[name] for name in wanted}
        return Recording(self.name, self.use, self.times_s, columns, self.end_s, self.notes)

    def quantiles(self, column: str) -> list[float]:
        """Quantiles of a column over the time for which it is known; not a number if it never is."""
        lengths = np.diff(np.array([*self.times_s, self.end_s]))
        values = np.array([np.nan if value is None else value for value in self.columns[column]])
        known = np.isfinite(values) & (lengths > 0)
        if not known.any():
            return [float("nan")] * len(QUANTILES)
        order = np.argsort(values[known], kind="stable")
        ordered, passed = values[known][order], np.cumsum(lengths[known][order])
        places = np.searchsorted(passed, np.array(QUANTILES) * passed[-1])
        return [float(ordered[min(place, ordered.size - 1)]) for place in places]
