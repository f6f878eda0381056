"""Records: what is known of a run, by topic, from which its tables and its JSON are made.

A record is a frozen dataclass. In JSON it is an object with its fields as keys (`from_` is `from`); a number
that is not known is `null`. Of an estimate that is only a lower bound the key stands beside another one,
`NAME_at_least`, that is true. The docstring below each field is its meaning in the schema and in the manual.
"""

import ast
import inspect
import math
import textwrap
import types
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, Union, get_args, get_origin, get_type_hints

from airtcp.metrics.survival import Estimate

AT_LEAST = "_at_least"
_PLAIN = {str: "string", int: "integer", bool: "boolean", float: "number"}


def as_json(value: Any) -> Any:
    """A record, and what it holds, as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return dict(_keys(value))
    if isinstance(value, Mapping):
        return {name: as_json(own) for name, own in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(own) for own in value]
    return _known(value) if isinstance(value, float) else value


def _keys(record: Any) -> Iterator[tuple[str, Any]]:
    for field in fields(record):
        key, value = field.name.rstrip("_"), getattr(record, field.name)
        if isinstance(value, Estimate):
            yield key, _known(value.value)
            if value.at_least:
                yield f"{key}{AT_LEAST}", True
        else:
            yield key, as_json(value)


def _known(value: float) -> float | None:
    """JSON cannot represent what is not a number."""
    return value if math.isfinite(value) else None


def json_schema(record: type) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a record, with those of the records in it under `$defs`."""
    named: dict[str, Any] = {}
    schema = _object(record, named)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema, "$defs": named}


def _object(record: type, named: dict[str, Any]) -> dict[str, Any]:
    hints, meanings = get_type_hints(record), meanings_of(record)
    properties, required = {}, []
    for field in fields(record):
        key, hint = field.name.rstrip("_"), hints[field.name]
        properties[key] = {"description": meanings[field.name], **_of_type(hint, named)}
        required.append(key)
        if hint is Estimate:
            bound = f"`{key}` is only known to be larger than its value"
            properties[f"{key}{AT_LEAST}"] = {"description": bound, "const": True}
    return {
        "title": record.__name__,
        "description": inspect.getdoc(record),
        "type": "object",
        "properties": properties,
        "required": required,
    }


def _of_type(hint: Any, named: dict[str, Any]) -> dict[str, Any]:
    origin, arguments = get_origin(hint), get_args(hint)
    if hint is Estimate or hint is float:
        return {"type": ["number", "null"]}
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if origin in (Union, types.UnionType):
        (some,) = [_of_type(one, named) for one in arguments if one is not type(None)]
        if "type" not in some:
            return {"anyOf": [some, {"type": "null"}]}
        kinds = some["type"] if isinstance(some["type"], list) else [some["type"]]
        return {**some, "type": list(dict.fromkeys([*kinds, "null"]))}
    if is_dataclass(hint):
        assert isinstance(hint, type)
        if hint.__name__ not in named:
            named[hint.__name__] = {}
            named[hint.__name__] = _object(hint, named)
        return {"$ref": f"#/$defs/{hint.__name__}"}
    assert isinstance(origin, type), hint
    if issubclass(origin, Mapping):
        return {"type": "object", "additionalProperties": _of_type(arguments[1], named)}
    assert issubclass(origin, Sequence), hint
    return {"type": "array", "items": _of_type(arguments[0], named)}


@cache
def meanings_of(record: type) -> Mapping[str, str]:
    """The docstring below each field."""
    (declaration,) = ast.parse(textwrap.dedent(inspect.getsource(record))).body
    assert isinstance(declaration, ast.ClassDef)
    found = {}
    for field, text in zip(declaration.body, declaration.body[1:], strict=False):
        match field, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                found[name] = " ".join(words.split())
    return found
