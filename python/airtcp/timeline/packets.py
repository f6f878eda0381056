"""TCP packets of flows as columns, from the series `delays`: which carry data, and which are sent again."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from airtcp.data.run_folder import Run
from airtcp.timeline.ppdus import Integers, whole

# A TCP header has 60 bytes at most, of them 40 of options (RFC 9293, 3.1), and 12 are taken by timestamps
# (RFC 7323): so much longer than another one may a packet without data be.
_OPTIONS_MORE = 28
_WRAP = 1 << 32


@dataclass(frozen=True)
class Packets:
    """A row for each packet, by its entry into the sender's device queue.

    `direction` is 0 from the data's sender, `delay_ns` -1 of one that was lost. `again`: its data was sent
    before.
    """

    time_ns: Integers
    delay_ns: Integers
    flow: Integers
    direction: Integers
    sequence: Integers
    bytes: Integers
    payload_bytes: Integers
    again: NDArray[np.bool_]

    @property
    def count(self) -> int:
        """Number of packets."""
        return int(self.time_ns.size)


def packets_of(run: Run) -> Packets:
    """The packets of a run that recorded `delays`."""
    columns = _in_order(run)
    count = columns["time_ns"].size
    payload, again = np.zeros(count, np.int64), np.zeros(count, np.bool_)
    flow, direction, length = columns["flow"], columns["direction"], columns["bytes"]
    for number in np.unique(flow).tolist():
        headers = int(length[flow == number].min())
        for way in (0, 1):
            rows = np.flatnonzero((flow == number) & (direction == way))
            sequence = unwrapped(columns["sequence"][rows])
            payload[rows] = _payload(sequence, length[rows], headers)
            again[rows] = _sent_again(sequence, payload[rows])
    return Packets(**columns, payload_bytes=payload, again=again)


def _in_order(run: Run) -> dict[str, Integers]:
    """The columns in the order of sending: of packets of one time in that of their data."""
    names = ("time_ns", "flow", "direction", "sequence", "bytes", "delay_ns")
    frame = run.series("delays").sort("time_ns", "sequence", "flow", "direction", "bytes", "delay_ns")
    return {name: whole(frame, name) for name in names}


def unwrapped(sequence: Integers) -> Integers:
    """Sequence numbers that go on where those of 32 bits begin anew."""
    if not sequence.size:
        return sequence
    steps = (np.diff(sequence) + _WRAP // 2) % _WRAP - _WRAP // 2
    return np.concatenate((sequence[:1], sequence[0] + np.cumsum(steps)))


def _payload(sequence: Integers, length: Integers, headers: int) -> Integers:
    """Bytes of data, of a direction whose shortest packet has only headers."""
    if not sequence.size:
        return sequence
    more = length - headers
    return np.where((sequence < sequence.max()) | (more > _OPTIONS_MORE), more, 0)


def _sent_again(sequence: Integers, payload: Integers) -> NDArray[np.bool_]:
    ends = np.maximum.accumulate(np.where(payload > 0, sequence + payload, np.iinfo(np.int64).min))
    before = np.concatenate(([np.iinfo(np.int64).min], ends[:-1]))
    return (payload > 0) & (sequence < before)
