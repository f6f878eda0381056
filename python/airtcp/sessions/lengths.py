"""Lengths of virtual time, as people write them."""

from airtcp.errors import AirtcpError
from airtcp.scenario.values.units import TIME


def nanoseconds(length: float | str) -> int:
    """Seconds, or a text such as `"500 ms"`, in nanoseconds."""
    if isinstance(length, str):
        try:
            return int(TIME.read(length))
        except ValueError as error:
            raise AirtcpError(str(error), length, 'Write a time such as "500 ms"') from None
    return round(length * 1e9)
