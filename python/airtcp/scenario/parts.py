"""What the parts of a scenario have in common: strictness, and names."""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


class Part(BaseModel):
    """A table of the scenario file: unknown keys are refused, values checked, nothing changes afterwards."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_default=True, strict=True, defer_build=True
    )


def _name(value: Any) -> Any:
    if isinstance(value, str) and not value:
        raise ValueError("the name is empty")
    return value


# Names of nodes are those of network namespaces, names of flows and programs become file names.
Name = Annotated[str, BeforeValidator(_name), Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=40)]
# Nodes at an end of traffic.
NodeNames = (
    Annotated[str, BeforeValidator(_name), Field(pattern=r"^[A-Za-z0-9*?][A-Za-z0-9_.*?-]*$", max_length=40)]
    | list[Name]
)
NODE_NAMES_ARE = 'A name, a list of names, or a pattern such as `"sta*"`; several: one for each pair.'


def written(text: Any) -> Any:
    """A default as a person would write it; it is read like a value from a file."""
    return text
