"""Keys that pages name in campaigns, metrics and `--set` are keys of scenarios, wherever the page has no whole scenario."""

import copy
import itertools
import tomllib

import pytest
from airtcp.campaign.campaign_file import CampaignFactor
from airtcp.quantities.metric_file import MetricFile
from airtcp.quantities.registry import quantity_of
from airtcp.scenario.errors import ScenarioErrors
from airtcp.scenario.reading.assignment import assign
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from support.documentation_pages import ROOT, airtcp_commands, blocks, pages
from test_wrong_keys import TABLES

PAGES = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages()}
# The networks of pages have more entries of each list than that of the test.
MORE = {kind: [TABLES[kind][0]] * 3 for kind in ("wire", "flow", "udp", "ping", "program")}


def refusal(key, value):
    """What is wrong with the key; empty if it is one."""
    tables = copy.deepcopy({**TABLES, **MORE})
    try:
        assign(tables, key, value)
        scenario_from_tables(tables)
    except ScenarioErrors as errors:
        return "\n".join(str(error) for error in errors.errors if error.what == "unknown key")
    return ""


def tables_of(page, kind):
    """Every `[KIND.NAME]` of the TOML blocks of a page."""
    for block in blocks(page):
        if block.language == "toml":
            found = tomllib.loads(block.text).get(kind, {})
            yield from found.values() if isinstance(found, dict) else ()


def assignments(factor):
    """Keys with their values of a factor of a campaign or a study."""
    for key in [factor["key"]] if "key" in factor else factor.get("keys", []):
        yield from ((key, value) for value in factor.get("values", []) or ["1"])
    for level in factor.get("levels", {}).values():
        yield from ((key, value) for key, value in level.items() if key != "scenario")


FACTORS = [
    (name, key, value)
    for name, page in PAGES.items()
    for factor in tables_of(page, "factor")
    for key, value in assignments(factor)
]
SETTINGS = [
    (name, setting)
    for name, page in PAGES.items()
    for words in airtcp_commands(page)
    for option, setting in itertools.pairwise(words)
    if option == "--set" and setting != "KEY=VALUE"
]
METRICS = [
    (name, metric) for name, page in PAGES.items() for metric in tables_of(page, "metric") if "of" in metric
]


def test_there_are_some_of_each():
    assert len(FACTORS) > 10
    assert SETTINGS
    assert len(METRICS) >= 5


def test_an_unknown_key_is_noticed():
    assert "Signals are between radios" in refusal("wifi.home.rssi", "-80 dBm")
    assert not refusal("channel.rssi", "-80 dBm")


@pytest.mark.parametrize(("name", "key", "value"), FACTORS)
def test_factors_of_pages_vary_keys_of_scenarios(name, key, value):
    assert not refusal(key, value), name


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if any(tables_of(page, "factor"))])
def test_factors_of_pages_have_the_keys_of_factors(name):
    for factor in tables_of(PAGES[name], "factor"):
        CampaignFactor.model_validate(factor)


@pytest.mark.parametrize(("name", "setting"), SETTINGS)
def test_settings_of_commands_are_of_keys_of_scenarios(name, setting):
    key, equals, value = setting.partition("=")
    assert equals, name
    assert not refusal(key.strip(), value), name


@pytest.mark.parametrize(("name", "metric"), METRICS)
def test_metrics_of_pages_are_of_known_quantities(name, metric):
    quantity_of(MetricFile.model_validate(metric), name)
