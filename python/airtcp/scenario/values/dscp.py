"""Differentiated services code points by their names."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from airtcp.errors import suggestion

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
