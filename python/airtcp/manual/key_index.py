"""The index of keys and quantities that `airtcp help` reads, made from the models and the registry.

`python -m airtcp.manual.key_index > docs/reference/keys.json` writes it.
"""

import json
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from pydantic import BaseModel

from airtcp.campaign.reference import SECTIONS as CAMPAIGN_TABLES
from airtcp.measurement.reference import SECTIONS as LAB_TABLES
from airtcp.quantities.registry import QUANTITIES
from airtcp.scenario.reference.page import key_tables
from airtcp.scenario.reference.tables import described


def key_index() -> str:
    """The index, as JSON: tables of scenarios, campaigns and labs with their keys, and the quantities."""
    index = {
        "scenario": _tables(key_tables()),
        "campaign": _tables(CAMPAIGN_TABLES),
        "lab": _tables(LAB_TABLES),
        "quantity": {name: {"unit": one.unit, "meaning": one.meaning} for name, one in QUANTITIES.items()},
    }
    return json.dumps(index, indent=1, ensure_ascii=False) + "\n"


def _tables(sections: Iterable[tuple[str, type[BaseModel]]]) -> list[dict[str, Any]]:
    return [
        {"title": title, "keys": [asdict(described(model, name)) for name in model.model_fields]}
        for title, model in sections
    ]


if __name__ == "__main__":
    print(key_index(), end="")
