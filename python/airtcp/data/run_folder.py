"""A run folder: plan, manifest, summary and series."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.schemas import COLUMNS
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import polars

_REMEDY = "Remove the folder and run the scenario again"


@dataclass(frozen=True)
class Run:
    """A complete run. Times in its series are nanoseconds from the epoch, when traffic may start."""

    folder: Path
    plan: dict[str, Any]
    manifest: dict[str, Any]
    agent: dict[str, Any]
    air_report: dict[str, Any]

    @property
    def name(self) -> str:
        """The run's identity: the name of its folder."""
        return self.folder.name

    def series(self, name: str) -> "polars.DataFrame":
        """One series (`flows`, `pings` or `air`), with every column it must have."""
        return _read_series(self.folder / "series" / f"{name}.parquet", COLUMNS[name])

    def flow_samples(self, flow: int) -> "polars.DataFrame":
        """The samples of one flow, by its number in the plan, in the order of time."""
        return _rows_of(self.series("flows"), "flow", flow)

    def ping_samples(self, ping: int) -> "polars.DataFrame":
        """The echo requests of one ping, by its number in the plan, in the order of time."""
        return _rows_of(self.series("pings"), "ping", ping)


def open_run(folder: Path) -> Run:
    """Opens a run folder; one that is missing, incomplete or damaged is an `AirtcpError`."""
    if not folder.is_dir():
        raise AirtcpError("there is no such run folder", str(folder), "Check the path")
    plan = read_json(folder / "plan.json", ("flows", "pings", "nodes", "duration_ns", "sampling"))
    manifest = read_json(folder / "manifest.json", ())
    summary = read_json(folder / "summary.json", ("agent", "air"))
    agent, air = summary["agent"], summary["air"]
    _check_keys(
        agent, ("flows", "pings", "programs", "qdiscs", "warnings"), folder / "summary.json", "agent."
    )
    _check_keys(air, ("nics", "media"), folder / "summary.json", "air.")
    return Run(folder, plan, manifest, agent, air)


def read_json(file: Path, keys: tuple[str, ...]) -> dict[str, Any]:
    """The object in a JSON file; one that is missing, damaged or without these keys is an `AirtcpError`."""
    try:
        value = json.loads(file.read_text(encoding="utf-8"))
    except FileNotFoundError:
        what = "is missing: this is not a complete run folder"
        raise AirtcpError(what, str(file), _REMEDY) from None
    except OSError as error:
        raise AirtcpError(f"can't be read: {error.strerror}", str(file), "Check its permissions") from None
    except ValueError:
        raise AirtcpError("is damaged: it is not JSON", str(file), _REMEDY) from None
    _check_keys(value, keys, file, "")
    assert isinstance(value, dict), "checked"
    return value


def _check_keys(value: Any, keys: tuple[str, ...], file: Path, prefix: str) -> None:
    if not isinstance(value, dict):
        raise AirtcpError(f"is damaged: {prefix.rstrip('.') or 'it'} is not an object", str(file), _REMEDY)
    for key in keys:
        if key not in value:
            raise AirtcpError(f"has no {prefix}{key}: another version wrote it", str(file), _REMEDY)


def _read_series(file: Path, columns: tuple[str, ...]) -> "polars.DataFrame":
    import polars

    if not file.is_file():
        what = "is missing: the run recorded no such series"
        raise AirtcpError(what, str(file), "Set its interval in [sampling] and run again")
    try:
        frame = polars.read_parquet(file)
    except (polars.exceptions.PolarsError, OSError) as error:
        # The first line says enough; the rest is about Parquet's insides.
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise AirtcpError(f"is damaged: {first}", str(file), _REMEDY) from None
    for column in columns:
        if column not in frame.columns:
            raise AirtcpError(f"has no column {column}: another version wrote it", str(file), _REMEDY)
        if not frame.schema[column].is_integer():
            found = frame.schema[column]
            raise AirtcpError(f"column {column} holds {found}, not integers", str(file), _REMEDY)
    return frame


def _rows_of(frame: "polars.DataFrame", column: str, number: int) -> "polars.DataFrame":
    import polars

    return frame.filter(polars.col(column) == number).sort("time_ns")
