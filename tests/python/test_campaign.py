"""Campaign files: combinations, errors, and the study that a campaign is."""

from pathlib import Path

import airtcp
import pytest
from airtcp.campaign.cache_keys import NUMBER_SOURCES, PLAN_SOURCES, REPORT_SOURCES
from airtcp.campaign.campaign import PART, read_campaign
from airtcp.campaign.reference import campaign_reference
from airtcp.campaign.schedule import Request, make_schedule
from airtcp.errors import AirtcpError
from airtcp.studies.cases import Plans, cases
from support.documentation_pages import ROOT
from support.small_campaign import CAMPAIGN, write_campaign

HEAD = 'name = "x"\nscenario = "base.toml"\nmetrics = ["throughput"]\n'
TWO = """
[factor.a]
key = "flow[*].cca"
values = ["reno", "cubic"]
[factor.b]
key = "wire[0].queue"
values = ["20 packets", "50 packets"]
"""


def combinations(tmp_path, text):
    study = read_campaign(write_campaign(tmp_path, HEAD + text)).study
    return [case.key() for case in cases(study, [1])]


def test_the_reference_of_campaigns_is_that_of_the_models():
    text = (ROOT / "docs" / "reference" / "campaign.md").read_text(encoding="utf-8")
    assert text == campaign_reference(), (
        "run: python -m airtcp.campaign.reference > docs/reference/campaign.md"
    )


def test_every_combination_of_all_values(tmp_path):
    assert combinations(tmp_path, TWO) == [
        ("reno", "20 packets"),
        ("reno", "50 packets"),
        ("cubic", "20 packets"),
        ("cubic", "50 packets"),
    ]


def test_paired_factors_go_in_step(tmp_path):
    more = '[factor.c]\nkey = "mtu"\nvalues = [1500, 1400, 1300]\n'
    found = combinations(tmp_path, 'paired = [["a", "b"]]\n' + TWO + more)
    assert found == [
        ("reno", "20 packets", 1500),
        ("reno", "20 packets", 1400),
        ("reno", "20 packets", 1300),
        ("cubic", "50 packets", 1500),
        ("cubic", "50 packets", 1400),
        ("cubic", "50 packets", 1300),
    ]


def test_cases_one_by_one(tmp_path):
    listed = TWO + '[[case]]\na = "cubic"\nb = ["50 packets", "20 packets"]\n[[case]]\nb = "20 packets"\n'
    assert combinations(tmp_path, listed) == [
        ("cubic", "50 packets"),
        ("cubic", "20 packets"),
        ("reno", "20 packets"),
    ]


def test_several_keys_levels_with_names_and_booleans(tmp_path):
    text = """
[factor.mtu]
keys = ["mtu"]
values = [1500, 1400]
[factor.air]
levels.clean = {}
levels.far = { "wifi.home.standard" = "11g" }
[factor.acks]
key = "sampling.acks"
values = [true, false]
"""
    study = read_campaign(write_campaign(tmp_path, HEAD + text)).study
    found = cases(study, [3])
    assert [case.key() for case in found][:3] == [
        (1500, "clean", "true"),
        (1500, "clean", "false"),
        (1500, "far", "true"),
    ]
    plan = Plans(study).plan(found[1])
    assert (plan["sampling"]["acks"], plan["seed"]) == (False, 3)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[factor.a]\nkey = 'mtu'\n", r"factor\.a: has neither values nor levels"),
        ("[factor.a]\nvalues = [1]\n", "needs one of key and keys"),
        ("[factor.a]\nkey = 'mtu'\nvalues = [1]\nlevels.x = {}\n", "has both values and levels"),
        ("[factor.a]\nkey = 'mtu'\nvalues = [[1]]\n", "can't be the label of a level"),
        ("paired = [['a', 'c']]\n" + TWO, 'there is no factor "c"'),
        ("paired = [['a', 'a']]\n" + TWO, "a is in two groups"),
        ("paired = [['a', 'b']]\n" + TWO.replace(', "50 packets"', ""), "a 2, b 1"),
        (TWO + "[[case]]\na = 'vegas'\n", "'vegas' is no value of a. Known: reno, cubic"),
        (TWO + "[[case]]\nq = 1\n", 'there is no factor "q"'),
        ("paired = [['a', 'b']]\n" + TWO + "[[case]]\na = 'reno'\n", "has both case and paired"),
        ("fator = 1\n" + TWO, r'fator: unknown key\. Did you mean "factor"\?$'),
        ("[factor.a]\nky = 'mtu'\nvalues = [1]\n", r'factor\.a\.ky: unknown key\. Did you mean "key"\?$'),
        ("[factor.a]\nkey = 'mtu'\nvalues = [1, 2, 1]\n", r"factor\.a\.values: 1 is listed twice"),
        (TWO + "[[table]]\nid = 't'\ntitle = 't'\nrows = ['z']\n", 'there is no factor "z"'),
    ],
)
def test_what_is_wrong_is_told_with_its_place(tmp_path, text, says):
    with pytest.raises(AirtcpError, match=says) as caught:
        read_campaign(write_campaign(tmp_path, HEAD + text))
    assert "small.toml" in str(caught.value)


def test_an_unknown_metric_is_told_before_anything_runs(tmp_path):
    text = HEAD.replace("throughput", "thruput") + TWO
    with pytest.raises(AirtcpError, match=r'small\.toml: metric thruput: there is no quantity "thruput"'):
        read_campaign(write_campaign(tmp_path, text))


def test_something_must_be_wanted(tmp_path):
    with pytest.raises(AirtcpError, match="has no metrics, figures or tables"):
        read_campaign(write_campaign(tmp_path, HEAD.replace('["throughput"]', "[]") + TWO))


def test_a_mapping_is_a_campaign_too(tmp_path):
    write_campaign(tmp_path)
    tables = {
        "name": "mapped",
        "scenario": str(tmp_path / "base.toml"),
        "metrics": ["rtt"],
        "factor": {"mtu": {"key": "mtu", "values": [1500, 1400]}},
    }
    study = read_campaign(tables).study
    assert [Plans(study).plan(case)["nodes"][0]["interfaces"][0]["mtu"] for case in cases(study, [1])] == [
        1500,
        1400,
    ]


def test_a_plan_of_another_seed_is_that_of_its_scenario(tmp_path):
    study = read_campaign(write_campaign(tmp_path)).study
    every = cases(study, [1, 2])
    one = Plans(study)
    assert [one.plan(case) for case in every] == [Plans(study).plan(case) for case in every]
    assert len(study.parts[PART].grids) == 1


@pytest.mark.parametrize(
    ("only", "says"),
    [({"cc": ["reno"]}, 'has no factor "cc"'), ({"cca": ["bbr"]}, '"bbr" is not a cca')],
)
@pytest.mark.usefixtures("fake_tools")
def test_levels_that_are_not_there(tmp_path, only, says):
    campaign = read_campaign(write_campaign(tmp_path))
    with pytest.raises(AirtcpError, match=says):
        make_schedule(campaign, Request(tmp_path / "runs", only=only))


@pytest.mark.usefixtures("fake_tools")
def test_a_change_of_what_is_shown_keeps_the_index_a_change_of_the_scenario_does_not(tmp_path):
    from airtcp.campaign.cache_keys import plans_key

    def key(text=CAMPAIGN):
        return plans_key(read_campaign(write_campaign(tmp_path, text)).study, None)

    first = key()
    assert key(CAMPAIGN.replace('"RTT"', '"Round trips"').replace(', "cubic"', "")) == first
    assert key(CAMPAIGN.replace("2 s", "3 s")) != first
    assert key(CAMPAIGN.replace("wire[0].queue", "wire[*].queue")) != first
    file = write_campaign(tmp_path)
    scenario = file.parent / "base.toml"
    scenario.write_text(scenario.read_text() + "# a comment\n")
    assert plans_key(read_campaign(file).study, None) == first
    scenario.write_text(scenario.read_text().replace("10 Mbit/s", "11 Mbit/s"))
    assert plans_key(read_campaign(file).study, None) != first


@pytest.mark.parametrize("places", [PLAN_SOURCES, NUMBER_SOURCES, REPORT_SOURCES])
def test_caches_depend_on_sources_that_are_there(places):
    package = Path(airtcp.__file__).parent
    assert [place for place in places if not (package / place).exists()] == []
