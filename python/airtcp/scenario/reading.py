"""Scenario files: TOML text to a checked scenario, with one clear error."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.known import suggestion
from airtcp.scenario.model import Scenario

# A scenario is a page of text; a file beyond this is something else.
FILE_BYTES_MOST = 4_000_000


def read_text(path: Path) -> str:
    """The text of a scenario file; every reason why it can't be read is a `ScenarioError`."""
    try:
        if path.is_dir():
            raise ScenarioError("", "is a folder", "Name the scenario file in it", path)
        if path.stat().st_size > FILE_BYTES_MOST:
            raise ScenarioError("", "is too large for a scenario", "Name a TOML file", path)
        return path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise ScenarioError("", "there is no such file", "Check the path", path) from None
    except UnicodeDecodeError as error:
        raise ScenarioError("", f"is not UTF-8 text (byte {error.start})", "Save it as UTF-8", path) from None
    except OSError as error:
        raise ScenarioError("", f"can't be read: {error.strerror}", "Check its permissions", path) from None


def parse_toml(text: str, file: Path | str | None = None) -> dict[str, Any]:
    """The tables of a TOML text; a syntax error names its line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ScenarioError("", f"TOML syntax: {error}", "See https://toml.io", file) from None
    except RecursionError:
        raise ScenarioError("", "is nested too deeply", "Write it flat", file) from None


def scenario_from_tables(tables: Mapping[str, Any], file: Path | str | None = None) -> Scenario:
    """The scenario that the tables describe; the first thing wrong with them is a `ScenarioError`."""
    try:
        return Scenario.model_validate(tables)
    except ValidationError as error:
        raise _first_error(error, file) from None


def read_scenario(path: Path) -> Scenario:
    """Reads and checks a scenario file."""
    return scenario_from_tables(parse_toml(read_text(path), path), path)


def _first_error(error: ValidationError, file: Path | str | None) -> ScenarioError:
    details = error.errors(include_url=False)
    # An unknown key explains a missing one (`duratoin` and `duration`), so it comes first.
    detail = next((d for d in details if d["type"] == "extra_forbidden"), details[0])
    path = [part for part in detail["loc"] if part != "[key]"]
    key = _key(path)
    remedy = "See docs/reference/scenario.md"
    kind = detail["type"]
    if kind == "extra_forbidden":
        known = _keys_at(Scenario, path[:-1])
        hint = suggestion(str(path[-1]), known)
        remedy = f"D{hint[1:]}" if hint else f"Known: {', '.join(sorted(known))}"
        return ScenarioError(key, "unknown key", remedy, file)
    if kind == "missing":
        return ScenarioError(key, "is missing", f"Add it. {remedy}", file)
    what = re.sub(r"^Value error, ", "", detail["msg"])
    if kind != "value_error":
        what = f"{_shown(detail['input'])}: {what[0].lower()}{what[1:]}"
    elif "did you mean" in what or "known:" in what or "write" in what:
        remedy = ""
    return ScenarioError(key, what, remedy, file)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _key(path: Sequence[str | int]) -> str:
    text = ""
    for part in path:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else str(part)
    return text


def _keys_at(model: type[BaseModel], path: Sequence[str | int]) -> list[str]:
    """The keys that the table at this path may have."""
    current: Any = model
    for part in path:
        if isinstance(current, type) and issubclass(current, BaseModel):
            fields = current.model_fields
            name = next((n for n, f in fields.items() if part in (n, f.alias)), None)
            current = fields[name].annotation if name else None
        else:
            # A list or a table of named things: its last type argument is what stands at an index or a name.
            current = get_args(current)[-1] if get_args(current) else None
    if isinstance(current, type) and issubclass(current, BaseModel):
        return [field.alias or name for name, field in current.model_fields.items()]
    return []
