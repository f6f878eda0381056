"""`kernel`, `hz`, and `flavour` of `[guest]`: parts of a kernel's name that have keys of their own."""

from dataclasses import replace
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

from airtcp.errors import AirtcpError, remedy_for
from airtcp.kernels.name import KernelName, built_own, how_to_build, parsed
from airtcp.kernels.table import DEFAULT_KERNEL, PLAIN, SERIES, USUAL_HZ
from airtcp.wrong_values import in_toml


def kernel_name(kernel: str, flavour: str, hz: int) -> str:
    """The name of this kernel in a flavour and with a timer frequency."""
    found = parsed(kernel)
    assert found is not None, "the key has been read"
    return str(replace(found, flavour=flavour, hz=hz))


def known_kernel(name: str, place: str) -> KernelName:
    """The parts of a kernel's name that was given outside of a scenario, at this place.

    Raises:
        AirtcpError: it is no name, or that of a series that is not there.
    """
    found = parsed(name)
    if found is None or (not found.is_own and found.base not in SERIES):
        raise AirtcpError("is no kernel", place, remedy_for(name, sorted(SERIES)))
    return found


def kernel_keys(name: str) -> dict[str, Any]:
    """What a scenario says for the kernel of this name."""
    found = parsed(name)
    assert found is not None, "a kernel was found by it"
    return {"kernel": str(found.plain), "hz": found.hz, "guest": {"flavour": found.flavour}}


def in_context(tables: Any) -> dict[str, Any]:
    """What reading a scenario must know of it beforehand."""
    kernel = tables.get("kernel", DEFAULT_KERNEL)
    return {"kernel": kernel if isinstance(kernel, str) else DEFAULT_KERNEL}


def kernel_in_context(info: ValidationInfo) -> str:
    """The kernel of the scenario that is read."""
    kernel: str = (info.context or {}).get("kernel", DEFAULT_KERNEL)
    return kernel


def _series(value: Any) -> Any:
    if not isinstance(value, str):
        raise ValueError(f'{in_toml(value)} is not a kernel series; write text such as "6.12"')
    found = parsed(value)
    if not found:
        own = "with congestion controls of your own their names, 6.12-mine+other"
        raise ValueError(
            f'"{value}" is not a kernel series; write 6.12, or {own}, or the name of a kernel of your own '
            "source"
        )
    if found.is_own and not built_own(value):
        how = how_to_build(value, made_before=False)
        raise ValueError(
            f'no kernel "{value}" is built here; write a series such as "6.12", or build it: {how}'
        )
    if found.flavour != PLAIN:
        plain = KernelName(found.base, PLAIN, found.hz, found.brought)
        raise ValueError(
            f'the flavour has a key of its own; write kernel = "{plain}" and, in [guest], '
            f'flavour = "{found.flavour}"'
        )
    if "-hz" in value:
        rest = KernelName(found.base, PLAIN, USUAL_HZ, found.brought)
        raise ValueError(
            f'the timer frequency has a key of its own; write kernel = "{rest}" and hz = {found.hz}'
        )
    return value


KernelSeries = Annotated[str, BeforeValidator(_series)]
