"""What the parts of a scenario have in common: strictness, names, and values that are a word or a table."""

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Field, Tag

from airtcp.errors import suggestion


class Part(BaseModel):
    """A table of the scenario file: unknown keys are refused, values checked, nothing changes afterwards."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, validate_default=True, strict=True, defer_build=True
    )


def _form(value: Any) -> str:
    return "word" if isinstance(value, str) else "table"


# Of a value that is a table or a word: `Annotated[Annotated[Table, IS_TABLE] | Annotated[Literal["off"],
# IS_WORD], TABLE_OR_WORD]`. What is wrong with it is said of the form that it has.
IS_TABLE, IS_WORD = Tag("table"), Tag("word")
TABLE_OR_WORD = Discriminator(_form)


def _name(value: Any) -> Any:
    if isinstance(value, str) and not value:
        raise ValueError("the name is empty")
    return value


# The kernel takes words of commands of less than 131072 bytes (MAX_ARG_STRLEN of
# include/uapi/linux/binfmts.h), and a character has up to four. More than that belongs into a script.
COMMAND_CHARS_MOST = 32_767
# Names of nodes are those of network namespaces, names of flows and programs become file names.
Name = Annotated[str, BeforeValidator(_name), Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]*$", max_length=40)]
# Nodes at an end of traffic.
NodeNames = (
    Annotated[str, BeforeValidator(_name), Field(pattern=r"^[A-Za-z0-9*?][A-Za-z0-9_.*?-]*$", max_length=40)]
    | list[Name]
)
# Of a group: names of flows that programs have hold spaces and signs (`iperf #2`, `sta1-h1:5201`).
_Pattern = Annotated[str, BeforeValidator(_name), Field(max_length=80)]


def _listed(value: Any) -> Any:
    if value == []:
        raise ValueError('the list is empty; write for example ["v*"]')
    return [value] if isinstance(value, str) else value


NamePatterns = Annotated[list[_Pattern], BeforeValidator(_listed)]
NODE_NAMES_ARE = 'A name, a list of names, or a pattern such as `"sta*"`; several: one for each pair.'


def written(text: Any) -> Any:
    """A default as a person would write it; it is read like a value from a file."""
    return text


# Values that are a word, a quantity or a table are read into one table per kind. A table's own `kind` (or
# `control`) chooses among the models of a union; a bare word stands for the table with only that.


def kind_of(word: str, known: Iterable[str], what: str) -> str:
    """The known kind that is meant (`minstrel-ht` is `minstrel_ht`); another one is a `ValueError`."""
    kinds = tuple(known)
    name = word.strip().lower().replace("-", "_").replace(" ", "_")
    if name in kinds:
        return name
    hint = suggestion(name, kinds)
    raise ValueError(f'unknown {what} "{word}"; {hint + " " if hint else ""}known: {", ".join(kinds)}')


def table_of_kind(value: dict[str, Any], key: str, known: Iterable[str], what: str) -> dict[str, Any]:
    """The table with its kind as a known word."""
    kinds = tuple(known)
    if not isinstance(value.get(key), str):
        raise ValueError(f"a {what} as a table needs {key}, known: {', '.join(kinds)}")
    return {**value, key: kind_of(value[key], kinds, what)}
