"""Ratios between two sets of results, as aoyagi2023 holds an emulated network against a real one.

A result set is a frame with key columns (congestion control, queue, ...) and value columns (mean RTT,
throughput, ...). Rows are matched by their keys (an inner join), and each value's ratio is ours over
theirs: Table 4 of the paper (keys: congestion control and queue; values: mean RTT and mean throughput). The
curve of Fig. 7 is the empirical distribution of such ratios over all experiments of the same settings. What
has no partner, and ratios that do not exist, are reported beside the table.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airtcp.metrics.arrays import Floats
from airtcp.metrics.distribution import Ecdf, ecdf

if TYPE_CHECKING:
    import polars


@dataclass(frozen=True)
class Ratios:
    """The matched rows, in the order of ours, and everything that is not in them.

    `table` has the keys, and for each value `NAME_ours`, `NAME_theirs` and `NAME_ratio` (null where it does
    not exist). `only_ours` and `only_theirs` hold the keys without a partner. `undefined` names value
    and key of every ratio that does not exist: a side is missing, `nan` or infinite, or theirs is 0.
    """

    table: "polars.DataFrame"
    only_ours: "polars.DataFrame"
    only_theirs: "polars.DataFrame"
    undefined: tuple[tuple[str, str], ...]

    @property
    def complete(self) -> bool:
        """Whether every row had a partner and every ratio exists."""
        return not (self.only_ours.height or self.only_theirs.height or self.undefined)

    def of(self, value: str) -> Floats:
        """The ratios of one value that exist."""
        return self.table[f"{value}_ratio"].drop_nulls().to_numpy()


@dataclass(frozen=True)
class RatioSummary:
    """Ratios in numbers: `nan` of none. Ratios multiply, so their mean is the geometric one."""

    count: int
    geometric_mean: float
    min: float
    max: float
    near_one_share: float


def ratio_table(
    ours: "polars.DataFrame", theirs: "polars.DataFrame", keys: Sequence[str], values: Sequence[str]
) -> Ratios:
    """Ours over theirs, for each row that both have. A key that comes twice on a side is a `ValueError`."""
    import polars

    _check_keys(ours, keys, values, "ours")
    _check_keys(theirs, keys, values, "theirs")
    names = [polars.col(value).cast(polars.Float64) for value in values]
    joined = ours.select(*keys, *names).join(
        theirs.select(*keys, *names), on=list(keys), how="inner", suffix="_theirs", maintain_order="left"
    )
    ratios = [_ratio(value) for value in values]
    table = joined.rename({value: f"{value}_ours" for value in values}).with_columns(ratios)
    ordered = [f"{value}_{side}" for value in values for side in ("ours", "theirs", "ratio")]
    table = table.select(*keys, *ordered)
    return Ratios(
        table,
        ours.select(keys).join(theirs.select(keys), on=list(keys), how="anti"),
        theirs.select(keys).join(ours.select(keys), on=list(keys), how="anti"),
        tuple(_undefined(table, keys, values)),
    )


def ratio_ecdf(ratios: Ratios, value: str) -> Ecdf:
    """The distribution of one value's ratios (Fig. 7); those that do not exist are left out, see
    `undefined`.
    """
    return ecdf(ratios.of(value))


def summarise_ratios(ratios: Floats, near: float = 0.1) -> RatioSummary:
    """Ratios in numbers; near one is within the factor 1 + `near`, up or down."""
    sample = np.asarray(ratios, np.float64)
    if np.any(~(sample > 0)):
        raise ValueError("a ratio is not above 0")
    if sample.size == 0:
        nothing = float("nan")
        return RatioSummary(0, nothing, nothing, nothing, nothing)
    logs = np.log(sample)
    return RatioSummary(
        int(sample.size),
        float(np.exp(logs.mean())),
        float(sample.min()),
        float(sample.max()),
        float(np.mean(np.abs(logs) <= np.log1p(near))),
    )


def _check_keys(frame: "polars.DataFrame", keys: Sequence[str], values: Sequence[str], side: str) -> None:
    missing = [name for name in (*keys, *values) if name not in frame.columns]
    if not keys or not values or missing:
        raise ValueError(f"{side}: no column {', '.join(missing) or 'is asked for'}")
    for name in keys:
        if frame[name].null_count():
            raise ValueError(f"{side}: a row has no {name}")
    twice = frame.filter(frame.select(keys).is_duplicated()).select(keys).unique(maintain_order=True)
    if twice.height:
        raise ValueError(f"{side}: more than one row for {_row_name(twice.row(0, named=True))}")


def _ratio(value: str) -> "polars.Expr":
    import polars

    ratio = polars.col(f"{value}_ours") / polars.col(f"{value}_theirs")
    exists = ratio.is_finite() & polars.col(f"{value}_theirs").is_finite()
    return polars.when(exists).then(ratio).alias(f"{value}_ratio")


def _undefined(
    table: "polars.DataFrame", keys: Sequence[str], values: Sequence[str]
) -> list[tuple[str, str]]:
    return [
        (value, _row_name({key: row[key] for key in keys}))
        for row in table.iter_rows(named=True)
        for value in values
        if row[f"{value}_ratio"] is None
    ]


def _row_name(row: dict[str, object]) -> str:
    return ", ".join(f"{key} {value}" for key, value in row.items())
