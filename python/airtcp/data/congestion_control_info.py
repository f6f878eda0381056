"""`union tcp_cc_info`: the state of congestion controls, raw bytes to numbers with units.

Layouts: Linux 6.12, `include/uapi/linux/inet_diag.h`; the meaning of the numbers: `tcp_vegas.c`,
`tcp_dctcp.c`, `tcp_bbr.c` below `net/ipv4/`.
"""

import struct
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.data.plain_file import REMEDY
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import polars

INFO_BYTES = 20
KINDS = ("none", "vegas", "dctcp", "bbr")
Values = dict[str, int | float | None]

# An RTT that is not yet known: ~0 in BBR, 0x7fffffff in Vegas and its kin.
_BBR_NO_RTT, _VEGAS_NO_RTT = 0xFFFF_FFFF, 0x7FFF_FFFF
# Fixed points: BBR's gains have 8 binary places (BBR_SCALE), DCTCP's alpha has 10 (DCTCP_MAX_ALPHA).
_BBR_UNIT, _DCTCP_UNIT = 256, 1024


def _vegas(raw: bytes) -> Values:
    enabled, count, rtt, least = struct.unpack_from("<4I", raw)
    base, recent = (None if us == _VEGAS_NO_RTT else us for us in (rtt, least))
    return {"enabled": enabled, "rtt_count": count, "rtt_us": base, "min_rtt_us": recent}


def _dctcp(raw: bytes) -> Values:
    enabled, ce_state, alpha, marked, total = struct.unpack_from("<2H3I", raw)
    if not enabled:
        # Without ECN DCTCP falls back to Reno, and the other fields mean nothing.
        return {"enabled": 0, "ce_state": None, "alpha": None, "marked_bytes": None, "acked_bytes": None}
    values = {
        "ce_state": ce_state,
        "alpha": alpha / _DCTCP_UNIT,
        "marked_bytes": marked,
        "acked_bytes": total,
    }
    return {"enabled": enabled, **values}


def _bbr(raw: bytes) -> Values:
    low, high, least, pacing, window = struct.unpack_from("<5I", raw)
    return {
        "bandwidth_bps": ((high << 32) | low) * 8,
        "min_rtt_us": None if least == _BBR_NO_RTT else least,
        "pacing_gain": pacing / _BBR_UNIT,
        "cwnd_gain": window / _BBR_UNIT,
    }


_DECODERS: dict[int, Callable[[bytes], Values]] = {1: _vegas, 2: _dctcp, 3: _bbr}


def decode_congestion_control_info(samples: "polars.DataFrame", file: Path) -> "polars.DataFrame":
    """Each sample's time, the kind (`none`, `vegas`, `dctcp`, `bbr`) and the numbers of that kind.

    BBR: `bandwidth_bps` (estimate), `min_rtt_us`, `pacing_gain`, `cwnd_gain`. Vegas, NV, Illinois and YeAH:
    `enabled`, `rtt_count`, `rtt_us`, `min_rtt_us`. DCTCP: `enabled`, `ce_state`, `alpha` (0 to 1),
    `marked_bytes` and `acked_bytes` of the current window. A number that is not known yet is null.
    """
    import polars

    rows = []
    for time_ns, kind, raw in samples.select("time_ns", "cc_kind", "cc_info").iter_rows():
        if kind >= len(KINDS) or len(raw) != INFO_BYTES:
            what = f"is damaged: cc_kind {kind} with {len(raw)} bytes of cc_info"
            raise AirtcpError(what, str(file), REMEDY)
        decoded = _DECODERS[kind](raw) if kind else {}
        rows.append({"time_ns": time_ns, "kind": KINDS[kind], **decoded})
    if not rows:
        return polars.DataFrame(schema={"time_ns": polars.Int64, "kind": polars.String})
    return polars.from_dicts(rows, infer_schema_length=None)
