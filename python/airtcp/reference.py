"""The reference of the Python interface, made from its docstrings: `docs/reference/python.md`.

A docstring has a summary, and the sections `Args:`, `Attributes:`, `Returns:`, `Raises:` and `Example:`.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Callable, Iterator
from typing import Any

from airtcp.campaign.sweep import sweep
from airtcp.data.load import load
from airtcp.data.result_set import ResultSet
from airtcp.data.run_folder import Run
from airtcp.data.scene_folder import SceneRun
from airtcp.errors import AirtcpError
from airtcp.formats.measurement import Measurement
from airtcp.plans.factors import Factor
from airtcp.quantities.named_number import number
from airtcp.sessions.happening import Happened
from airtcp.sessions.job import Result
from airtcp.sessions.lab import Lab, lab
from airtcp.sessions.node import LabNode, LabProcess
from airtcp.sessions.session import FrameHash, Ppdu

FUNCTIONS: tuple[Callable[..., Any], ...] = (load, number, sweep, lab)
# In the order of the page; those of running networks last.
RESULTS: tuple[type, ...] = (Run, ResultSet, Factor, SceneRun, Measurement, AirtcpError)
NETWORKS: tuple[type, ...] = (Lab, LabNode, LabProcess, Result, Happened, Ppdu, FrameHash)

SECTIONS = ("Args", "Attributes", "Returns", "Raises", "Example")
_TITLES = {"Args": "Parameters", "Raises": "Errors"}

_HEAD = """# Python

`import airtcp` gives three functions and one exception. What the functions return is described below with
all public methods and properties. Frames are [Polars](https://pola.rs) frames; [columns](columns.md) has the
type, unit and meaning of every column. [Results in Python](../how-to/python.md) is an introduction.

Examples continue one another from the top of a class to its bottom. `runs` is a store with two runs of the
scenario `first.toml`, and `lab` is a network of it, `airtcp.lab("first.toml")`:

```toml
{scenario}```

This page is made from docstrings (`python -m airtcp.reference`).
"""
_SCENARIO = """name = "first"
duration = "10 s"
[wifi.home]
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
rate = "10 Mbit/s"
delay = "5 ms"
[[flow]]
from = "sta1"
to = "h1"
[[ping]]
from = "sta1"
to = "h1"
"""


def python_reference() -> str:
    """The page, as Markdown."""
    parts = [_HEAD.format(scenario=_SCENARIO), "\n## Functions\n"]
    parts += [_entry(f"airtcp.{one.__name__}", one) for one in FUNCTIONS]
    for one in (*RESULTS, *NETWORKS):
        parts.append(f"\n## {one.__name__}\n\n{_body(one)}")
        parts += [_entry(f"{one.__name__}.{name}", member) for name, member in members(one)]
    return "".join(parts)


def members(owner: type) -> Iterator[tuple[str, Any]]:
    """Public methods and properties that a class defines itself, in their order."""
    for name, member in vars(owner).items():
        described = inspect.isfunction(member) or hasattr(type(member), "__get__")
        if not name.startswith("_") and described and inspect.getdoc(member):
            yield name, member


def sections(text: str) -> dict[str, str]:
    """A docstring by its sections; the summary is the section with the empty name."""
    parts = re.split(rf"^({'|'.join(SECTIONS)}):\n", text, flags=re.MULTILINE)
    found = {"": parts[0].strip()}
    for name, content in zip(parts[1::2], parts[2::2], strict=True):
        found[name] = textwrap.dedent(content).strip()
    return found


def _entry(name: str, one: Any) -> str:
    return f"\n### `{name}`\n\n{_signature(one)}{_body(one)}"


def _body(one: Any) -> str:
    parts = sections(inspect.getdoc(one) or "")
    paragraphs = [parts.pop("")]
    for name, content in parts.items():
        if name == "Example":
            paragraphs.append(f"```pycon\n{content}\n```")
        elif name == "Returns":
            paragraphs.append(f"**Returns**: {_lower(' '.join(content.split()))}")
        else:
            paragraphs.append(f"**{_TITLES.get(name, name)}**\n\n{_items(content)}")
    return "\n\n".join(paragraphs) + "\n"


def _items(content: str) -> str:
    entries = re.split(r"\n(?! )", content)
    pairs = (" ".join(entry.split()).partition(": ") for entry in entries)
    return "\n".join(f"- `{name}`: {meaning}" for name, _, meaning in pairs)


def _lower(text: str) -> str:
    """The text after a colon: it begins small, unless with a name."""
    return text[0].lower() + text[1:]


class _Unquoted(ast.NodeTransformer):
    """Annotations as they would be if nothing had to be quoted."""

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return ast.parse(node.value, mode="eval").body if isinstance(node.value, str) else node


def _signature(one: Any) -> str:
    """The definition as it is written, without `self`; nothing for a property."""
    if not inspect.isfunction(one):
        return ""
    [definition] = ast.parse(textwrap.dedent(inspect.getsource(one))).body
    assert isinstance(definition, ast.FunctionDef)
    arguments = definition.args
    arguments.args = [each for each in arguments.args if each.arg != "self"]
    for each in (*arguments.args, *arguments.kwonlyargs, arguments.vararg):
        if each is not None and each.annotation is not None:
            each.annotation = _Unquoted().visit(each.annotation)
    assert definition.returns is not None
    result = ast.unparse(_Unquoted().visit(definition.returns))
    line = f"{one.__name__}({ast.unparse(arguments)}) -> {result}"
    return f"```python\n{line}\n```\n\n"


if __name__ == "__main__":
    print(python_reference(), end="")
