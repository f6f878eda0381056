"""The pages of the manual: of the source tree, or those that an installation brings."""

import re
from collections.abc import Iterator
from pathlib import Path

from airtcp.errors import AirtcpError, suggestion
from airtcp.kernels.source import repository

_INSTALLED = Path(__file__).resolve().parents[1] / "_manual"
INDEX = "docs/README.md"
# Pages of one name: a page that says how to do something comes before one that says how it is modelled.
_ORDER = ("", "docs", "docs/how-to", "docs/reference", "docs/models", "docs/studies", "docs/internals")


def manual_home() -> Path:
    """The folder with `README.md`, `docs` and `examples`."""
    return repository() or _INSTALLED


def examples_home() -> Path:
    """The folder of the examples."""
    return manual_home() / "examples"


def page_files() -> list[Path]:
    """Every page, those that most people want first."""
    home = manual_home()
    beside = [home / "README.md", *sorted(home.glob("[A-Z]*.md")), home / "examples" / "README.md"]
    below = sorted((home / "docs").rglob("*.md"), key=lambda file: (_place(file), file.name))
    return [file for file in dict.fromkeys([*beside, *below]) if file.is_file()]


def _place(file: Path) -> int:
    folder = str(file.parent.relative_to(manual_home()))
    return _ORDER.index(folder) if folder in _ORDER else len(_ORDER)


def page_name(file: Path) -> str:
    """What `airtcp docs` calls a page: `how-to/queues`."""
    name = str(file.relative_to(manual_home()).with_suffix(""))
    return "docs" if name == "docs/README" else name.removeprefix("docs/")


def find_page(name: str) -> Path:
    """The page of a name: `queues`, `how-to/queues`, or a link such as `../how-to/queues.md#aqm`.

    An unknown one is an `AirtcpError`, which names a page like it.
    """
    if not name:
        return manual_home() / INDEX
    wanted = re.sub(r"^(\.\./|\./)+", "", name.partition("#")[0]).removesuffix(".md").removeprefix("docs/")
    by_name = {page_name(file): file for file in page_files()}
    if wanted == "examples":
        wanted = "examples/README"
    if wanted in by_name:
        return by_name[wanted]
    ends = [file for known, file in by_name.items() if f"/{known.lower()}".endswith(f"/{wanted.lower()}")]
    if ends:
        return ends[0]
    short = {known.rpartition("/")[2]: known for known in reversed(by_name)}
    list_them = "List the pages with airtcp docs, or look for a word: --find"
    raise AirtcpError(
        f'there is no page "{name}"', "", suggestion(wanted.rpartition("/")[2], short) or list_them
    )


def pages_with(word: str) -> Iterator[tuple[str, str]]:
    """Names of pages with a word, each with its title."""
    for file in page_files():
        text = file.read_text(encoding="utf-8")
        if re.search(re.escape(word), text, re.IGNORECASE):
            yield page_name(file), title_of(text)


def title_of(text: str) -> str:
    """The first heading of a page."""
    return next((line.lstrip("# ") for line in text.splitlines() if line.startswith("#")), "")
