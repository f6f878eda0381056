"""The text of netperf 2: the banner of a test, interim results (`-D`), its table or `KEY=VALUE` (`-k`)."""

import re
from pathlib import Path
from typing import Any

from airtcp.formats.columns import NETPERF_INTERVALS, NETPERF_RESULTS
from airtcp.formats.measurement import Measurement, damaged, frame_of
from airtcp.formats.text_file import damaged_line, text_of

FORMAT = "netperf text"
_BANNER = re.compile(r"(?:MIGRATED )?(?P<test>[A-Z]+(?: [A-Z]+)*(?:/[A-Z]+)?) TEST from \S+")
_NAMES = {
    "TCP STREAM": "TCP_STREAM",
    "TCP MAERTS": "TCP_MAERTS",
    "UDP STREAM": "UDP_STREAM",
    "TCP SENDFILE": "TCP_SENDFILE",
    "TCP REQUEST/RESPONSE": "TCP_RR",
    "UDP REQUEST/RESPONSE": "UDP_RR",
    "TCP CONNECT/REQUEST/RESPONSE": "TCP_CRR",
    "OMNI": "OMNI",
}
_INTERIM = re.compile(
    r"Interim result: +(?P<value>\d+(?:\.\d+)?) +(?P<unit>\S+) over (?P<length>\d+\.\d+) seconds"
    r"(?: ending at (?P<end>\d+\.\d+))?"
)
_UNIT = re.compile(r"10\^(?P<power>3|6|9)bits/s(?:ec)?|(?P<bytes>[KMG])?Bytes/s(?:ec)?|(?P<trans>Trans/s)")
_TABLE_UNIT = re.compile(r"10\^(?P<power>3|6|9)bits/sec|(?P<bytes>[KMG])?Bytes/sec")
_KEY = re.compile(r"(?P<key>[A-Z_]+)=(?P<value>.*)")
_BINARY = {None: 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
# Numbers of the result's line: of streams, of UDP (sender, then receiver), of transactions.
_STREAM, _UDP_SENT, _UDP_RECEIVED, _RR = 5, 6, 3, 6


def is_netperf(content: bytes) -> bool:
    """Whether a banner, an interim result or netperf's keys are among the first lines."""
    head = content[:2_000].decode("utf-8", "replace")
    return any(
        _BANNER.match(line) or _INTERIM.match(line) or line.startswith(("THROUGHPUT=", "LOCAL_SEND_SIZE="))
        for line in head.splitlines()
    )


def read_netperf(file: Path, content: bytes) -> Measurement:
    """The frames `intervals` and `results`; without either of them the text is an `AirtcpError`."""
    text = text_of(file, content)
    lines = [line.strip() for line in text.splitlines()]
    if sum(_BANNER.match(line) is not None for line in lines) > 1:
        raise damaged(file, "it has several tests: give each a file of its own")
    intervals = _intervals(file, lines)
    banner = next((match for line in lines if (match := _BANNER.match(line))), None)
    keys = {match["key"]: match["value"] for line in lines if (match := _KEY.fullmatch(line))}
    test = _NAMES.get(banner["test"], banner["test"].replace(" ", "_")) if banner else "OMNI"
    result = _of_keys(keys) if keys else _of_table(lines, test)
    warnings: tuple[str, ...] = ()
    if result is None:
        if not intervals:
            raise damaged(file, "it has neither a result nor interim results")
        warnings = ("there is no result: netperf was stopped, or the text is cut",)
    results = [] if result is None else [{"test": test, **result}]
    frames = {
        "intervals": frame_of(NETPERF_INTERVALS, intervals),
        "results": frame_of(NETPERF_RESULTS, results),
    }
    return Measurement(file, FORMAT, frames, {"test": test}, warnings)


def _bps(match: "re.Match[str]") -> float:
    if match["power"]:
        return 10.0 ** int(match["power"])
    return 8.0 * _BINARY[match["bytes"]]


def _intervals(file: Path, lines: list[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    passed_s = 0.0
    for number, line in enumerate(lines, start=1):
        if not line.startswith("Interim result"):
            continue
        match = _INTERIM.match(line)
        unit = _UNIT.fullmatch(match["unit"]) if match else None
        if match is None or unit is None:
            raise damaged_line(file, number, "is not an interim result of netperf")
        begin_s, passed_s = passed_s, passed_s + float(match["length"])
        value = float(match["value"])
        rows.append(
            {
                "start_ns": round(begin_s * 1e9),
                "end_ns": round(passed_s * 1e9),
                "unix_ns": round(float(match["end"]) * 1e9) if match["end"] else None,
                "rate_bps": None if unit["trans"] else value * _bps(unit),
                "transactions_per_s": value if unit["trans"] else None,
            }
        )
    return rows


def _numbers(line: str) -> list[float]:
    try:
        return [float(word) for word in line.split()]
    except ValueError:
        return []


def _of_table(lines: list[str], test: str) -> dict[str, Any] | None:
    """The last lines of numbers, in the unit that the head of the table has."""
    found = [numbers for line in lines if (numbers := _numbers(line))]
    if not found:
        return None
    if test.endswith("RR"):
        row = next((numbers for numbers in found if len(numbers) == _RR), None)
        return None if row is None else {"elapsed_ns": round(row[4] * 1e9), "transactions_per_s": row[5]}
    unit = next(
        (match for line in lines for word in line.split() if (match := _TABLE_UNIT.fullmatch(word))), None
    )
    if unit is None:
        return None
    if test.startswith("UDP"):
        sent = next((numbers for numbers in found if len(numbers) == _UDP_SENT), None)
        received = next((numbers for numbers in found if len(numbers) == _UDP_RECEIVED + 1), None)
        if sent is None or received is None:
            return None
        rates = {"sent_bps": sent[-1] * _bps(unit), "rate_bps": received[-1] * _bps(unit)}
        return {"elapsed_ns": round(sent[2] * 1e9), **rates}
    row = next((numbers for numbers in found if len(numbers) == _STREAM), None)
    return None if row is None else {"elapsed_ns": round(row[3] * 1e9), "rate_bps": row[4] * _bps(unit)}


def _of_keys(keys: dict[str, str]) -> dict[str, Any] | None:
    """Of the omni tests: `THROUGHPUT` in `THROUGHPUT_UNITS`, and `ELAPSED_TIME` in seconds."""
    unit = _UNIT.fullmatch(keys.get("THROUGHPUT_UNITS", "10^6bits/s"))
    if "THROUGHPUT" not in keys or unit is None:
        return None
    value = float(keys["THROUGHPUT"])
    found: dict[str, Any] = (
        {"transactions_per_s": value} if unit["trans"] else {"rate_bps": value * _bps(unit)}
    )
    if "ELAPSED_TIME" in keys:
        found["elapsed_ns"] = round(float(keys["ELAPSED_TIME"]) * 1e9)
    return found
