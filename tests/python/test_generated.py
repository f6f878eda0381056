"""What is generated is what the runner prints (`make generated` writes it), and facts of both languages agree."""

import json
import subprocess
import tomllib
from pathlib import Path
from typing import get_args

import generated_types
import pytest
from airtcp.data import tcp_info
from airtcp.scenario.keys.mode import McsFormat
from airtcp.scenario.keys.multi_user import MultiUserSettings
from airtcp.scenario.keys.radio import RadioSettings
from airtcp.version import __version__
from airtcp.wifi.standard import BANDS, WIFI_TABLE, formats, phy_options, wifi_table

KERNEL_FIELDS = Path(__file__).parents[2] / "kernel/src/arch/um/drivers/airtcp/probe/tcp_info_fields.h"


@pytest.mark.runner
def test_the_table_of_wifi_rules_is_the_models(real_runner):
    assert json.loads(WIFI_TABLE.read_text(encoding="utf-8")) == generated_types.printed(
        real_runner, "--wifi"
    )


@pytest.mark.runner
def test_the_fields_of_tcp_info_are_those_that_the_recorders_read(real_runner):
    stored = (Path(tcp_info.__file__).with_name("tcp_info.json")).read_text(encoding="utf-8")
    assert json.loads(stored) == generated_types.printed(real_runner, "--tcp-info")


@pytest.mark.runner
def test_kernels_compile_the_same_fields_of_tcp_info(real_runner):
    printed = [real_runner, "schema", "--tcp-info-assertions"]
    text = subprocess.run(printed, check=True, capture_output=True, text=True).stdout
    assert KERNEL_FIELDS.read_text(encoding="utf-8") == text


@pytest.mark.runner
@pytest.mark.parametrize("module", ["plan.py", "air_plan.py", "messages.py"])
def test_the_types_of_plans_and_messages_are_those_of_the_schemas(real_runner, module):
    schemas = generated_types.printed(real_runner), generated_types.printed(real_runner, "--messages")
    types = generated_types.written(*schemas)[module]
    assert (generated_types.FOLDER / module).read_text(encoding="utf-8") == generated_types.formatted(types)


def test_the_keys_name_what_the_table_has():
    assert [band["name"] for band in wifi_table()["bands"]] == list(BANDS)
    assert {name for name, one in formats().items() if one.mcs} == set(get_args(McsFormat))


@pytest.mark.parametrize("option", phy_options())
def test_a_radio_has_a_key_with_the_values_of_every_option_of_ppdus(option):
    values = get_args(RadioSettings.model_fields[option].annotation)[0]
    assert list(get_args(values)) == phy_options()[option]["values"]


@pytest.mark.runner
def test_the_keys_name_the_schedulers_that_the_model_has(real_runner):
    definition = generated_types.printed(real_runner)["$defs"]["MultiUserScheduler"]
    names = [value["const"] for value in definition["oneOf"]]
    assert names == list(get_args(MultiUserSettings.model_fields["scheduler"].annotation))


def test_the_programs_have_the_version_of_the_package():
    cargo = tomllib.loads((Path(__file__).parents[2] / "Cargo.toml").read_text(encoding="utf-8"))
    assert cargo["workspace"]["package"]["version"] == __version__
