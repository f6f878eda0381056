"""The tests of a suite as its sources have them: their names, and what each names and calls."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.input_file import TEXT_BYTES_MOST, read_input

_TEST = "test_"
# What drives the programs, and has methods for everything: that a test uses it says nothing.
_INSTRUMENTS = ("hostapd", "wpasupplicant", "wlantest", "hwsim", "remotehost", "netlink", "nl80211", "utils")
Definition = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef


@dataclass(frozen=True)
class Place:
    """Where a function or class of the suite is defined: its module and its name."""

    module: str
    name: str


@dataclass(frozen=True)
class SuiteTest:
    """A test: its name as run-tests.py writes it, its module as that calls it, and its function."""

    name: str
    module: str
    place: Place

    @property
    def path(self) -> str:
        """Module and name: `ap_open.ap_open`."""
        return f"{self.module}.{self.name}"


@dataclass(frozen=True)
class Unit:
    """A function or class: its own names, texts and keywords, one in a line, and what it calls."""

    words: str
    calls: Sequence[Place]


@dataclass(frozen=True)
class Sources:
    """All tests of a suite in the order of modules and lines, and every function."""

    tests: Sequence[SuiteTest]
    units: Mapping[Place, Unit]

    def reached(self, test: SuiteTest) -> Iterator[Place]:
        """The test's function, and all that it leads to, each once."""
        known = {test.place}
        left = [test.place]
        while left:
            place = left.pop()
            yield place
            new = [one for one in self.units[place].calls if one not in known and one in self.units]
            known.update(new)
            left += new


def read_sources(folder: Path) -> Sources:
    """Reads the modules of a folder as Python does, without running them.

    Raises:
        AirtcpError: a module is no Python.
    """
    modules = {file.stem: _tree(file) for file in module_files(folder)}
    # A test that is defined twice is the later one.
    tests: dict[Place, SuiteTest] = {}
    units: dict[Place, Unit] = {}
    for module, tree in modules.items():
        names = _names(module, tree, modules)
        for node in tree.body:
            if not isinstance(node, Definition):
                continue
            place = Place(module, node.name)
            units[place] = _unit(node, names)
            if (
                module.startswith(_TEST)
                and node.name.startswith(_TEST)
                and not isinstance(node, ast.ClassDef)
            ):
                name = node.name.removeprefix(_TEST)
                tests[place] = SuiteTest(name, module.removeprefix(_TEST), place)
    return Sources(list(tests.values()), units)


def module_files(folder: Path) -> list[Path]:
    """The modules of a suite, in their order."""
    return sorted(folder.glob("*.py"))


def _tree(file: Path) -> ast.Module:
    try:
        return ast.parse(read_input(file, TEXT_BYTES_MOST))
    except (SyntaxError, ValueError) as error:
        raise AirtcpError("is not read as Python", str(file), "Fetch hostap again") from error


def _names(module: str, tree: ast.Module, modules: Mapping[str, ast.Module]) -> dict[str, Place]:
    """What names of a module mean: `f` what it defines or imports, `m.f` what other modules have."""
    names: dict[str, Place] = {}
    definitions = (node for node in tree.body if isinstance(node, Definition))
    for node in chain(tree.body, *(definition.body for definition in definitions)):
        if isinstance(node, ast.ImportFrom) and _is_followed(node.module, modules):
            other = node.module or ""
            for one in node.names:
                found = _defined(modules[other]) if one.name == "*" else [one.name]
                names.update({one.asname or name: Place(other, name) for name in found})
        elif isinstance(node, ast.Import):
            for one in node.names:
                if _is_followed(one.name, modules):
                    found = _defined(modules[one.name])
                    names.update(
                        {f"{one.asname or one.name}.{name}": Place(one.name, name) for name in found}
                    )
    names.update({name: Place(module, name) for name in _defined(tree)})
    return names


def _is_followed(module: str | None, modules: Mapping[str, ast.Module]) -> bool:
    return module in modules and module not in _INSTRUMENTS


def _defined(tree: ast.Module) -> list[str]:
    return [node.name for node in tree.body if isinstance(node, Definition)]


def _unit(definition: Definition, names: Mapping[str, Place]) -> Unit:
    words: dict[str, None] = {}
    calls: dict[Place, None] = {}
    for node in _without_docstrings(definition):
        word = _word(node)
        if word is None:
            continue
        # One word is one line: what patterns look at.
        words[word.replace("\n", " ")] = None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            word = f"{node.value.id}.{node.attr}"
        if not isinstance(node, ast.Constant) and word in names:
            calls[names[word]] = None
    return Unit("\n".join(words), list(calls))


def _without_docstrings(definition: Definition) -> Iterator[ast.AST]:
    """All below a definition, its decorators too. Texts that stand alone do nothing."""
    left: list[ast.AST] = [definition]
    while left:
        node = left.pop()
        yield node
        left += [
            child
            for child in ast.iter_child_nodes(node)
            if not (isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant))
        ]


def _word(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.keyword):
        return node.arg
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    return None
