"""Writes the types of plans and messages in Python from the schemas that `airtcp-runner schema` prints.

    python tools/generated_types.py

A struct becomes a `TypedDict`, and a number or text with a unit what it is in JSON. An enum whose variants
have fields becomes a table with the key `kind` in plans; in messages, and in what they have of plans, each
variant is a `TypedDict`, and the enum is their union, which a comparison of its tag narrows.
"""

import json
import re
import subprocess
import sys
import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "python" / "airtcp" / "plans" / "types"
WIDTH = 108

Schema = dict[str, Any]

# Names that are not `Plan` and the schema's own name: shorter ones, and two kinds of queue.
_NAMES = {
    "AccessParameters": "PlanAccess",
    "AirNic": "PlanNic",
    "HostClock": "PlanClock",
    "MuEdcaParameters": "PlanMuEdca",
    "LinuxCell": "PlanLinux",
    "QueuePlan": "PlanNicQueue",
    "ScenarioFile": "PlanFile",
}
# Enums of plans that messages have too.
_SPOKEN = ("FileContent", "SessionAct")
_PRIMITIVES = {"integer": "int", "number": "float", "string": "str", "boolean": "bool"}
_TYPING = ("Any", "Literal", "NotRequired", "TypedDict")


def type_name(definition: str) -> str:
    """The name in Python of a definition of the schema of plans."""
    return _NAMES.get(definition, "Plan" + definition.removesuffix("Plan"))


def written(plan: Schema, messages: Schema) -> dict[str, str]:
    """The text of each module by its name: the radio side of plans, all else of plans, and messages."""
    known, spoken = plan["$defs"], messages["$defs"]
    radio = _reachable("AirPlan", known)
    rest = [name for name in _reachable_from(plan, known) if name not in radio]
    said = [name for name in _reachable_from(messages, spoken) if name not in known and name != "Plan"]
    names = {"Plan": "Plan"} | {name: type_name(name) for name in known}
    plans = _Types(known, names, unions=_SPOKEN)
    of_messages = _Types(spoken, names | {name: name for name in said}, unions=said, words=True)
    version = f"PLAN_VERSION = {plan['properties']['version']['const']}\n"
    whole = [*plans.texts(rest), plans.text("Plan", plan)]
    air_names, plan_names = [names[name] for name in radio], [names[name] for name in (*rest, "Plan")]
    return {
        "air_plan.py": _module("The radio side of a plan.", plans.texts(radio)),
        "plan.py": _module(
            "The plan: what is executed, every value explicit.", [version, *whole], air_plan=air_names
        ),
        "messages.py": _module(
            "Messages of the runner, of sessions and of measuring agents: one JSON object per line.",
            of_messages.texts(said),
            air_plan=air_names,
            plan=plan_names,
        ),
    }


def _module(title: str, texts: Iterable[str], **others: Iterable[str]) -> str:
    """A module of these texts; `others` are modules and the names that may be used of them."""
    body = "\n\n".join(texts)
    used = {"typing": _TYPING} | {f"airtcp.plans.types.{module}": names for module, names in others.items()}
    imports = []
    for module, names in used.items():
        found = sorted(name for name in names if re.search(rf"\b{name}\b", re.sub(r"`[^`]*`", "", body)))
        if found:
            imports.append(f"from {module} import ({', '.join(found)})")
    origin = "Generated from the runner's schema by `tools/generated_types.py`; `make generated` writes it."
    return f'"""{title}\n\n{origin}\n"""\n\n' + "\n\n".join([imports[0], "\n".join(imports[1:]), body])


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


def _reachable_from(schema: Schema, definitions: Schema, above: frozenset[str] = frozenset()) -> list[str]:
    """Those that a schema needs. One that is part of itself, hence `above`, is not entered again."""
    found: list[str] = []
    own = {key: value for key, value in schema.items() if key != "$defs"}
    for name in _references(own):
        if name in above:
            continue
        inner = _reachable_from(definitions[name], definitions, above | {name})
        found += [one for one in inner if one not in found]
        if _is_type(definitions[name]) and name not in found:
            found.append(name)
    return found


def _is_tagged(definition: Schema) -> bool:
    return any(one.get("type") == "object" for one in definition.get("oneOf", []))


def _is_type(definition: Schema) -> bool:
    return definition.get("type") == "object" or _is_tagged(definition)


def _tag(variant: Schema) -> str:
    """The key of a variant that says which of its enum it is."""
    fields: Schema = variant["properties"]
    return next(key for key, value in fields.items() if "const" in value)


@dataclass(frozen=True)
class _Types:
    """The types of one schema."""

    definitions: Schema
    names: Mapping[str, str]
    """The name in Python of each definition."""
    unions: Collection[str]
    """Enums that are the union of a type for each variant; others with fields are any table."""
    words: bool = False
    """Whether an enum without fields is one of its words; else it is any text."""

    def texts(self, names: Iterable[str]) -> list[str]:
        """The types of some definitions."""
        return [self.text(name, self.definitions[name]) for name in names]

    def text(self, name: str, definition: Schema) -> str:
        """The type of a definition."""
        own = self.names[name]
        if not _is_tagged(definition):
            return self._table(own, definition)
        if name in self.unions:
            return self._union(own, definition)
        kinds = ", ".join(one["properties"]["kind"]["const"] for one in definition["oneOf"])
        comment = _comment(f"{_plain(definition['description'])} `kind`: {kinds}.")
        return f"{comment}\n{own} = dict[str, Any]\n"

    def _union(self, own: str, definition: Schema) -> str:
        variants = {}
        for one in definition["oneOf"]:
            word = one["properties"][_tag(one)]["const"].title().replace("_", "")
            variants[f"{own}{word}"] = self._table(f"{own}{word}", self._with_fields(one), union=own)
        comment = _comment(definition["description"])
        return "\n\n".join([*variants.values(), f"{comment}\n{own} = {' | '.join(variants)}\n"])

    def _with_fields(self, variant: Schema) -> Schema:
        """A variant that is a struct, with the fields of the struct."""
        if "$ref" not in variant:
            return variant
        inner = self.definitions[variant["$ref"].rpartition("/")[2]]
        return {
            **variant,
            "properties": {**variant["properties"], **inner["properties"]},
            "required": [*variant["required"], *inner.get("required", [])],
        }

    def _table(self, own: str, definition: Schema, union: str = "") -> str:
        """A table of fields. One that holds its own `union`, defined after it, names it in quotes."""
        # Required ones come in the order of the struct, the others by name.
        properties = definition["properties"]
        keys = dict.fromkeys([*definition.get("required", []), *properties])
        fields = {key: self._field(properties[key]) for key in keys}
        if union:
            holds_union = re.compile(rf"\b{union}\b")
            fields = {key: f'"{text}"' if holds_union.search(text) else text for key, text in fields.items()}
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

    def _field(self, schema: Schema) -> str:
        """The type of a field; one with a default may be left out."""
        value = self._value(schema)
        return f"NotRequired[{value}]" if "default" in schema else value

    def _value(self, schema: Schema) -> str:
        if "$ref" in schema:
            name = schema["$ref"].rpartition("/")[2]
            return (
                self.names[name] if _is_type(self.definitions[name]) else self._value(self.definitions[name])
            )
        if "anyOf" in schema:
            return " | ".join(self._value(one) for one in schema["anyOf"])
        if "oneOf" in schema:  # an enum without fields
            return self._words(schema) if self.words else "str"
        kind = schema["type"]
        if "const" in schema and kind == "string":
            return f"Literal[{json.dumps(schema['const'])}]"
        if isinstance(kind, list):
            return " | ".join(self._value({**schema, "type": one}) for one in kind)
        if kind == "array":
            return f"list[{self._value(schema['items'])}]"
        if kind == "object":
            return f"dict[str, {self._value(schema['additionalProperties'])}]"
        return "None" if kind == "null" else _PRIMITIVES[kind]

    def _words(self, schema: Schema) -> str:
        words = [word for one in schema["oneOf"] for word in one.get("enum", [one.get("const")])]
        return f"Literal[{', '.join(json.dumps(word) for word in words)}]"


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


def printed(runner: str, *arguments: str) -> Schema:
    """What the runner prints as a schema."""
    command = [runner, "schema", *arguments]
    schema: Schema = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    return schema


def main(runner: str) -> None:
    """Writes the modules."""
    for name, text in written(printed(runner), printed(runner, "--messages")).items():
        (FOLDER / name).write_text(formatted(text), encoding="utf-8")


if __name__ == "__main__":
    from airtcp.execution.locate import find_runner

    main(str(find_runner()))
