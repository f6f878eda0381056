"""Adds to a made-up run folder the series and columns of newer runs, simple enough to compute by hand."""

import hashlib
import json
import struct
from pathlib import Path
from typing import Any

import polars as pl
from airtcp.data.series.catalogue import IN_FILES

MS = 1_000_000
INTERVAL_NS = 100 * MS
# What a BBR flow tells: 1 250 000 byte/s, 20 ms, pacing gain 1.25, cwnd gain 2.
BBR = struct.pack("<5I", 1_250_000, 0, 20_000, 320, 512)
DCTCP = struct.pack("<2H3I4x", 1, 0, 256, 3000, 9000)
VEGAS = struct.pack("<4I4x", 1, 7, 25_000, 0x7FFF_FFFF)


def add_new_series(folder: Path) -> Path:
    """Every series of the contract, and every column; returns the folder."""
    _add_stream(folder)
    plan = json.loads((folder / "plan.json").read_text())
    end_ns = plan["duration_ns"]
    times = list(range(0, end_ns + 1, INTERVAL_NS))
    series = folder / "series"
    _extend_flows(series / "flows.parquet")
    _air(times, len(plan["air"]["nics"])).write_parquet(series / "air.parquet")
    _qdiscs(times[1:]).write_parquet(series / "qdiscs.parquet")
    _links(times).write_parquet(series / "links.parquet")
    _acks().write_parquet(series / "acks.parquet")
    _delays().write_parquet(series / "delays.parquet")
    _transfers().write_parquet(series / "transfers.parquet")
    _datagrams().write_parquet(series / "datagrams.parquet")
    _ppdus().write_parquet(series / "ppdus.parquet")
    for name, frame in stations(times[1:]).items():
        frame.write_parquet(series / f"{name}.parquet")
    for each in IN_FILES.values():
        if not (series / f"{each.name}.parquet").exists():
            _rows(each.name).write_parquet(series / f"{each.name}.parquet")
    summary = json.loads((folder / "summary.json").read_text())
    qdisc = {"node": plan["nodes"][0]["name"], "interface": plan["nodes"][0]["interfaces"][0]["name"]}
    counts = ("bytes", "packets", "drops", "overlimits", "backlog_packets", "backlog_bytes")
    qdisc |= dict.fromkeys(counts, 0)
    summary["agent"]["qdiscs"] = [{**qdisc, "kind": "pfifo", "handle": "1f:"}]
    (folder / "summary.json").write_text(json.dumps(summary))
    return folder


def zeros(name: str) -> dict[str, Any]:
    """A row of zeros in every column of a series: a row of what is first in the plan."""
    return {each.name: b"" if each.type == "bytes" else 0 for each in IN_FILES[name].columns}


def _rows(name: str, count: int = 1, **known: Any) -> pl.DataFrame:
    """Rows of a series: lists have a value for each, others are the same in all; what is not known is 0."""
    values = {**zeros(name), **known}
    return pl.DataFrame({key: x if isinstance(x, list) else [x] * count for key, x in values.items()})


def _transfers() -> pl.DataFrame:
    """Two transfers of the first flow: 10 ms long, and one without an end."""
    times = {"time_ns": [0, 50 * MS], "first_byte_ns": [4 * MS, -1], "end_ns": [10 * MS, -1]}
    return _rows("transfers", 2, number=[0, 1], bytes=[500, 600], buffer_ns=-1, **times)


def _datagrams() -> pl.DataFrame:
    """Three of stream 0, of which the second was lost."""
    delays_ns = [5 * MS, -1, 7 * MS]
    return _rows("datagrams", 3, time_ns=[0, 10 * MS, 20 * MS], sequence=[0, 1, 2], delay_ns=delays_ns)


def _add_stream(folder: Path) -> None:
    """The plan and its summary get a stream of datagrams."""
    plan = json.loads((folder / "plan.json").read_text())
    flow = plan["flows"][0]
    of_flow = {key: flow[key] for key in ("from", "to", "address", "port", "dscp", "start_ns", "stop_ns")}
    own = {"name": "voice", "payload_bytes": 160, "rate_bps": 64_000, "spacing": {"kind": "constant"}}
    plan["datagrams"] = [{**of_flow, **own}]
    text = json.dumps(plan, sort_keys=True)
    (folder / "plan.json").write_text(text)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["plan_sha256"] = hashlib.sha256(text.encode()).hexdigest()
    (folder / "manifest.json").write_text(json.dumps(manifest))
    summary = json.loads((folder / "summary.json").read_text())
    summary["agent"]["datagrams"] = [{"name": "voice", "sent": 3, "refused": 0, "received": 2}]
    (folder / "summary.json").write_text(json.dumps(summary))


def _extend_flows(file: Path) -> None:
    frame = pl.read_parquet(file)
    limits = ("cwnd", "pacing", "peer_window", "send_buffer", "small_queue", "app", "other")
    zero = [pl.lit(0, dtype=pl.UInt64).alias(f"{name}_limited_ns") for name in limits]
    kind = pl.lit(3, dtype=pl.UInt32).alias("cc_kind")
    frame.with_columns(*zero, kind, pl.lit(BBR).alias("cc_info")).write_parquet(file)


def _air(times: list[int], nics: int) -> pl.DataFrame:
    radios = range(nics)
    return pl.concat(_rows("air", len(times), time_ns=times, nic=n, rate_bps=54_000_000) for n in radios)


def _qdiscs(times: list[int]) -> pl.DataFrame:
    return _rows("qdiscs", len(times), time_ns=times, handle=0x1F)


def _links(times: list[int]) -> pl.DataFrame:
    return _rows("links", len(times), time_ns=times, nic=1)


def stations(times: list[int]) -> dict[str, pl.DataFrame]:
    """What mac80211 of radio 0 knows of radio 1: 20 % of airtime to it, 12 packets wait, VHT-MCS 8 is best."""
    n = len(times)
    key = {"time_ns": times, "interface": 1, "peer": 1}
    mode = {"format": 3, "mcs": 8, "streams": 2, "width_mhz": 80, "guard_ns": 400, "rate_bps": 780_000_000}
    modes = {f"{way}_{name}": value for way in ("tx", "rx") for name, value in mode.items()}
    known = {"tx_airtime_us": [time_ns // 5000 for time_ns in times], "airtime_weight": 256}
    signals = {"signal_dbm": -50, "signal_avg_dbm": -51}
    limits = {"pending_us": 2000, "limit_low_us": 5000, "limit_high_us": 12000}
    queues = _rows("station_queues", n, **key, **limits, ac=1, backlog_packets=12, deficit_us=-3)
    group = queues.head(1).with_columns(pl.lit(0xFFFF_FFFF, pl.Int64).alias("peer"))
    minstrel = {"chosen": 17, "probability_ppm": 900_000, "throughput_bps": 9_600_000}
    return {
        "stations": _rows("stations", n, **key, **known, **signals, **modes),
        "station_queues": pl.concat([queues, group]),
        "radio_queues": _rows("radio_queues", n, time_ns=times, backlog_packets=12),
        "station_rates": _rows("station_rates", n, **key, index=9, **mode, **minstrel),
    }


def _acks() -> pl.DataFrame:
    ones = dict.fromkeys(zeros("acks"), 1)
    return _rows("acks", 2, **ones | {"time_ns": [5, 6], "flow": 0})


def _delays() -> pl.DataFrame:
    packets = {"direction": [0, 1], "sequence": 1, "bytes": [1500, 52], "delay_ns": [7 * MS, -1]}
    return _rows("delays", 2, time_ns=[5, 6], **packets)


def _ppdus() -> pl.DataFrame:
    air = {"start_ns": [-9, 5], "end_ns": [-5, 9], "nic": [0, 1], "to": [0xFFFF_FFFF, 0], "kind": [6, 0]}
    return _rows("ppdus", 2, **air, rate_bps=[1, 2], bytes=[3, 4], attempt=1, outcome=[0, 2])
