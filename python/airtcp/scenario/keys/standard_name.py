"""Names of standards."""

from typing import Annotated, Any

from pydantic import BeforeValidator

from airtcp.errors import suggestion
from airtcp.wifi.standard import standards
from airtcp.wrong_values import in_toml


def _standard(value: Any) -> Any:
    bare = value.lower().removeprefix("802.") if isinstance(value, str) else value
    if not isinstance(bare, str) or bare not in standards():
        known = ", ".join(standards())
        hint = suggestion(f"11{bare}", standards()) if isinstance(value, str) else ""
        raise ValueError(f"{in_toml(value)} is not a standard; {hint + ' ' if hint else ''}known: {known}")
    return bare


StandardName = Annotated[str, BeforeValidator(_standard)]
