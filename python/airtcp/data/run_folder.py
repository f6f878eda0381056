"""A run folder: plan, manifest, summary and series."""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from airtcp.data.completeness import check_rows
from airtcp.data.display import counted, facts_html
from airtcp.data.find_runs import check_is_run
from airtcp.data.groups import kept_groups
from airtcp.data.json_file import parse_json, read_bytes, read_json
from airtcp.data.plain_file import REMEDY
from airtcp.data.program_flows import connections, planned_and_found, reports
from airtcp.data.quic_logs import PROGRAMS, QuicLogs, log_files, read_logs
from airtcp.data.series.catalogue import IN_FILES, SERIES, RecordedSeries
from airtcp.data.series.quic import QUIC
from airtcp.data.series_file import in_time, read_series, require_columns
from airtcp.data.shape import AGENT, AIR, MANIFEST, PLAN, SOCKETS, check_shape
from airtcp.errors import AirtcpError
from airtcp.formats.pandas_frame import to_pandas
from airtcp.plans.groups import Groups, as_groups, check_groups, traffic_names

if TYPE_CHECKING:
    import pandas
    import polars

    Parts = dict[tuple[int, ...], polars.DataFrame]

PLAN_KEYS = ("name", "seed", "flows", "pings", "nodes", "air", "duration_ns", "sampling")


@dataclass(frozen=True, repr=False)
class Run(RecordedSeries):
    """A complete run, simulated or measured: its plan, its reports and its series.

    Series are attributes, too: `run.flows` is `run.named("flows")`. Times of series are nanoseconds of
    virtual time from the epoch, when traffic may start.

    Attributes:
        folder: path of the run folder.
        plan: `plan.json`: all that the run was computed from.
        manifest: `manifest.json`: versions, hashes and costs.
        agent: part `agent` of `summary.json`: reports of flows, pings, programs and queues.
        air_report: part `air` of `summary.json`: counters of radios and media.
        sockets: part `sockets` of `summary.json`: what programs sent to each other; empty if that was not
            watched.

    Example:
        >>> run = airtcp.load("runs")[0]
        >>> run.plan["name"], run.agent["flows"][0]["retransmits"], run.air_report["nics"][0]["node"]
        ('first', 3, 'ap1')
        >>> run.flows.select("flow_name", "cca").row(0)
        ('sta1-h1', 'cubic')
    """

    folder: Path
    plan: dict[str, Any]
    manifest: dict[str, Any]
    agent: dict[str, Any]
    air_report: dict[str, Any]
    sockets: dict[str, Any] = field(default_factory=dict)
    """What programs sent to each other; empty if that was not watched."""
    _series: "dict[str, polars.DataFrame]" = field(default_factory=dict, repr=False, compare=False)
    _parts: "dict[tuple[object, ...], Parts]" = field(default_factory=dict, repr=False, compare=False)
    _asked_groups: Groups = field(default_factory=dict, repr=False, compare=False)

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
        """Name of the run folder: a hash of all that the run depends on.

        Example:
            >>> len(run.name)
            16
        """
        return self.folder.name

    @property
    def measured(self) -> bool:
        """Whether the run was measured in a real network (`airtcp measure`).

        Example:
            >>> run.measured
            False
        """
        return "measured" in self.manifest

    @property
    def end_ns(self) -> int:
        """End of the run in nanoseconds from the epoch: as planned, or with the last flow (`ends_with`).

        Example:
            >>> run.end_ns
            10000000000
        """
        return int(self.agent.get("end_ns", self.plan["duration_ns"]))

    @cached_property
    def flow_plans(self) -> list[dict[str, Any]]:
        """Name, ends and start of every flow by its number: those of the plan, then those of programs.

        Example:
            >>> [(flow["name"], flow["from"], flow["to"]) for flow in run.flow_plans]
            [('sta1-h1', 'sta1', 'h1')]
        """
        return planned_and_found(self.plan, self.sockets, self.agent)

    @cached_property
    def flow_reports(self) -> list[dict[str, Any]]:
        """Report of every flow by its number: those of the plan, then those of programs.

        Example:
            >>> run.flow_reports[0]["bytes_received"]
            10000000
        """
        return reports(self.plan, self.sockets, self.agent)

    @cached_property
    def groups(self) -> dict[str, Sequence[str]]:
        """The patterns of names of each group: `[groups]` of the scenario, and those of `with_groups`.

        Example:
            >>> run.with_groups({"uploads": "sta*"}).groups
            {'uploads': ('sta*',)}
        """
        return {**kept_groups(self.folder), **self._asked_groups}

    def with_groups(self, groups: Mapping[str, str | Sequence[str]]) -> Self:
        """The same run with further groups of flows, streams and pings; one of the same name is replaced.

        Args:
            groups: pattern of names, or a list of them, of each group.

        Returns:
            The run; it shares the series that were read.

        Raises:
            AirtcpError: a pattern means nothing in the run.

        Example:
            >>> grouped = run.with_groups({"uploads": ["sta*"]})
            >>> airtcp.number(grouped, "throughput", group="uploads") > 0
            True
        """
        asked = as_groups(groups)
        check_groups(asked, self.traffic)
        return replace(self, _asked_groups={**self._asked_groups, **asked})

    @cached_property
    def connections(self) -> list[dict[str, Any]]:
        """Report of each direction of every MPTCP connection of programs, by its number in `mptcp`.

        The flows that are its subflows have its number at `mptcp` of `flow_reports`.

        Example:
            >>> [(one["name"], one["subflows"], one["bytes_received"]) for one in run.connections]
            []
        """
        return connections(self.plan, self.sockets, self.agent)

    @cached_property
    def _quic(self) -> QuicLogs:
        return read_logs(self.folder, self.plan, self.flow_plans)

    @property
    def quic_connections(self) -> list[dict[str, Any]]:
        """What is known of each end of a QUIC connection whose program wrote a qlog, by its number in `quic`.

        Example:
            >>> [(one["name"], one["vantage_point"], one["packets_lost"]) for one in run.quic_connections]
            []
        """
        return self._quic.connections if QUIC.name in self.recorded else []

    @property
    def quic_left_out(self) -> tuple[str, ...]:
        """Files of qlogs that are not in the series `quic`, each with the reason.

        Example:
            >>> run.quic_left_out
            ()
        """
        return self._quic.left_out if QUIC.name in self.recorded else ()

    @property
    def traffic(self) -> list[str]:
        """Names of all flows, streams and pings.

        Example:
            >>> run.traffic
            ['sta1-h1', 'voice']
        """
        return traffic_names({**self.plan, "flows": self.flow_plans})

    @property
    def recorded(self) -> tuple[str, ...]:
        """Names of the series that the run recorded, of those in docs/reference/columns.md.

        Example:
            >>> run.recorded[:2]
            ('flows', 'acks')
        """
        files = _files_in(self.folder / "series")
        by_programs = {QUIC.name} if log_files(self.folder) else set()
        in_files = {name for name in IN_FILES if f"{name}.parquet" in files}
        return tuple(name for name in SERIES if name in in_files | by_programs)

    def series(self, name: str, *columns: str) -> "polars.DataFrame":
        """One series as it was recorded; the file is read once.

        Args:
            name: name of the series (docs/reference/columns.md).
            columns: columns that are wanted; default: all that the run has.

        Returns:
            A Polars frame with a row per sample or event, with the columns, types and units of
            docs/reference/columns.md.

        Raises:
            AirtcpError: no series has this name; the run lacks the series or a column; the file is damaged.

        Example:
            >>> run.series("flows", "time_ns", "cwnd").row(0)
            (100000000, 20)
        """
        if name not in SERIES:
            raise AirtcpError(f'there is no series "{name}"', str(self.folder), f"Known: {', '.join(SERIES)}")
        if name == QUIC.name and name in self.recorded:
            self._series[name] = self._quic.frame
        if name not in self._series:
            known = self.manifest.get("sha256", {})
            unknown = self.manifest.get("measured", {}).get("unknown", {}).get(name, ())
            sha256 = known.get(f"series/{name}.parquet")
            frame = read_series(self._file(name), SERIES[name], sha256, unknown)
            plan = {**self.plan, "flows": self.flow_plans}
            check_rows(name, frame, plan, None if self.measured else self.agent, self._file(name))
            self._series[name] = frame
        frame = self._series[name]
        if not columns:
            return frame
        require_columns(frame, columns, SERIES[name], self._file(name))
        return frame.select(columns)

    def named(self, name: str) -> "polars.DataFrame":
        """One series with names beside numbers: `flow_name` and `cca` beside `flow`, `node_name` beside
        `node`.

        Args:
            name: name of the series (docs/reference/columns.md, where these columns are marked *Name*).

        Returns:
            A Polars frame with the columns of `series` and those of names.

        Raises:
            AirtcpError: as of `series`.

        Example:
            >>> run.named("pings").columns
            ['time_ns', 'ping', 'sequence', 'rtt_ns', 'ping_name']
        """
        plan = {**self.plan, "flows": self.flow_plans}
        agent = {**self.agent, "flows": self.flow_reports, "mptcp": self.connections}
        if name == QUIC.name:
            agent["quic"] = self.quic_connections
        frame = self.series(name)
        return SERIES[name].label(frame, plan, agent)

    def parts(self, name: str, *keys: str, named: bool = False) -> "Parts":
        """The rows of a series by the values of columns, each part in the order of time.

        The series is split once: for many flows or radios that is faster than a filter for each.

        Args:
            name: name of the series.
            keys: columns that identify a part.
            named: whether parts have names beside numbers, as those of `named`.

        Returns:
            A frame for each combination of values, by these values as a tuple.

        Raises:
            AirtcpError: as of `series`.

        Example:
            >>> list(run.parts("flows", "flow"))
            [(0,)]
        """
        wanted = (name, keys, named)
        if wanted not in self._parts:
            frame = in_time(self.named(name) if named else self.series(name))
            # With `as_dict`, polars makes a query of each part to learn its key.
            parts = frame.partition_by(*keys, maintain_order=True)
            self._parts[wanted] = {tuple(part[key][0] for key in keys): part for part in parts}
        return self._parts[wanted]

    def part(self, name: str, key: str, number: int) -> "polars.DataFrame":
        """The rows of a series with one number in a column, in the order of time.

        Args:
            name: name of the series.
            key: column with the number, for example `flow` or `nic`.
            number: number of the flow, radio, ...

        Returns:
            A frame with the columns of `series`; without rows if the number does not occur.

        Raises:
            AirtcpError: as of `series`.

        Example:
            >>> run.part("pings", "ping", 0).height
            50
        """
        part = self.parts(name, key).get((number,))
        return self.series(name).clear() if part is None else part

    def pandas(self, name: str) -> "pandas.DataFrame":
        """One series with names beside numbers, as a pandas frame.

        Args:
            name: name of the series.

        Returns:
            The rows and columns of `named`.

        Raises:
            AirtcpError: as of `series`, or pandas is not installed (`pip install 'airtcp[pandas]'`).

        Example:
            >>> float(run.pandas("pings")["rtt_ns"].max()) / 1e6
            20.0
        """
        return to_pandas(self.named(name))

    def flow_samples(self, flow: int) -> "polars.DataFrame":
        """The samples of one flow in the order of time.

        Args:
            flow: number of the flow in the plan.

        Returns:
            A frame with the columns of the series `flows`: `time_ns` [ns], `cwnd` [segments], `srtt_us` [us],
            `bytes_received` [bytes], ...

        Raises:
            AirtcpError: as of `series`.

        Example:
            >>> run.flow_samples(0)["srtt_us"][0] / 1000
            20.0
        """
        return self.part("flows", "flow", flow)

    def ping_samples(self, ping: int) -> "polars.DataFrame":
        """The echo requests of one ping in the order of time.

        Args:
            ping: number of the ping in the plan.

        Returns:
            A frame with the columns of the series `pings`: `time_ns` [ns], `sequence`, `rtt_ns` [ns; -1:
            lost].

        Raises:
            AirtcpError: as of `series`.

        Example:
            >>> run.ping_samples(0)["rtt_ns"].to_list()[:4]
            [20000000, 20000000, 20000000, -1]
        """
        return self.part("pings", "ping", ping)

    def transfers_of(self, flow: int) -> "polars.DataFrame":
        """The bursts, answers, pages or segments of one flow in their order.

        Args:
            flow: number of the flow in the plan.

        Returns:
            A frame with the columns of the series `transfers`: `time_ns`, `first_byte_ns`, `end_ns` [ns; -1:
            never], `bytes` [bytes], `rate_bps` [bit/s], ...

        Raises:
            AirtcpError: as of `series`.

        Example:
            >>> run.transfers_of(0)["end_ns"].to_list()
            [10000000, -1]
        """
        return self.part("transfers", "flow", flow)

    def stream_datagrams(self, stream: int) -> "polars.DataFrame":
        """The datagrams of one stream in their order.

        Args:
            stream: number of the stream in the plan.

        Returns:
            A frame with the columns of the series `datagrams`: `time_ns` [ns], `sequence`, `delay_ns` [ns;
            -1: lost].

        Raises:
            AirtcpError: as of `series`.

        Example:
            >>> run.stream_datagrams(0)["delay_ns"].to_list()
            [5000000, -1, 7000000]
        """
        return self.part("datagrams", "stream", stream)

    def flow_number(self, flow: int | str) -> int:
        """The number of a flow, by its number or its name.

        Args:
            flow: number or name.

        Returns:
            Index of the flow in `flow_plans`.

        Raises:
            AirtcpError: there is no such flow; the message lists all.

        Example:
            >>> run.flow_number("sta1-h1")
            0
        """
        names: Sequence[str] = [each["name"] for each in self.flow_plans]
        if isinstance(flow, int) and 0 <= flow < len(names):
            return flow
        if isinstance(flow, str) and flow in names:
            return names.index(flow)
        raise AirtcpError(f"there is no flow {flow!r}", str(self.folder), f"Known: {', '.join(names)}")

    def tcp_info(self, flow: int | str) -> "polars.DataFrame":
        """Every field of the kernel's `struct tcp_info` of one flow's sender, at every sampling instant.

        Args:
            flow: number or name of the flow.

        Returns:
            A frame with `time_ns` [ns] and a column for each field of the structure, named as in Linux
            without `tcpi_` and with its unit; null where the run's kernel lacks the field.

        Raises:
            AirtcpError: there is no such flow, or the run lacks the column `tcp_info`.

        Example:
            >>> run.tcp_info("sta1-h1").columns[:3]
            ['time_ns', 'state', 'ca_state']
        """
        from airtcp.data.tcp_info import decode_tcp_info

        number, file = self.flow_number(flow), self._file("flows")
        self.series("flows", "tcp_info")
        return decode_tcp_info(self.flow_samples(number), str(self.plan.get("kernel", "")), file)

    def congestion_control_info(self, flow: int | str) -> "polars.DataFrame":
        """The state of the congestion control of one flow's sender, at every sampling instant.

        Args:
            flow: number or name of the flow.

        Returns:
            A frame with `time_ns` [ns], `kind` (`none`, `vegas`, `dctcp`, `bbr`) and the numbers of that
            kind. BBR: `bandwidth_bps` [bit/s], `min_rtt_us` [us], `pacing_gain`, `cwnd_gain`. Vegas, NV,
            Illinois and YeAH: `enabled`, `rtt_count`, `rtt_us`, `min_rtt_us` [us]. DCTCP: `enabled`,
            `ce_state`, `alpha` (0 to 1), `marked_bytes`, `acked_bytes` [bytes].

        Raises:
            AirtcpError: there is no such flow, or the run lacks `cc_info`.

        Example:
            >>> run.congestion_control_info(0).select("kind", "bandwidth_bps", "pacing_gain").row(0)
            ('bbr', 10000000, 1.25)
        """
        from airtcp.data.congestion_control_info import decode_congestion_control_info

        number = self.flow_number(flow)
        self.series("flows", "cc_kind", "cc_info")
        return decode_congestion_control_info(self.flow_samples(number), self._file("flows"))

    def _file(self, name: str) -> Path:
        if name == QUIC.name:
            return self.folder / PROGRAMS
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
