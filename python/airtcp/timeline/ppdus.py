"""PPDUs and TXOPs of a run as columns, in the order of their starts."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.wifi.ppdu import PPDU_KINDS, PPDU_OUTCOMES
from airtcp.wifi.resource_unit import ResourceUnit

if TYPE_CHECKING:
    import polars

Integers = NDArray[np.int64]
# What `to` holds for a group address: u32::MAX (crates/air/src/trace/ppdu.rs).
GROUP_IN_SERIES = 0xFFFF_FFFF
GROUP = -1


@dataclass(frozen=True)
class Ppdus:
    """A row for each user of a PPDU; users of one PPDU have the same times and radio.

    `mode` and `ru` are places in `modes` and `rus`, whose first entry is "" for none. `to` is `GROUP` for a
    group. `users` is the number of users of the row's PPDU; `airtime_ns` is the time since the epoch that the
    row counts as its own: several users share it by the tones of their resource units, as in `links`.
    """

    start_ns: Integers
    end_ns: Integers
    nic: Integers
    to: Integers
    kind: Integers
    outcome: Integers
    attempt: Integers
    bytes: Integers
    rate_bps: Integers
    mpdus: Integers
    mode: Integers
    ru: Integers
    users: Integers
    airtime_ns: Integers
    modes: tuple[str, ...]
    rus: tuple[str, ...]

    @property
    def count(self) -> int:
        """Number of rows."""
        return int(self.start_ns.size)


@dataclass(frozen=True)
class Txops:
    """A row for each TXOP."""

    start_ns: Integers
    end_ns: Integers
    nic: Integers
    ac: Integers
    ppdus: Integers
    mpdus: Integers
    mpdus_lost: Integers


def ppdus_of(run: Run) -> Ppdus:
    """The PPDUs of a run that recorded them; of runs of older versions modes and MPDUs are empty."""
    frame = run.named("ppdus").sort("start_ns", "nic", "to", maintain_order=True)
    _check(frame, run)
    start_ns, end_ns, nic = (whole(frame, name) for name in ("start_ns", "end_ns", "nic"))
    to = whole(frame, "to")
    modes, mode = _texts(frame["mode"].to_list() if frame["mode"].null_count() else frame["mode"])
    rus, ru = _resource_units(frame)
    return Ppdus(
        start_ns,
        end_ns,
        nic,
        np.where(to == GROUP_IN_SERIES, GROUP, to),
        kind=whole(frame, "kind"),
        outcome=whole(frame, "outcome"),
        attempt=whole(frame, "attempt"),
        bytes=whole(frame, "bytes"),
        rate_bps=whole(frame, "rate_bps"),
        mpdus=whole(frame, "mpdus"),
        mode=mode,
        ru=ru,
        users=_users(start_ns, nic),
        airtime_ns=_airtime(run, frame),
        modes=modes,
        rus=rus,
    )


def txops_of(run: Run) -> Txops:
    """The TXOPs of a run that recorded them."""
    frame = run.series("txops").sort("start_ns", "nic", maintain_order=True)
    names = ("start_ns", "end_ns", "nic", "ac", "ppdus", "mpdus", "mpdus_lost")
    return Txops(*(whole(frame, name) for name in names))


def whole(frame: "polars.DataFrame", name: str) -> Integers:
    """A column as whole numbers; zeros if the run's version did not have it."""
    if name not in frame.columns:
        return np.zeros(frame.height, np.int64)
    return frame[name].to_numpy().astype(np.int64)


def _check(frame: "polars.DataFrame", run: Run) -> None:
    names = run.plan["air"]["nics"]
    for column, known in (("kind", len(PPDU_KINDS)), ("outcome", len(PPDU_OUTCOMES)), ("nic", len(names))):
        largest = frame[column].max()
        if isinstance(largest, int) and largest >= known:
            what = f"holds a PPDU of {column} {largest}: another version of airtcp wrote it"
            raise AirtcpError(what, str(run.folder), "Run its scenario again, or read it with that version")


def _texts(values: "list[str | None] | polars.Series") -> tuple[tuple[str, ...], Integers]:
    """The different texts, "" first, and the place of each value among them."""
    import polars

    column = polars.Series(values, dtype=polars.String).fill_null("")
    known = ["", *sorted(text for text in column.unique().to_list() if text)]
    places = column.cast(polars.Enum(known)).to_physical().to_numpy().astype(np.int64)
    return tuple(known), places


def _resource_units(frame: "polars.DataFrame") -> tuple[tuple[str, ...], Integers]:
    tones, index = whole(frame, "ru_tones"), whole(frame, "ru_index")
    if not tones.any():
        return ("",), np.zeros(frame.height, np.int64)
    width = whole(frame, "width_mhz")
    keys, places = np.unique(np.stack((tones, index, width)), axis=1, return_inverse=True)
    names = ["" if not ru[0] else _ru_text(*ru) for ru in keys.T.tolist()]
    return _texts([names[place] for place in np.ravel(places).tolist()])


def _ru_text(tones: int, index: int, width_mhz: int) -> str:
    try:
        return str(ResourceUnit(tones, index, width_mhz))
    except ValueError:
        return f"{tones} tones, number {index}"


def _users(start_ns: Integers, nic: Integers) -> Integers:
    if not start_ns.size:
        return start_ns
    begins = np.concatenate(([True], (np.diff(start_ns) != 0) | (np.diff(nic) != 0)))
    number = np.cumsum(begins) - 1
    users: Integers = np.bincount(number)[number].astype(np.int64)
    return users


def _airtime(run: Run, frame: "polars.DataFrame") -> Integers:
    """See `ToneShare::of` of crates/air/src/phy/ru/tone_share.rs."""
    starts, ends, tones = (whole(frame, name) for name in ("start_ns", "end_ns", "ru_tones"))
    spans = np.maximum(0, ends - np.maximum(0, starts))
    rows = np.flatnonzero(tones)
    if not rows.size:
        return spans
    # Users of one exchange: those of an access point's PPDU, and those that answer its trigger together.
    is_access_point = np.array([nic["role"] == "access_point" for nic in run.plan["air"]["nics"]])
    nic, to = whole(frame, "nic")[rows], whole(frame, "to")[rows]
    access_point = np.where(is_access_point[nic], nic, to)
    _, exchange = np.unique(np.stack((starts[rows], access_point)), axis=1, return_inverse=True)
    all_tones = np.bincount(np.ravel(exchange), weights=tones[rows]).astype(np.int64)[np.ravel(exchange)]
    spans[rows] = spans[rows] * tones[rows] // all_tones
    return spans
