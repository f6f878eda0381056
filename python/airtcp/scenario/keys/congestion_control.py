"""Congestion controls: those of Linux, and those that a kernel with files of one's own has beside them."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

from airtcp.errors import suggestion
from airtcp.kernels.name import CCA_NAME, base_of, brought_by, built_own
from airtcp.kernels.table import CONGESTION_CONTROLS
from airtcp.scenario.values.kernel_series import kernel_in_context


def congestion_controls(kernel: str) -> tuple[str, ...]:
    """What may be chosen with a kernel: Linux' own and those in its name, or those of one's own source."""
    own = built_own(kernel)
    return own.congestion_controls if own else (*CONGESTION_CONTROLS, *brought_by(kernel))


def _congestion_control(value: Any, info: ValidationInfo) -> Any:
    kernel = kernel_in_context(info)
    known = congestion_controls(kernel)
    if not isinstance(value, str) or value in known:
        return value
    hint = suggestion(value, known)
    said = f'unknown congestion control "{value}"; {hint + " " if hint else ""}known: {", ".join(known)}'
    if built_own(kernel):
        said += f". Kernel {kernel} has these: its options decide (--config TCP_CONG_NAME=y)"
    elif re.fullmatch(CCA_NAME, value):
        said += (
            f". If it is your own, build a kernel with it, airtcp kernel build --cca tcp_{value}.c, and "
            f'write kernel = "{base_of(kernel)}-{value}"'
        )
    raise ValueError(said)


CongestionControl = Annotated[str, BeforeValidator(_congestion_control)]
