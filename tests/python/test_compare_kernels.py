"""Two kernels compared: differences by hand, marks and their correction, the letter, and what is refused."""

import csv
import json

import jsonschema
import pytest
from airtcp.campaign.kernel_runs import kernel_changes, kernel_notes, kernel_runs
from airtcp.errors import AirtcpError
from airtcp.report.comparison.kernel_letter import COLUMNS, letter, write_kernel_report
from airtcp.report.comparison.kernel_record import KernelComparisonRecord, kernel_record
from airtcp.report.comparison.kernels import RunOf, compare_kernels
from airtcp.report.record import as_json, json_schema
from airtcp.scenario.compile.compiler import compile_file
from conftest import SCENARIOS
from support.run_folder import Shape, write_run_folder

# Mbit/s of seeds 1 to 4 by scenario and kernel; RTTs are 10 ms times the seed.
RATES = {
    "a.toml": {"6.12": (8.0, 9.0, 10.0, 9.0), "7.2": (9.0, 10.1, 10.9, 10.0)},
    "b.toml": {"6.12": (5.0, 6.0, 5.0, 6.0), "7.2": (6.0, 5.0, 6.0, 5.0)},
}
COMMAND = (
    f"airtcp compare-kernels 6.12 7.2 {' '.join(f'scenarios/number-{n}.toml' for n in range(6))} --reps 4"
)


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    store, made = tmp_path_factory.mktemp("kernels"), []
    plan = dict(compile_file(SCENARIOS / "first.toml"))
    for scenario, by_kernel in RATES.items():
        for kernel, rates in by_kernel.items():
            for seed, rate in enumerate(rates, 1):
                own = {**plan, "name": scenario, "seed": seed, "kernel": kernel}
                folder = write_run_folder(store, own, Shape(rate_mbps=rate, rtt_ms=10.0 * seed))
                made.append(RunOf(kernel, scenario, seed, folder))
    return made


def by_name(found):
    return {(one.scenario, one.value): one for one in found.differences}


def test_differences_are_those_of_b_less_a_within_seeds(runs):
    found = compare_kernels(("6.12", "7.2"), runs, ["throughput", "rtt"])
    rates = by_name(found)["a.toml", "throughput"]
    # 1.0, 1.1, 0.9 and 1.0: mean 1, standard deviation 0.0816; Student's t of 3 degrees at 97.5 % is 3.182.
    assert rates.paired.difference.mean == pytest.approx(1.0)
    assert rates.paired.difference.low == pytest.approx(1 - 3.182 * 0.08165 / 2, abs=1e-3)
    assert (rates.paired.second_mean, rates.paired.first_mean) == (pytest.approx(9.0), pytest.approx(10.0))
    # The RTTs are the same in both.
    assert by_name(found)["a.toml", "rtt"].paired.difference.mean == 0
    assert list(found.scenarios) == ["a.toml", "b.toml"]
    assert found.seeds == 4


def test_marks_say_which_intervals_exclude_zero_and_which_remain_corrected(runs):
    found = compare_kernels(("6.12", "7.2"), runs, ["throughput", "rtt"])
    assert {key: one.mark for key, one in by_name(found).items()} == {
        ("a.toml", "throughput"): "**",
        ("a.toml", "rtt"): "",
        ("b.toml", "throughput"): "",
        ("b.toml", "rtt"): "",
    }
    assert found.by_chance == pytest.approx(0.2)
    # The p of a t of 24.5 is 0.00015, times four.
    assert by_name(found)["a.toml", "throughput"].p == pytest.approx(4 * 0.000149, rel=0.05)


def test_a_kernel_compared_with_itself_differs_in_nothing(runs):
    found = compare_kernels(("6.12", "6.12"), runs, ["throughput", "rtt", "srtt"])
    assert len(found.differences) >= 4
    for one in found.differences:
        interval = one.paired.difference
        assert (interval.mean, interval.low, interval.high, one.mark) == (0.0, 0.0, 0.0, "")


def test_the_letter_has_75_columns_and_says_what_was_run(runs):
    found = compare_kernels(("6.12", "7.2"), runs, ["throughput", "rtt.p95", "rtt", "retransmits"])
    text = letter(found, COMMAND)
    assert max(map(len, text.splitlines())) <= COLUMNS
    assert text.isascii()
    for part in ("A: kernel 6.12", "B: kernel 7.2", "id ", "Seeds 1 to 4", "virtual time", "up to"):
        assert part in text
    (rates,) = [line for line in text.splitlines() if line.startswith("Throughput") and "10.00" in line]
    assert rates.split()[-6:] == ["10.00", "1.000", "0.870", "..", "1.130", "**"]
    command = text[text.index("  airtcp compare") :]
    assert " ".join(command.replace("\\\n", " ").split()) == COMMAND


def test_what_is_0_in_every_run_is_no_difference_but_a_note(runs):
    found = compare_kernels(("6.12", "7.2"), runs, ["throughput", "timeouts"])
    assert {one.value for one in found.differences} == {"throughput"}
    assert found.notes == ("a.toml: 0 in every run: Timeouts.", "b.toml: 0 in every run: Timeouts.")


def test_the_report_is_text_page_and_csv(runs, tmp_path):
    found = compare_kernels(("6.12", "7.2"), runs, ["throughput", "rtt"])
    write_kernel_report(found, COMMAND, tmp_path / "out")
    assert (tmp_path / "out" / "report.txt").read_text() == f"{letter(found, COMMAND)}\n"
    assert "Kernels 6.12 and 7.2" in (tmp_path / "out" / "report.html").read_text()
    with (tmp_path / "out" / "differences.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert float(rows[0]["difference"]) == pytest.approx(1.0)
    record = as_json(kernel_record(found, COMMAND))
    jsonschema.validate(json.loads(json.dumps(record)), json_schema(KernelComparisonRecord))


def test_kernels_have_the_names_of_scenarios_and_of_builds():
    assert kernel_changes("7.2") == {"kernel": "7.2"}
    assert kernel_changes("6.12-lab-hz1000") == {"kernel": "6.12", "hz": 1000, "guest.flavour": "lab"}
    for wrong in ("6.13", "Six", ""):
        with pytest.raises(AirtcpError, match="is no kernel"):
            kernel_changes(wrong)


def test_both_kernels_take_the_place_of_that_of_the_scenario(scenario_file, first_toml, tmp_path):
    file = scenario_file(f'kernel = "6.1"\n{first_toml.read_text()}')
    assert kernel_notes([file, first_toml]) == [
        f"{file} names kernel 6.1 itself; both kernels take its place."
    ]
    runs = kernel_runs(("6.12", "7.2"), [file, first_toml], (1, 2), tmp_path)
    assert [(run.kernel, run.seed, run.job.plan["kernel"]) for run in runs[:4]] == [
        (kernel, seed, kernel) for kernel in ("6.12", "7.2") for seed in (1, 2)
    ]
    assert len(kernel_runs(("6.12", "6.12"), [file], (1, 2), tmp_path)) == 2


def test_plans_files_twice_and_kernels_that_are_not_built_are_refused(airtcp, first_toml, tmp_path):
    for files, told in (([tmp_path / "plan.json"], "is a plan"), ([first_toml, first_toml], "named twice")):
        with pytest.raises(AirtcpError, match=told):
            kernel_runs(("6.12", "7.2"), files, (1, 2), tmp_path)
    for words, said in (
        (("6.12", "6.13", str(first_toml)), "6.13: is no kernel"),
        (("6.12", "mine", str(first_toml)), 'no kernel "mine" is built here'),
        (("6.12", "7.2", "nosuch.toml"), "nosuch.toml"),
        (("6.12", "7.2", str(first_toml), "--values", "rt"), 'there is no quantity "rt"'),
    ):
        done = airtcp("compare-kernels", *words)
        assert done.returncode == 2
        assert said in done.stderr


@pytest.mark.guest
def test_a_guest_kernel_against_itself_and_against_another_series(series, first_toml, tmp_path):
    from support.command import airtcp as command

    short = tmp_path / "short.toml"
    short.write_text(first_toml.read_text().replace('"10 s"', '"2 s"'))
    done = command("compare-kernels", "6.12", series, short.name, "--reps", "2", "--json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    record = json.loads(done.stdout)
    jsonschema.validate(record, json_schema(KernelComparisonRecord))
    assert record["b"]["release"].startswith(f"{series}.")
    values = {one["value"]: one for one in record["differences"]}
    assert {"throughput", "rtt", "rtt.p95", "inflight"} <= values.keys()
    if series == "6.12":
        assert all(one["difference"] == one["low"] == one["high"] == 0 for one in values.values())
        assert not any(one["excludes_zero"] for one in values.values())
    # The wire carries 10 Mbit/s.
    assert 1 < values["throughput"]["b"] < 10
