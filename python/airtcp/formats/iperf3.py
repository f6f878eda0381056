"""iperf3, `-J`: one JSON object per test."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NoReturn

from airtcp.errors import AirtcpError
from airtcp.formats.columns import IPERF3_INTERVALS, IPERF3_STREAMS, IPERF3_SUMS
from airtcp.formats.measurement import Measurement, damaged, frame_of

FORMAT = "iperf3 JSON"
_PARTS = ("start", "intervals", "end")
# Its names, and ours.
_COUNTS = {
    "bytes": "bytes",
    "bits_per_second": "rate_bps",
    "retransmits": "retransmits",
    "jitter_ms": "jitter_ms",
    "lost_packets": "lost",
    "packets": "packets",
    "omitted": "omitted",
    "sender": "sender",
    "snd_cwnd": "cwnd_bytes",
    "snd_wnd": "snd_wnd_bytes",
    "rtt": "rtt_us",
    "rttvar": "rttvar_us",
    "pmtu": "pmtu_bytes",
}


def is_iperf3(content: bytes) -> bool:
    """Whether the file begins as such output does."""
    head = content[:2000].lstrip()
    return head.startswith(b"{") and head[1:].lstrip().startswith((b'"start"', b'"error"', b'"title"'))


def read_iperf3(file: Path, content: bytes) -> Measurement:
    """The frames `intervals`, `sums`, `streams`; a test that failed, or wrong sums, are an `AirtcpError`.

    A file may have several tests, one object after the other, as `--logfile` leaves them.
    """
    tests = list(_objects(file, content))
    intervals, sums, streams = list[dict[str, Any]](), list[dict[str, Any]](), list[dict[str, Any]]()
    try:
        for number, output in enumerate(tests):
            test, sockets = {"test": number}, _sockets(output)
            parts = output["intervals"]
            intervals += [test | _interval(stream, sockets) for part in parts for stream in part["streams"]]
            sums += [test | _interval(each, {}) for part in parts for each in _sums(part)]
            streams += [test | _stream(each, n) for n, each in enumerate(output["end"].get("streams", []))]
            _check_sums(output, file)
        frames = {
            "intervals": frame_of(IPERF3_INTERVALS, intervals),
            "sums": frame_of(IPERF3_SUMS, sums),
            "streams": frame_of(IPERF3_STREAMS, streams),
        }
        about = _about(tests[0]) | {"tests": len(tests)}
        return Measurement(file, FORMAT, frames, about)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise damaged(file, f"it is not the JSON of iperf3: {error!r}") from None


def _objects(file: Path, content: bytes) -> Iterator[dict[str, Any]]:
    """The tests of a file."""
    decoder = json.JSONDecoder(parse_constant=_refuse_constant)
    text, place = content.decode("utf-8", "replace").strip(), 0
    while place < len(text):
        begin = place
        try:
            output, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            where = f", from byte {begin} on" if begin else ""
            raise damaged(file, f"it is not JSON to its end{where}") from None
        while place < len(text) and text[place].isspace():
            place += 1
        _check_object(file, output)
        yield output


def _check_object(file: Path, output: Any) -> None:
    if not isinstance(output, dict):
        raise damaged(file, "it is not a JSON object")
    if output.get("error"):
        what = f"iperf3 failed: {output['error']}"
        raise AirtcpError(what, str(file), "Measure again")
    for part in _PARTS:
        if part not in output:
            raise damaged(file, f'it has no "{part}"')


def _refuse_constant(text: str) -> NoReturn:
    # Python reads NaN and Infinity, which JSON (RFC 8259) does not have.
    raise ValueError(text)


def _sockets(output: dict[str, Any]) -> dict[int, int]:
    """Numbers of the streams by their sockets, in the order of the file."""
    connected = [each["socket"] for each in output["start"].get("connected", [])]
    seen = [stream["socket"] for part in output["intervals"] for stream in part["streams"]]
    return {socket: number for number, socket in enumerate(dict.fromkeys([*connected, *seen]))}


def _sums(part: dict[str, Any]) -> list[dict[str, Any]]:
    return [part[key] for key in ("sum", "sum_bidir_reverse") if key in part]


def _ns(seconds: float) -> int:
    return round(float(seconds) * 1e9)


def _interval(entry: dict[str, Any], sockets: dict[int, int]) -> dict[str, Any]:
    row: dict[str, Any] = {"start_ns": _ns(entry["start"]), "end_ns": _ns(entry["end"])}
    row.update((ours, entry[theirs]) for theirs, ours in _COUNTS.items() if theirs in entry)
    row["rate_bps"] = float(entry["bits_per_second"])
    row["jitter_ms"] = float(entry["jitter_ms"]) if "jitter_ms" in entry else None
    if "socket" in entry:
        row["socket"], row["stream"] = entry["socket"], sockets[entry["socket"]]
    return row


def _stream(entry: dict[str, Any], number: int) -> dict[str, Any]:
    """TCP has an object for each end; UDP one, `udp`, with the receiver's counts if it is known."""
    if "udp" in entry:
        udp = entry["udp"]
        return {
            "stream": number,
            "socket": udp["socket"],
            "bytes_sent": udp["bytes"],
            "sent_bps": float(udp["bits_per_second"]),
            "duration_ns": _ns(udp["seconds"]),
            "jitter_ms": float(udp["jitter_ms"]),
            "lost": udp["lost_packets"],
            "packets": udp["packets"],
        }
    sender, receiver = entry["sender"], entry["receiver"]
    # A client that receives prints 0 for what only the sender's TCP knows.
    return {
        "stream": number,
        "socket": sender["socket"],
        "bytes_sent": sender["bytes"],
        "bytes_received": receiver["bytes"],
        "sent_bps": float(sender["bits_per_second"]),
        "received_bps": float(receiver["bits_per_second"]),
        "duration_ns": _ns(sender["seconds"]),
        "retransmits": sender.get("retransmits"),
        "max_cwnd_bytes": sender.get("max_snd_cwnd") or None,
        "min_rtt_us": sender.get("min_rtt") or None,
        "mean_rtt_us": sender.get("mean_rtt") or None,
        "max_rtt_us": sender.get("max_rtt") or None,
    }


def _check_sums(output: dict[str, Any], file: Path) -> None:
    """In each interval the streams of a direction must add up to the sum that iperf3 prints."""
    for part in output["intervals"]:
        for total in _sums(part):
            own = [each for each in part["streams"] if each.get("sender") == total.get("sender")]
            # Versions before 3.7 do not print the direction; they have one only.
            own = own if "sender" in total else part["streams"]
            if sum(each["bytes"] for each in own) != total["bytes"]:
                raise damaged(file, f"the streams' bytes at {total['start']} s do not add up to their sum")


def _about(output: dict[str, Any]) -> dict[str, Any]:
    start, end = output["start"], output["end"]
    test = start.get("test_start", {})
    return {
        "version": start.get("version"),
        "unix_ns": _ns(start["timestamp"]["timesecs"]) if "timestamp" in start else None,
        "protocol": test.get("protocol"),
        "reverse": bool(test.get("reverse", 0)),
        "omit_s": test.get("omit", 0),
        "tcp_mss_bytes": start.get("tcp_mss") or start.get("tcp_mss_default"),
        "cca": end.get("sender_tcp_congestion"),
        "sent_bytes": end.get("sum_sent", end.get("sum", {})).get("bytes"),
        "received_bytes": end.get("sum_received", {}).get("bytes"),
    }
