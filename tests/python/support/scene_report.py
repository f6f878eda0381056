"""What a runner says of a scene, with numbers that are simple enough to compute by hand.

Every source delivers 1000 frames of 8 Mbit/s, loses one in a hundred, and its frames take 2 ms (95 %: 5 ms). Of the
time 60 % is data, 20 % control, 5 % collision, 10 % contention, 5 % idle.
"""

from typing import Any

DROPPED = {"retry_limit": 8, "queue_full": 2}


def scene_report(plan: dict[str, Any]) -> dict[str, Any]:
    span_ns = plan["duration_ns"] - plan["warmup_ns"]
    delay = dict.fromkeys(("min_ns", "p50_ns", "p90_ns", "p99_ns", "p99_9_ns", "max_ns"), 1)
    sources = [
        {
            "name": source["name"],
            "from": source["from"],
            "to": source["to"],
            "offered": {"frames": 1000, "bytes": 1000 * source["frame_bytes"]},
            "sent": {"frames": 990, "bytes": 990 * source["frame_bytes"]},
            "delivered": {"frames": 990, "bytes": 990 * source["frame_bytes"]},
            "dropped": DROPPED,
            "dropped_forwarding": {"retry_limit": 0, "queue_full": 0},
            "in_flight_begin": 0,
            "in_flight_end": 0,
            "held_back": 0 if source["pace"]["kind"] == "saturated" else 7,
            "throughput_bps": 8e6,
            "delay": {**delay, "mean_ns": 2e6, "p95_ns": 5_000_000},
        }
        for source in plan["sources"]
    ]
    counts = ("accepted", "sent", "in_flight", "delivered", "mpdus_lost", "rts", "rts_failed")
    nics = [
        {
            **dict.fromkeys(counts, 0),
            "node": nic["node"],
            "dropped": DROPPED,
            "transmissions": 200,
            "retries": 20,
            "collisions": 10,
            "corrupted": 2,
            "mpdus": 400,
            "airtime_ns": span_ns // 4,
            "modes": [
                {"mode": "OFDM 6 Mbit/s", "rate_bps": 6_000_000, "ppdus": 50, "mpdus": 100, "mpdus_lost": 0},
                {
                    "mode": "OFDM 54 Mbit/s",
                    "rate_bps": 54_000_000,
                    "ppdus": 150,
                    "mpdus": 300,
                    "mpdus_lost": 0,
                },
            ],
        }
        for nic in plan["air"]["nics"]
    ]
    return {
        "model_version": 2,
        "name": plan["name"],
        "seed": plan["seed"],
        "warmup_ns": plan["warmup_ns"],
        "end_ns": plan["duration_ns"],
        "events": 1,
        "sources": sources,
        "nics": nics,
        "media": [medium(plan["air"]["cells"][0]["channel"]["primary_mhz"], span_ns)],
    }


def medium(frequency_mhz: int, span_ns: int) -> dict[str, int]:
    parts = {"data": 60, "response": 20, "collision": 5, "contention": 10, "idle": 5}
    return {
        "frequency_mhz": frequency_mhz,
        **{f"{part}_ns": span_ns * percent // 100 for part, percent in parts.items()},
    }


def explanation(plan: dict[str, Any]) -> dict[str, Any]:
    """One mode at 54 Mbit/s in each direction between NIC 0 and every other."""
    nics = plan["air"]["nics"]
    ends = [pair for other in range(1, len(nics)) for pair in ((0, other), (other, 0))]
    return {"name": plan["name"], "links": [_link(nics, a, b) for a, b in ends]}


def _link(nics: list[dict[str, Any]], a: int, b: int) -> dict[str, Any]:
    access = {
        "edca": False,
        "slot_ns": 9000,
        "sifs_ns": 10_000,
        "aifs_ns": 28_000,
        "eifs_ns": 88_000,
        "cw_min": 15,
        "cw_max": 1023,
        "mean_backoff_ns": 67_500,
        "txop_limit_ns": 0,
    }
    ppdus = [
        _ppdu("data", "OFDM 54 Mbit/s", 1536, (20_000, 228_000, 57, 6000)),
        _ppdu("ack", "OFDM 24 Mbit/s", 14, (20_000, 8000, 2, 6000)),
    ]
    exchange = {"frames_per_mpdu": 1, "mpdus": 1, "mpdu_bytes": 1536, "ppdus": ppdus, "duration_ns": 298_000}
    mode = {
        "mode": "OFDM 54 Mbit/s",
        "rate_bps": 54_000_000,
        "exchanges": [exchange],
        "txop_ns": 298_000,
        "cycle_ns": 393_500,
        "frames_per_second": 2541.3,
        "throughput_bps": 30_780_178.0,
        "saturation": None,
    }
    return {
        "from": a,
        "from_node": nics[a]["node"],
        "to": b,
        "to_node": nics[b]["node"],
        "frame_bytes": 1514,
        "priority": 0,
        "rate_control": "fixed",
        "access": access,
        "modes": [mode],
    }


def _ppdu(kind: str, mode: str, octets: int, times: tuple[int, int, int, int]) -> dict[str, Any]:
    preamble_ns, payload_ns, symbols, extension_ns = times
    return {
        "kind": kind,
        "mode": mode,
        "psdu_bytes": octets,
        "preamble_ns": preamble_ns,
        "payload_ns": payload_ns,
        "payload_symbols": symbols,
        "signal_extension_ns": extension_ns,
        "duration_ns": preamble_ns + payload_ns + extension_ns,
    }
