"""ECN of TCP: what a node asks for when it connects, and agrees to when it is asked.

Linux has it as a setting of a network namespace, so of a node (`net.ipv4.tcp_ecn`). Nothing of a socket
chooses it but a congestion control that needs it.
"""

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, ValidationInfo

from airtcp.kernels.name import base_of, series_of
from airtcp.kernels.table import SERIES
from airtcp.scenario.values.kernel_series import kernel_in_context
from airtcp.wrong_values import in_toml

TCP_ECN = "net.ipv4.tcp_ecn"
# Of Documentation/networking/ip-sysctl.rst: nothing either way, RFC 3168 both ways, AccECN both ways.
ECN_SYSCTLS = {"off": 0, "on": 1, "accurate": 3}
_IN_OTHER_WORDS = {
    **dict.fromkeys(("accecn", "acc_ecn", "rfc9768", "l4s"), "accurate"),
    **dict.fromkeys(("classic", "rfc3168", "yes", "true", "enabled", "active"), "on"),
    **dict.fromkeys(("none", "no", "false", "disabled", "not-ect"), "off"),
}


def _ecn(value: Any, info: ValidationInfo) -> Any:
    if isinstance(value, bool):
        raise ValueError(f'is no switch: write "{"on" if value else "off"}", or "accurate"')
    if isinstance(value, int):
        raise ValueError(
            f'{value} is not an ECN mode; write {in_toml(list(ECN_SYSCTLS))[1:-1]}, or [sysctl] "{TCP_ECN}"'
        )
    meant = _IN_OTHER_WORDS.get(value.lower()) if isinstance(value, str) else None
    if meant is not None:
        raise ValueError(f'"{value}" is not an ECN mode; write "{meant}"')
    kernel = kernel_in_context(info)
    if value == "accurate" and not series_of(kernel).accurate_ecn:
        having = " or ".join(name for name, series in SERIES.items() if series.accurate_ecn)
        raise ValueError(
            f'TCP of Linux {base_of(kernel)} has no AccECN (RFC 9768); write kernel = "{having}" at the top, '
            'or ecn = "on"'
        )
    return value


Ecn = Annotated[Literal["off", "on", "accurate"], BeforeValidator(_ecn)]
