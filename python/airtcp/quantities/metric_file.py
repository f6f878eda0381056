"""The keys of `[metric.NAME]`: a quantity with its arguments."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from airtcp.scenario.keys.parts import Part, written
from airtcp.scenario.values.units import LengthNs, TimeNs


class MetricFile(Part):
    """A quantity with its arguments: `[metric.NAME]`."""

    of: str = Field("", description="The quantity ([quantities](quantities.md)).")
    python: str = Field(
        "",
        description="Instead of `of`: `FILE.py:FUNCTION` beside the file, a function that takes a run "
        "(`airtcp.Run`) and returns a number; with `statistic` an array of values.",
    )
    statistic: str = Field(
        "",
        description="For a quantity that has values: `mean`, `median`, `least`, `most`, `deviation`, "
        "`missing` (the share of values that are infinite), or a percentile such as `p95`. Default: the "
        "quantity's own, or `mean`.",
    )
    across: Literal["pooled", "mean", "least", "most"] = Field(
        "pooled",
        description="The statistic of all values together, or of those of each flow (stream, ping, queue) "
        "and then the mean, the least or the most of them.",
    )
    label: str = Field("", description="For tables and claims; default: the quantity's own.")
    flows: str = Field("*", description="Pattern of names of flows.")
    pings: str = Field("*", description="Pattern of names of pings.")
    node: str = Field("*", description="Pattern of names of nodes.")
    peer: str = Field("*", description="Pattern of names of stations, for airtime.")
    interface: str = Field("*", description="Pattern of names of interfaces, for queues.")
    unit: str = Field(
        "", description="For throughput: `Mbit/s`, `kbit/s`, `KB/s`, `MB/s`; of a function of one's own: any."
    )
    skip: TimeNs = Field(
        written("0 s"), description="Time from the first chosen flow's start to the begin of the span."
    )
    until: LengthNs | None = Field(None, description="The span ends at this time at the latest.")
    bin: LengthNs = Field(written("1 s"), description="Length of the bins of rates, losses and airtimes.")
    window: LengthNs = Field(written("0.4 s"), description="For Jain's index: length of a window.")
    step: LengthNs = Field(written("0.2 s"), description="Step from one window to the next.")
    active: Literal["alive", "throughout", "received", "all"] = Field(
        "alive", description="Which flows count in a window (`metrics/fairness.py`)."
    )
    least: float | None = Field(None, description="For `jain_share`: windows of at least this index.")
    most: float | None = Field(None, description="For `jain_share`: windows of at most this index.")
    band: float = Field(
        0.1, description="For `cwnd_settled`: largest relative distance from the final value."
    )

    def beside(self, folder: Path) -> "MetricFile":
        """The same, whose Python file stands in this folder."""
        return self.model_copy(update={"python": str(folder / self.python)}) if self.python else self
