"""`airtcp store`: lists, verifies, cleans and copies the runs of a store."""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.command_list import CommandList
from airtcp.cli.execute import DEFAULT_STORE
from airtcp.cli.option_lists import pairs, words
from airtcp.cli.run_table import RunTable, Wanted, kept_table, shown
from airtcp.cli.say import say
from airtcp.errors import AirtcpError
from airtcp.input_file import TEXT_BYTES_MOST, read_input

if TYPE_CHECKING:
    from airtcp.data.stored_run import StoredRun
    from airtcp.store.contents import Contents
    from airtcp.store.garbage import Garbage

app = typer.Typer(
    cls=CommandList, help="List, verify, clean and copy the runs of a store.", no_args_is_help=True
)
Store = Annotated[Path, typer.Option("--store", help="Folder that holds run folders.")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Runs = Annotated[
    list[str] | None,
    typer.Argument(metavar="[RUN]...", help="Runs, by the beginnings of their names. Default: all."),
]
Values = Annotated[
    str, typer.Option("--values", help="Show what was varied, and these quantities: throughput,rtt.")
]
Where = Annotated[str, typer.Option("--where", help="Only runs with these levels: cca=bbr,queue_packets=20.")]
Sort = Annotated[
    str, typer.Option("--sort", help="Sort by this column of the table; -NAME: the largest first.")
]
# What a summary shows of each reason; --json has all.
SHOWN = 10
_UNITS_S = {"h": 3600, "d": 86_400, "w": 7 * 86_400}


@app.command("ls")
def list_runs(
    store: Store = DEFAULT_STORE,
    name: Annotated[
        str, typer.Option("--name", help="Only runs with this name; * and ? are wildcards.")
    ] = "*",
    values: Values = "",
    where: Where = "",
    sort: Sort = "",
    as_json: Json = False,
) -> None:
    """List the runs of a store: name, seed, kernel, size, or what was varied and numbers (--values)."""
    if values or where or sort:
        wanted = Wanted(words(values), name, pairs(where, "--where"), sort)
        _list_table(kept_table(store, wanted), as_json)
        return
    from airtcp.data.stored_run import describe
    from airtcp.store.contents import read_contents

    contents = read_contents(store)
    rows: list[StoredRun] = []
    damaged: dict[str, str] = {}
    for folder in contents.complete:
        try:
            run = describe(folder)
        except AirtcpError as error:
            damaged[folder.name] = f"{Path(error.place).name}: {error.what}"
            continue
        if fnmatchcase(run.name, name):
            rows.append(run)
    if as_json:
        say(json.dumps(_listing_fields(contents, rows, damaged), indent=1))
        return
    _print_runs(rows)
    _print_others(contents, damaged)


def _list_table(table: RunTable, as_json: bool) -> None:
    rows = table.rows
    if as_json:
        say(json.dumps({"runs": [dict(zip(table.columns, row, strict=True)) for row in rows]}, indent=1))
        return
    right = {
        place
        for place in range(len(table.columns))
        if rows and all(isinstance(row[place], int | float | None) for row in rows)
    }
    _print_table(table.columns, shown(table), right)
    say(_count(len(rows), "run"))


def _listing_fields(contents: "Contents", rows: list["StoredRun"], damaged: dict[str, str]) -> dict[str, Any]:
    runs = [
        {
            "run": run.run,
            "name": run.name,
            "seed": run.seed,
            "kernel": run.kernel,
            "virtual_s": run.virtual_s,
            "size_bytes": run.size_bytes,
            "computed": _iso(run.computed_s),
        }
        for run in rows
    ]
    return {
        "runs": runs,
        "damaged": damaged,
        "incomplete": [folder.name for folder in contents.incomplete],
        "under_way": contents.under_way,
        "leftovers": [each.path.name for each in contents.leftovers],
        "scenes": [folder.name for folder in contents.scenes],
    }


def _print_runs(rows: list["StoredRun"]) -> None:
    cells = [
        [
            run.run,
            run.name,
            str(run.seed),
            run.kernel or "-",
            "-" if run.virtual_s is None else f"{run.virtual_s:g}",
            _size(run.size_bytes),
            _local(run.computed_s),
        ]
        for run in rows
    ]
    _print_table(["run", "name", "seed", "kernel", "virtual s", "size", "computed"], cells, right={2, 4, 5})
    say(f"{_count(len(rows), 'run')}, {_size(sum(run.size_bytes for run in rows))}")


def _print_others(contents: "Contents", damaged: dict[str, str]) -> None:
    for run, what in damaged.items():
        say(f"damaged: {run}: {what}")
    for folder in contents.incomplete:
        say(f"incomplete: {folder.name}: no manifest")
    for run in contents.under_way:
        say(f"under way: {run}")
    for left in contents.leftovers:
        say(f"left by a process that was killed: {left.path.name}")
    if contents.scenes:
        say(f"and {_count(len(contents.scenes), 'result')} of airtcp air")
    if damaged or contents.incomplete or contents.leftovers:
        say(f"Remove damaged runs and leftovers with: airtcp store gc --store {contents.store}")


@app.command("verify")
def verify_runs(runs: Runs = None, store: Store = DEFAULT_STORE) -> None:
    """Check every result file against its checksum; the exit status is 1 if a run is damaged."""
    from airtcp.data.run_integrity import has_checksums
    from airtcp.execution.cores import cores
    from airtcp.store.contents import read_contents, select_runs
    from airtcp.store.verification import verify

    contents = read_contents(store)
    folders = select_runs(contents, runs or [])
    if not runs:
        folders = folders + contents.incomplete
    wrong = unchecked = 0
    with _progress("verifying", len(folders)) as progress:
        for verified in verify(folders, cores(), progress):
            for what in verified.damage:
                say(f"{verified.folder.name}: {what}")
            wrong += bool(verified.damage)
            unchecked += not verified.damage and not has_checksums(verified.folder)
    if unchecked:
        say(f"{_count(unchecked, 'run')} of a version without checksums: only plan and name were checked")
    if wrong:
        say(f"{wrong} of {_count(len(folders), 'run')} damaged. To remove: airtcp store gc --store {store}")
        raise typer.Exit(1)
    say(f"{_count(len(folders), 'run')}, none damaged")


@app.command("gc")
def collect_garbage(
    store: Store = DEFAULT_STORE,
    other_engines: Annotated[
        bool,
        typer.Option(
            "--other-engines",
            help="Also runs made by another kernel, library or agent than the current ones.",
        ),
    ] = False,
    older_than: Annotated[
        str | None,
        typer.Option(
            metavar="AGE",
            help="Also runs older than AGE, as in 30d (h, d, w); with --other-engines: both conditions.",
        ),
    ] = None,
    keep_used_by: Annotated[
        list[Path] | None,
        typer.Option(
            "--keep-used-by",
            metavar="FILE",
            help="Keep intact runs named in this report or text file; may be repeated.",
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Remove. Without it: only list.")] = False,
    as_json: Json = False,
) -> None:
    """Remove leftovers of killed processes and broken runs, and on request old or outdated runs."""
    from airtcp.execution.cores import cores
    from airtcp.execution.locate import find_runner
    from airtcp.store.contents import read_contents
    from airtcp.store.current_engine import CurrentEngine
    from airtcp.store.garbage import RemovalFilter, find_garbage

    before_s = None if older_than is None else time.time() - _age_s(older_than)
    removal = RemovalFilter(other_engines, before_s, _listed(keep_used_by or []))
    contents = read_contents(store)
    engine = CurrentEngine(find_runner()) if other_engines else None
    with _progress("verifying", len(contents.complete)) as progress:
        others = engine.others if engine else set[Path]
        found = list(find_garbage(contents, removal, others, cores(), progress))
    for series, count in (engine.without_kernel if engine else {}).items():
        if count:
            say(f"kept: {_count(count, 'run')} of kernel {series}, which is not built here", err=True)
    gone = _remove_all(store, found) if yes else []
    if as_json:
        say(json.dumps(_garbage_fields(found, gone), indent=1))
    else:
        _print_garbage(found, gone, yes)


@app.command("export")
def export_runs(
    to: Annotated[
        Path,
        typer.Argument(
            metavar="DEST", help="Another store, or an archive: .tar.zst, .tar.gz.", show_default=False
        ),
    ],
    runs: Runs = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """Copy complete, verified runs into another store or an archive; nothing is overwritten."""
    from airtcp.store.archive import is_archive
    from airtcp.store.contents import read_contents, select_runs
    from airtcp.store.copying import ExportResult, copy_run

    folders = select_runs(read_contents(store), runs or [])
    if not folders:
        raise AirtcpError("has no complete run", str(store), "Name another store with --store")
    exported = ExportResult()
    with _progress("exporting", len(folders)) as progress:
        if is_archive(to):
            _export_archive(to, folders, exported, progress)
        else:
            if to.resolve() == store.resolve():
                raise AirtcpError("is the store itself", str(to), "Name another folder")
            _make_store(to)
            for number, folder in enumerate(folders):
                copy_run(folder, to, exported)
                progress(number + 1)
    for run, why in exported.refused.items():
        say(f"not exported: {run}: {why}")
    there = f", {len(exported.present)} were already there" if exported.present else ""
    say(f"{_count(len(exported.copied), 'run')} exported to {to}{there}")
    if exported.refused:
        raise typer.Exit(1)


def _export_archive(to: Path, folders: list[Path], exported: "Any", progress: Callable[[int], None]) -> None:
    from airtcp.data.run_integrity import find_damage
    from airtcp.store.archive import add_run, new_archive

    with new_archive(to) as archive:
        for number, folder in enumerate(folders):
            damage = find_damage(folder)
            if damage:
                exported.refused[folder.name] = f"is damaged: {damage[0]}"
            else:
                add_run(archive, folder)
                exported.copied.append(folder.name)
            progress(number + 1)


def _make_store(to: Path) -> None:
    try:
        to.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        remedy = "Name a folder that you may write to"
        raise AirtcpError(f"can't be made: {error.strerror}", str(to), remedy) from None


def _remove_all(store: Path, found: list["Garbage"]) -> list["Garbage"]:
    from airtcp.store.garbage import remove

    gone = []
    with _progress("removing", len(found)) as progress:
        for number, each in enumerate(found):
            if remove(store, each):
                gone.append(each)
            progress(number + 1)
    return gone


def _garbage_fields(found: list["Garbage"], gone: list["Garbage"]) -> list[dict[str, Any]]:
    removed = {each.path for each in gone}
    return [
        {
            "path": str(each.path),
            "run": each.run,
            "reason": each.reason,
            "detail": each.detail,
            "size_bytes": each.size_bytes,
            "removed": each.path in removed,
        }
        for each in found
    ]


def _print_garbage(found: list["Garbage"], gone: list["Garbage"], yes: bool) -> None:
    for reason in dict.fromkeys(each.reason for each in found):
        those = [each for each in found if each.reason == reason]
        say(f"{reason}: {len(those)}, {_size(sum(each.size_bytes for each in those))}")
        for each in those[:SHOWN]:
            say(f"    {each.path.name}{': ' if each.detail else ''}{each.detail}")
        if len(those) > SHOWN:
            say(f"    and {len(those) - SHOWN} more (--json names all)")
    if not found:
        say("Nothing to remove.")
    elif not yes:
        freed = _size(sum(each.size_bytes for each in found))
        say(f"Would free {freed}. Nothing was removed: give --yes to remove.")
    else:
        say(f"Removed {len(gone)} of {len(found)}, freed {_size(sum(each.size_bytes for each in gone))}.")
        if len(gone) < len(found):
            say("The others are runs under way now, or were replaced by sound ones in the meantime.")


def _age_s(text: str) -> float:
    match = re.fullmatch(r"(\d{1,6})([hdw])", text)
    if match is None:
        raise AirtcpError(f"{text!r} is not an age", "--older-than", "Write for example 12h, 30d or 4w")
    return int(match[1]) * _UNITS_S[match[2]]


def _listed(files: list[Path]) -> frozenset[str]:
    names: set[str] = set()
    for file in files:
        try:
            found = re.findall(rb"(?<![0-9a-f])[0-9a-f]{16}(?![0-9a-f])", read_input(file, TEXT_BYTES_MOST))
        except OSError as error:
            raise AirtcpError(f"can't be read: {error.strerror}", str(file), "Check the path") from None
        if not found:
            raise AirtcpError(
                "names no run", str(file), "Give a file with names of runs, as store ls prints them"
            )
        names.update(each.decode() for each in found)
    return frozenset(names)


@contextmanager
def _progress(what: str, count: int) -> Iterator[Callable[[int], None]]:
    """A bar on a terminal; nothing elsewhere."""
    if not sys.stderr.isatty() or count < 2:
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=count)
        yield lambda done: bar.update(task, completed=done)


def _print_table(head: list[str], rows: list[list[str]], right: set[int]) -> None:
    # Plain text: a table of rich takes seconds for ten thousand rows.
    rows = [["".join(c if c.isprintable() else "?" for c in cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    lines = []
    for row in [head, *rows]:
        pairs = enumerate(zip(row, widths, strict=True))
        cells = [cell.rjust(width) if i in right else cell.ljust(width) for i, (cell, width) in pairs]
        lines.append("  ".join(cells).rstrip())
    say("\n".join(lines))


def _size(size_bytes: int) -> str:
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if size_bytes >= factor:
            return f"{size_bytes / factor:.1f} {unit}"
    return f"{size_bytes} B"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _iso(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))


def _local(seconds: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))
