"""The keys of `[metric.NAME]`: a quantity with its arguments."""

from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal

from pydantic import Field, model_validator

from airtcp.plans.groups import Groups, is_in, patterns_of
from airtcp.quantities.aliases import ALIASES
from airtcp.scenario.keys.parts import Part, written
from airtcp.scenario.values.units import LengthNs, TimeNs


class MetricFile(Part):
    """A quantity with its arguments: `[metric.NAME]`."""

    of: str = ""
    """The quantity ([quantities](quantities.md))."""
    python: str = ""
    """Instead of `of`: `FILE.py:FUNCTION` beside the file, a function that takes a run (`airtcp.Run`) and
    returns a number; with `statistic` an array of values.
    """
    statistic: str = ""
    """For a quantity that has values: `mean`, `median`, `least`, `most`, `deviation`, `missing` (the share of
    values that are infinite), or a percentile such as `p95`. Default: the quantity's number.
    """
    across: Literal["", "sum", "pooled", "mean", "least", "most"] = ""
    """How flows (streams, pings, queues) come together: `sum`: added at each time, then the statistic;
    `pooled`: the statistic of all values together; `mean`, `least` or `most` of the statistics of each.
    Default: the quantity's own.
    """
    label: str = ""
    """For tables and claims; default: the quantity's own."""
    flows: str = "*"
    """Pattern of names of flows and streams."""
    pings: str = "*"
    """Pattern of names of pings."""
    group: str | list[str] = Field([])
    """Only the flows, streams and pings of this group of the scenario's `[groups]`; or a list of patterns."""
    node: str = "*"
    """Pattern of names of nodes."""
    peer: str = "*"
    """Pattern of names of stations, for airtime; of access points, for `associated_to`."""
    interface: str = "*"
    """Pattern of names of interfaces, for queues."""
    unit: str = ""
    """For throughput: `Mbit/s`, `kbit/s`, `KB/s`, `MB/s`; of a function of one's own: any."""
    skip: TimeNs = written("0 s")
    """Time from the first chosen flow's start to the begin of the span."""
    until: LengthNs | None = None
    """The span ends at this time at the latest."""
    bin: LengthNs = written("1 s")
    """Length of the bins of rates, losses and airtimes."""
    window: LengthNs = written("0.4 s")
    """For Jain's index: length of a window."""
    step: LengthNs = written("0.2 s")
    """Step from one window to the next."""
    active: Literal["alive", "throughout", "received", "all"] = "alive"
    """Which flows count in a window (`metrics/fairness.py`)."""
    least: float | None = None
    """For `jain_share`: windows of at least this index."""
    most: float | None = None
    """For `jain_share`: windows of at most this index."""
    band: float = 0.1
    """For `cwnd_settled`: largest relative distance from the final value."""

    @model_validator(mode="before")
    @classmethod
    def _by_present_names(cls, keys: Any) -> Any:
        """A former name of a quantity stands for the present one and what the former one implied."""
        former = ALIASES.get(keys.get("of", "")) if isinstance(keys, dict) else None
        return {**former.implied, **keys, "of": former.name} if former else keys

    def in_groups(self, groups: Groups, place: str) -> "MetricFile":
        """The same, with the patterns of its group; one that is not there is an `AirtcpError`."""
        if not isinstance(self.group, str):
            return self
        return self.model_copy(update={"group": list(patterns_of(groups, self.group, place))})

    def is_about(self, name: str) -> bool:
        """Whether a flow or stream is of those chosen; the group is one of patterns."""
        return fnmatchcase(name, self.flows) and self.has_in_group(name)

    def has_in_group(self, name: str) -> bool:
        """Whether a flow, stream or ping is in the group, if there is one."""
        assert not isinstance(self.group, str), "of `in_groups`"
        return not self.group or is_in(name, self.group)

    def beside(self, folder: Path) -> "MetricFile":
        """The same, whose Python file stands in this folder."""
        return self.model_copy(update={"python": str(folder / self.python)}) if self.python else self
