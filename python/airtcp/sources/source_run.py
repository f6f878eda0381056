"""A measured run of a folder of sources: its series, its reports, its run folder."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.series.catalogue import SERIES
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import plan_text
from airtcp.sources.measured_plan import Taken
from airtcp.version import __version__

if TYPE_CHECKING:
    import polars

# Version of the run folder's layout, as the runner's (`crates/runner/src/seal.rs`).
FORMAT = 1
# Of flows what no file needs to say: all that the sender's TCP tells.
_TCP = ("srtt_us", "min_rtt_us", "cwnd", "snd_mss", "total_retrans")


def write_source_run(plan: Plan, taken: Sequence[Taken], folder: Path) -> None:
    """Writes the run folder, which must not be there."""
    (folder / "series").mkdir(parents=True)
    text = plan_text(plan)
    (folder / "plan.json").write_text(text, encoding="utf-8")
    for name, frame in _series(plan, taken):
        frame.write_parquet(folder / "series" / f"{name}.parquet", compression="snappy")
    summary = {
        "agent": _agent(plan, taken),
        "air": {"end_ns": plan["duration_ns"], "nics": [], "media": []},
        "sockets": {"flows": [], "unseen": 0},
    }
    _write_json(folder / "summary.json", summary)
    files = [
        "plan.json",
        "summary.json",
        *sorted(f"series/{file.name}" for file in (folder / "series").iterdir()),
    ]
    manifest = {
        "format": FORMAT,
        "run": folder.name,
        "name": plan["name"],
        "seed": plan["seed"],
        "airtcp_version": __version__,
        "plan_sha256": hashlib.sha256(text.encode()).hexdigest(),
        "virtual_s": plan["duration_ns"] / 1e9,
        "measured": {
            "sources": [{"file": str(one.file), one.source.target: _target(one)} for one in taken],
            "notes": sorted({note for one in taken for note in one.samples.notes}),
            "unknown": {"flows": _unknown(taken)},
        },
        "sha256": {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in files},
    }
    _write_json(folder / "manifest.json", manifest)


def _write_json(file: Path, value: Any) -> None:
    file.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")


def _target(one: Taken) -> str:
    return str(one.source.flow or one.source.ping or one.source.node)


def _known_columns(taken: Sequence[Taken]) -> list[str]:
    """The columns of flows that all files of flows tell."""
    flows = [one for one in taken if one.source.flow]
    return [name for name in _TCP if flows and all(name in row for one in flows for row in one.samples.rows)]


def _unknown(taken: Sequence[Taken]) -> list[str]:
    known = ("time_ns", "flow", "bytes_received", *_known_columns(taken))
    return [column.name for column in SERIES["flows"].columns if column.name not in known]


def _series(plan: Plan, taken: Sequence[Taken]) -> "Iterator[tuple[str, polars.DataFrame]]":
    if plan["flows"]:
        yield "flows", _frame("flows", _flow_rows(plan, taken))
    if plan["pings"]:
        yield "pings", _frame("pings", _ping_rows(plan, taken))
    stations = [row for one in taken if one.source.node for row in one.samples.rows]
    if stations:
        columns = [column.name for column in SERIES["stations"].columns]
        rows = [dict.fromkeys(columns, 0) | {"interface": 1} | row for row in stations]
        yield "stations", _frame("stations", sorted(rows, key=lambda row: int(row["time_ns"])))


def _flow_rows(plan: Plan, taken: Sequence[Taken]) -> list[dict[str, Any]]:
    known = ("bytes_received", *_known_columns(taken))
    numbers = {flow["name"]: (number, flow["start_ns"]) for number, flow in enumerate(plan["flows"])}
    rows = [
        {"time_ns": row["time_ns"] + start_ns, "flow": number, **{name: row[name] for name in known}}
        for one in taken
        if one.source.flow
        for number, start_ns in (numbers[one.source.flow],)
        for row in one.samples.rows
    ]
    return sorted(rows, key=lambda row: (row["time_ns"], row["flow"]))


def _ping_rows(plan: Plan, taken: Sequence[Taken]) -> list[dict[str, Any]]:
    numbers = {ping["name"]: (number, ping["start_ns"]) for number, ping in enumerate(plan["pings"])}
    rows = [
        {**row, "time_ns": row["time_ns"] + start_ns, "ping": number}
        for one in taken
        if one.source.ping
        for number, start_ns in (numbers[one.source.ping],)
        for row in one.samples.rows
    ]
    return sorted(rows, key=lambda row: (row["time_ns"], row["ping"]))


def _frame(name: str, rows: list[dict[str, Any]]) -> "polars.DataFrame":
    """Rows in the columns and types of a series, of those that they have."""
    import polars

    types: dict[str, Any] = {"i64": polars.Int64, "u32": polars.UInt32, "u64": polars.UInt64}
    present = set(rows[0])
    columns = [column for column in SERIES[name].columns if column.name in present]
    return polars.DataFrame(
        {column.name: [row[column.name] for row in rows] for column in columns},
        schema={column.name: types[column.type] for column in columns},
    )


def _agent(plan: Plan, taken: Sequence[Taken]) -> dict[str, Any]:
    flows = {one.source.flow: one.samples for one in taken if one.source.flow}
    pings = {one.source.ping: one.samples for one in taken if one.source.ping}
    return {
        "failure": None,
        "kernel_release": "",
        "ready_ns": 0,
        "end_ns": plan["duration_ns"],
        "flows": [_flow_report(flow, flows[flow["name"]].rows) for flow in plan["flows"]],
        "datagrams": [],
        "pings": [
            {
                "name": ping["name"],
                "sent": len(pings[ping["name"]].rows),
                "received": sum(row["rtt_ns"] >= 0 for row in pings[ping["name"]].rows),
            }
            for ping in plan["pings"]
        ],
        "programs": [],
        "qdiscs": [],
        "warnings": [],
    }


def _flow_report(flow: Mapping[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    last = rows[-1] if rows else {"bytes_received": 0}
    return {
        "name": flow["name"],
        "congestion_control": flow["congestion_control"],
        "connected_ns": flow["start_ns"],
        "finished_ns": None,
        "bytes_received": last["bytes_received"],
        "bytes_acked": last["bytes_received"],
        "retransmits": last.get("total_retrans"),
        "busy_us": 0,
        "rwnd_limited_us": 0,
        "sndbuf_limited_us": 0,
        "error": None,
    }
