"""Plans of scenarios that stand in tests, and short scenarios around a cell."""

import tomllib

import pytest
from airtcp.scenario.compile.compiler import compile_scenario, compile_scene
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.reading.scenario_file import scenario_from_tables

HEAD = 'name = "x"\nduration = "10 s"\n'


def wifi(keys="", rest="", stations='["sta1"]'):
    """A scenario with one cell that has these keys; `rest` follows."""
    return f"{HEAD}[wifi.home]\nstations = {stations}\n{keys}\n{rest}\n"


def scenario_of(text):
    return scenario_from_tables(tomllib.loads(text))


def plan_of(text):
    return compile_scenario(scenario_of(text))


def air_of(text):
    return plan_of(text)["air"]


def cell_of(keys="", rest="", stations='["sta1"]'):
    return air_of(wifi(keys, rest, stations))["cells"][0]


def nics_of(keys="", rest="", stations='["sta1"]'):
    return air_of(wifi(keys, rest, stations))["nics"]


def scene_of(text):
    return compile_scene(scenario_of(text))


def refused(text, key, what, remedy="", compiler=compile_scenario):
    """The text is refused at this key, with these words in reason and remedy."""
    with pytest.raises(ScenarioError) as caught:
        compiler(scenario_of(text))
    error = caught.value
    assert error.key == key
    assert what in error.what
    assert remedy in error.remedy
    assert "\n" not in str(error)
