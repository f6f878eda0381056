"""What is generated from the runner is what the runner prints; `make generated` writes it."""

import json
import subprocess
from typing import get_args

import plan_types
import pytest
from airtcp.scenario.keys.mode import McsFormat
from airtcp.scenario.wifi_rules.standard import BANDS, WIFI_TABLE, formats, wifi_table


def printed(runner, *arguments):
    done = subprocess.run([runner, "schema", *arguments], capture_output=True, text=True, check=True)
    return done.stdout


@pytest.mark.runner
def test_the_table_of_wifi_rules_is_the_models(real_runner):
    assert json.loads(WIFI_TABLE.read_text(encoding="utf-8")) == json.loads(printed(real_runner, "--wifi"))


@pytest.mark.runner
@pytest.mark.parametrize("module", ["plan.py", "air_plan.py"])
def test_the_types_of_plans_are_those_of_the_schema(real_runner, module):
    types = plan_types.written(json.loads(printed(real_runner)))[module]
    assert (plan_types.FOLDER / module).read_text(encoding="utf-8") == plan_types.formatted(types)


def test_the_keys_name_what_the_table_has():
    assert [band["name"] for band in wifi_table()["bands"]] == list(BANDS)
    assert {name for name, one in formats().items() if one.mcs} == set(get_args(McsFormat))
