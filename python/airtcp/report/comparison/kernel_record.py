"""Two kernels compared, for programs: what `airtcp compare-kernels --json` prints."""

from dataclasses import dataclass

from airtcp.report.comparison.kernels import KernelComparison, KernelDifference
from airtcp.report.comparison.values import label_of
from airtcp.version import __version__


@dataclass(frozen=True)
class KernelRecord:
    """A kernel."""

    name: str
    """The name that chose it."""
    release: str
    """Its release, as `uname -r` has it."""
    id: str
    """Hash of its program."""


@dataclass(frozen=True)
class KernelDifferenceRecord:
    """B less A of one quantity of one scenario, on common seeds."""

    scenario: str
    """The scenario's file."""
    value: str
    """Name of the quantity."""
    label: str
    """The same as tables have it, with its unit."""
    seeds: int
    """How many are common."""
    a: float
    """Mean with A."""
    b: float
    """Mean with B."""
    difference: float
    """Mean difference, B less A."""
    low: float | None
    """Lower end of its 95 % confidence interval."""
    high: float | None
    """Upper end."""
    p: float | None
    """Two-sided, by Holm's correction over all quantities and scenarios; `null` where nothing is tested."""
    test: str
    """The test."""
    excludes_zero: bool
    """Whether the interval does (`*`)."""
    differ: bool
    """Whether it does and p is at most 5 % (`**`)."""


@dataclass(frozen=True)
class KernelComparisonRecord:
    """Two kernels compared."""

    version: int
    """Version of this layout."""
    airtcp: str
    """Version of airtcp."""
    a: KernelRecord
    """The first kernel."""
    b: KernelRecord
    """The second one."""
    seeds: int
    """Runs of each scenario with each kernel."""
    virtual_s: float
    """Virtual time of all runs."""
    by_chance: float
    """How many intervals of kernels that do not differ would exclude zero, at most."""
    differences: list[KernelDifferenceRecord]
    """Every quantity of every scenario."""
    notes: list[str]
    """What must be known beside them."""
    command: str
    """What repeats it."""


def kernel_record(found: KernelComparison, command: str) -> KernelComparisonRecord:
    """The whole comparison."""
    first, second = (KernelRecord(one.name, one.release, one.id) for one in found.kernels)
    return KernelComparisonRecord(
        version=1,
        airtcp=__version__,
        a=first,
        b=second,
        seeds=found.seeds,
        virtual_s=found.virtual_s,
        by_chance=found.by_chance,
        differences=[_difference(one) for one in found.differences],
        notes=list(found.notes),
        command=command,
    )


def _difference(one: KernelDifference) -> KernelDifferenceRecord:
    paired, interval = one.paired, one.paired.difference
    return KernelDifferenceRecord(
        scenario=one.scenario,
        value=one.value,
        label=label_of(one.value),
        seeds=interval.count,
        a=paired.second_mean,
        b=paired.first_mean,
        difference=interval.mean,
        low=interval.low,
        high=interval.high,
        p=one.p,
        test=paired.test,
        excludes_zero=one.excludes_zero,
        differ=one.differs,
    )
