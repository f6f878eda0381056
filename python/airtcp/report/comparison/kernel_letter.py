"""Two kernels compared, as plain text for a letter, as tables, and as files."""

import textwrap
from collections.abc import Sequence
from pathlib import Path

from airtcp.report.comparison.kernels import KernelComparison, KernelDifference
from airtcp.report.comparison.tables import LEVEL
from airtcp.report.comparison.values import digits_of, label_of
from airtcp.report.folder import output_folder
from airtcp.report.html.page import Page, write_page
from airtcp.report.html.runs import Runs
from airtcp.report.table import Table, number
from airtcp.version import __version__

# Lines of letters to mailing lists of Linux are at most 75 characters (Documentation/process/
# submitting-patches.rst).
COLUMNS = 75
_HEADS = ("A", "B", "B - A", "95 % interval", "")
# Of a label beside the numbers; longer ones go on in the next line.
_LABEL_LEAST = 16


def letter(found: KernelComparison, command: str) -> str:
    """The comparison as text of 75 columns; command lines are broken as shells take them."""
    first, second = found.kernels
    lines = [f"Linux {second.release} (B) against {first.release} (A), by airtcp {__version__}", ""]
    lines += [
        f"  {side}: kernel {kernel.name}, Linux {kernel.release}, id {kernel.id}"
        for side, kernel in zip("AB", found.kernels, strict=True)
    ]
    lines += ["", *_filled(_amount(found))]
    rows = {one: _cells(one) for one in found.differences}
    widths = [
        max(map(len, column)) for column in zip(_HEADS, *(cells for cells in rows.values()), strict=True)
    ]
    for scenario, length_s in found.scenarios.items():
        lines += ["", f"{scenario} ({length_s:g} s)", _line("", _HEADS, widths)]
        for one, cells in rows.items():
            if one.scenario == scenario:
                lines += _labelled(label_of(one.value), cells, widths)
    lines += ["", *(line for text in marks_text(found) for line in _filled(text))]
    lines += [line for note in found.notes for line in _filled(f"Note: {note}")]
    return "\n".join(["" if not line.strip() else line.rstrip() for line in [*lines, "", *_broken(command)]])


def _amount(found: KernelComparison) -> str:
    several = f"Seeds 1 to {found.seeds} with each kernel; means over seeds, differences within seeds."
    return f"{several} {found.virtual_s:g} s of virtual time in all."


def _filled(text: str) -> list[str]:
    return textwrap.wrap(text, COLUMNS, break_long_words=False, break_on_hyphens=False)


def _cells(one: KernelDifference) -> tuple[str, ...]:
    digits, paired = digits_of(one.value), one.paired
    interval = paired.difference
    low, high = (number(end, digits + 1) for end in (interval.low, interval.high))
    return (
        number(paired.second_mean, digits),
        number(paired.first_mean, digits),
        number(interval.mean, digits + 1),
        f"{low} .. {high}",
        one.mark,
    )


def _line(label: str, cells: Sequence[str], widths: Sequence[int]) -> str:
    texts = [cell.rjust(width) for cell, width in zip(cells[:-1], widths[:-1], strict=True)]
    right = "  ".join([*texts, cells[-1].ljust(widths[-1])])
    return f"{label:<{COLUMNS - len(right) - 2}}  {right}"


def _labelled(label: str, cells: Sequence[str], widths: Sequence[int]) -> list[str]:
    room = max(_LABEL_LEAST, COLUMNS - sum(widths) - 2 * len(widths))
    first, *more = textwrap.wrap(label, room)
    return [_line(first, cells, widths), *(f"  {part}" for part in more)]


def _broken(command: str) -> list[str]:
    lines = textwrap.wrap(command, COLUMNS - 4, break_long_words=False, break_on_hyphens=False)
    return [f"  {line} \\" for line in lines[:-1]] + [f"  {lines[-1]}"]


def marks_text(found: KernelComparison) -> list[str]:
    """What the marks mean, and how many there would be by chance."""
    count, excluded = len(found.differences), sum(one.excludes_zero for one in found.differences)
    differ = sum(one.differs for one in found.differences)
    return [
        f"*: the 95 % interval of the mean difference excludes zero ({excluded} of {count}; of kernels that "
        f"do not differ, up to {found.by_chance:.1f} would by chance).",
        f"**: so it does, and the difference is significant at {LEVEL * 100:g} % with Holm's correction over "
        f"all {count} ({differ} of {count}).",
    ]


def kernel_tables(found: KernelComparison) -> list[Table]:
    """A table for each scenario, with the test of each difference."""
    first, second = found.kernels
    columns = ("quantity", f"A: {first.name}", f"B: {second.name}", "B - A", "95 %", "mark", "p", "test")
    tables = []
    for scenario in found.scenarios:
        table = Table(f"{scenario}: means over seeds, differences within seeds", columns, left=columns[5:])
        for one in (one for one in found.differences if one.scenario == scenario):
            p = "-" if one.p is None else f"{one.p:.4f}"
            table.add(label_of(one.value), *_cells(one), p, one.paired.test)
        tables.append(table)
    return tables


def write_kernel_page(found: KernelComparison, command: str, out: Path) -> None:
    """One page, with every run."""
    names = [kernel.name for kernel in found.kernels]
    page = Page(
        title=f"Kernels {names[0]} and {names[1]}",
        lead=[
            *(
                f"{side}: {one.name}, Linux {one.release}, id {one.id}."
                for side, one in zip("AB", found.kernels, strict=True)
            ),
            _amount(found),
        ],
        commands=[command],
        notes=[*marks_text(found), *found.notes],
        tables=kernel_tables(found),
    )
    folders = list(dict.fromkeys(found.folders))
    with Runs.of(folders) as runs:
        write_page(page, runs, out)


def write_kernel_report(found: KernelComparison, command: str, out: Path) -> None:
    """`report.txt`, `report.html` and `differences.csv` in a folder."""
    about: dict[str, object] = {"kernels": [kernel.name for kernel in found.kernels], "command": command}
    with output_folder(out, about) as folder:
        (folder / "report.txt").write_text(f"{letter(found, command)}\n", encoding="utf-8")
        write_kernel_page(found, command, folder / "report.html")
        (folder / "differences.csv").write_text(_csv(found), encoding="utf-8")


def _csv(found: KernelComparison) -> str:
    table = Table("", ("scenario", "value", "a", "b", "difference", "low", "high", "p_holm", "mark"))
    for one in found.differences:
        paired, interval = one.paired, one.paired.difference
        numbers = (paired.second_mean, paired.first_mean, interval.mean, interval.low, interval.high, one.p)
        table.add(
            one.scenario, one.value, *("" if each is None else repr(each) for each in numbers), one.mark
        )
    return table.csv()
