"""The packages of airtcp import each other only along the declared arrows, and never in circles."""

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "python" / "airtcp"
# What each room may import besides itself. A room is a folder of the package, of `scenario` a sub-folder, or a
# file of the top folder; `airtcp` is the package's own `__init__.py`.
SCENARIO = "kernels plans wifi scenario.errors scenario.keys scenario.reading scenario.values"
ARROWS: Mapping[str, str] = {
    "version": "",
    "errors": "",
    "wrong_values": "",
    "cache_folder": "errors",
    "kernels": "cache_folder",
    "input_file": "",
    "output_file": "errors",
    "visible_text": "",
    "value_cache": "",
    "plans": "errors wifi",
    "wifi": "",
    "formats": "errors wifi",
    "scenario": "",
    "scenario.errors": "errors",
    "scenario.values": "wrong_values errors kernels plans",
    "scenario.keys": "wrong_values input_file errors kernels scenario.errors plans scenario.values wifi",
    "scenario.reading": "wrong_values input_file errors scenario.errors scenario.keys plans scenario.values",
    "scenario.compile": f"input_file errors {SCENARIO}",
    "scenario.reference": "scenario.keys scenario.values",
    "execution": f"cache_folder visible_text input_file version errors value_cache scenario.compile {SCENARIO}",
    "data": "errors plans formats wifi",
    "store": "errors data execution",
    "sessions": f"wrong_values errors formats data execution scenario.compile {SCENARIO}",
    "measurement": f"wrong_values version errors data formats execution scenario.compile scenario.reference {SCENARIO}",
    "mininet": f"input_file execution sessions scenario.compile {SCENARIO}",
    "suites": f"visible_text input_file errors data execution {SCENARIO}",
    "packetdrill": f"data input_file errors suites execution scenario.compile {SCENARIO}",
    "selftests": f"cache_folder input_file errors suites execution scenario.compile {SCENARIO}",
    "flent": f"errors {SCENARIO}",
    "hostap": f"value_cache suites mininet cache_folder input_file errors execution {SCENARIO}",
    "traces": "errors formats",
    "metrics": "",
    "quantities": "wrong_values input_file errors plans data metrics scenario.keys scenario.values",
    "plots": "metrics quantities",
    "timeline": "output_file errors formats wifi data",
    "report": "output_file timeline visible_text input_file version errors value_cache plans wifi formats data metrics quantities plots",
    "studies": f"wrong_values input_file errors data metrics quantities plots report execution scenario.compile {SCENARIO}",
    "recorded": f"input_file errors formats data execution metrics plots report studies traces scenario.compile {SCENARIO}",
    "debugging": f"errors execution sessions scenario.compile {SCENARIO}",
    "shell": f"visible_text input_file errors sessions scenario.compile {SCENARIO}",
    "web": "errors version plans data timeline plots report sessions",
    "fitting": f"errors execution data metrics quantities report traces scenario.compile {SCENARIO}",
    "sources": f"wrong_values cache_folder version errors formats traces data scenario.compile {SCENARIO}",
    "campaign": "visible_text input_file version errors execution data metrics quantities plots report studies "
    f"scenario.reference {SCENARIO}",
    "bisection": f"errors data quantities sessions execution scenario.compile {SCENARIO}",
    "manual": "errors kernels scenario.reference campaign measurement quantities",
    "airtcp": "version errors data quantities campaign sessions",
    "reference": "errors plans formats data quantities campaign sessions",
    "cli": "kernels cache_folder manual visible_text input_file version errors execution data store sessions shell web debugging measurement mininet suites packetdrill hostap selftests flent traces quantities timeline plots report "
    "studies recorded fitting sources campaign bisection "
    f"scenario.compile {SCENARIO}",
    "__main__": "cli",
}


@dataclass(frozen=True)
class Import:
    """A file of the package that another one imports, and where."""

    importer: str
    file: str
    line: int
    imported: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line} imports {self.imported}"


def modules(package: Path) -> dict[str, Path]:
    """The modules of the package, by their names without `airtcp.`; the package itself is ``."""
    found = {}
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def imported_names(node: ast.AST, package: tuple[str, ...]) -> Iterator[str]:
    """Full dotted names that a statement may import: `from a import b` gives `a` and `a.b`."""
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        base = (node.module or "").split(".") if node.module else []
        if node.level:
            base = [*package[: len(package) - node.level + 1], *base]
        yield from (".".join([*base, alias.name]) for alias in node.names)


def imports(package: Path) -> list[Import]:
    """Every import of a module of the package: inside functions and under TYPE_CHECKING too."""
    known = modules(package)
    found = []
    for name, file in known.items():
        own = ("airtcp", *name.split(".")) if name else ("airtcp",)
        inside = own if file.name == "__init__.py" else own[:-1]
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            for full in imported_names(node, inside):
                parts = full.split(".")
                if parts[0] != "airtcp":
                    continue
                # The longest beginning that is a module: the rest are names in it.
                ends = range(len(parts), 0, -1)
                module = next((m for end in ends if (m := ".".join(parts[1:end])) in known), "")
                found.append(Import(name, str(file.relative_to(package)), node.lineno, module))
    return found


def room(module: str) -> str:
    """The room of a module."""
    parts = module.split(".")
    return ".".join(parts[: 2 if parts[0] == "scenario" else 1]) or "airtcp"


def violations(package: Path) -> list[str]:
    """Imports between rooms without an arrow."""
    return sorted(
        f"{each}, but {room(each.importer)} may import only: {ARROWS.get(room(each.importer), '') or 'itself'}"
        for each in imports(package)
        if room(each.imported) not in (room(each.importer), *ARROWS.get(room(each.importer), "").split())
    )


def circle(graph: Mapping[str, set[str]]) -> list[str]:
    """The nodes of one circle, or nothing."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(reversed(error.args[1]))
    return []


def file_circle(package: Path) -> list[str]:
    """The imports of a circle of files."""
    every = imports(package)
    graph: dict[str, set[str]] = {}
    for each in every:
        if each.imported != each.importer:
            graph.setdefault(each.importer, set()).add(each.imported)
    nodes = circle(graph)
    places = {(each.importer, each.imported): str(each) for each in every}
    return [places.get(pair) or places[pair[::-1]] for pair in pairwise(nodes)]


def test_rooms_import_each_other_along_the_arrows():
    assert violations(PACKAGE) == []


def test_no_circles():
    assert circle({name: set(others.split()) for name, others in ARROWS.items()}) == []
    assert file_circle(PACKAGE) == []


@pytest.mark.parametrize(
    ("statement", "line"),
    [
        ("from airtcp.plots.style import FORMATS", 1),
        ("import airtcp.plots.style", 1),
        ("from airtcp.plots import style", 1),
        ("from ..plots.style import FORMATS", 1),
        ("from ..plots import style", 1),
        ("def late():\n    from airtcp.plots import style", 2),
        ("from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import airtcp.plots.style", 3),
    ],
)
def test_every_form_of_import_is_found_with_its_place(tmp_path, statement, line):
    for name in ("__init__", "data/__init__", "plots/__init__", "plots/style"):
        file = tmp_path / f"{name}.py"
        file.parent.mkdir(exist_ok=True)
        file.write_text("")
    (tmp_path / "data" / "shape.py").write_text(statement)
    (found,) = violations(tmp_path)
    assert (
        found
        == f"data/shape.py:{line} imports plots.style, but data may import only: errors plans formats wifi"
    )


def test_circles_of_files_are_found(tmp_path):
    (tmp_path / "a.py").write_text("import airtcp.b")
    (tmp_path / "b.py").write_text("def late():\n    from airtcp.a import x")
    assert sorted(file_circle(tmp_path)) == ["a.py:1 imports b", "b.py:2 imports a"]
