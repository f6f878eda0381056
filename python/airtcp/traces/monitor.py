"""Captures of a monitor, with radiotap headers: what each transmitter sent to each receiver.

In each step of time: the power at the monitor (mean in milliwatts), the rate (median of the data frames), and
the share of data frames that were sent again. A frame has the Retry bit because the one before it was not
acknowledged, so this share is the probability that a transmission is lost, as far as the monitor hears
everything and the sender gives up rarely.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from airtcp.formats.capture_file import is_capture, read_capture
from airtcp.formats.measurement import damaged
from airtcp.formats.radiotap import LINK_TYPE, Radiotap, read_radiotap
from airtcp.traces.recording import LOSS, RATE, RSSI, Recording, Values

# Frame control (IEEE 802.11-2020, 9.2.4.1): type 2 is data, bit 2 of the subtype says that there is none.
_TYPE_DATA, _NO_DATA, _RETRY = 2, 4, 0x08
_NS_PER_S = 1_000_000_000
# A usual interval of beacons: shorter steps have few frames.
STEP_S = 0.1
# As many steps as a trace has points.
_STEPS_MOST = 600_000


@dataclass(frozen=True)
class _Frame:
    """A data frame to one receiver."""

    time_ns: int
    link: tuple[str, str]
    signal_dbm: int | None
    rate_mbps: float | None
    retry: bool


@dataclass
class _Heard:
    frames: list[_Frame] = field(default_factory=list)


def is_monitor(content: bytes) -> bool:
    """Whether a file is a capture whose first packet has a radiotap header."""
    if not is_capture(content):
        return False
    try:
        return next(read_capture(Path(), content[: 1 << 20])).link_type == LINK_TYPE
    except Exception:
        return False


def read_monitor(file: Path, content: bytes, step_s: float) -> list[Recording]:
    """A recording for each transmitter and receiver, those with most frames first."""
    links: dict[tuple[str, str], _Heard] = {}
    first_ns: int | None = None
    last_ns, bad = 0, 0
    for number, packet in enumerate(read_capture(file, content), start=1):
        if packet.link_type != LINK_TYPE:
            raise damaged(file, f"packet {number} has no radiotap header (link type {packet.link_type})")
        header = read_radiotap(packet.data)
        if header is None:
            raise damaged(file, f"packet {number} has a radiotap header that is cut")
        first_ns = packet.time_ns if first_ns is None else first_ns
        last_ns = max(last_ns, packet.time_ns)
        bad += header.bad_fcs
        if frame := _frame(packet.time_ns, packet.data[header.length :], header):
            links.setdefault(frame.link, _Heard()).frames.append(frame)
    if first_ns is None or not links:
        raise damaged(file, "it has no data frame from one station to another")
    if (last_ns - first_ns) / _NS_PER_S / step_s > _STEPS_MOST:
        raise damaged(file, f"it has more than {_STEPS_MOST} steps of {step_s:g} s")
    note = (f"{bad} frames of the capture had a wrong FCS and are left out",) if bad else ()
    ordered = sorted(links.items(), key=lambda each: (-len(each[1].frames), each[0]))
    span = (first_ns, last_ns)
    return [_recording(link, heard.frames, span, step_s, note) for link, heard in ordered]


def _frame(time_ns: int, frame: bytes, header: Radiotap) -> _Frame | None:
    if header.bad_fcs or len(frame) < 16:
        return None
    kind, subtype, retry = frame[0] >> 2 & 3, frame[0] >> 4, bool(frame[1] & _RETRY)
    receiver, transmitter = frame[4:10], frame[10:16]
    if kind != _TYPE_DATA or subtype & _NO_DATA or receiver[0] & 1:
        return None
    link = (transmitter.hex(":"), receiver.hex(":"))
    return _Frame(time_ns, link, header.signal_dbm, header.rate_mbps, retry)


def _recording(
    link: tuple[str, str], frames: list[_Frame], span: tuple[int, int], step_s: float, notes: tuple[str, ...]
) -> Recording:
    first_ns, last_ns = span
    step_ns = round(step_s * _NS_PER_S)
    steps = int((last_ns - first_ns) // step_ns) + 1
    by_step: dict[int, list[_Frame]] = {}
    for frame in frames:
        by_step.setdefault(max(0, frame.time_ns - first_ns) // step_ns, []).append(frame)
    columns: dict[str, Values] = {RSSI: [], RATE: [], LOSS: []}
    times: list[float] = []
    for number in range(steps):
        for name, value in zip(columns, _values(by_step.get(number, [])), strict=True):
            columns[name].append(value)
        times.append(number * step_s)
    known = {name: values for name, values in columns.items() if any(v is not None for v in values)}
    return Recording(f"{link[0]} to {link[1]}", "link", times, known, steps * step_s, notes)


def _values(frames: list[_Frame]) -> Iterator[float | None]:
    """Power, rate and loss of one step; `None` where no frame says it."""
    powers = [frame.signal_dbm for frame in frames if frame.signal_dbm is not None]
    rates = [frame.rate_mbps for frame in frames if frame.rate_mbps is not None]
    yield float(10 * np.log10(np.mean(10 ** (np.array(powers) / 10)))) if powers else None
    yield float(np.median(rates)) if rates else None
    yield sum(frame.retry for frame in frames) / len(frames) if frames else None
