"""Runs and result sets as text at a prompt and as HTML in a notebook."""

from collections.abc import Mapping
from html import escape

# A notebook's cell with more rows than this hides what comes after it.
ROWS_MOST = 20


def counted(number: int, thing: str) -> str:
    """`1 flow`, `2 flows`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def facts_html(title: str, facts: Mapping[str, str]) -> str:
    """A title, and a table of facts under it."""
    left = "style='text-align:left'"
    rows = "".join(
        f"<tr><th {left}>{escape(name)}</th><td {left}>{escape(text)}</td></tr>"
        for name, text in list(facts.items())[:ROWS_MOST]
    )
    more = len(facts) - ROWS_MOST
    rest = f"<tr><td colspan='2'>and {more} more</td></tr>" if more > 0 else ""
    return f"<strong>{escape(title)}</strong><table>{rows}{rest}</table>"
