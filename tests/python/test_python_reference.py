"""The page of the Python interface is that of the docstrings, and every public name has an example that runs."""

import doctest
import inspect
import json
import re
import shutil
from pathlib import Path

import airtcp
import polars
import pytest
from airtcp.reference import FUNCTIONS, NETWORKS, RESULTS, members, python_reference, sections
from airtcp.scenario.compile.compiler import compile_file
from support.recorded_series import add_new_series
from support.run_folder import write_run_folder

ROOT = Path(__file__).parents[2]
FIRST = ROOT / "tests" / "python" / "scenarios" / "first.toml"
PING = ROOT / "tests" / "python" / "foreign" / "iputils-ping.txt"


def described():
    """Every public name with its docstring."""
    for one in (*FUNCTIONS, *RESULTS, *NETWORKS):
        yield one.__name__, inspect.getdoc(one)
        if inspect.isclass(one):
            yield from ((f"{one.__name__}.{name}", inspect.getdoc(member)) for name, member in members(one))


def run_examples(names, values):
    """Runs the examples of these names one after another: values of one are there in the next."""
    texts = dict(described())
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    complaints = []
    for name in names:
        example = sections(texts[name])["Example"]
        test = doctest.DocTestParser().get_doctest(example, values, name, None, None)
        assert test.examples, name
        runner.run(test, out=complaints.append, clear_globs=False)
        values |= test.globs
    assert not complaints, "".join(complaints)


def names_of(owner):
    return [name for name, _ in described() if name.partition(".")[0] == owner.__name__]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The working folder of the examples."""
    monkeypatch.chdir(tmp_path)
    shutil.copy(FIRST, "first.toml")
    shutil.copy(PING, "ping.txt")
    for seed in (1, 2):
        plan = dict(compile_file(FIRST, {"seed": seed}))
        add_new_series(write_run_folder(Path("runs"), plan))
    for limit in (20, 100):
        plan = dict(compile_file(FIRST, {"wire[0].queue": f"{limit} packets"}))
        write_run_folder(Path("varied"), plan)
    Path("scene").mkdir()
    scene = {"name": "capacity", "sources": [], "air": {}, "duration_ns": 1}
    Path("scene/plan.json").write_text(json.dumps(scene))
    Path("scene/report.json").write_text(json.dumps({"sources": [], "nics": [], "media": []}))
    return tmp_path


def test_the_page_is_that_of_the_docstrings():
    text = (ROOT / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
    assert text == python_reference(), "run: python -m airtcp.reference > docs/reference/python.md"


def test_the_scenario_of_the_page_is_that_of_the_examples():
    [text] = re.findall(r"```toml\n(.*?)```", python_reference(), re.DOTALL)
    assert text == FIRST.read_text(encoding="utf-8")


def test_every_public_function_is_on_the_page():
    assert {one.__name__ for one in FUNCTIONS} == set(airtcp.__all__) - {"AirtcpError", "__version__"}


@pytest.mark.parametrize(("name", "text"), list(described()))
def test_every_name_has_an_example_and_its_sections(name, text):
    parts = sections(text)
    assert parts[""].endswith(".")
    assert parts.get("Example", "").startswith(">>> "), name


@pytest.mark.parametrize(
    "owner", [each for each in (*FUNCTIONS, *NETWORKS, *RESULTS) if inspect.isclass(each)]
)
def test_every_parameter_is_described(owner):
    for name, member in members(owner):
        if inspect.isfunction(member):
            parameters = set(inspect.signature(member).parameters) - {"self"}
            assert parameters == entries(sections(inspect.getdoc(member)).get("Args", "")), name


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_parameter_of_a_function_is_described(function):
    parts = sections(inspect.getdoc(function))
    assert set(inspect.signature(function).parameters) == entries(parts["Args"])
    assert parts["Returns"]
    assert parts["Raises"]


def entries(section):
    return set(re.findall(r"^([\w.]+): ", section, re.MULTILINE))


@pytest.mark.parametrize("owner", [airtcp.load, airtcp.number, *RESULTS])
@pytest.mark.usefixtures("folder")
def test_examples_of_results_run(owner):
    values = {"airtcp": airtcp, "polars": polars, "run": airtcp.load("runs")[0]}
    if owner is not airtcp.load:
        values["store"] = airtcp.load("runs")
    run_examples(names_of(owner), values)


@pytest.mark.usefixtures("folder", "fake_tools")
def test_the_example_of_sweep_runs():
    run_examples(["sweep"], {"airtcp": airtcp, "polars": polars})


@pytest.mark.guest
@pytest.mark.usefixtures("folder")
def test_the_example_of_lab_runs():
    run_examples(["lab"], {"airtcp": airtcp})


@pytest.mark.guest
@pytest.mark.usefixtures("folder")
def test_examples_of_networks_run():
    run_examples(names_of(NETWORKS[0]), {"airtcp": airtcp})
    with airtcp.lab("first.toml") as lab:
        values = {"airtcp": airtcp, "lab": lab}
        for owner in NETWORKS[1:]:
            run_examples(names_of(owner), values)
