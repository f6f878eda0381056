"""A result set: many runs, what was varied between them, and their series in one frame."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.display import counted, facts_html
from airtcp.data.json_file import read_json
from airtcp.data.run_folder import PLAN_KEYS, Run, open_run
from airtcp.data.series.catalogue import SERIES
from airtcp.errors import AirtcpError
from airtcp.formats.pandas_frame import to_pandas
from airtcp.plans.factors import Factor, PlanComparison
from airtcp.plans.flat import Value, flatten

if TYPE_CHECKING:
    import pandas
    import polars

# What every complete run folder holds (`docs/reference`); one without is still being computed, or was
# interrupted.
_COMPLETE = ("plan.json", "manifest.json", "summary.json")


@dataclass(frozen=True, repr=False)
class ResultSet:
    """Runs of a store or a list, what was varied between them, and their series in one frame.

    `len(store)` is the number of runs. `store[0]` or `store["0ada3382c52a91ff"]` opens one, `for run in
    store` one after another; each is read when its turn comes.

    Attributes:
        folders: path of each run folder.
        names: name of each run's scenario.
        seeds: seed of each run.
        factors: what was varied, as `Factor`.
        ignored: folders in the store that are no complete runs.

    Example:
        >>> store = airtcp.load("runs")
        >>> sorted(run.plan["seed"] for run in store), sorted(store.seeds), store.names
        ([1, 2], [1, 2], ('first', 'first'))
    """

    folders: tuple[Path, ...]
    names: tuple[str, ...]
    seeds: tuple[int, ...]
    factors: tuple[Factor, ...]
    ignored: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        varied = ", ".join(f"{factor.name} ({len(factor.levels)})" for factor in self.factors)
        return f"<ResultSet of {counted(len(self), 'run')}; varied: {varied or 'nothing'}>"

    def _repr_html_(self) -> str:
        levels = {factor.name: ", ".join(map(str, factor.levels)) for factor in self.factors}
        return facts_html(f"{counted(len(self), 'run')}, by what was varied", levels)

    def __len__(self) -> int:
        return len(self.folders)

    def __iter__(self) -> Iterator[Run]:
        """The runs one after another; each is read when its turn comes."""
        return (open_run(folder) for folder in self.folders)

    def __getitem__(self, which: int | str) -> Run:
        """One run, by its place or by the name of its folder."""
        if isinstance(which, int):
            return open_run(self.folders[which])
        for folder in self.folders:
            if folder.name == which:
                return open_run(folder)
        raise AirtcpError(f'there is no run "{which}"', remedy="The frame `runs` lists them")

    @cached_property
    def runs(self) -> "polars.DataFrame":
        """A frame with one row per run.

        Columns: `run` (name of the folder), `name` (of the scenario), `seed`, a column per factor, `folder`.

        Example:
            >>> store.runs.columns
            ['run', 'name', 'seed', 'folder']
        """
        import polars

        columns: dict[str, Any] = {
            "run": [folder.name for folder in self.folders],
            "name": self.names,
            "seed": self.seeds,
            **{factor.name: list(factor.values) for factor in self.factors},
            "folder": [str(folder) for folder in self.folders],
        }
        return polars.DataFrame([_column(name, values) for name, values in columns.items()])

    def frame(self, name: str, columns: Sequence[str] = (), factors: bool = False) -> "polars.DataFrame":
        """One series of all runs in one frame.

        Args:
            name: name of the series (docs/reference/columns.md).
            columns: columns that are wanted, also those of names; default: all but raw structures.
            factors: whether to add a column for each factor.

        Returns:
            A Polars frame with the column `run` first. Without `columns`, what runs of older versions lack is
            null.

        Raises:
            AirtcpError: no series has this name; a run lacks the series or one of `columns`.

        Example:
            >>> store.frame("pings", ["time_ns", "rtt_ns"]).columns
            ['run', 'time_ns', 'rtt_ns']
        """
        import polars

        if name not in SERIES:
            raise AirtcpError(f'there is no series "{name}"', remedy=f"Known: {', '.join(SERIES)}")
        parts = [self._part(run, name, columns) for run in self]
        whole = polars.concat(parts, how="diagonal_relaxed")
        if not factors:
            return whole
        # A series may have a column of its own by that name: each flow's `cca`.
        own = (factor.name for factor in self.factors if factor.name not in whole.columns)
        made = self.runs.select("run", *own)
        return whole.join(made, on="run", how="left", maintain_order="left")

    def pandas(self, name: str, columns: Sequence[str] = (), factors: bool = False) -> "pandas.DataFrame":
        """One series of all runs, or `runs`, as a pandas frame.

        Args:
            name: name of the series, or `runs`.
            columns: columns that are wanted, as of `frame`.
            factors: whether to add a column for each factor.

        Returns:
            The rows and columns of `frame`, or of `runs`.

        Raises:
            AirtcpError: as of `frame`, or pandas is not installed.

        Example:
            >>> sorted(store.pandas("runs")["seed"].tolist())
            [1, 2]
        """
        return to_pandas(self.runs if name == "runs" else self.frame(name, columns, factors))

    @staticmethod
    def _part(run: Run, name: str, columns: Sequence[str]) -> "polars.DataFrame":
        import polars

        frame = run.named(name)
        raw = [column.name for column in SERIES[name].columns if column.type == "bytes"]
        if columns:
            run.series(name, *(column for column in columns if column not in frame.columns))
        kept = frame.select(columns) if columns else frame.drop(raw, strict=False)
        return kept.select(polars.lit(run.name).alias("run"), polars.all())


def open_result_set(where: Path | Sequence[Path]) -> ResultSet:
    """The runs of a store (a folder of run folders), or of a list of run folders.

    Other files in a store are ignored and listed in `ignored`; in a list each must be a run folder. Nothing
    found, a run that is damaged, or the same run twice in a list is an `AirtcpError`.
    """
    if isinstance(where, Path):
        inside = sorted(folder for folder in where.iterdir() if folder.is_dir())
        folders = [folder for folder in inside if is_run_folder(folder)]
        ignored = [folder for folder in inside if folder not in set(folders)]
        if not folders:
            what = "there are no complete run folders in it"
            raise AirtcpError(
                what, str(where), "Give a run folder, a store (runs/), or a file of measurements"
            )
    else:
        folders, ignored = list(where), []
    if len({folder.resolve() for folder in folders}) < len(folders):
        raise AirtcpError("a run is in the list twice", remedy="Name each run folder once")
    plans = PlanComparison()
    for folder in folders:
        plans.add(flatten(read_json(folder / "plan.json", PLAN_KEYS), _is_measured(folder)))
    factors = tuple(plans.factors())
    return ResultSet(tuple(folders), tuple(plans.names), tuple(plans.seeds), factors, tuple(ignored))


def _is_measured(folder: Path) -> bool:
    """Whether a run is of a real network; one without a manifest, which was copied in part, can't be."""
    manifest = folder / "manifest.json"
    return manifest.exists() and "measured" in read_json(manifest, ())


def is_run_folder(folder: Path) -> bool:
    """Whether the folder is that of a complete run with a guest."""
    return all((folder / name).is_file() for name in _COMPLETE)


def _column(name: str, values: Sequence[Value]) -> "polars.Series":
    import polars

    kinds = {type(value) for value in values if value is not None}
    if kinds == {int, float}:
        return polars.Series(name, [None if value is None else float(value) for value in values])
    if len(kinds) > 1:
        # A number in one plan, a word in another.
        return polars.Series(name, [None if value is None else str(value) for value in values])
    return polars.Series(name, values)
