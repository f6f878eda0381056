"""The pages of the documentation, and what of them a test can hold: files, commands with their output, links."""

import re
import shlex
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from airtcp.fitting.parameters import has_unknowns

ROOT = Path(__file__).parents[3]
DOCS = ROOT / "docs"
# How-tos in which every other TOML block, but factors of campaigns, goes on from the page's first whole scenario.
CONTINUED = ("docs/how-to/topology.md", "docs/how-to/queues.md", "docs/how-to/congestion-controls.md")

_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# A file's name stands last in the line before its block: "Write `first.toml`:".
_NAMED = re.compile(r"`([\w./-]+)`[^`\n]*:\n\n\Z")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and the name of the file that it is, if the page gives one."""

    language: str
    text: str
    name: str | None


@dataclass(frozen=True)
class Command:
    """A command of a `console` block, and the lines that the page says it prints."""

    line: str
    printed: tuple[str, ...]


def pages() -> list[Path]:
    """Every page for readers: the documentation and the pages beside it."""
    beside = [ROOT / name for name in ("README.md", "ARCHITECTURE.md", "CHANGELOG.md", "kernel/README.md")]
    return [*beside, *sorted(DOCS.rglob("*.md")), *sorted((ROOT / "studies").rglob("README.md"))]


def blocks(page: str) -> list[Block]:
    """The fenced blocks of a page in their order."""
    found = []
    for match in _BLOCK.finditer(page):
        named = _NAMED.search(page[: match.start()])
        found.append(Block(match.group(1), match.group(2), named.group(1) if named else None))
    return found


def commands(block: Block) -> list[Command]:
    """The commands of a `console` block: lines that begin with `$ `, each followed by what it prints."""
    found: list[tuple[str, list[str]]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        elif line.strip():
            found[-1][1].append(line)
    return [Command(line, tuple(printed)) for line, printed in found]


def airtcp_commands(page: str) -> Iterator[list[str]]:
    """The words of every `airtcp ...` of a page, in blocks of commands and within sentences."""
    for block in blocks(page):
        if block.language in ("", "sh", "console"):
            for line in block.text.splitlines():
                yield from _airtcp_words(line.removeprefix("$ "))
    for code in re.findall(r"`(airtcp [^`\n]+)`", _BLOCK.sub("", page)):
        yield from _airtcp_words(code)


def _airtcp_words(line: str) -> Iterator[list[str]]:
    if line.startswith("airtcp "):
        # Not in quotes, where a condition may have them.
        words = shlex.split(re.split(r'\s[|>;](?=(?:[^"]*"[^"]*")*[^"]*$)', line)[0], comments=True)
        yield words[1:]


def prints(page_lines: tuple[str, ...], output: str) -> str | None:
    """The first line of the page that the output lacks, or None.

    The page shortens: its lines come in the output in this order, with others between. `...` in a line stands for
    any text; runs of blanks count as one.
    """
    rest = [" ".join(line.split()) for line in output.splitlines()]
    for line in page_lines:
        words = " ".join(line.split())
        if words == "...":
            continue
        pattern = re.compile(re.escape(words).replace(r"\.\.\.", ".*"))
        place = next((n for n, other in enumerate(rest) if pattern.fullmatch(other)), None)
        if place is None:
            return line
        rest = rest[place + 1 :]
    return None


def is_whole(tables: dict[str, object]) -> bool:
    """Whether a TOML block is a scenario by itself; a model with unknown values is none."""
    named = {"name", "duration"} <= tables.keys() and bool({"wifi", "wire"} & tables.keys())
    return named and not has_unknowns(tables)


def continued(page: str) -> list[str]:
    """The scenarios of a page of `CONTINUED`: its first, and that with each of the others behind it."""
    texts = [block.text for block in blocks(page) if block.language == "toml"]
    whole = next(text for text in texts if is_whole(tomllib.loads(text)))
    others = [text for text in texts if text != whole and "factor" not in tomllib.loads(text)]
    return [whole, *(f"{whole}\n{text}" for text in others)]
