"""Names of runs, without making them."""

import json
import sys

import pytest
from airtcp.errors import AirtcpError
from airtcp.execution.run_names import names, names_or_errors

# Answers as the runner's `names` does; a plan's name says what it says of it.
RUNNER = """
import json, sys
for number, line in enumerate(sys.stdin):
    plan = json.loads(line)
    if plan["name"] == "wrong":
        error = {"kind": "plan", "what": "seed: is no seed", "place": f"plan {number + 1}", "remedy": "correct the value"}
        print(json.dumps({"error": error}))
    elif plan["name"] == "stop":
        print(json.dumps({"event": "failed", "kind": "kernel", "what": "no kernel is built here", "place": "k",
                          "remedy": "build one", "console": []}))
        sys.exit(2)
    elif plan["name"] == "silent":
        print("thread 'main' panicked", file=sys.stderr)
        sys.exit(101)
    elif plan["name"] == "garbage":
        print("Segmentation fault")
    elif plan["name"] != "nothing":
        print(json.dumps({"run": f"{plan['seed']:016x}"}))
"""


@pytest.fixture
def runner(tmp_path):
    (tmp_path / "names.py").write_text(RUNNER)
    script = tmp_path / "airtcp-runner"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {tmp_path / "names.py"} "$@"\n')
    script.chmod(0o755)
    return script


def plans(*plan_names):
    return [{"name": name, "seed": seed} for seed, name in enumerate(plan_names)]


def test_names_come_in_the_order_of_the_plans(runner, kernel):
    # More than a pipe holds, in both directions.
    many = [{"name": "x" * 500, "seed": seed} for seed in range(5000)]
    assert names(runner, {"6.12": kernel}, many) == [f"{seed:016x}" for seed in range(5000)]
    assert names(runner, {"6.12": kernel}, []) == []


def test_a_wrong_plan_is_named_and_does_not_end_the_others(runner, kernel):
    found = names_or_errors(runner, {"6.12": kernel}, plans("a", "wrong", "b"))
    assert (found[0], found[2]) == ("0" * 16, f"{2:016x}")
    assert str(found[1]) == "plan 2 (wrong): seed: is no seed. Correct the value."
    with pytest.raises(AirtcpError, match="seed: is no seed"):
        names(runner, {"6.12": kernel}, plans("a", "wrong", "b"))


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("stop", "no kernel is built here"),
        ("silent", "ended with status 101: thread 'main' panicked"),
        ("garbage", "printed b'Segmentation fault'"),
        ("nothing", "named 2 of 3 plans"),
    ],
)
def test_a_runner_that_does_not_keep_to_its_contract_is_told(runner, kernel, name, told):
    with pytest.raises(AirtcpError, match=told):
        names(runner, {"6.12": kernel}, plans("a", name, "b"))


def test_a_runner_that_is_not_there_is_told(tmp_path, kernel):
    with pytest.raises(AirtcpError, match="can't be started"):
        names(tmp_path / "nowhere", {"6.12": kernel}, plans("a"))


def test_a_plan_that_is_no_json_is_our_own_fault(runner, kernel):
    with pytest.raises(TypeError):
        names(runner, {"6.12": kernel}, [{"name": "a", "seed": 1, "x": object()}])


@pytest.mark.guest
def test_the_runner_names_ten_thousand_plans_in_a_second_or_two(real_runner, first_toml):
    import time

    from airtcp.execution.locate import find_kernel
    from airtcp.scenario.compile.compiler import compile_file

    plan = dict(compile_file(first_toml))
    kernels = {plan["kernel"]: find_kernel(plan["kernel"])}
    begin = time.monotonic()
    found = names(real_runner, kernels, ({**plan, "seed": seed} for seed in range(10_000)))
    assert len(set(found)) == 10_000
    # Twice as much on a machine that has other things to do, and a margin.
    assert time.monotonic() - begin < 10
    wrong = names_or_errors(real_runner, kernels, [{**plan, "seed": -1}, {**plan, "kernel": "5.4"}, plan])
    assert [isinstance(each, AirtcpError) for each in wrong] == [True, True, False]
    assert "airtcp kernel build --series 5.4" in json.dumps(str(wrong[1]))
