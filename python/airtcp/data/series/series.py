"""What the declaration of a series consists of."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, overload

from airtcp.formats.column import Column, Table

if TYPE_CHECKING:
    import polars

JsonObject = dict[str, Any]
Labeller = Callable[["polars.DataFrame", JsonObject, JsonObject], "polars.DataFrame"]
Check = Callable[["polars.DataFrame", JsonObject, JsonObject], str]

# Where the series is recorded: `crates/air`, `crates/guest` or `crates/agent`; or by programs of the
# scenario, in logs from which it is read.
Recorder = Literal["air", "guest", "agent", "program"]
# What the runner does with the rows if a run ends before its planned time: it keeps all of them, removes
# those after the end, or removes those but keeps the samples that the agent requested at the end.
EarlyEnd = Literal["keep", "cut", "cut_with_last_sample"]

TIME = Column("time_ns", "i64", "ns", "virtual time of the sample from the epoch, when traffic may start")


class HasSeries(Protocol):
    """A run, as far as a series needs it."""

    def named(self, name: str) -> "polars.DataFrame":
        """The rows of a series with names beside numbers."""
        ...


@dataclass(frozen=True, kw_only=True)
class Series(Table):
    """A series: its table, and all that readers need to know of it.

    Tests compare name, columns, `keys`, `recorder` and `early_end` with the tables in Rust
    (`tests/series.json`). `setting` is what a scenario has to say for the series to be recorded.
    `interval_key` is the key in the plan's `sampling` of the time between samples, "" if it is not sampled.
    `label` adds the columns `labels` to a frame, given the plan and the agent's report. `missing` returns
    which rows are missing, as text, "" if none are.

    As an attribute of a run's class (`run.flows`) it is the frame with labels.
    """

    recorder: Recorder
    early_end: EarlyEnd
    setting: str
    interval_key: str = ""
    labels: tuple[Column, ...]
    label: Labeller
    missing: Check | None = None

    @overload
    def __get__(self, run: None, owner: type) -> Self: ...

    @overload
    def __get__(self, run: HasSeries, owner: type) -> "polars.DataFrame": ...

    def __get__(self, run: HasSeries | None, owner: type) -> "Self | polars.DataFrame":
        return self if run is None else run.named(self.name)

    def interval_ns(self, plan: JsonObject) -> int:
        """The time between samples in a run of this plan; 0 if there are none."""
        return int(plan["sampling"].get(self.interval_key, 0))


def counter(name: str, type_: str, unit: str, meaning: str, later: bool = False) -> Column:
    """A column that counts from zero and never goes back."""
    return Column(name, type_, unit, meaning, counter=True, later=later)


def place_in(plan_list: str, name: str, whose: str) -> Column:
    """A column of places in one of the plan's lists: the numbers of nodes, radios, flows, ..."""
    meaning = f"number of {whose}: its place in the plan's `{plan_list}`"
    return Column(name, "u32", "", meaning, numbers=plan_list)


def names_by_number(names: list[str], label: str, numbers: "polars.Series") -> "polars.Series":
    """For each number the name at its place; null where there is no such place."""
    import polars

    known = polars.Series(label, names, dtype=polars.String)
    inside = numbers.cast(polars.Int64)
    # polars gathers null for the place null.
    return known.gather(inside.set(inside >= len(names), None)).alias(label)


def end_ns(plan: JsonObject, agent: JsonObject) -> int:
    """End of the run in nanoseconds from the epoch; older reports do not say it, because all runs ended as
    planned.
    """
    found: int = agent["end_ns"] if "end_ns" in agent else plan["duration_ns"]
    return found


def widest_gap_ns(times: "polars.Series") -> int:
    """The longest time between two samples that follow each other; 0 if there are fewer than two."""
    import numpy as np

    # numpy: polars makes a query of each step.
    return int(np.diff(np.sort(times.to_numpy())).max(initial=0))


def first_ns(times: "polars.Series") -> int:
    """The earliest of at least one time."""
    return int(times.min())  # type: ignore[arg-type]


def last_ns(times: "polars.Series") -> int:
    """The latest of at least one time."""
    return int(times.max())  # type: ignore[arg-type]
