"""Tables of keys for the reference: what a model of the scenario has, in words."""

import ast
import inspect
import itertools
import json
import textwrap
import types
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from airtcp.scenario.keys.linux_cell import LinuxSettings
from airtcp.scenario.keys.queue import QueueText
from airtcp.scenario.keys.radio import RadioSettings
from airtcp.scenario.keys.traffic import StreamSettings
from airtcp.scenario.keys.workload import TcpSettings
from airtcp.scenario.reference.described import Described
from airtcp.scenario.values.date import DEFAULT_DATE, READ_DATE
from airtcp.scenario.values.units import Dimension
from airtcp.scenario.values.variate import Drawn

# What several tables of a scenario have, and the table in whose section it is listed.
LISTED_IN: Mapping[type[BaseModel], str] = {TcpSettings: "flow", StreamSettings: "udp"}


def table_text(model: type[BaseModel], base: type[BaseModel] | None) -> str:
    """The keys of a model; those that it shares with `base` are only named."""
    inherited = base.model_fields if base else {}
    lines = ["| key | value | default | meaning |", "|---|---|---|---|"]
    own = {
        name: field
        for name, field in model.model_fields.items()
        if name not in inherited or (base is not model and name in model.__annotations__)
    }
    lines += [_row(name, field, _meaning(model, name)) for name, field in own.items()]
    if inherited:
        names = ", ".join(f"`{field.alias or name}`" for name, field in inherited.items() if name not in own)
        also = "Also" if own else "May hold"
        if base is not None and base in LISTED_IN:
            where = f"as in `[[{LISTED_IN[base]}]]`"
        elif base is LinuxSettings:
            where = 'with `mac = "linux"`, see below'
        else:
            where = f"as in its {'cell' if base is RadioSettings else 'wire'}, which they override"
        lines = (lines if own else []) + ["", f"{also} {names}, {where}."]
    return "\n".join(lines).strip() + "\n"


def kinds_text(models: Sequence[type[BaseModel]], tag: str) -> str:
    """The keys of models of which the value of the key `tag` chooses one."""
    lines = [f"| `{tag}` | other keys | value | default | meaning |", "|---|---|---|---|---|"]
    for model in models:
        fields = dict(model.model_fields)
        kind = fields.pop(tag)
        lines.append(f'| `"{get_args(kind.annotation)[0]}"` | | | | {_meaning(model, tag)} |')
        lines += [f"| {_row(name, field, _meaning(model, name))}" for name, field in fields.items()]
    return "\n".join(lines) + "\n"


def described(model: type[BaseModel], name: str) -> Described:
    """The key of a model's field."""
    field = model.model_fields[name]
    return Described(field.alias or name, _kind(field), _default(field), _meaning(model, name))


def _row(name: str, field: FieldInfo, meaning: str) -> str:
    return f"| `{field.alias or name}` | {_kind(field)} | {_default(field)} | {meaning} |"


def _meaning(model: type[BaseModel], name: str) -> str:
    """The description of a key or, without one, the docstring below it, on one line."""
    owner = next(one for one in model.__mro__ if name in inspect.get_annotations(one))
    return model.model_fields[name].description or _docstrings(owner).get(name, "")


@cache
def _docstrings(model: type) -> Mapping[str, str]:
    """The docstring below each key of a class.

    pydantic reads them too (`use_attribute_docstrings`), but whenever a class is made. That would slow down
    every command that reads a scenario, and only the reference needs them.
    """
    (declaration,) = ast.parse(textwrap.dedent(inspect.getsource(model))).body
    assert isinstance(declaration, ast.ClassDef)
    found = {}
    for key, text in itertools.pairwise(declaration.body):
        match key, text:
            case ast.AnnAssign(target=ast.Name(id=name)), ast.Expr(value=ast.Constant(value=str(words))):
                found[name] = " ".join(words.split())
    return found


def _default(field: FieldInfo) -> str:
    default = field.default
    if default is PydanticUndefined:
        return "required"
    if default is None or default in ({}, []) or isinstance(default, BaseModel):
        return ""
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    if isinstance(default, str):
        return f'`"{default}"`'
    if isinstance(default, dict):
        return "`{ " + ", ".join(f"{key} = {json.dumps(item)}" for key, item in default.items()) + " }`"
    if isinstance(default, list):
        return "`[" + ", ".join(f'"{item}"' for item in default) + "]`"
    return f"`{default:g}`" if isinstance(default, float) else f"`{default}`"


def _kind(field: FieldInfo) -> str:
    text = _type_text(field.annotation, field.metadata)
    bounds = {
        name: getattr(item, name)
        for item in field.metadata
        for name in ("ge", "gt", "le", "lt")
        if hasattr(item, name)
    }
    low, high = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    if text in ("whole number", "number") and high is not None:
        text += f", {_short(low)} to {_short(high)}" if low is not None else f", at most {_short(high)}"
    return text


def _short(number: float) -> str:
    return f"{number:g}" if isinstance(number, float) else str(number)


def _type_text(annotation: Any, metadata: Sequence[Any]) -> str:
    origin, arguments = get_origin(annotation), get_args(annotation)
    dimension = next((item for item in metadata if isinstance(item, Dimension)), None)
    if dimension is not None:
        return f'{dimension.name}, as `"{dimension.example}"`'
    if any(item is READ_DATE for item in metadata):
        return f"date, as `{DEFAULT_DATE}`"
    drawn = next((item for item in metadata if isinstance(item, Drawn)), None)
    if drawn is not None:
        return f"as `{drawn.example}`, or a distribution"
    if origin is Annotated:
        return _type_text(arguments[0], arguments[1:])
    if origin in (Union, types.UnionType):
        return _union_text([one for one in arguments if one is not type(None)])
    if origin is Literal:
        return ", ".join(f"`{json.dumps(one)}`" for one in arguments)
    if origin is list:
        return f"list of {_type_text(arguments[0], ())}"
    if origin is tuple:
        return "two names" if arguments[0] is not arguments[1] or _is_name(arguments[0]) else "two times"
    if origin is dict:
        return "tables by name" if _is_model(arguments[1]) else "table"
    if _is_model(annotation):
        return "table"
    if annotation is QueueText:
        return "queue"
    plain = {str: "text", int: "whole number", bool: "`true` or `false`", float: "number", Any: "any value"}
    return plain[annotation]


def _union_text(members: Sequence[Any]) -> str:
    if len(members) > 1 and all(_is_model(one) for one in members):
        needs = [name for one in members for name, field in one.model_fields.items() if field.is_required()]
        return "table" if set(needs) - {"kind", "control"} else "text or table"
    texts = list(dict.fromkeys(_type_text(one, ()) for one in members))
    return " or ".join(texts)


def _is_name(annotation: Any) -> bool:
    return get_args(annotation)[:1] == (str,)


def _is_model(annotation: Any) -> bool:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)
