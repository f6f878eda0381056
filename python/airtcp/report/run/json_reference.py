"""The reference of a run's JSON, made from its records: `docs/reference/run-json.md`, and its JSON Schema."""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from airtcp.report.run.facts import VERSION, RunRecord
from airtcp.report.run.record import AT_LEAST, json_schema

_HEAD = f"""# JSON of a run

`airtcp run --json` and `airtcp measure --json` print one object for each run, on a line of its own. The
tables of `airtcp run`, and those of reports, are made from the same record, so that numbers are the same; here
they are not rounded. `null` is what is not known. Names of numbers end in their unit; shares are of 1.

Of a number that is only known to be larger, as a percentile that packets under way at the end may have raised
(`>` in tables), a second key `NAME{AT_LEAST}` is `true`. Without it the number is exact.

This is version {VERSION} of the layout (`version`). New keys come without a new version.
[`run.schema.json`](run.schema.json) is its JSON Schema, which `airtcp run --json-schema` prints.

This page is made from the records in `python/airtcp/report/run`
(`python -m airtcp.report.run.json_reference`; with `--schema` the schema).
"""


def run_schema() -> dict[str, Any]:
    """The JSON Schema of what `airtcp run --json` prints."""
    return json_schema(RunRecord)


def schema_text() -> str:
    """The schema as a file."""
    return json.dumps(run_schema(), indent=2) + "\n"


def json_page() -> str:
    """The page, as Markdown."""
    schema = run_schema()
    sections = [_section("The run", schema)]
    for name in _in_order(schema):
        described = schema["$defs"][name]
        sections.append(_section(_title(name), described))
    return "\n".join((_HEAD, *sections))


def _in_order(schema: Mapping[str, Any]) -> Iterator[str]:
    """The names of the records in the order in which keys lead to them."""
    found: dict[str, None] = {}
    waiting = [schema]
    while waiting:
        for value in waiting.pop(0)["properties"].values():
            name = _record_in(value)
            if name and name not in found:
                found[name] = None
                waiting.append(schema["$defs"][name])
    yield from found


def _record_in(value: Mapping[str, Any]) -> str:
    reference = value.get("$ref") or value.get("items", {}).get("$ref", "")
    return str(reference).rpartition("/")[2]


def _title(name: str) -> str:
    return f"{name.removesuffix('Record')} records"


def _section(title: str, schema: Mapping[str, Any]) -> str:
    rows = ["| key | value | meaning |", "|---|---|---|"]
    for key, value in schema["properties"].items():
        # The page says once what these are.
        if not key.endswith(AT_LEAST):
            rows.append(f"| `{key}` | {_kind(value)} | {value['description']} |")
    about = "" if title == "The run" else f"{' '.join(schema['description'].split())}\n\n"
    return f"## {title}\n\n{about}" + "\n".join(rows) + "\n"


_KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
    "object": "numbers by name",
    "null": "`null`",
}


def _kind(value: Mapping[str, Any]) -> str:
    if record := _record_in(value):
        title = _title(record)
        link = f"[{title}](#{title.lower().replace(' ', '-')})"
        return f"list of {link}" if "items" in value else link
    if value["type"] == "array":
        return "list of text"
    kinds = value["type"] if isinstance(value["type"], list) else [value["type"]]
    # Any number may be unknown.
    shown = [kind for kind in kinds if not (kind == "null" and "number" in kinds)]
    return " or ".join(_KINDS[kind] for kind in shown)


if __name__ == "__main__":
    print(schema_text() if "--schema" in sys.argv[1:] else json_page(), end="")
