"""The manual at hand: `airtcp docs`, `airtcp help`, `airtcp init --examples`, and what messages point to."""

import ast
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from airtcp.manual import pages
from airtcp.manual.key_index import key_index
from airtcp.manual.keys import KEY_INDEX, meanings, scenario_tables, steps_of, table_of
from airtcp.manual.pages import INDEX, examples_home, find_page, manual_home, page_files, page_name
from support.documentation_pages import ROOT, blocks
from support.documentation_pages import pages as documentation

PACKAGE = ROOT / "python" / "airtcp"


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("", "docs/README.md"),
        ("queues", "docs/how-to/queues.md"),
        ("models/queues", "docs/models/queues.md"),
        ("how-to/queues.md#aqm", "docs/how-to/queues.md"),
        ("../how-to/queues.md", "docs/how-to/queues.md"),
        ("docs/how-to/queues.md", "docs/how-to/queues.md"),
        ("reference/scenario", "docs/reference/scenario.md"),
        ("tutorial", "docs/tutorial.md"),
        ("examples", "examples/README.md"),
        ("changelog", "CHANGELOG.md"),
    ],
)
def test_a_page_is_found_by_its_name_or_by_a_link_to_it(name, file):
    assert find_page(name) == ROOT / file


def test_every_page_is_found_by_the_name_that_lists_show():
    for file in page_files():
        assert find_page(page_name(file)) == file


def test_docs_prints_pages_for_pipes(airtcp):
    assert airtcp("docs").stdout == (ROOT / INDEX).read_text(encoding="utf-8")
    assert airtcp("docs", "queues").stdout == (ROOT / "docs/how-to/queues.md").read_text(encoding="utf-8")
    assert airtcp("docs", "queues", "--path").stdout == f"{ROOT / 'docs/how-to/queues.md'}\n"
    assert "how-to/queues  " in airtcp("docs", "--find", "TCP small queues").stdout
    assert airtcp("docs", "--find", "no such words").stdout == 'No page has "no such words".\n'
    wrong = airtcp("docs", "queus")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        'airtcp: there is no page "queus". Did you mean "queues"?\n',
    )


def test_docs_shows_pages_in_a_pager_on_a_terminal(tmp_path):
    pager = tmp_path / "pager"
    pager.write_text("#!/bin/sh\necho PAGED\ncat\n")
    pager.chmod(0o755)
    ours, theirs = pty.openpty()
    environment = {**os.environ, "PAGER": str(pager), "TERM": "xterm"}
    command = [sys.executable, "-m", "airtcp", "docs", "queues"]
    with subprocess.Popen(command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment) as shown:
        os.close(theirs)
        text = b""
        while True:
            try:
                text += os.read(ours, 1 << 16)
            except OSError:
                break
        shown.wait(60)
    os.close(ours)
    assert b"PAGED" in text
    assert b"Queues and AQM of your own" in text
    assert b"```" not in text, "rendered"


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (
            "seed",
            ["seed: whole number, 0 to 9223372036854775807", "default: 1", "Root of every random stream"],
        ),
        ("flow[0].cca", ["in [[flow]]", 'default: "cubic"', "Used in: airtcp init cubic-bbr"]),
        ("wifi.home.nic_queue.aql", ["in nic_queue as a table", '"5 ms", "12 ms"']),
        ("channel.rssi", ["in [channel]"]),
        ("[channel] rssi", ["in [channel]"]),
        ("voip", ["Keys of [[voip]]:", "codec:"]),
        ("metric.statistic", ["in [metric.NAME]", "airtcp docs reference/campaign"]),
        ("address6", ["in [node.NAME]", "airtcp docs reference/lab"]),
        ("srtt", ["a quantity in ms", "airtcp plot RUN --what srtt"]),
        ("run", ["Usage: airtcp run", "--seed"]),
        ("store ls", ["Usage: airtcp store ls"]),
        ("", ["Commands", "init"]),
    ],
)
def test_help_says_what_a_key_means_or_how_a_command_is_used(airtcp, asked, told):
    answer = airtcp("help", *([asked] if asked else []))
    assert answer.returncode == 0, answer.stderr
    for words in told:
        assert words in answer.stdout


def test_the_index_that_help_reads_is_that_of_the_models():
    text = (ROOT / KEY_INDEX).read_text(encoding="utf-8")
    assert text == key_index(), f"run: python -m airtcp.manual.key_index > {KEY_INDEX}"


def test_a_key_that_a_command_is_called_like_names_both(airtcp):
    """`trace` is a command, and a key of wires."""
    told = airtcp("help", "trace").stdout
    assert "in [[wire]]" in told
    assert "airtcp trace --help" in told


def test_an_unknown_key_is_answered_by_one_like_it(airtcp):
    assert 'Did you mean "nic_queue"?' in airtcp("help", "nic_queu").stderr
    assert "airtcp docs reference/scenario" in airtcp("help", "qqqqqq").stderr
    # Words of others for what airtcp has.
    assert "Write queue in [[wire]] or in [wifi.NAME]" in airtcp("help", "qdisc").stderr
    assert "lists of nodes in from and to" in airtcp("help", "flow.parallel").stderr


def test_every_key_of_the_reference_is_explained():
    tables = scenario_tables()
    reference = (ROOT / "docs/reference/scenario.md").read_text(encoding="utf-8")
    keys = set(re.findall(r"^\| `([a-z_]+)` \|", reference, re.MULTILINE))
    assert len(keys) > 200
    assert [key for key in keys if not meanings(key, tables) and table_of(key, tables) is None] == []


def test_paths_are_read_as_people_write_them():
    assert steps_of("flow[0].cca") == ("flow", "cca")
    assert steps_of("[[flow]]") == ("flow",)
    assert steps_of("[wifi.home.radio.sta1] rate") == ("wifi", "home", "radio", "sta1", "rate")


def test_examples_are_copied_for_changing(airtcp, tmp_path):
    told = airtcp("init", "--examples")
    assert told.stdout == "Examples: examples; airtcp docs examples describes them\n"
    there = {file.relative_to(examples_home()) for file in examples_home().rglob("*") if file.is_file()}
    copied = {
        file.relative_to(tmp_path / "work" / "examples")
        for file in (tmp_path / "work" / "examples").rglob("*")
        if file.is_file()
    }
    assert copied == there
    assert any(file.suffix == ".ipynb" for file in copied)
    assert "already exists" in airtcp("init", "--examples").stderr


def test_an_installation_brings_the_manual_where_it_is_looked_for(monkeypatch):
    """The wheel's parts as `pyproject.toml` has them."""
    import tomllib

    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    brought = wheel["force-include"]
    monkeypatch.setattr(pages, "repository", lambda: None)
    home = f"airtcp/{manual_home().relative_to(PACKAGE)}"
    assert brought["docs"] == f"{home}/docs"
    assert brought["examples"] == f"{home}/examples"
    assert {
        name: brought[name] for name in ("README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
    } == {
        name: f"{home}/{name}" for name in ("README.md", "CHANGELOG.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
    }


def texts_of(file):
    """The strings of a file of Python that a user may see: all but docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value


def seen_by_users():
    for file in PACKAGE.rglob("*.py"):
        for text in texts_of(file):
            yield str(file.relative_to(ROOT)), text
    for file in (*(PACKAGE / "templates").rglob("*.toml"), ROOT / "kernel" / "build"):
        yield str(file.relative_to(ROOT)), file.read_text(encoding="utf-8")
    for page in documentation():
        for block in blocks(page.read_text(encoding="utf-8")):
            yield str(page.relative_to(ROOT)), block.text


def test_messages_point_to_pages_that_are_there():
    pointed = [
        (file, page)
        for file, text in seen_by_users()
        for page in re.findall(r"airtcp docs ([a-z][\w-]*(?:/[\w-]+)*)(?![\w/-])", text)
    ]
    assert len(pointed) > 5
    for file, page in pointed:
        assert find_page(page), file


# Files that write pages, and one that reads them.
WRITE_PAGES = re.compile(r"reference|manual/|known_studies|recorded/")


def test_no_message_points_to_a_file_of_the_source_tree():
    """An installation has none."""
    for file, text in seen_by_users():
        if file.startswith("python/") and not WRITE_PAGES.search(file):
            assert not re.search(r"\bdocs/[\w/-]+\.md", text), (file, text)


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("airtcp pl", ["plot"]),
        ("airtcp plot --ki", ["--kind"]),
        ("airtcp init cubic", ["cubic-bbr"]),
        ("airtcp docs how-to/queu", ["how-to/queues"]),
        ("airtcp docs taank", ["taank-peng"]),
        ("airtcp help nic_", ["nic_queue"]),
        ("airtcp help srt", ["srtt"]),
        ("airtcp study orbit", ["orbit-losses"]),
        ("airtcp study aoy", ["aoyagi2023"]),
    ],
)
def test_completion_offers_commands_options_and_names(typed, offered):
    number = str(len(typed.split()) - 1)
    asked = {"COMP_WORDS": typed, "COMP_CWORD": number, "_AIRTCP_COMPLETE": "complete_bash"}
    # As the shell calls it: by the command's own name.
    script = Path(sys.executable).with_name("airtcp")
    told = subprocess.run([script], env=os.environ | asked, capture_output=True, text=True, check=False)
    assert told.stdout.split() == offered, told.stderr


@pytest.mark.parametrize("columns", [60, 80, 160])
def test_help_of_a_key_is_as_wide_as_the_terminal_but_readable(airtcp, columns):
    told = airtcp("help", "nic_queue", COLUMNS=str(columns)).stdout
    assert min(columns, 100) * 0.7 < max(map(len, told.splitlines())) <= min(columns, 100)
