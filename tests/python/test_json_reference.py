"""The manual and the schemas of JSON are those of the records, and the schema says what a record is."""

from dataclasses import dataclass

import jsonschema
import pytest
from airtcp.metrics.survival import Estimate
from airtcp.report.json_reference import RECORDS, json_page, schema_text
from airtcp.report.record import as_json, json_schema, meanings_of
from support.documentation_pages import DOCS

REFERENCE = DOCS / "reference"


def test_the_page_is_up_to_date():
    text = (REFERENCE / "json-records.md").read_text(encoding="utf-8")
    assert text == json_page(), "run: python -m airtcp.report.json_reference > docs/reference/json-records.md"


@pytest.mark.parametrize("name", list(RECORDS))
def test_the_schemas_are_up_to_date(name):
    text = (REFERENCE / f"{name}.schema.json").read_text(encoding="utf-8")
    command = f"python -m airtcp.report.json_reference --schema {name} > docs/reference/{name}.schema.json"
    assert text == schema_text(name), f"run: {command}"


@dataclass(frozen=True)
class Inner:
    """What is inside."""

    from_: str
    """Where."""


@dataclass(frozen=True)
class Outer:
    """What is outside."""

    share: float
    """Of something."""
    p95_ms: Estimate
    """Of a sample."""
    count: int | None
    """How many."""
    inside: list[Inner]
    """Things."""
    by_name: dict[str, int] | None
    """Numbers."""


def outer(**changed):
    plain = {
        "share": 0.5,
        "p95_ms": Estimate(2.0),
        "count": 3,
        "inside": [Inner("sta1")],
        "by_name": {"a": 1},
    }
    return Outer(**plain | changed)


def test_a_record_is_an_object_with_its_fields():
    assert as_json(outer()) == {
        "share": 0.5,
        "p95_ms": 2.0,
        "count": 3,
        "inside": [{"from": "sta1"}],
        "by_name": {"a": 1},
    }


def test_what_is_not_known_is_null_and_a_bound_is_marked():
    told = as_json(outer(share=float("nan"), p95_ms=Estimate(7.0, at_least=True), count=None, by_name=None))
    assert told["share"] is None
    assert (told["p95_ms"], told["p95_ms_at_least"]) == (7.0, True)
    assert as_json(outer(p95_ms=Estimate(float("nan"))))["p95_ms"] is None
    assert told["count"] is None
    for value in (outer(), outer(share=float("inf"), count=None, by_name=None)):
        jsonschema.validate(as_json(value), json_schema(Outer))


@pytest.mark.parametrize(
    "wrong", [{"share": "0.5"}, {"count": 1.5}, {"inside": [{}]}, {"by_name": {"a": "b"}}, {"p95_ms_at_least": False}]
)  # fmt: skip
def test_the_schema_refuses_what_a_record_never_is(wrong):
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(as_json(outer()) | wrong, json_schema(Outer))


def test_each_field_of_every_record_has_a_meaning():
    for record, _ in RECORDS.values():
        schema = json_schema(record)
        for own in (schema, *schema["$defs"].values()):
            for key, value in own["properties"].items():
                assert value["description"].endswith((".", "value")), key
    assert meanings_of(Inner) == {"from_": "Where."}
