"""A run without a guest in tables: sources, radios, airtime."""

from collections.abc import Mapping
from typing import Any

from airtcp.quantities.registry import QUANTITIES
from airtcp.report.airtime import airtime_table
from airtcp.report.explanation import payload_mbps
from airtcp.report.table import Table


def with_payload_throughput(plan: Mapping[str, Any], report: Mapping[str, Any]) -> dict[str, Any]:
    """The report with the throughput of its sources as tables have it: UDP payload, not whole frames."""
    sources = [
        {**source, "throughput_bps": 1e6 * payload_mbps(source["throughput_bps"], planned["frame_bytes"])}
        for planned, source in zip(plan["sources"], report["sources"], strict=True)
    ]
    return {**report, "sources": sources}


def scene_tables(plan: Mapping[str, Any], report: Mapping[str, Any]) -> list[Table]:
    """Everything worth a first look."""
    tables = [_sources(plan, report), _radios(report), airtime_table(report["media"])]
    return [table for table in tables if table.rows]


def scene_warnings(report: Mapping[str, Any]) -> list[str]:
    """What a reader should know before trusting the results."""
    return [
        f"source {source['name']}: {source['held_back']} frames waited at the end; its rate is more than the "
        "radio takes"
        for source in report["sources"]
        if source["held_back"]
    ]


def _sources(plan: Mapping[str, Any], report: Mapping[str, Any]) -> Table:
    measured_s = (report["end_ns"] - report["warmup_ns"]) / 1e9
    title = f"Sources (UDP payload that arrived in {measured_s:g} s, delay from source to receiver)"
    table = Table(title, ("source", "Mbit/s", "frames", "lost", "mean ms", "95 % ms"))
    total_mbps = 0.0
    for planned, source in zip(plan["sources"], report["sources"], strict=True):
        mbps = payload_mbps(source["throughput_bps"], planned["frame_bytes"])
        total_mbps += mbps
        delay = source["delay"]
        delays = ("-", "-") if delay is None else (_ms(delay["mean_ns"]), _ms(delay["p95_ns"]))
        frames = str(source["delivered"]["frames"])
        table.add(source["name"], f"{mbps:.3f}", frames, f"{_lost(source):.2%}", *delays)
    if len(table.rows) > 1:
        table.add("all", f"{total_mbps:.3f}", "", "", "", "")
    return table


def _lost(source: Mapping[str, Any]) -> float:
    dropped = sum(source["dropped"].values())
    ended = source["sent"]["frames"] + dropped
    return (dropped + sum(source["dropped_forwarding"].values())) / ended if ended else 0.0


def _ms(nanoseconds: float) -> str:
    return f"{nanoseconds / 1e6:.3f}"


def _radios(report: Mapping[str, Any]) -> Table:
    columns = (
        "radio",
        "PPDUs",
        "repeated",
        "collided",
        "noise",
        "MPDUs lost",
        QUANTITIES["airtime"].label,
        "most used mode",
        "share",
    )
    table = Table("Radios (data PPDUs that they sent)", columns, left=("most used mode",))
    measured_ns = max(1, report["end_ns"] - report["warmup_ns"])
    for nic in report["nics"]:
        sent = max(1, nic["transmissions"])
        mpdus_lost = nic["mpdus_lost"] / nic["mpdus"] if nic["mpdus"] else 0.0
        most = max(nic["modes"], key=lambda mode: mode["ppdus"], default=None)
        table.add(
            nic["node"],
            str(nic["transmissions"]),
            *(f"{nic[field] / sent:.1%}" for field in ("retries", "collisions", "corrupted")),
            f"{mpdus_lost:.1%}",
            f"{nic['airtime_ns'] / measured_ns:.1%}",
            *((most["mode"], f"{most['ppdus'] / sent:.0%}") if most else ("-", "-")),
        )
    return table
