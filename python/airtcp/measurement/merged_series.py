"""The series of a run, from the records of its nodes."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from airtcp.data.congestion_control_info import KINDS
from airtcp.data.series.catalogue import ON_MACHINES, SERIES
from airtcp.measurement.node_records import NodeRecords, aligned
from airtcp.measurement.program_connections import Connection
from airtcp.measurement.station_polls import read_samples
from airtcp.plans.links import radios
from airtcp.plans.types.plan import Plan, PlanNode

if TYPE_CHECKING:
    import polars

# Which of KINDS `cc_info` holds, by the kernel's name of the control.
_CC_KINDS = {
    "vegas": "vegas", "nv": "vegas", "illinois": "vegas", "yeah": "vegas", "dctcp": "dctcp", "bbr": "bbr",
}  # fmt: skip
STATIONS_FILE = "stations-{interface}.jsonl"

Records = Mapping[str, NodeRecords]


def merged_series(
    plan: Plan, records: Records, connections: Sequence[Connection]
) -> Iterator[tuple[str, "polars.DataFrame"]]:
    """The series of the run by their names, in the columns and types that `airtcp.data` declares.

    `connections` are those of programs, which are flows too.
    """
    import polars

    makers: dict[str, Callable[[Plan, Records], polars.DataFrame | None]] = {
        "flows": lambda plan, records: _flows(plan, records, connections),
        "pings": _pings,
        "datagrams": _datagrams,
        "transfers": _transfers,
        "qdiscs": _qdiscs,
        "stations": _stations,
    }
    for name in ON_MACHINES:
        frame = makers[name](plan, records)
        if frame is not None:
            yield name, _typed(name, frame)
        elif _is_planned(plan, name):
            # All that would have recorded it were lost.
            yield (
                name,
                _typed(name, polars.DataFrame(schema=[column.name for column in SERIES[name].columns])),
            )


def _is_planned(plan: Plan, name: str) -> bool:
    """Whether a run of the plan has the series, whatever happens."""
    planned: Mapping[str, object] = {
        "flows": plan["flows"] and plan["sampling"]["flows_interval_ns"],
        "pings": plan["pings"],
        "datagrams": plan["datagrams"],
    }
    return bool(planned.get(name))


def _typed(name: str, frame: "polars.DataFrame") -> "polars.DataFrame":
    """The frame with the columns of its series that it has, in their order and types."""
    import polars

    types: dict[str, Any] = {
        "i64": polars.Int64,
        "u32": polars.UInt32,
        "u64": polars.UInt64,
        "f64": polars.Float64,
        "bytes": polars.Binary,
    }
    columns = [column for column in SERIES[name].columns if column.name in frame.columns]
    return frame.select(polars.col(column.name).cast(types[column.type]) for column in columns)


def _flows(plan: Plan, records: Records, connections: Sequence[Connection]) -> "polars.DataFrame | None":
    """Rows of the sending ends, each with what the receiving end had last before it."""
    import polars

    parts = []
    for number, flow in enumerate(plan["flows"]):
        sender = _of(_frame(records, flow["from"], "senders"), "flow", number)
        receiver = _of(_frame(records, flow["to"], "receivers"), "flow", number)
        if sender is None:
            continue
        known = sender.sort("time_ns")
        if receiver is None:
            known = known.with_columns(bytes_received=polars.lit(0, polars.UInt64))
        else:
            received = receiver.sort("time_ns").select("time_ns", "bytes_received")
            # Both ends are sampled at the same instants, as far as their clocks agree.
            known = known.join_asof(received, on="time_ns", strategy="nearest")
            known = known.with_columns(polars.col("bytes_received").fill_null(0).cum_max())
        parts.append(_with_kind(known, flow["congestion_control"]))
    parts += [_with_kind(one.rows(), one.congestion_control) for one in connections]
    return polars.concat(parts).sort("time_ns", "flow") if parts else None


def _with_kind(rows: "polars.DataFrame", control: str) -> "polars.DataFrame":
    """The rows of one flow as those of `flows`, with what its `cc_info` holds."""
    import polars

    kind = polars.lit(KINDS.index(_CC_KINDS.get(control, "none")), polars.UInt32)
    return _typed("flows", rows.with_columns(cc_kind=kind))


def _frame(records: Records, node: str, table: str) -> "polars.DataFrame | None":
    """A table of a node; a machine that was lost has none."""
    return records[node].frame(table) if node in records else None


def _of(frame: "polars.DataFrame | None", column: str, number: int) -> "polars.DataFrame | None":
    import polars

    rows = None if frame is None else frame.filter(polars.col(column) == number)
    return rows if rows is not None and rows.height else None


def _renumbered(
    records: Records, table: str, column: str, senders: Sequence[str]
) -> "polars.DataFrame | None":
    """Rows of an agent's table whose numbers count its own items only, with those of the plan."""
    import polars

    parts = []
    for name, own in records.items():
        frame = own.frame(table)
        numbers = [number for number, sender in enumerate(senders) if sender == name]
        if frame is not None and frame.height:
            known = dict(enumerate(numbers))
            parts.append(
                frame.with_columns(polars.col(column).replace_strict(known, return_dtype=polars.UInt32))
            )
    return polars.concat(parts).sort("time_ns", column, maintain_order=True) if parts else None


def _pings(plan: Plan, records: Records) -> "polars.DataFrame | None":
    return _renumbered(records, "pings", "ping", [ping["from"] for ping in plan["pings"]])


def _datagrams(plan: Plan, records: Records) -> "polars.DataFrame | None":
    """Each datagram that was sent, with the time to the first of its arrivals."""
    import polars

    sent = _renumbered(records, "datagrams", "stream", [stream["from"] for stream in plan["datagrams"]])
    if sent is None:
        return None
    arrived = [frame for own in records.values() if (frame := own.frame("arrivals")) is not None]
    if not arrived:
        return sent
    first = (
        polars.concat(arrived).group_by("stream", "sequence").agg(polars.col("time_ns").min().alias("at_ns"))
    )
    joined = sent.with_columns(polars.col("sequence").cast(polars.UInt64)).join(
        first, on=("stream", "sequence"), how="left", maintain_order="left"
    )
    # Less than the error of the clocks may look negative, which would mean lost.
    delay = (polars.col("at_ns") - polars.col("time_ns")).clip(lower_bound=0)
    return joined.with_columns(delay_ns=delay.fill_null(-1))


def _transfers(plan: Plan, records: Records) -> "polars.DataFrame | None":
    """Those of clients, to which data goes; of bursts those of the sender, with the receiver's times."""
    import polars

    parts = []
    for number, flow in enumerate(plan["flows"]):
        if flow["workload"]["kind"] == "on_off":
            parts += _bursts(records, flow["from"], flow["to"], number)
            continue
        own = records.get(flow["to"])
        rows = _of(_frame(records, flow["to"], "transfers"), "flow", number)
        if own is not None and rows is not None:
            align = aligned(own.clock)
            later = {name: align(rows[name]).set(rows[name] < 0, -1) for name in ("first_byte_ns", "end_ns")}
            parts.append(rows.with_columns(**later))
    return polars.concat(parts).sort("end_ns", "flow", maintain_order=True) if parts else None


def _bursts(records: Records, sender: str, receiver: str, number: int) -> "list[polars.DataFrame]":
    """The bursts of a flow: a burst's first byte has come with the first read beyond those before it,
    and it ends with the first read that has all of its bytes."""
    import numpy as np
    import polars

    bursts = _of(_frame(records, sender, "transfers"), "flow", number)
    if bursts is None:
        return []
    bursts = bursts.sort("number")
    reads = _of(_frame(records, receiver, "reads"), "flow", number)
    if reads is None:
        return [bursts]
    times, totals = reads["time_ns"].to_numpy(), reads["bytes"].to_numpy()
    ends = np.cumsum(bursts["bytes"].to_numpy())
    begins = ends - bursts["bytes"].to_numpy()
    padded = np.append(times, -1)
    first = padded[np.searchsorted(totals, begins, side="right")]
    last = padded[np.searchsorted(totals, ends, side="left")]
    nothing = ends == begins
    columns = {"first_byte_ns": np.where(nothing, -1, first), "end_ns": np.where(nothing, -1, last)}
    return [bursts.with_columns(polars.Series(name, values) for name, values in columns.items())]


def _qdiscs(plan: Plan, records: Records) -> "polars.DataFrame | None":
    """Disciplines of the interfaces that the lab names; counts are from traffic time zero."""
    import polars

    col, parts = polars.col, []
    counters = ("packets", "bytes", "drops", "overlimits")
    for number, node in enumerate(plan["nodes"]):
        own = records.get(node["name"])
        frame = own.frame("qdiscs") if own else None
        if own is None or frame is None or not frame.height:
            continue
        known = _interface_numbers(node, own)
        keys = ("time_ns", "interface", "handle")
        rows = frame.filter(col("interface").is_in(list(known)))
        # The queues of a card with several have no handle of their own: they count as one.
        rows = rows.group_by(keys, maintain_order=True).agg(
            col("backlog_packets", "backlog_bytes", *counters).sum()
        )
        rows = rows.with_columns(
            (col(name) - col(name).first().over("interface", "handle")).alias(name) for name in counters
        )
        parts.append(
            rows.with_columns(
                col("interface").replace_strict(known, return_dtype=polars.UInt32),
                node=polars.lit(number, polars.UInt32),
                marks=polars.lit(0, polars.UInt64),
            )
        )
    return polars.concat(parts).sort("time_ns", "node", "interface", "handle") if parts else None


def _interface_numbers(node: PlanNode, own: NodeRecords) -> dict[int, int]:
    """The place of an interface in the plan, by the kernel's number."""
    names = [interface["name"] for interface in node["interfaces"]]
    return {facts.index: names.index(name) for name, facts in own.facts.interfaces.items()}


def _stations(plan: Plan, records: Records) -> "polars.DataFrame | None":
    import polars

    places = {(end.node, end.interface["name"]): nic for nic, end in radios(plan).items()}
    macs = {
        facts.mac: places[name, interface]
        for name, own in records.items()
        for interface, facts in own.facts.interfaces.items()
        if (name, interface) in places
    }
    rows: list[dict[str, Any]] = []
    for (name, interface), nic in places.items():
        own_records = records.get(name)
        if own_records is None:
            continue
        file = own_records.folder / "programs" / STATIONS_FILE.format(interface=interface)
        if file.is_file():
            rows += read_samples(file, nic, macs, _access_point(plan, nic))
    if not rows:
        return None
    frame = polars.DataFrame(rows, infer_schema_length=None)
    present = set(frame.columns)
    # What iw does not print is not known; the series has no nulls.
    rest = [column.name for column in SERIES["stations"].columns if column.name not in present]
    return frame.fill_null(0).with_columns(polars.lit(0).alias(name) for name in rest).sort("time_ns")


def _access_point(plan: Plan, nic: int) -> int | None:
    """The radio that a station has as its peer: its cell's access point."""
    nics, own = plan["air"]["nics"], plan["air"]["nics"][nic]
    if own["role"] != "station":
        return None
    every = (n for n, one in enumerate(nics) if one["role"] == "access_point" and one["cell"] == own["cell"])
    return next(every, None)
