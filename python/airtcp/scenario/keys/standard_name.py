"""Names of standards."""

import re
from typing import Annotated, Any

from pydantic import BeforeValidator

from airtcp.errors import suggestion
from airtcp.wifi.standard import standards
from airtcp.wrong_values import in_toml

# Names of the Wi-Fi Alliance, by generation.
_GENERATIONS = {"4": "11n", "5": "11ac", "6": "11ax", "6e": "11ax", "7": "11be"}


def _meant(bare: str) -> str:
    """Which standard was probably meant, as a question; empty if nobody knows."""
    generation = _GENERATIONS.get(re.sub(r"wi-?fi[ _-]?", "", bare))
    if generation is not None and bare not in _GENERATIONS:
        return f'did you mean "{generation}"?'
    return suggestion(f"11{bare}", standards())


def _standard(value: Any) -> Any:
    bare = value.lower().removeprefix("802.") if isinstance(value, str) else value
    if not isinstance(bare, str) or bare not in standards():
        known = ", ".join(standards())
        hint = _meant(bare) if isinstance(bare, str) else ""
        raise ValueError(f"{in_toml(value)} is not a standard; {hint + ' ' if hint else ''}known: {known}")
    return bare


StandardName = Annotated[str, BeforeValidator(_standard)]
