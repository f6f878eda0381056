"""Congestion controls: those of Linux, and those that a kernel with files of one's own has beside them."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

from airtcp.scenario.known import CONGESTION_CONTROLS, suggestion

# `6.12`, or `6.12-mine+other`: what `airtcp kernel build --cca tcp_mine.c --cca tcp_other.c` makes of it. A
# name has at most 15 characters (TCP_CA_NAME_MAX of include/net/tcp.h is 16 with the closing zero).
_NAME = r"[a-z][a-z0-9_]{0,14}"
KERNEL_SERIES = re.compile(rf"(?P<base>\d+\.\d+)(-(?P<brought>{_NAME}(\+{_NAME})*))?")
DEFAULT_KERNEL = "6.12"


def congestion_controls(kernel: str) -> tuple[str, ...]:
    """What may be chosen with a kernel series: Linux' own, and those that the series names."""
    found = KERNEL_SERIES.fullmatch(kernel)
    brought = (found["brought"] or "").split("+") if found else []
    return (*CONGESTION_CONTROLS, *(name for name in brought if name))


def in_context(tables: Any) -> dict[str, Any]:
    """What reading a scenario must know of it beforehand."""
    kernel = tables.get("kernel", DEFAULT_KERNEL)
    return {"kernel": kernel if isinstance(kernel, str) else DEFAULT_KERNEL}


def _congestion_control(value: Any, info: ValidationInfo) -> Any:
    kernel = (info.context or {}).get("kernel", DEFAULT_KERNEL)
    known = congestion_controls(kernel)
    if not isinstance(value, str) or value in known:
        return value
    hint = suggestion(value, known)
    said = f'unknown congestion control "{value}"; {hint + " " if hint else ""}known: {", ".join(known)}'
    if re.fullmatch(_NAME, value):
        series = KERNEL_SERIES.fullmatch(kernel)
        base = series["base"] if series else DEFAULT_KERNEL
        said += (
            f". If it is your own, build a kernel with it, airtcp kernel build --cca tcp_{value}.c, and "
            f'write kernel = "{base}-{value}"'
        )
    raise ValueError(said)


CongestionControl = Annotated[str, BeforeValidator(_congestion_control)]
