"""Writes the types of plans in Python from the schema that `airtcp-runner schema` prints.

    python tools/plan_types.py

A struct of the plan crate becomes a `TypedDict`, a number or text with a unit what it is in JSON, and
an enum whose variants have fields a table with the key `kind`.
"""

import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "python" / "airtcp" / "scenario" / "plan_types"
WIDTH = 108

Schema = dict[str, Any]

# Names that are not `Plan` and the schema's own name: shorter ones, and two kinds of queue.
_NAMES = {
    "AccessParameters": "PlanAccess",
    "AirNic": "PlanNic",
    "HostClock": "PlanClock",
    "LinuxCell": "PlanLinux",
    "QueuePlan": "PlanNicQueue",
    "ScenarioFile": "PlanFile",
}
_PRIMITIVES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}
_HEAD = '''"""{title}

Generated from the plan crate's schema by `tools/plan_types.py`; `make generated` writes it.
"""

from typing import {imports}
'''


def type_name(definition: str) -> str:
    """The name in Python of a definition of the schema."""
    return _NAMES.get(definition, "Plan" + definition.removesuffix("Plan"))


def written(schema: Schema) -> dict[str, str]:
    """The text of each module by its name: the radio side, and all else."""
    definitions = schema["$defs"]
    radio = _reachable("AirPlan", definitions)
    rest = [name for name in _reachable_from(schema, definitions) if name not in radio]
    air_text = "\n\n".join(_type(name, definitions[name], definitions) for name in radio)
    own = [_type(name, definitions[name], definitions) for name in rest]
    own.append(_type("Plan", schema, definitions))
    version = schema["properties"]["version"]["const"]
    air_head = _HEAD.format(title="The radio side of a plan.", imports="Any, TypedDict")
    plan_head = _HEAD.format(
        title="The plan: what is executed, every value explicit.", imports="Any, TypedDict"
    )
    return {
        "air_plan.py": f"{air_head}\n\n{air_text}\n",
        "plan.py": f"{plan_head}\nfrom airtcp.scenario.plan_types.air_plan import PlanAir\n\n"
        f"PLAN_VERSION = {version}\n\n" + "\n\n".join(own) + "\n",
    }


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if "$ref" in schema:
            yield schema["$ref"].rpartition("/")[2]
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)


def _reachable(name: str, definitions: Schema) -> list[str]:
    """The definitions that become types that this one needs, each after those that it uses; itself last."""
    return [*_reachable_from(definitions[name], definitions), name]


def _reachable_from(schema: Schema, definitions: Schema) -> list[str]:
    found: list[str] = []
    own = {key: value for key, value in schema.items() if key != "$defs"}
    for name in _references(own):
        inner = _reachable_from(definitions[name], definitions)
        found += [one for one in inner if one not in found]
        if _is_type(definitions[name]) and name not in found:
            found.append(name)
    return found


def _is_tagged(definition: Schema) -> bool:
    return any(one.get("type") == "object" for one in definition.get("oneOf", []))


def _is_type(definition: Schema) -> bool:
    return definition.get("type") == "object" or _is_tagged(definition)


def _type(name: str, definition: Schema, definitions: Schema) -> str:
    own = "Plan" if name == "Plan" else type_name(name)
    if _is_tagged(definition):
        kinds = ", ".join(one["properties"]["kind"]["const"] for one in definition["oneOf"])
        text = f"{_plain(definition['description'])} `kind`: {kinds}."
        return f"{_comment(text)}\n{own} = dict[str, Any]\n"
    # Required ones come in the order of the struct, the others by name.
    properties = definition["properties"]
    keys = dict.fromkeys([*definition.get("required", []), *properties])
    fields = {key: _value(properties[key], definitions) for key in keys}
    if "from" in fields:  # a word of Python, hence the functional form
        inside = "\n".join(f'        "{key}": {value},' for key, value in fields.items())
        comment = _comment(definition["description"])
        return f"{comment}\n{own} = TypedDict(\n    {own!r},\n    {{\n{inside}\n    }},\n)\n"
    lines = [f"class {own}(TypedDict):", _docstring(definition["description"], "    "), ""]
    for key, value in fields.items():
        lines.append(f"    {key}: {value}")
        description = properties[key].get("description")
        if description:
            lines.append(_docstring(description, "    "))
    return "\n".join(lines) + "\n"


def _value(schema: Schema, definitions: Schema) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        definition = definitions[name]
        return type_name(name) if _is_type(definition) else _value(definition, definitions)
    if "anyOf" in schema:
        return " | ".join(_value(one, definitions) for one in schema["anyOf"])
    if "oneOf" in schema:  # an enum without fields
        return "str"
    kind = schema["type"]
    if isinstance(kind, list):
        return " | ".join(_value({**schema, "type": one}, definitions) for one in kind)
    if kind == "array":
        return f"list[{_value(schema['items'], definitions)}]"
    return "None" if kind == "null" else _PRIMITIVES[kind]


def _plain(description: str) -> str:
    """Without the links of Rust's documentation and its line breaks."""
    text = re.sub(r"\[(`[^`]+`)\](\([^)]*\))?", r"\1", description)
    return " ".join(text.split())


def _docstring(description: str, indent: str) -> str:
    text = _plain(description).replace("\\", "\\\\")
    if len(indent) + len(text) + 6 <= WIDTH:
        return f'{indent}"""{text}"""'
    body = textwrap.wrap(text, WIDTH - len(indent) - 6)
    return f'{indent}"""' + f"\n{indent}".join(body) + f'\n{indent}"""'


def _comment(description: str) -> str:
    return "\n".join(f"# {line}" for line in textwrap.wrap(_plain(description), WIDTH - 2))


def formatted(text: str) -> str:
    """The text as ruff formats it."""
    command = [sys.executable, "-m", "ruff", "format", "-q", "--stdin-filename", str(FOLDER / "plan.py"), "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout


def main(runner: str) -> None:
    """Writes the modules."""
    schema = json.loads(subprocess.run([runner, "schema"], capture_output=True, text=True, check=True).stdout)
    for name, text in written(schema).items():
        (FOLDER / name).write_text(formatted(text), encoding="utf-8")


if __name__ == "__main__":
    from airtcp.execution.locate import find_runner

    main(str(find_runner()))
