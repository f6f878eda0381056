"""The queues inside a radio, between the kernel's queueing discipline and the air."""

import re
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from airtcp.kernels.name import series_of
from airtcp.scenario.keys.parts import Part, kind_of, table_of_kind, written
from airtcp.scenario.values.units import AmountBytes, MacTimeUs
from airtcp.wifi.standard import Standard
from airtcp.wrong_values import in_toml

_PACKETS = re.compile(r"\s*(\d+)\s*packets?\s*")


class Fifo(Part):
    """First in, first out, one queue per access category."""

    kind: Literal["fifo"]
    """First in, first out, one for each access category."""
    packets: int = Field(64, ge=1, le=1_000_000)
    """Most frames in all of them, those on the air included."""


# IEEE80211_DEFAULT_AQL_TXQ_LIMIT_L and _H of include/net/mac80211.h.
_AQL = ["5 ms", "12 ms"]


def _aql(value: Any) -> Any:
    """As a switch too, which it is in cells of mac80211."""
    if value in ("off", None) or value is False:
        return None
    if value is True:
        return _AQL
    if not (isinstance(value, list | tuple) and len(value) == 2):
        raise ValueError(f"{in_toml(value)} is not a pair of times; write {in_toml(_AQL)}, true or false")
    return value


_Limits = Annotated[tuple[MacTimeUs, MacTimeUs], Field(strict=False)]


class FqCodel(Part):
    """FQ-CoDel for each station and TID with airtime fairness, as mac80211 has it (Linux 6.12)."""

    kind: Literal["fq_codel"]
    """FQ-CoDel for each station and TID with airtime fairness, as mac80211 (Linux 6.12) has it; defaults are
    Linux's (`net/mac80211/tx.c`).
    """
    packets: int = Field(8192, ge=1, le=2**31)
    """Frames in all queues of the radio."""
    memory: AmountBytes | None = None
    """Bytes in them; default: 16 MiB, and 4 MiB without VHT (11n and older)."""
    flows: int = Field(4096, ge=1, le=2**20)
    """Flow queues."""
    quantum: AmountBytes = written("300 B")
    """Quantum of a flow."""
    target: MacTimeUs = written("20 ms")
    """Target delay."""
    interval: MacTimeUs = Field(written("100 ms"), ge=1)
    """Interval in which the delay must fall below the target once."""
    ecn: bool = True
    """ECN-capable frames are marked instead of dropped."""
    slow_station_codel: bool | None = None
    """Towards a station to which rate control expects less than 6 Mbit/s times the number of stations the
    target is 50 ms and the interval 300 ms, without ECN (`sta_update_codel_params` of
    `net/mac80211/sta_info.c`). Default: as the guest's kernel, so `true` with 6.1.
    """
    airtime_quantum: MacTimeUs = Field(written("256 us"), ge=1)
    """Airtime quantum of a station."""
    airtime_fairness: bool = True
    """Stations share airtime equally, not frames. Default: `true`, and as the driver has it with a `card`."""
    aql: Annotated[_Limits | None, BeforeValidator(_aql)] = written(_AQL)
    """Airtime queue limit of a station and access category, low and high; `true`: these two, `false` or
    `"off"`: none, which is the default with a `card` whose driver does not ask for it.
    """
    aql_threshold: MacTimeUs = written("24 ms")
    """Pending airtime of all stations above which the low limit holds."""


class Direct(Part):
    """No queue: the kernel's discipline queues."""

    kind: Literal["direct"]
    """None: the kernel's discipline queues, and the radio takes only what fills an aggregate (a frame, where
    there is no aggregation) per access category.
    """
    aggregates: int = Field(1, ge=1, le=2)
    """How many aggregates it takes."""


QUEUES: tuple[type[Part], ...] = (Fifo, FqCodel, Direct)
_KINDS = ("fifo", "fq_codel", "direct")
_WHAT = "queue of a radio"


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        return table_of_kind(value, "kind", _KINDS, _WHAT)
    if isinstance(value, Part):
        return value
    if not isinstance(value, str):
        raise ValueError(
            f'{in_toml(value)} is no queue of a radio; write "64 packets", "fq_codel" or "direct"'
        )
    if packets := _PACKETS.fullmatch(value):
        return {"kind": "fifo", "packets": int(packets.group(1))}
    return {"kind": kind_of(value, _KINDS, _WHAT)}


NicQueue = Annotated[Fifo | FqCodel | Direct, Field(discriminator="kind"), BeforeValidator(_read)]

_MIB = 1 << 20


def default_nic_queue(standard: Standard) -> Fifo | FqCodel:
    """Linux's for standards with MCS; a FIFO of 64 frames, a usual driver's ring, for those before."""
    return FqCodel(kind="fq_codel") if standard.has_mcs else Fifo(kind="fifo")


# `STA_SLOW_THRESHOLD` and `sta_update_codel_params` (Linux, net/mac80211/sta_info.c).
_SLOW_STATION_CODEL = {"below_kbps": 6_000, "target_us": 50_000, "interval_us": 300_000}


def nic_queue_plan(queue: Fifo | FqCodel | Direct, standard: Standard, kernel: str) -> dict[str, Any]:
    """The queue in the plan. Memory: 16 MiB with VHT, 4 MiB without: `ieee80211_txq_setup_flows` of Linux."""
    if not isinstance(queue, FqCodel):
        return queue.model_dump()
    vht = standard.name in ("11ac", "11ax", "11be")
    slow = queue.slow_station_codel
    if slow is None:
        slow = series_of(kernel).slow_station_codel
    memory = queue.memory if queue.memory is not None else (16 if vht else 4) * _MIB
    return {
        "kind": "fq_codel",
        "packets": queue.packets,
        "memory_bytes": memory,
        "flows": queue.flows,
        "quantum_bytes": queue.quantum,
        "target_us": queue.target,
        "interval_us": queue.interval,
        "ecn": queue.ecn,
        "slow_stations": dict(_SLOW_STATION_CODEL) if slow else None,
        "airtime_quantum_us": queue.airtime_quantum,
        "airtime_fairness": queue.airtime_fairness,
        "aql_us": list(queue.aql) if queue.aql is not None else None,
        "aql_threshold_us": queue.aql_threshold,
    }
