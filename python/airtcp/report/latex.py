"""Tables as LaTeX with booktabs, for papers: the text that the screen shows, with nothing that TeX reads as a
command.
"""

import re
from collections.abc import Sequence

from airtcp.report.table import Table

FILE = "results.tex"
PREAMBLE = (
    "% Tables of airtcp; \\input this file, or copy from it. The preamble needs: \\usepackage{booktabs}\n"
)
# The characters that TeX takes for commands (The TeXbook, chapter 7), and those that fonts of 8 bits lack.
_ESCAPED = {
    "\\": r"\textbackslash{}",
    **{character: f"\\{character}" for character in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "≥": r"$\geq$",
    "≤": r"$\leq$",
    "\u00d7": r"$\times$",
    "µ": r"$\mu$",
    "\u2013": "--",
}
_SPECIAL = re.compile("|".join(map(re.escape, _ESCAPED)))
_NO_VALUE = "-"


def latex_text(text: str) -> str:
    """The text as LaTeX prints it."""
    return _SPECIAL.sub(lambda found: _ESCAPED[found[0]], text)


def latex_tables(tables: Sequence[Table], name: str) -> str:
    """All tables, each as a float with its title as the caption.

    Labels have the name of the results, so that a paper may have several, and number the tables in order.
    """
    # What TeX allows in a label (The TeXbook, chapter 20): no characters that are commands.
    plain = re.sub(r"[^A-Za-z0-9.:-]+", "-", name)
    return PREAMBLE + "".join(
        f"\n{_latex_table(table, f'tab:{plain}-{number}')}" for number, table in enumerate(tables, start=1)
    )


def _latex_table(table: Table, label: str) -> str:
    numbers = [table.is_number(column) for column in range(len(table.columns))]
    lines = [
        r"\begin{table}",
        r"\centering",
        f"\\caption{{{latex_text(table.title)}}}",
        f"\\label{{{label}}}",
        f"\\begin{{tabular}}{{{''.join('r' if own else 'l' for own in numbers)}}}",
        r"\toprule",
        _row(table.columns),
        r"\midrule",
        *map(_row, table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _row(cells: Sequence[str]) -> str:
    # Not at the begin of a row, where a bracket would be an argument of the row before.
    texts = ["--" if cell == _NO_VALUE else latex_text(cell) for cell in cells]
    return " & ".join(f"{{}}{text}" if text.startswith("[") else text for text in texts) + r" \\"
