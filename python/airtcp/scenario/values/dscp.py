"""Differentiated services code points: their names, and the user priorities that hosts give them."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from airtcp.errors import suggestion
from airtcp.kernels.name import series_of
from airtcp.kernels.table import DscpMap

# RFC 2474, 2597, 3246, 5865, 8622.
DSCP = {
    "DF": 0,
    "LE": 1,
    **{f"CS{n}": 8 * n for n in range(8)},
    **{f"AF{c}{d}": 8 * c + 2 * d for c in range(1, 5) for d in range(1, 4)},
    "VA": 44,
    "EF": 46,
}


def _dscp(value: Any) -> Any:
    if isinstance(value, str):
        if value.upper() not in DSCP:
            hint = suggestion(value.upper(), DSCP)
            raise ValueError(f'unknown DSCP "{value}"; {hint + " " if hint else ""}known: {", ".join(DSCP)}')
        return DSCP[value.upper()]
    return value


Dscp = Annotated[int, BeforeValidator(_dscp), Field(ge=0, le=63)]

# Service classes whose meaning the three highest bits miss (RFC 8325, sections 2.3 and 4).
_RFC8325 = {
    **dict.fromkeys((10, 12, 14, 16), 0),
    **dict.fromkeys((18, 20, 22), 3),
    **dict.fromkeys((24, 26, 28, 30), 4),
    **dict.fromkeys((44, 46), 6),
    48: 7,
}


def dscp_map_of(kernel: str) -> DscpMap:
    """The map of a kernel, whatever its flavour, frequency and congestion controls."""
    return series_of(kernel).dscp_map


def user_priority(dscp: int, dscp_map: DscpMap) -> int:
    """The user priority of a code point."""
    exceptions = _RFC8325 if dscp_map == "rfc8325" else {}
    return exceptions.get(dscp, dscp >> 3)
