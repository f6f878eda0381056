"""Adds the series that a run records beyond flows and pings to a made-up run folder; see the constants for what
they show.

The first radio's queue is empty, the second's holds 5 packets; of the nodes' queueing disciplines only those of
the access point's wire hold something, as netem over tbf over pfifo. Each flow's cwnd grows by one with each
ACK, from 10, every 5 ms.
"""

import json
import struct
from pathlib import Path

import polars as pl

from support.recorded_series import stations, zeros

STEP_NS = 100_000_000
MS = 1_000_000
BACKLOG, DROPS_PER_STEP, MARKS_PER_STEP = 12, 3, 1
DELAY_MS, ACK_DELAY_MS = 10.0, 3.0
CWND_SHARE, APP_SHARE = 0.6, 0.4
UP_AIRTIME_SHARE, DOWN_AIRTIME_SHARE = 0.4, 0.1
BBR_MBPS, BBR_MIN_RTT_MS, ALPHA = 8.0, 11.5, 0.25
VEGAS_RTT_MS, VEGAS_LEAST_MS = 30.0, 12.0
KINDS = {"vegas": 1, "dctcp": 2, "bbr": 3}
# One exchange of 1 ms; start and end in us, radio, to, kind, attempt, outcome.
EXCHANGE = (
    (0, 50, 1, 0, 3, 2, 0),
    (60, 90, 0, 1, 4, 2, 0),
    (100, 400, 1, 0, 0, 2, 0),
    (410, 440, 0, 1, 1, 2, 0),
    (500, 700, 0, 1, 0, 1, 1),
    (500, 650, 1, 0, 0, 1, 1),
    (720, 760, 0, 0xFFFF_FFFF, 6, 1, 0),
    (780, 900, 1, 0, 5, 1, 0),
    (910, 950, 0, 1, 2, 1, 2),
)


def add_series(folder: Path) -> Path:
    """Writes qdiscs, air, links, acks, delays, ppdus and those of mac80211, and the later columns of flows."""
    plan = json.loads((folder / "plan.json").read_text())
    _add_kinds(folder, plan)
    _add_flow_columns(folder, plan)
    times = range(0, plan["duration_ns"] + 1, STEP_NS)
    made = {
        "qdiscs": _qdiscs(plan, times),
        "air": _air(times),
        "links": _links(times),
        "acks": _acks(plan),
        "delays": _delays(plan),
        "ppdus": _ppdus(plan),
        **stations(list(times)[1:]),
    }
    for name, rows in made.items():
        pl.DataFrame(rows).write_parquet(folder / "series" / f"{name}.parquet")
    return folder


def _wire_of_access_point(plan):
    names = [interface["name"] for interface in plan["nodes"][0]["interfaces"]]
    return names.index("eth0")


def _add_kinds(folder, plan):
    file = folder / "summary.json"
    summary = json.loads(file.read_text())
    kinds = (("1:", "netem"), ("2:", "tbf"), ("3:", "pfifo"))
    node = plan["nodes"][0]["name"]
    place = {"node": node, "interface": "eth0"}
    summary["agent"]["qdiscs"] = [
        {**place, "handle": handle, "kind": kind, "packets": 1, "bytes": 1, "drops": 0, "overlimits": 0}
        | {"backlog_packets": 0, "backlog_bytes": 0}
        for handle, kind in kinds
    ]
    file.write_text(json.dumps(summary))


def _add_flow_columns(folder, plan):
    file = folder / "series" / "flows.parquet"
    frame = pl.read_parquet(file)
    starts = [flow["start_ns"] for flow in plan["flows"]]
    ccas = [flow["congestion_control"] for flow in plan["flows"]]
    since = [row["time_ns"] - starts[row["flow"]] for row in frame.to_dicts()]
    flows = frame["flow"].to_list()
    nothing = ("pacing", "peer_window", "send_buffer", "small_queue", "other")
    frame.with_columns(
        pl.Series("cwnd_limited_ns", [int(ns * CWND_SHARE) for ns in since], pl.UInt64),
        pl.Series("app_limited_ns", [int(ns * APP_SHARE) for ns in since], pl.UInt64),
        *(pl.lit(0, pl.UInt64).alias(f"{name}_limited_ns") for name in nothing),
        pl.Series("cc_kind", [KINDS.get(ccas[flow], 0) for flow in flows], pl.UInt32),
        pl.Series("cc_info", [_cc_info(ccas[flow]) for flow in flows], pl.Binary),
    ).write_parquet(file)


def _cc_info(cca):
    """`union tcp_cc_info` of linux/inet_diag.h."""
    if cca == "bbr":
        per_second = int(BBR_MBPS * 1e6 / 8)
        return struct.pack(
            "<5I", per_second & 0xFFFF_FFFF, per_second >> 32, int(BBR_MIN_RTT_MS * 1e3), 739, 512
        )
    if cca == "vegas":
        return struct.pack("<5I", 1, 4, int(VEGAS_RTT_MS * 1e3), int(VEGAS_LEAST_MS * 1e3), 0)
    if cca == "dctcp":
        return struct.pack("<HHIIII", 1, 0, int(ALPHA * 1024), 0, 0, 0)
    return bytes(20)


def _qdiscs(plan, times):
    rows = []
    for n, time_ns in enumerate(times):
        for node, planned in enumerate(plan["nodes"]):
            for interface in range(len(planned["interfaces"])):
                held = node == 0 and interface == _wire_of_access_point(plan)
                for handle in (1, 2, 3) if held else (3,):
                    place = {"time_ns": time_ns, "node": node, "interface": interface, "handle": handle}
                    told = {
                        "packets": 10 * n,
                        "bytes": 15_000 * n,
                        "backlog_packets": BACKLOG * held,
                        "backlog_bytes": 1500 * BACKLOG * held,
                        "drops": DROPS_PER_STEP * n * held,
                        "marks": MARKS_PER_STEP * n * held,
                    }
                    rows.append({**zeros("qdiscs"), **place, **told})
    return rows


def _air(times):
    return [
        {
            **zeros("air"),
            "time_ns": time_ns,
            "nic": nic,
            "queue_packets": 5 * nic,
            "retries": 2 * n * nic,
            "airtime_ns": int(time_ns * (UP_AIRTIME_SHARE if nic else DOWN_AIRTIME_SHARE)),
            "rate_bps": 0 if time_ns < 1_000_000_000 else 54_000_000,
        }
        for n, time_ns in enumerate(times)
        for nic in (0, 1)
    ]


def _links(times):
    counts = ("transmissions", "retries", "collisions", "corrupted")
    shares = {0: DOWN_AIRTIME_SHARE, 1: UP_AIRTIME_SHARE}
    return [
        {
            **dict.fromkeys(counts, n),
            "time_ns": time_ns,
            "nic": nic,
            "peer": 1 - nic,
            "airtime_ns": int(time_ns * share),
            "rate_bps": 54_000_000 if nic else (24_000_000 if time_ns < 5_000_000_000 else 36_000_000),
        }
        for n, time_ns in enumerate(times)
        for nic, share in shares.items()
    ]


def _acks(plan):
    rows = []
    for flow, planned in enumerate(plan["flows"]):
        for n, time_ns in enumerate(range(planned["start_ns"], plan["duration_ns"], 5 * MS)):
            cwnd = 10 + n % 400
            rows.append(
                {
                    **zeros("acks"),
                    **dict.fromkeys(("snd_wnd_bytes", "rcv_wnd_bytes"), 65536),
                    "time_ns": time_ns,
                    "flow": flow,
                    "cwnd": cwnd,
                    "ssthresh": 0x7FFF_FFFF if n < 400 else 205,
                    "srtt_us": 20_000,
                    "rto_us": 204_000,
                    "in_flight": cwnd,
                    "pacing_rate_bps": 8_000_000,
                }
            )
    return rows


def _delays(plan):
    rows = []
    for flow, planned in enumerate(plan["flows"]):
        for n, time_ns in enumerate(range(planned["start_ns"], plan["duration_ns"], 20 * MS)):
            data_ns = -1 if n % 50 == 49 else int((DELAY_MS + n % 3) * MS)
            packet = {"flow": flow, "sequence": n, "bytes": 1500}
            rows.append({"time_ns": time_ns, "direction": 0, "delay_ns": data_ns, **packet})
            back_ns = int(ACK_DELAY_MS * MS)
            rows.append({"time_ns": time_ns + data_ns, "direction": 1, "delay_ns": back_ns, **packet})
    return rows


def _ppdus(plan):
    # Every ms for a second, then every 10 ms.
    starts = (*range(1000), *range(1000, plan["duration_ns"] // MS, 10))
    return [
        {
            "start_ns": n * MS + start * 1000,
            "end_ns": n * MS + end * 1000,
            "nic": nic,
            "to": to,
            "kind": kind,
            "rate_bps": 54_000_000,
            "bytes": 1500,
            "attempt": attempt,
            "outcome": outcome,
        }
        for n in starts
        for start, end, nic, to, kind, attempt, outcome in EXCHANGE
    ]
