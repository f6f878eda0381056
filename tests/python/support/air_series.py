"""Adds made-up PPDUs and TXOPs to a made-up run folder: exchanges of data and Ack, one after the other.

Exchange n begins at n times `PERIOD_NS`. Data is sent by radio 1 to radio 0; every tenth collides, without an Ack, and is
sent again in the next exchange as attempt 2.
"""

from pathlib import Path

import numpy as np
import polars as pl

PERIOD_NS, DATA_NS, SIFS_NS, ACK_NS = 500_000, 300_000, 10_000, 30_000
COLLIDES_EVERY = 10


def add_exchanges(folder: Path, count: int) -> None:
    """Writes the series `ppdus` and `txops` of so many exchanges."""
    starts = np.arange(count, dtype=np.int64) * PERIOD_NS
    lost = np.arange(count) % COLLIDES_EVERY == COLLIDES_EVERY - 1
    attempts = np.where(np.roll(lost, 1) & (np.arange(count) > 0), 2, 1)
    data = _ppdus(starts, DATA_NS, {"nic": 1, "to": 0, "kind": 0, "bytes": 1536, "mpdus": 1})
    data = data.with_columns(
        outcome=pl.Series(lost.astype(np.int64)), attempt=pl.Series(attempts.astype(np.int64))
    )
    answered = starts[~lost] + DATA_NS + SIFS_NS
    acks = _ppdus(answered, ACK_NS, {"nic": 0, "to": 1, "kind": 1, "bytes": 14, "mpdus": 0})
    acks = acks.with_columns(outcome=pl.lit(0, pl.Int64), attempt=pl.Series(attempts[~lost].astype(np.int64)))
    rows = (
        pl.concat([data, acks])
        .sort("start_ns")
        .cast(dict.fromkeys(_U32, pl.UInt32) | {"rate_bps": pl.UInt64})
    )
    rows.write_parquet(folder / "series" / "ppdus.parquet")
    ends = starts + np.where(lost, DATA_NS + 50_000, DATA_NS + SIFS_NS + ACK_NS)
    txops = pl.DataFrame({"start_ns": starts, "end_ns": ends, "mpdus_lost": lost.astype(np.int64)})
    txops = txops.with_columns(nic=pl.lit(1), ac=pl.lit(1), ppdus=pl.lit(1), mpdus=pl.lit(1))
    counts = ("nic", "ac", "ppdus", "mpdus", "mpdus_lost")
    txops.cast(dict.fromkeys(counts, pl.UInt32)).write_parquet(folder / "series" / "txops.parquet")


_U32 = (
    *(
        "nic",
        "to",
        "kind",
        "bytes",
        "attempt",
        "outcome",
        "format",
        "mcs",
        "streams",
        "width_mhz",
        "guard_ns",
    ),
    *("ru_tones", "ru_index", "mpdus"),
)


def _ppdus(starts: np.ndarray, length_ns: int, same: dict[str, int]) -> pl.DataFrame:
    mode = {"rate_bps": 54_000_000, "format": 1, "mcs": 7, "streams": 1, "width_mhz": 20, "guard_ns": 800}
    values = {**same, **mode, "ru_tones": 0, "ru_index": 0}
    frame = pl.DataFrame({"start_ns": starts, "end_ns": starts + length_ns})
    return frame.with_columns(**{name: pl.lit(value, pl.Int64) for name, value in values.items()})
