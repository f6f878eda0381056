"""Writes run folders of the real layout, with series that are simple enough to compute by hand.

Every flow delivers `rate_mbps` from its start on; it keeps `cwnd` segments in flight. Every ping's round trip
is `rtt_ms` while a flow runs and `idle_ms` before.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from support.scene_report import medium

Plan = dict[str, Any]
# The request of every ping that has no answer.
LOST_REQUEST = 3


@dataclass(frozen=True)
class Shape:
    """What the made-up run looks like."""

    rate_mbps: float = 8.0
    rtt_ms: float = 20.0
    idle_ms: float = 1.8
    cwnd: int = 20
    in_flight: int = 20
    sndbuf_share: float = 0.0


def run_name(plan: Plan) -> str:
    """The name of a plan's run folder."""
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()[:16]


def write_run_folder(store: Path, plan: Plan, shape: Shape | None = None) -> Path:
    """The folder of this plan in the store, complete."""
    shape = shape or Shape()
    text = json.dumps(plan, sort_keys=True)
    plan_sha256 = hashlib.sha256(text.encode()).hexdigest()
    folder = store / run_name(plan)
    (folder / "series").mkdir(parents=True, exist_ok=True)
    (folder / "plan.json").write_text(text)
    manifest = {"run": folder.name, "name": plan["name"], "seed": plan["seed"], "plan_sha256": plan_sha256}
    (folder / "manifest.json").write_text(json.dumps(manifest))
    (folder / "summary.json").write_text(json.dumps({"agent": _agent(plan, shape), "air": _air(plan)}))
    (folder / "console.log").write_text("")
    _flows(plan, shape).write_parquet(folder / "series" / "flows.parquet")
    _pings(plan, shape).write_parquet(folder / "series" / "pings.parquet")
    return folder


def _agent(plan: Plan, shape: Shape) -> dict[str, Any]:
    return {
        "failure": None,
        "kernel_release": "6.12.0",
        "ready_ns": 5_000_000,
        "end_ns": plan["duration_ns"],
        "flows": [
            {
                "name": flow["name"],
                "congestion_control": flow["congestion_control"],
                "connected_ns": flow["start_ns"] + 1_000_000,
                "finished_ns": None,
                "bytes_received": int((plan["duration_ns"] - flow["start_ns"]) * shape.rate_mbps / 8e3),
                "bytes_acked": 0,
                "retransmits": 3,
                "busy_us": (plan["duration_ns"] - flow["start_ns"]) // 1000,
                "rwnd_limited_us": 0,
                "sndbuf_limited_us": 0,
                "error": None,
            }
            for flow in plan["flows"]
        ],
        "datagrams": [_datagram_counts(stream) for stream in plan["datagrams"]],
        "pings": [_ping_counts(ping) for ping in plan["pings"]],
        "programs": [],
        "qdiscs": [],
        "warnings": [],
    }


def _datagram_counts(stream: Plan) -> dict[str, Any]:
    """Ten datagrams, of which one was lost."""
    return {"name": stream["name"], "sent": 10, "refused": 0, "received": 9}


def _request_times(ping: Plan) -> range:
    return range(ping["start_ns"], ping["stop_ns"], ping["interval_ns"])


def _ping_counts(ping: Plan) -> dict[str, Any]:
    sent = len(_request_times(ping))
    return {"name": ping["name"], "sent": sent, "received": sent - (1 if sent > LOST_REQUEST else 0)}


def _air(plan: Plan) -> dict[str, Any]:
    counts = ("accepted", "sent", "in_flight", "delivered", "transmissions", "retries", "collisions")
    nic = {**dict.fromkeys(counts, 7), "corrupted": 0, "queue_max": 2, "airtime_ns": 1000}
    nics = [{"node": each["node"], "dropped": {}, **nic} for each in plan["air"]["nics"]]
    end_ns = plan["epoch_ns"] + plan["duration_ns"]
    return {
        "model_version": 1,
        "end_ns": end_ns,
        "events": 1,
        "frame_hash": "0" * 16,
        "nics": nics,
        "media": [medium(2412, end_ns)],
    }


def _sample_times(end_ns: int, step_ns: int) -> list[int]:
    """Multiples of the step after 0, and the end."""
    return [*range(step_ns, end_ns, step_ns), end_ns]


def _flows(plan: Plan, shape: Shape) -> pl.DataFrame:
    step = plan["sampling"]["flows_interval_ns"]
    rows = []
    for number, flow in enumerate(plan["flows"]):
        for time_ns in _sample_times(plan["duration_ns"], step):
            since_ns = time_ns - flow["start_ns"]
            if since_ns <= 0:
                continue
            received = int(since_ns * shape.rate_mbps / 8e3)
            zeros = (
                "ssthresh",
                "rttvar_us",
                "sacked",
                "lost",
                "retrans",
                "total_retrans",
                "ca_state",
                *OF_ECN,
            )
            rows.append(
                {
                    **dict.fromkeys(zeros, 0),
                    "time_ns": time_ns,
                    "flow": number,
                    "bytes_received": received,
                    "bytes_acked": received,
                    "cwnd": shape.cwnd,
                    "unacked": shape.in_flight,
                    "srtt_us": int(shape.rtt_ms * 1e3),
                    "min_rtt_us": int(shape.idle_ms * 1e3),
                    "rto_us": 204_000,
                    "snd_mss": 1448,
                    "pacing_rate_bps": int(shape.rate_mbps * 1e6),
                    "delivery_rate_bps": int(shape.rate_mbps * 1e6),
                    "busy_us": since_ns // 1000,
                    "rwnd_limited_us": 0,
                    "sndbuf_limited_us": int(since_ns // 1000 * shape.sndbuf_share),
                    "delivery_app_limited": 0,
                    "delivered": received // 1448,
                    "tcp_info": bytes(256),
                }
            )
    return pl.DataFrame(rows)


# What a connection without ECN has of it.
OF_ECN = (
    "delivered_ce",
    "ecn",
    "ecn_seen",
    "received_ce",
    *(f"{of}_{point}_bytes" for of in ("delivered", "received") for point in ("e0", "e1", "ce")),
    "accecn_opt_seen",
    "accecn_fail_mode",
)


def _pings(plan: Plan, shape: Shape) -> pl.DataFrame:
    begin_ns = min((flow["start_ns"] for flow in plan["flows"]), default=plan["duration_ns"])
    rows = []
    for number, ping in enumerate(plan["pings"]):
        for sequence, time_ns in enumerate(_request_times(ping)):
            rtt_ms = shape.rtt_ms if time_ns >= begin_ns else shape.idle_ms
            rtt_ns = int(rtt_ms * 1e6) if sequence != LOST_REQUEST else -1
            rows.append({"time_ns": time_ns, "ping": number, "sequence": sequence, "rtt_ns": rtt_ns})
    names = {"time_ns": pl.Int64, "ping": pl.UInt32, "sequence": pl.UInt32, "rtt_ns": pl.Int64}
    return pl.DataFrame(rows, schema=names)
