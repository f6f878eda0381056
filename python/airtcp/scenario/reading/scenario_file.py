"""Scenario files: TOML text to a checked scenario, with one clear error."""

import re
import types
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, Tag, ValidationError
from pydantic.fields import FieldInfo

from airtcp.errors import remedy_for, suggestion
from airtcp.scenario.errors import ScenarioError, ScenarioErrors
from airtcp.scenario.keys.model import Scenario
from airtcp.scenario.reading.assignment import assign
from airtcp.scenario.reading.key_hints import other_name
from airtcp.scenario.reading.toml_file import parse_toml, read_text
from airtcp.scenario.reading.toml_lines import line_of, with_line
from airtcp.scenario.values.kernel_series import in_context
from airtcp.scenario.values.units import Dimension
from airtcp.wrong_values import Wrong, header, in_toml, wrong_value

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

NUMBER_IN_LIST = re.compile(r"\[\d+\]")


def scenario_from_tables(tables: Mapping[str, Any]) -> Scenario:
    """The scenario that the tables describe; what is wrong with them is a `ScenarioErrors`."""
    try:
        return Scenario.model_validate(tables, context=in_context(tables))
    except ValidationError as error:
        raise ScenarioErrors(_errors(error)) from None


def _errors(error: ValidationError) -> list[ScenarioError]:
    """What is wrong, once for each key; unknown keys first, for they explain missing ones (`duratoin`)."""
    found: dict[str, ScenarioError] = {}
    details = error.errors(include_url=False)
    for detail in sorted(details, key=lambda detail: detail["type"] != "extra_forbidden"):
        made = _error(detail)
        explained = detail["type"] == "missing" and _is_explained(made.key, found)
        if not explained:
            # Where a value may be of several types, the error of the first type says what it should be.
            found.setdefault(made.key, made)
    return list(found.values())


def _is_explained(missing: str, found: Mapping[str, ScenarioError]) -> bool:
    """Whether an unknown key in the same table is a misspelling of the missing one."""
    table, _, name = missing.rpartition(".")
    beside = [key.rpartition(".")[2] for key in found if key.rpartition(".")[0] == table]
    return bool(suggestion(name, beside))


def _error(detail: "ErrorDetails") -> ScenarioError:
    path, known, field = _walk([part for part in detail["loc"] if part != "[key]"])
    key = _key(path)
    kind = detail["type"]
    if kind == "extra_forbidden":
        return _unknown_key(key, known)
    if kind == "missing":
        return ScenarioError(key, "is missing", f"Add it. {_explained_by(key)}")
    if (limit := _limit(detail, field)) is not None:
        return ScenarioError(key, limit)
    wrong = _setting(key, detail["input"]) or _tables(detail, key, field) or wrong_value(detail, key)
    told = ("did you mean", "known:", "write")
    needs_no_remedy = any(word in wrong.what for word in told)
    return ScenarioError(key, wrong.what, wrong.remedy or ("" if needs_no_remedy else _explained_by(key)))


def _explained_by(key: str) -> str:
    # Below it are names of the kernel's.
    table, found, _ = key.partition(".sysctl.")
    # Shells take brackets for patterns.
    return f"See airtcp help {NUMBER_IN_LIST.sub('', table)}{found.rstrip('.')}"


def _setting(key: str, value: Any) -> Wrong | None:
    """What is wrong with the name or the value of a setting of the kernel."""
    _, found, name = key.rpartition("sysctl.")
    if not found or isinstance(value, list):
        return None
    if isinstance(value, bool):
        return Wrong(f"{in_toml(value)} is no value of a setting", f"Write {int(value)}")
    if isinstance(value, dict):
        while isinstance(value, dict) and value:
            (below, value), *_ = value.items()
            name = f"{name}.{below}"
        return Wrong("its dots divide it into tables", f'Write it in quotes: "{name}" = {in_toml(value)}')
    return None


def _tables(detail: "ErrorDetails", key: str, field: FieldInfo | None) -> Wrong | None:
    """What is wrong with a value in place of tables that there may be several of."""
    of_tables = field is not None and _fields(_inside(field.annotation))
    if detail["type"] != "list_type" or not of_tables or isinstance(detail["input"], dict):
        return None
    return Wrong(f"{in_toml(detail['input'])} is not a table", f"Write [[{header(key)}]] with keys below it")


def _limit(detail: "ErrorDetails", field: FieldInfo | None) -> str | None:
    """What is wrong with a quantity that is beyond a limit of its key, with units."""
    dimension = (
        next((each for each in field.metadata if isinstance(each, Dimension)), None) if field else None
    )
    limits = detail.get("ctx", {})
    if dimension is None or not limits.keys() & {"le", "ge"}:
        return None
    side, limit = ("at most", limits["le"]) if "le" in limits else ("at least", limits["ge"])
    value = detail["input"]
    written = value if isinstance(value, str) else dimension.text(value)
    return f'"{written}" is out of range: write {side} {dimension.text(limit)}'


def read_scenario(path: Path, changes: Mapping[str, Any] = types.MappingProxyType({})) -> Scenario:
    """Reads and checks a scenario file, with `changes` of some of its keys (`wire[0].queue`).

    What is wrong is a `ScenarioErrors` with the line of each key.
    """
    text = read_text(path)
    tables = parse_toml(text, path)
    _check_is_scenario(tables, path)
    with in_lines(path, text, changes):
        for key, value in changes.items():
            assign(tables, key, value)
        return scenario_from_tables(tables)


def _check_is_scenario(tables: Mapping[str, Any], path: Path) -> None:
    """Refuses files of other kinds, and names the command that reads them."""
    if "duration" in tables or "wifi" in tables or "wire" in tables:
        return
    if "claim" in tables or "paper" in tables:
        raise ScenarioError("", "is a study, not a scenario", f"Run airtcp study {path.parent or '.'}", path)
    if "scenario" in tables or "factor" in tables:
        raise ScenarioError("", "is a campaign, not a scenario", f"Run airtcp sweep {path}", path)


@contextmanager
def in_lines(path: Path, text: str, changes: Mapping[str, Any]) -> Iterator[None]:
    """Adds to errors the file and the line of their key, or that the key was changed."""

    def place(error: ScenarioError) -> str:
        if error.key in changes:
            return f"{path} with {error.key} = {changes[error.key]}"
        return with_line(str(path), text, error.key)

    try:
        yield
    except ScenarioErrors as errors:
        ordered = sorted(errors.errors, key=lambda error: line_of(text, error.key) or 0)
        raise ScenarioErrors([error.in_file(place(error)) for error in ordered]) from None
    except ScenarioError as error:
        raise error.in_file(place(error)) from None


def _unknown_key(key: str, known: list[str]) -> ScenarioError:
    hint = other_name(key)
    if hint is None:
        return ScenarioError(key, "unknown key", remedy_for(key.rpartition(".")[2], sorted(known)))
    return ScenarioError(key, hint.what, hint.remedy)


def _key(path: Sequence[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _walk(path: Sequence[str | int]) -> tuple[list[str | int], list[str], FieldInfo | None]:
    """The path as keys of the file, the keys that the table of its last part may have, and that key's field.

    Where a value may be one of several tables, the path from pydantic holds the chosen kind, which is no key.
    """
    current: Any = Scenario
    keys: list[str | int] = []
    known: list[str] = []
    field: FieldInfo | None = None
    for part in path:
        chosen = _of_kind(current, part)
        if chosen is not None:
            current = chosen
            continue
        if get_origin(_bare(current)) in (Union, types.UnionType):
            # pydantic's name of the alternative that it tried.
            current = None
            continue
        keys.append(part)
        fields = _fields(current)
        known = [field.alias or name for name, field in fields.items()]
        name = next((name for name, field in fields.items() if part in (name, field.alias)), None)
        if name is not None:
            field = fields[name]
            current = field.annotation
        elif not fields:
            current = _inside(current)
    return keys, known, field


def _bare(annotation: Any) -> Any:
    """A type without what is annotated to it, and without `None`."""
    while get_origin(annotation) is Annotated:
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (Union, types.UnionType):
        some = [one for one in get_args(annotation) if one is not type(None)]
        if len(some) == 1:
            return _bare(some[0])
    return annotation


def _fields(annotation: Any) -> dict[str, FieldInfo]:
    bare = _bare(annotation)
    return bare.model_fields if isinstance(bare, type) and issubclass(bare, BaseModel) else {}


def _of_kind(annotation: Any, part: str | int) -> Any:
    """The table of a union that has this kind."""
    bare = _bare(annotation)
    if get_origin(bare) in (Union, types.UnionType):
        for one in get_args(bare):
            if any(isinstance(each, Tag) and each.tag == part for each in get_args(one)[1:]):
                return one
            for name in ("kind", "control"):
                field = _fields(one).get(name)
                if field is not None and part in get_args(field.annotation):
                    return one
    return None


def _inside(annotation: Any) -> Any:
    """What stands at an index or a name: the last type argument of a list or of a table of named things."""
    arguments = get_args(_bare(annotation))
    return arguments[-1] if arguments else None
