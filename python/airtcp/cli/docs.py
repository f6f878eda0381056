"""`airtcp docs`: the pages of the manual."""

import os
import sys
from typing import Annotated

import typer

from airtcp.cli.say import say


def _page_names(incomplete: str) -> list[str]:
    """What completion offers: whole names, or what they end in."""
    from airtcp.manual.pages import page_files, page_name

    names = [page_name(file) for file in page_files()]
    whole = [name for name in names if name.startswith(incomplete)]
    return whole or [last for name in names if (last := name.rpartition("/")[2]).startswith(incomplete)]


Page = Annotated[
    str,
    typer.Argument(
        help="Page: queues, how-to/queues, or a link of a page. Default: the list of pages.",
        autocompletion=_page_names,
    ),
]
Find = Annotated[str | None, typer.Option("--find", help="List the pages that have this text.")]
Where = Annotated[bool, typer.Option("--path", help="Print the path of the page's file.")]


def docs(page: Page = "", find: Find = None, path: Where = False) -> None:
    """Read the manual."""
    from airtcp.manual.pages import find_page, pages_with

    if find is not None:
        found = list(pages_with(find))
        width = max((len(name) for name, _ in found), default=0)
        for name, title in found:
            say(f"{name:{width}}  {title}")
        if not found:
            say(f'No page has "{find}".')
        return
    file = find_page(page)
    if path:
        say(str(file))
        return
    text = file.read_text(encoding="utf-8")
    if sys.stdout.isatty():
        _show_paged(_rendered(text))
    else:
        say(text, nl=False)


def _show_paged(text: str) -> None:
    import pydoc

    # Without it `less` shows the codes of bold text.
    os.environ.setdefault("LESS", "-R")
    pydoc.pager(text)


def _rendered(text: str) -> str:
    """The page for a terminal; links show where they lead, which `airtcp docs` takes as a page's name."""
    from rich.console import Console
    from rich.markdown import Markdown

    console = Console(force_terminal="NO_COLOR" not in os.environ)
    with console.capture() as capture:
        console.print(Markdown(text, hyperlinks=False))
    return capture.get()
