"""A run folder: plan, manifest, summary and series."""

import hashlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.completeness import check_rows
from airtcp.data.display import counted, facts_html
from airtcp.data.find_runs import check_is_run
from airtcp.data.json_file import parse_json, read_bytes, read_json
from airtcp.data.pandas_frame import to_pandas
from airtcp.data.plain_file import REMEDY
from airtcp.data.program_flows import planned_and_found, reports
from airtcp.data.series.catalogue import SERIES, RecordedSeries
from airtcp.data.series_file import in_time, read_series, require_columns
from airtcp.data.shape import AGENT, AIR, MANIFEST, PLAN, SOCKETS, check_shape
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import pandas
    import polars

    Parts = dict[tuple[int, ...], polars.DataFrame]

PLAN_KEYS = ("name", "seed", "flows", "pings", "nodes", "air", "duration_ns", "sampling")


@dataclass(frozen=True, repr=False)
class Run(RecordedSeries):
    """A complete run. Times in its series are nanoseconds from the epoch, when traffic may start."""

    folder: Path
    plan: dict[str, Any]
    manifest: dict[str, Any]
    agent: dict[str, Any]
    air_report: dict[str, Any]
    sockets: dict[str, Any] = field(default_factory=dict)
    """What programs sent to each other; empty if that was not watched."""
    _series: "dict[str, polars.DataFrame]" = field(default_factory=dict, repr=False, compare=False)
    _parts: "dict[tuple[object, ...], Parts]" = field(default_factory=dict, repr=False, compare=False)

    def __repr__(self) -> str:
        name, traffic = self.plan["name"], ", ".join(self._traffic())
        return f"<Run {name}, seed {self.plan['seed']}: {traffic}; {self.folder}>"

    def _repr_html_(self) -> str:
        facts = {
            "traffic": ", ".join(self._traffic()),
            "nodes": ", ".join(node["name"] for node in self.plan["nodes"]),
            "series": ", ".join(self.recorded),
            "folder": str(self.folder),
        }
        return facts_html(f"Run {self.plan['name']}, seed {self.plan['seed']}", facts)

    def _traffic(self) -> list[str]:
        """The run's length, and its number of flows, streams, pings and programs."""
        kinds = {"flows": "flow", "datagrams": "stream", "pings": "ping", "programs": "program"}
        numbers = {key: len(self.plan.get(key, ())) for key in kinds} | {"flows": len(self.flow_plans)}
        counts = ((numbers[key], thing) for key, thing in kinds.items())
        return [f"{self.end_ns / 1e9:g} s", *(counted(number, thing) for number, thing in counts if number)]

    @property
    def name(self) -> str:
        """The run's identity: the name of its folder."""
        return self.folder.name

    @property
    def measured(self) -> bool:
        """Whether it was measured in a real network (`airtcp measure`)."""
        return "measured" in self.manifest

    @property
    def end_ns(self) -> int:
        """When the run ended, from the epoch: as planned, or with its flows (`ends_with`)."""
        return int(self.agent.get("end_ns", self.plan["duration_ns"]))

    @cached_property
    def flow_plans(self) -> list[dict[str, Any]]:
        """Name, ends and start of every flow by its number: those of the plan, then those of programs."""
        return planned_and_found(self.plan, self.sockets, self.agent)

    @cached_property
    def flow_reports(self) -> list[dict[str, Any]]:
        """The report of every flow by its number: those of the plan, then those of programs."""
        return reports(self.plan, self.sockets, self.agent)

    @property
    def recorded(self) -> tuple[str, ...]:
        """The names of the series that the run recorded."""
        files = _files_in(self.folder / "series")
        return tuple(name for name in SERIES if f"{name}.parquet" in files)

    def series(self, name: str, *columns: str) -> "polars.DataFrame":
        """One series as it was recorded, by its name in `docs/reference/columns.md`, read once.

        With `columns`, these only. A series or a column that the run does not have, and a file that is
        damaged, is an `AirtcpError`.
        """
        if name not in SERIES:
            raise AirtcpError(f'there is no series "{name}"', str(self.folder), f"Known: {', '.join(SERIES)}")
        if name not in self._series:
            known = self.manifest.get("sha256", {})
            frame = read_series(self._file(name), SERIES[name], known.get(f"series/{name}.parquet"))
            plan = {**self.plan, "flows": self.flow_plans}
            check_rows(name, frame, plan, None if self.measured else self.agent, self._file(name))
            self._series[name] = frame
        frame = self._series[name]
        if not columns:
            return frame
        require_columns(frame, columns, SERIES[name], self._file(name))
        return frame.select(columns)

    def named(self, name: str) -> "polars.DataFrame":
        """One series with names beside numbers (flow, node, ...)."""
        plan = {**self.plan, "flows": self.flow_plans}
        agent = {**self.agent, "flows": self.flow_reports}
        frame = self.series(name)
        return SERIES[name].label(frame, plan, agent)

    def parts(self, name: str, *keys: str, named: bool = False) -> "Parts":
        """The rows of a series by the values of these columns, each part in the order of time.

        `named`: with names beside numbers. A series is split once: a filter for each flow, radio, ... would
        cost a long report more than all else in it.
        """
        wanted = (name, keys, named)
        if wanted not in self._parts:
            frame = in_time(self.named(name) if named else self.series(name))
            # With `as_dict`, polars makes a query of each part to learn its key.
            parts = frame.partition_by(*keys, maintain_order=True)
            self._parts[wanted] = {tuple(part[key][0] for key in keys): part for part in parts}
        return self._parts[wanted]

    def part(self, name: str, key: str, number: int) -> "polars.DataFrame":
        """The rows of a series with this number in a column (a flow, a radio), in the order of time."""
        part = self.parts(name, key).get((number,))
        return self.series(name).clear() if part is None else part

    def pandas(self, name: str) -> "pandas.DataFrame":
        """The same as a pandas frame."""
        return to_pandas(self.named(name))

    def flow_samples(self, flow: int) -> "polars.DataFrame":
        """The samples of one flow, by its number in the plan, in the order of time."""
        return self.part("flows", "flow", flow)

    def ping_samples(self, ping: int) -> "polars.DataFrame":
        """The echo requests of one ping, by its number in the plan, in the order of time."""
        return self.part("pings", "ping", ping)

    def transfers_of(self, flow: int) -> "polars.DataFrame":
        """The bursts, answers, pages or segments of one flow, by its number in the plan, in their order."""
        return self.part("transfers", "flow", flow)

    def stream_datagrams(self, stream: int) -> "polars.DataFrame":
        """The datagrams of one stream, by its number in the plan, in their order."""
        return self.part("datagrams", "stream", stream)

    def flow_number(self, flow: int | str) -> int:
        """The number of a flow, given that or its name; a flow that is not there is an `AirtcpError`."""
        names: Sequence[str] = [each["name"] for each in self.flow_plans]
        if isinstance(flow, int) and 0 <= flow < len(names):
            return flow
        if isinstance(flow, str) and flow in names:
            return names.index(flow)
        raise AirtcpError(f"there is no flow {flow!r}", str(self.folder), f"Known: {', '.join(names)}")

    def tcp_info(self, flow: int | str) -> "polars.DataFrame":
        """Every field of the kernel's `struct tcp_info` of one flow's sender, at every sampling instant."""
        from airtcp.data.tcp_info import decode_tcp_info

        number, file = self.flow_number(flow), self._file("flows")
        self.series("flows", "tcp_info")
        return decode_tcp_info(self.flow_samples(number), str(self.plan.get("kernel", "")), file)

    def congestion_control_info(self, flow: int | str) -> "polars.DataFrame":
        """The state of the congestion control of one flow's sender, at every sampling instant."""
        from airtcp.data.congestion_control_info import decode_congestion_control_info

        number = self.flow_number(flow)
        self.series("flows", "cc_kind", "cc_info")
        return decode_congestion_control_info(self.flow_samples(number), self._file("flows"))

    def _file(self, name: str) -> Path:
        return self.folder / "series" / f"{name}.parquet"


def _files_in(folder: Path) -> set[str]:
    try:
        with os.scandir(folder) as entries:
            return {entry.name for entry in entries if entry.is_file()}
    except OSError:
        return set()


def open_run(folder: str | PathLike[str]) -> Run:
    """Opens a run folder; one that is missing, incomplete or damaged is an `AirtcpError`."""
    folder = Path(folder)
    if not folder.is_dir():
        raise AirtcpError("there is no such run folder", str(folder), "Check the path")
    check_is_run(folder)
    content = read_bytes(folder / "plan.json")
    plan = parse_json(content, folder / "plan.json", PLAN_KEYS)
    manifest = read_json(folder / "manifest.json", ("run", "seed"))
    summary = read_json(folder / "summary.json", ("agent", "air"))
    agent, air = summary["agent"], summary["air"]
    file = folder / "summary.json"
    check_shape(plan, PLAN, folder / "plan.json")
    check_shape(manifest, MANIFEST, folder / "manifest.json")
    check_shape(agent, AGENT, file, "agent")
    check_shape(air, AIR, file, "air")
    sockets = summary.get("sockets", {})
    check_shape(sockets, SOCKETS, file, "sockets")
    _check_plan(plan, content, manifest, folder / "plan.json")
    _check_names(plan, agent, air if "measured" not in manifest else None, file)
    return Run(folder, plan, manifest, agent, air, sockets)


def _check_plan(plan: dict[str, Any], content: bytes, manifest: dict[str, Any], file: Path) -> None:
    sha256 = manifest.get("plan_sha256")
    if plan["seed"] != manifest["seed"] or (sha256 and sha256 != hashlib.sha256(content).hexdigest()):
        raise AirtcpError("is not the plan that was run: the manifest names another one", str(file), REMEDY)


def _check_names(plan: dict[str, Any], agent: dict[str, Any], air: dict[str, Any] | None, file: Path) -> None:
    """The summary must have the plan's flows, streams, pings, radios; `air` is `None` if these were real."""
    radios = plan["air"]["nics"]
    pairs = (
        ("flows", "name", plan["flows"], agent["flows"]),
        ("streams of datagrams", "name", plan.get("datagrams", []), agent.get("datagrams", [])),
        ("pings", "name", plan["pings"], agent["pings"]),
        ("radios", "node", radios, radios if air is None else air["nics"]),
    )
    for what, key, planned, reported in pairs:
        if [each[key] for each in planned] != [each[key] for each in reported]:
            raise AirtcpError(f"has other {what} than the plan: another run wrote it", str(file), REMEDY)
