"""Runs as tidy tables: a CSV or Parquet file per series, names beside numbers, raw structures decoded."""

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.data.result_set import ResultSet
from airtcp.data.run_folder import Run
from airtcp.data.series.catalogue import SERIES
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import polars


def write_tables(what: Run | ResultSet, folder: Path, suffix: str) -> list[Path]:
    """Writes `flows.csv`, `pings.csv`, ... into the folder; what can't be written is an `AirtcpError`.

    Of a run also `tcp_info` and `congestion_control`, decoded; of a result set also `runs`, and the series
    that every run recorded, with the column `run`.
    """
    tables = _of_run(what) if isinstance(what, Run) else _of_result_set(what)
    written = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, frame in tables:
            file = folder / f"{name}.{suffix}"
            if suffix == "csv":
                frame.write_csv(file)
            else:
                frame.write_parquet(file)
            written.append(file)
    except OSError as error:
        raise AirtcpError(
            f"can't be written: {error.strerror}", str(folder), "Choose another --out"
        ) from None
    return written


def _of_run(run: Run) -> "Iterator[tuple[str, polars.DataFrame]]":
    import polars

    for name in run.recorded:
        raw = [column.name for column in SERIES[name].columns if column.type == "bytes"]
        yield name, run.named(name).drop(raw, strict=False)
    if "flows" not in run.recorded or not run.flow_plans:
        return
    if run.series("flows")["tcp_info"].null_count():
        # Other programs measured, and did not keep it.
        return
    numbers = range(len(run.flow_plans))
    infos = (_of_flow(run, number, run.tcp_info(number).drop("unknown")) for number in numbers)
    yield "tcp_info", polars.concat(infos)
    if "cc_kind" in run.series("flows").columns:
        states = (_of_flow(run, number, run.congestion_control_info(number)) for number in numbers)
        yield "congestion_control", polars.concat(states, how="diagonal_relaxed")


def _of_flow(run: Run, number: int, frame: "polars.DataFrame") -> "polars.DataFrame":
    import polars

    flow = polars.lit(number, dtype=polars.UInt32).alias("flow")
    name = polars.lit(run.flow_plans[number]["name"]).alias("flow_name")
    return frame.select("time_ns", flow, name, polars.exclude("time_ns"))


def _of_result_set(results: ResultSet) -> "Iterator[tuple[str, polars.DataFrame]]":
    yield "runs", results.runs
    recorded = [set(run.recorded) for run in results]
    for name in SERIES:
        if all(name in each for each in recorded):
            yield name, results.frame(name)
