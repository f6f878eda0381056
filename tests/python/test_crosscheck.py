"""The scenes that are held against ns-3, and ns-3's stored results of them."""

import statistics

import pytest
from crosscheck.cases import Case, Scene, read_cases
from crosscheck.compare import GRID
from crosscheck.ns3 import arguments
from crosscheck.results import REFERENCE, Run, mean_of, read_reference
from crosscheck.speed import SCENES

CASES = read_cases(GRID)


def test_names_are_unique_and_variants_name_main_cases() -> None:
    names = [case.name for case in CASES]
    assert len(set(names)) == len(names)
    main = {case.name for case in CASES if not case.variant_of}
    assert {case.variant_of for case in CASES if case.variant_of} <= main


def test_a_variant_differs_only_in_what_is_a_matter_of_definition() -> None:
    of_definition = {"explicit_bar", "preamble_sinr_db", "short_retry_limit", "seconds"}
    by_name = {case.name: case.scene.model_dump() for case in CASES}
    for case in CASES:
        if case.variant_of:
            main = by_name[case.variant_of]
            differing = {name for name, value in by_name[case.name].items() if main[name] != value}
            assert differing
            assert differing <= of_definition


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_the_reference_has_every_case_with_these_values(case: Case) -> None:
    entry = read_reference().entry(case)
    assert entry is not None, (
        f"run `python -m crosscheck.compare --record`; {REFERENCE.name} lacks {case.name}"
    )
    totals = sum(entry.result.up_mbps) + sum(entry.result.down_mbps)
    assert totals == pytest.approx(entry.result.goodput_mbps, rel=1e-3)
    assert entry.result.standard_error_mbps < 0.02 * entry.result.goodput_mbps


def test_single_station_of_11a_is_the_closed_form() -> None:
    """DIFS, mean backoff of 7.5 slots, 248 us of data, SIFS and an ACK of 28 us."""
    entry = read_reference().entries["11a: 1 station up"]
    closed_form = 1472 * 8 / (34 + 7.5 * 9 + 248 + 16 + 28)
    assert entry.result.goodput_mbps == pytest.approx(closed_form, rel=0.01)


def test_every_goal_of_speed_has_its_scene() -> None:
    scenes = [case.scene for case in read_cases(SCENES)]
    found = {(s.standard, s.stations, s.direction) for s in scenes}
    assert found == {
        (standard, stations, direction)
        for standard in ("11g", "11n", "11ac", "11ax")
        for stations in (1, 10, 50)
        for direction in ("up", "down")
    }


def test_a_scene_becomes_a_command_line() -> None:
    scene = Scene(standard="11b", band="2.4", rates=[5.5, 11], qos=True, txop_us=0)
    line = arguments(scene, seed=3, count=False)
    assert "--rates=5.5,11" in line
    assert "--qos=1" in line
    assert "--txop-us=0" in line
    assert "--seed=3" in line
    assert not [option for option in line if option.startswith("--aifsn")]


def test_means_and_standard_error() -> None:
    totals = [10.0, 11.0, 12.0]
    runs = [
        Run(goodput_mbps=t, up_mbps=[t], down_mbps=[0.0], cpu_s_per_s=0.1, peak_memory_mb=t) for t in totals
    ]
    result = mean_of(runs, 2.0)
    assert result.goodput_mbps == 11.0
    assert result.standard_error_mbps == pytest.approx(statistics.stdev(totals) / 3**0.5, abs=1e-5)
    assert result.peak_memory_mb == 12.0
