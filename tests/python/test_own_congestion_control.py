"""Congestion controls that users bring: what a scenario accepts, what the builder refuses before it builds."""

import re
import subprocess
from pathlib import Path

import pytest
from airtcp.data.tcp_info import _version
from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_kernel
from airtcp.kernels.table import CONGESTION_CONTROLS
from airtcp.scenario.compile.compiler import compile_file
from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.keys.congestion_control import congestion_controls
from test_scenario import BASE, FLOW

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "own-congestion-control"
CALM = (EXAMPLE / "tcp_calm.c").read_text(encoding="utf-8")


@pytest.fixture
def build(tmp_path, monkeypatch):
    kernels = tmp_path / "kernels"
    monkeypatch.setenv("AIRTCP_KERNELS", str(kernels))

    def run(*words):
        # It must never come to a build here: it only looks.
        command = [str(ROOT / "kernel" / "build"), "--print-path", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)

    return run


def file_with(folder, name, text=CALM):
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")
    return folder / name


def scenario(kernel, cca):
    return f'kernel = "{kernel}"\n' + BASE + FLOW + f'cca = "{cca}"\n'


@pytest.mark.parametrize("kernel", ["6.12-calm", "6.12-calm+other", "6.1-a+calm"])
def test_a_kernel_that_names_it_has_it(scenario_file, kernel):
    plan = compile_file(scenario_file(scenario(kernel, "calm")))
    assert plan["kernel"] == kernel
    assert plan["flows"][0]["congestion_control"] == "calm"
    stock = compile_file(scenario_file(scenario(kernel, "vegas")))
    assert stock["flows"][0]["congestion_control"] == "vegas"


@pytest.mark.parametrize("kernel", ["6.12", "6.12-other", "6.12-calm2"])
def test_another_kernel_has_it_not_and_the_error_names_the_remedy(scenario_file, kernel):
    with pytest.raises(ScenarioError, match=r"airtcp kernel build --cca tcp_calm\.c") as caught:
        compile_file(scenario_file(scenario(kernel, "calm")))
    assert 'unknown congestion control "calm"' in str(caught.value)
    assert 'kernel = "6.12-calm"' in str(caught.value)


def test_a_name_that_can_be_none_gets_no_such_remedy(scenario_file):
    with pytest.raises(ScenarioError, match="unknown congestion control") as caught:
        compile_file(scenario_file(scenario("6.12", "Calm Down")))
    assert "kernel build" not in str(caught.value)


@pytest.mark.parametrize(
    "kernel", ["6", "6.12-", "6.12-Calm", "6.12-a++b", "6.12-abcdefghijklmnop", "6.12/x", "-calm"]
)
def test_what_is_no_series_is_refused(scenario_file, kernel):
    with pytest.raises(ScenarioError, match="is not a kernel series"):
        compile_file(scenario_file(scenario(kernel, "cubic")))


def test_all_of_a_series():
    assert congestion_controls("6.12") == CONGESTION_CONTROLS
    assert congestion_controls("6.1-a+b_2") == (*CONGESTION_CONTROLS, "a", "b_2")


def test_tcp_info_is_read_by_the_version_in_the_series():
    assert [_version(kernel) for kernel in ("6.1-calm", "6.12-calm+b", "6.12", "6.x")] == [
        (6, 1),
        (6, 12),
        (6, 12),
        (99, 0),
    ]


def test_the_example_is_accepted(build):
    answer = build("--cca", EXAMPLE / "tcp_calm.c")
    assert answer.returncode == 1
    assert "no kernel of series 6.12-calm is built" in answer.stderr
    assert compile_file(EXAMPLE / "calm.toml")["kernel"] == "6.12-calm"


def test_several_make_one_kernel_whatever_their_order(build, tmp_path):
    files = [file_with(tmp_path, f"tcp_{name}.c", CALM.replace('"calm"', f'"{name}"')) for name in ("b", "a")]
    for one, other in (files, files[::-1]):
        assert "series 6.12-a+b is" in build("--cca", one, "--cca", other).stderr
    assert "series 6.1-a is" in build("--series", "6.1", "--cca", files[1]).stderr


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("mine.c", CALM, "call it tcp_NAME.c"),
        ("tcp_Mine.c", CALM, "call it tcp_NAME.c"),
        ("tcp_abcdefghijklmnop.c", CALM, "at most 15"),
        ("tcp_cubic.c", CALM, "has a congestion control 'cubic'; choose another name"),
        ("tcp_mine.c", CALM, 'must have the name of the file: .name = "mine"'),
        ("tcp_calm.c", "int x;\n", "has no 'struct tcp_congestion_ops'"),
        (
            "tcp_calm.c",
            re.sub(r"(?<!un)tcp_register_\w+\(", "/* tcp_register_congestion_control */ (", CALM),
            "never calls",
        ),
        ("tcp_calm.c", CALM.replace("module_init(", "// module_init("), "has no module_init"),
        (
            "tcp_calm.c",
            CALM.replace('.name		= "calm"', '/* .name = "calm" */ .name = NAME'),
            "must have the name of the file",
        ),
    ],
)
def test_a_file_that_can_be_none_is_refused_before_anything_is_built(build, tmp_path, name, text, says):
    answer = build("--cca", file_with(tmp_path / "files", name, text))
    assert answer.returncode == 2, answer.stderr
    assert says in answer.stderr
    assert name in answer.stderr
    assert not (tmp_path / "kernels").exists()


@pytest.mark.parametrize("name", CONGESTION_CONTROLS)
def test_a_name_of_the_kernels_own_is_refused(build, tmp_path, name):
    file = tmp_path / f"tcp_{name}.c"
    file.write_text("")
    answer = build("--cca", file)
    assert answer.returncode == 2
    assert f"the kernel has a congestion control '{name}'" in answer.stderr


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("--cca", "/nowhere/tcp_a.c"), 2, "no such file"),
        (("--series", "6.12-calm"), 1, "airtcp kernel build --cca FILE"),
        (("--series", "6.12-other", "--cca", EXAMPLE / "tcp_calm.c"), 2, "which make 6.12-calm"),
        (("--series", "../6.12"), 2, "write 6.12, 6.12-lab, 6.12-hz1000 or 6.12-NAME"),
    ],
)
def test_series_and_files_that_do_not_fit(build, words, status, says):
    answer = build(*words)
    assert answer.returncode == status
    assert says in answer.stderr


def test_two_files_of_one_name_are_refused(build, tmp_path):
    files = [file_with(tmp_path / folder, "tcp_calm.c", CALM + f"/* {folder} */\n") for folder in "ab"]
    answer = build("--cca", files[0], "--cca", files[1])
    assert answer.returncode == 2
    assert "two files have the same" in answer.stderr


def built(kernels, recipe, text):
    """A kernel as the builder leaves it, without the hours."""
    folder = kernels / f"6.12-calm-{recipe}"
    (folder / "cca").mkdir(parents=True)
    (folder / "cca" / "tcp_calm.c").write_text(text, encoding="utf-8")
    (folder / "linux").write_bytes(b"")
    (folder / "kernel.json").write_text("{}")
    link = kernels / "6.12-calm"
    link.unlink(missing_ok=True)
    link.symlink_to(folder.name)
    return folder


def test_a_kernel_of_other_patches_is_not_taken(monkeypatch, tmp_path):
    monkeypatch.setenv("AIRTCP_KERNELS", str(tmp_path))
    with pytest.raises(AirtcpError, match=r"Build it: airtcp kernel build --cca tcp_calm\.c --cca tcp_z\.c"):
        find_kernel("6.12-calm+z")
    built(tmp_path, "older", CALM)
    with pytest.raises(AirtcpError, match=r"Build it: airtcp kernel build --series 6\.12-calm"):
        find_kernel("6.12-calm")


def test_without_the_source_tree_the_kernel_of_that_name_is_taken(monkeypatch, tmp_path):
    monkeypatch.setenv("AIRTCP_KERNELS", str(tmp_path))
    for module in ("airtcp.execution.locate", "airtcp.kernels.source"):
        monkeypatch.setattr(f"{module}.repository", lambda: None)
    folder = built(tmp_path, "some", CALM)
    assert find_kernel("6.12-calm").resolve() == folder
