"""irtt (github.com/heistp/irtt), `irtt client -o FILE`: JSON.

The format is number 1 of irtt 0.9 (`json_format`): times and delays in nanoseconds, a round trip for each
packet, with `lost` as `false`, `true`, `true_up` or `true_down`.
"""

import json
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.formats.columns import ROUND_TRIPS
from airtcp.formats.measurement import Measurement, damaged, frame_of

FORMAT = "irtt JSON"
KNOWN_JSON_FORMAT = 1
_HEAD_BYTES = 4_000
_LOST = {"false": "no", "true": "somewhere", "true_up": "up", "true_down": "down"}


def is_irtt(content: bytes) -> bool:
    """Whether a file is JSON that names irtt or has its round trips."""
    head = content[:_HEAD_BYTES]
    return head.lstrip().startswith(b"{") and (b'"irtt"' in head or b'"round_trips"' in head)


def read_irtt(file: Path, content: bytes) -> Measurement:
    """The frame `round_trips`; a file that is cut, or whose packets its statistics do not count, is an
    `AirtcpError`.
    """
    try:
        output = json.loads(content)
    except (ValueError, RecursionError):
        raise damaged(file, "it is not JSON to its end") from None
    try:
        number = output["version"]["json_format"]
        if number != KNOWN_JSON_FORMAT:
            what = f"irtt's JSON format {number} is not known"
            raise AirtcpError(what, str(file), f"Known: {KNOWN_JSON_FORMAT}")
        trips = output["round_trips"]
        first_ns = trips[0]["timestamps"]["client"]["send"]["monotonic"] if trips else 0
        rows = [_row(trip, first_ns) for trip in trips]
        _check(file, rows, output["stats"])
        return Measurement(
            file, FORMAT, {"round_trips": frame_of(ROUND_TRIPS, rows)}, _about(output), _warnings(output)
        )
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        raise damaged(file, f"it is not the JSON of irtt: {error!r}") from None


def _row(trip: dict[str, Any], first_ns: int) -> dict[str, Any]:
    lost = _LOST[trip["lost"]]
    delay = trip["delay"]
    return {
        "sequence": trip["seqno"],
        "time_ns": trip["timestamps"]["client"]["send"]["monotonic"] - first_ns,
        "rtt_ns": delay["rtt"] if lost == "no" else -1,
        "up_ns": delay.get("send"),
        "down_ns": delay.get("receive"),
        "lost": lost,
    }


def _check(file: Path, rows: list[dict[str, Any]], stats: dict[str, Any]) -> None:
    answered = sum(row["lost"] == "no" for row in rows)
    sent, received = stats["packets_sent"], stats["packets_received"]
    # irtt counts duplicates as received, and keeps one of them.
    received -= stats.get("duplicates", 0)
    if (len(rows), answered) != (sent, received):
        what = f"it has {answered} answers to {len(rows)} packets, and its statistics {received} of {sent}"
        raise damaged(file, what)


def _about(output: dict[str, Any]) -> dict[str, Any]:
    config, stats, trips = output["config"], output["stats"], output["round_trips"]
    return {
        "version": output["version"].get("irtt"),
        "server": config.get("remote_address"),
        "interval_ns": config["params"].get("interval"),
        "duration_ns": config["params"].get("duration"),
        "payload_bytes": config["params"].get("length"),
        "dscp": config["params"].get("dscp"),
        "unix_ns": trips[0]["timestamps"]["client"]["send"].get("wall") if trips else None,
        "timer_misses": stats.get("timer_misses"),
    }


def _warnings(output: dict[str, Any]) -> tuple[str, ...]:
    missed = output["stats"].get("timer_misses") or 0
    return (f"irtt could not send {missed} packets in time and left them out",) if missed else ()
