"""Studies as data: what they vary, which runs they are, and that every one of airtcp's own can be run."""

import json
import re

import pytest
from airtcp.errors import AirtcpError
from airtcp.scenario.compile.compiler import compile_file
from airtcp.studies.cases import Plans, cases, choose_levels, choose_parts, quickened
from airtcp.studies.claims import check_claims
from airtcp.studies.known_studies import PRESETS, known_studies, study_folder, study_titles
from airtcp.studies.measuring import wanted
from airtcp.studies.study import read_study
from support.small_study import small_study


@pytest.mark.parametrize("name", known_studies())
def test_every_study_can_be_run(name):
    study = read_study(study_folder(name))
    check_claims(study)
    wanted(study)
    assert study.name == name
    for chosen in (study, choose_parts(quickened(study), ())):
        plans = Plans(chosen)
        every = cases(chosen, [1])
        assert every
        assert all(plans.plan(case)["flows"] or plans.plan(case)["datagrams"] for case in every)


def _is_preset(name):
    return study_folder(name).parent.name == PRESETS


@pytest.mark.parametrize("name", [name for name in known_studies() if not _is_preset(name)])
def test_every_claim_says_where_and_why(name):
    claims = read_study(study_folder(name)).claims
    assert len({claim.id for claim in claims}) == len(claims) > 0
    assert all(claim.place and claim.sentence and claim.tolerance and claim.reason for claim in claims)


@pytest.mark.parametrize("name", [name for name in known_studies() if _is_preset(name)])
def test_every_preset_shows_every_part_and_tells_its_sources(name):
    study = read_study(study_folder(name))
    assert study.title.startswith("Preset: ")
    assert {one.part for one in study.figures} | {one.part for one in study.tables} == set(study.parts)
    assert {table.part for table in study.tables} == set(study.parts)
    readme = (study_folder(name) / "README.md").read_text(encoding="utf-8")
    assert f"airtcp study {name} --quick" in readme
    assert "## Assumptions" in readme


@pytest.mark.parametrize("name", known_studies())
def test_scenarios_of_studies_can_be_run_by_themselves(name):
    files = [
        file for file in study_folder(name).rglob("*.toml") if file.name not in ("study.toml", "claims.toml")
    ]
    assert files
    assert all(compile_file(file)["nodes"] for file in files)


def test_studies_have_different_names_and_come_before_presets():
    names = known_studies()
    assert len(set(names)) == len(names)
    assert [_is_preset(name) for name in names] == sorted(_is_preset(name) for name in names)
    assert list(study_titles()) == names


def test_the_cases_are_every_combination_and_seed(tmp_path):
    study = choose_parts(small_study(tmp_path / "small"), ())
    every = cases(study, (1, 2))
    assert len(every) == 12
    assert [case.key() for case in every[:3]] == [
        ("reno", "20 packets"),
        ("reno", "20 packets"),
        ("reno", "100 packets"),
    ]
    plan = Plans(study).plan(every[2])
    assert (plan["flows"][0]["congestion_control"], plan["seed"]) == ("reno", 1)
    queues = [i["egress"]["queue"] for node in plan["nodes"] for i in node["interfaces"]]
    assert {"kind": "packets", "limit": 100} in queues


def test_equal_plans_are_computed_once(tmp_path):
    more = '[part.again]\ntitle = "Again"\nscenario = "base.toml"\nvary = { cca = ["reno"], queue = ["20 packets"] }\n'
    study = choose_parts(small_study(tmp_path / "small", more), ())
    every = cases(study, (1,))
    work, places = Plans(study).distinct(every)
    assert (len(every), len(work)) == (7, 6)
    assert places[-1] == 0


def test_parts_by_name_and_section(tmp_path):
    study = small_study(tmp_path / "small")
    assert list(choose_parts(study, ()).parts) == ["main"]
    assert list(choose_parts(study, ("4",)).parts) == ["main"]
    assert list(choose_parts(study, ("extra",)).parts) == ["extra"]
    with pytest.raises(AirtcpError, match="no section or part"):
        choose_parts(study, ("5",))


def test_a_claim_may_be_held_against_further_parts(tmp_path):
    claim = """
[[claim]]
id = "fast"
place = "4"
sentence = "Fast"
paper = "fast"
tolerance = "none"
reason = "None."
computation = "within"
part = "main"
also = ["extra"]
metric = "throughput"
low = 1
"""
    study = small_study(tmp_path, claims=claim)
    assert [(one.id, one.place, one.part) for one in study.claims] == [
        ("fast", "4", "main"),
        ("fast, extra", "4; part extra", "extra"),
    ]
    assert [one.id for one in choose_parts(study, []).claims] == ["fast"]
    assert [one.id for one in choose_parts(study, ["extra"]).claims] == ["fast, extra"]
    with pytest.raises(AirtcpError, match="extras"):
        small_study(tmp_path / "wrong", claims=claim.replace('["extra"]', '["extras"]'))


def test_levels_that_are_asked_for_are_run_in_the_short_form_too(tmp_path):
    study = choose_parts(small_study(tmp_path / "small"), ())
    assert {case.levels["cca"] for case in cases(quickened(study), (1,))} == {"reno"}
    chosen = choose_levels(quickened(study, ("cca",)), "cca", ["vegas"])
    assert {case.levels["cca"] for case in cases(chosen, (1,))} == {"vegas"}
    assert Plans(chosen).plan(cases(chosen, (1,))[0])["duration_ns"] == 5_000_000_000


def test_another_kernel(tmp_path):
    study = small_study(tmp_path / "small")
    assert Plans(study, "6.1").plan(cases(study, (1,))[0])["kernel"] == "6.1"


def test_a_named_level_may_assign_several_keys_and_choose_a_file(tmp_path):
    more = """
[factor.where]
name = "where"
levels.near = {}
levels.far = { scenario = "far.toml", "wire[0].delay" = "9 ms", duration = "3 s" }
[part.places]
title = "Places"
scenario = "base.toml"
vary = { where = ["near", "far"] }
"""
    study = small_study(tmp_path / "small", more)
    text = (tmp_path / "small" / "base.toml").read_text().replace('"base"', '"far"')
    (tmp_path / "small" / "far.toml").write_text(text)
    near, far = (Plans(study).plan(case) for case in cases(study.only_parts(("places",)), (1,)))
    assert (near["name"], far["name"], far["duration_ns"]) == ("base", "far", 3_000_000_000)
    assert "9000000" in json.dumps(far)


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ('[part.x]\ntitle = "x"\nscenario = "base.toml"\nvary = { cc = ["reno"] }', 'no factor "cc"'),
        ('[part.x]\ntitle = "x"\nscenaro = "base.toml"\nvary = { cca = ["reno"] }', "unknown key|is missing"),
        (
            '[[figure]]\nid = "f"\npart = "mian"\ntitle = "t"\nkind = "bars"\ny = "rtt"\nlabel = "l"',
            'mean "main"',
        ),
        (
            '[[table]]\nid = "t"\npart = "main"\ntitle = "t"\nrows = ["queu"]\nmetrics = ["rtt"]',
            'mean "queue"',
        ),
    ],
)
def test_a_study_that_makes_no_sense_is_refused(tmp_path, more, says):
    with pytest.raises(AirtcpError, match=says):
        small_study(tmp_path / "small", more)


def test_an_unknown_quantity_and_unit_are_refused(tmp_path):
    table = '[[table]]\nid = "t"\npart = "main"\ntitle = "t"\nrows = ["cca"]\nmetrics = ["{}"]\n'
    with pytest.raises(AirtcpError, match=re.escape('no quantity "throughputt"')):
        wanted(small_study(tmp_path / "a", table.format("throughputt")))
    more = '[metric.x]\nof = "throughput"\nunit = "kB"\n' + table.format("x")
    with pytest.raises(AirtcpError, match="not a unit of throughput"):
        wanted(small_study(tmp_path / "b", more))


def test_what_can_not_be_compiled_names_the_case(tmp_path):
    study = small_study(
        tmp_path / "small", '[part.x]\ntitle = "x"\nscenario = "base.toml"\nvary = { cca = ["cubik"] }'
    )
    with pytest.raises(AirtcpError, match=r"base\.toml with cca = cubik.*unknown congestion control"):
        Plans(study).plan(cases(study.only_parts(("x",)), (1,))[0])
