"""Every page: its scenarios compile, its commands have the options they name, its links lead somewhere."""

import re
import tomllib
from pathlib import Path

import pytest
from airtcp.cli.main import app
from airtcp.scenario.compile.compiler import compile_scenario, compile_scene
from airtcp.scenario.keys.queue import QDISCS
from airtcp.studies.claims import COMPUTATIONS
from support.documentation_pages import (
    CONTINUED,
    DOCS,
    ROOT,
    Block,
    airtcp_commands,
    blocks,
    commands,
    continued,
    is_whole,
    pages,
    prints,
)
from support.wifi_scenarios import scenario_of
from typer.main import get_command

PAGES = {str(page.relative_to(ROOT)): page.read_text(encoding="utf-8") for page in pages()}

LINE_MOST = 130
# Commands of this page are those of gdb, too, which the script adds.
DEBUG_PAGE = "docs/how-to/debug.md"
GDB_SCRIPT = ROOT / "python" / "airtcp" / "debugging" / "gdb_script.py"


def compiles(text: str, folder: Path) -> None:
    scenario = scenario_of(text)
    assert (compile_scene if scenario.source else compile_scenario)(scenario, folder)


def whole_scenarios() -> list[tuple[str, str]]:
    return [
        (name, block.text)
        for name, page in PAGES.items()
        for block in blocks(page)
        if block.language == "toml" and is_whole(tomllib.loads(block.text))
    ]


def test_there_are_whole_scenarios():
    names = [name for name, _ in whole_scenarios()]
    assert {"README.md", "docs/tutorial.md", "docs/reference/scenario.md", *CONTINUED} <= set(names)


@pytest.mark.parametrize(("name", "text"), whole_scenarios())
def test_whole_scenarios_compile(name, text, tmp_path):
    assert tomllib.loads(text)["name"], name
    compiles(text, tmp_path)


@pytest.mark.parametrize("name", CONTINUED)
def test_what_goes_on_from_a_pages_scenario_compiles(name, tmp_path):
    for text in continued(PAGES[name]):
        compiles(text, tmp_path)


@pytest.mark.parametrize("name", [name for name, page in PAGES.items() if any(airtcp_commands(page))])
def test_commands_are_those_of_the_program(name):
    for words in airtcp_commands(PAGES[name]):
        if name != DEBUG_PAGE or words[0] not in commands_of_gdb():
            accepted(words)


def commands_of_gdb():
    """The commands `airtcp ...` that `airtcp debug` adds to gdb."""
    return set(re.findall(r'^[A-Z]\w+\("(\w+)"\)$', GDB_SCRIPT.read_text(encoding="utf-8"), re.MULTILINE))


def test_the_page_on_gdb_has_its_commands():
    page = PAGES[DEBUG_PAGE]
    assert all(f"`airtcp {command}" in page for command in commands_of_gdb())


def accepted(words):
    """Typer's own parser takes the words; nothing is run."""
    command = get_command(app)
    while hasattr(command, "get_command"):
        assert words, f"{command.name}: which command?"
        if words[0].startswith("-"):
            assert words[0] in option_names(command), words
            return
        found = command.get_command(None, words[0])
        assert found is not None, f"airtcp has no {words[0]}: {words}"
        command, words = found, words[1:]
    # Options of another program may be among them, or its words follow `--`.
    if command.context_settings.get("ignore_unknown_options"):
        return
    options = option_names(command)
    for word in words[: words.index("--") if "--" in words else None]:
        if re.match(r"--?[a-z]", word):
            assert word.partition("=")[0] in options, f"airtcp {command.name} has no {word}"


def option_names(command):
    names = (name for one in command.params for name in (*one.opts, *one.secondary_opts))
    return {*names, "--help", "-h"}


def test_a_command_that_is_not_there_is_noticed():
    for words in (["fly"], ["run", "--wings"], ["kernel", "fly"]):
        with pytest.raises(AssertionError):
            accepted(words)


def anchors(page):
    """Anchors of headings as GitHub makes them."""
    text = re.sub(r"^```.*?^```$", "", page, flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("name", PAGES)
def test_links_lead_somewhere(name):
    text = re.sub(r"^```.*?^```$", "", PAGES[name], flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = ((ROOT / name).parent / path).resolve() if path else ROOT / name
        assert file.exists(), target
        if anchor:
            assert anchor in anchors(file.read_text(encoding="utf-8")), target


@pytest.mark.parametrize("name", [name for name in PAGES if not name.startswith("docs/reference/")])
def test_lines_are_no_longer_than_a_wide_terminal(name):
    """A row of a table can't be broken, and what is generated is not read line by line."""
    lines = enumerate(PAGES[name].splitlines(), 1)
    long = [n for n, line in lines if len(line) > LINE_MOST and not line.lstrip().startswith("|")]
    assert not long, f"longer than {LINE_MOST}: lines {long}"


def test_the_index_has_every_page():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    linked = {(DOCS / target.partition("#")[0]).resolve() for target in re.findall(r"\]\(([^)\s]+)\)", index)}
    missing = [
        page for page in DOCS.rglob("*.md") if page.name != "README.md" and page.resolve() not in linked
    ]
    assert not missing


def test_commands_and_files_are_found_on_a_page():
    page = "Write `a.toml`:\n\n```toml\nx = 1\n```\n\n```console\n$ one\nprinted\n\n$ two\n```\n"
    file, block = blocks(page)
    assert file == Block("toml", "x = 1\n", "a.toml")
    assert [(command.line, command.printed) for command in commands(block)] == [
        ("one", ("printed",)),
        ("two", ()),
    ]


def test_output_is_held_against_the_page():
    output = "begin\n  a   1.25 \nmiddle\nend\n"
    assert prints(("a 1.25", "...", "end"), output) is None
    assert prints(("a ...", "e..."), output) is None
    assert prints(("a 1.26",), output) == "a 1.26"
    assert prints(("end", "begin"), output) == "begin", "the order counts"
    assert prints(("1.25",), output) == "1.25", "lines are whole"


def first_cells(page, heading):
    """The names in code of the first column of the first table behind a heading."""
    table = re.search(
        r"^\|.*?(?=^[^|]|\Z)", f"\n{PAGES[page]}".partition(f"\n{heading}\n")[2], re.DOTALL | re.MULTILINE
    )
    cells = [row.split("|")[1] for row in table.group().splitlines()[2:]]
    return [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]


def test_the_tables_of_names_are_those_of_the_code():
    """Each name once, none more and none less."""
    computations = first_cells("docs/how-to/studies.md", "## claims.toml")
    assert sorted(computations) == sorted(COMPUTATIONS)
    disciplines = first_cells("docs/how-to/queues.md", "# Queues and AQM of your own")
    assert sorted(disciplines) == sorted(QDISCS)
