"""The reference of the JSON of runs and comparisons, made from their records.

It is `docs/reference/json-records.md`, with JSON Schemas beside it.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any

from airtcp.report.comparison.kernel_record import KernelComparisonRecord
from airtcp.report.comparison.record import ComparisonRecord
from airtcp.report.record import AT_LEAST, json_schema
from airtcp.report.run.facts import RunRecord

_HEAD = f"""# JSON of runs and comparisons

`airtcp run --json` and `airtcp measure --json` print one object for each run, on a line of its own, and
`airtcp compare --json` and `airtcp compare-kernels --json` print one object. The tables of these commands and
of reports have the same numbers, rounded; here they are not. `null` is what is not known. Names of numbers
end in their unit; shares are of 1.

Of a number that is only known to be larger, as a percentile that packets under way at the end may have raised
(`>` in tables), a second key `NAME{AT_LEAST}` is `true`. Without it the number is exact.

`version` is that of the layout, of runs and of comparisons each. It is raised when a key goes or changes its
meaning, not when one is added. [`run.schema.json`](run.schema.json), which `airtcp run --json-schema` prints,
[`comparison.schema.json`](comparison.schema.json) and [`kernels.schema.json`](kernels.schema.json) are their
JSON Schemas.

This page is made from the records in `python/airtcp/report` (`python -m airtcp.report.json_reference`; with
`--schema run`, `--schema comparison` or `--schema kernels` a schema).
"""
# By name: the record, and the title of its section.
RECORDS: Mapping[str, tuple[type, str]] = {
    "run": (RunRecord, "A run"),
    "comparison": (ComparisonRecord, "A comparison"),
    "kernels": (KernelComparisonRecord, "A comparison of kernels"),
}


def schema_text(name: str) -> str:
    """A schema as a file."""
    return json.dumps(json_schema(RECORDS[name][0]), indent=2) + "\n"


def json_page() -> str:
    """The page, as Markdown."""
    sections = []
    for record, title in RECORDS.values():
        schema = json_schema(record)
        sections.append(_section(title, schema))
        sections += [_section(_title(name), schema["$defs"][name]) for name in _in_order(schema)]
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
    return f"## {title}\n\n{' '.join(schema['description'].split())}\n\n" + "\n".join(rows) + "\n"


_KINDS = {
    "string": "text",
    "integer": "whole number",
    "number": "number",
    "boolean": "`true` or `false`",
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
    return " or ".join(_by_name(value) if kind == "object" else _KINDS[kind] for kind in shown)


def _by_name(value: Mapping[str, Any]) -> str:
    return "text by name" if value["additionalProperties"]["type"] == "string" else "numbers by name"


if __name__ == "__main__":
    asked = sys.argv[1:]
    print(schema_text(asked[1]) if asked[:1] == ["--schema"] else json_page(), end="")
