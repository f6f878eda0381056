"""`airtcp bisect`: the first commit or patch with which a kernel does not meet a condition any more."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from airtcp.cli.execute import Jobs
from airtcp.cli.kernel import Config
from airtcp.cli.say import say
from airtcp.errors import AirtcpError
from airtcp.kernels.table import DEFAULT_KERNEL

if TYPE_CHECKING:
    from airtcp.bisection.history import History
    from airtcp.bisection.kernel_tree import KernelTree
    from airtcp.bisection.search import Found, Judged, Step

File = Annotated[Path, typer.Argument(help="Scenario file (TOML).", show_default=False)]
When = Annotated[
    str,
    typer.Option("--when", help='What good kernels meet, as "rtt.p95 < 40 ms".', show_default=False),
]
Source = Annotated[
    Path | None,
    typer.Option("--source", help="A clone of Linux; with --patches any source: a folder or an archive."),
]
Good = Annotated[str, typer.Option("--good", help="A commit that meets the condition.")]
Bad = Annotated[
    str, typer.Option("--bad", help="A later commit that does not. Default: what is checked out.")
]
PatchList = Annotated[
    list[Path] | None,
    typer.Option(
        "--patches",
        help="Instead of commits: patches, or a folder of them, in their order; may be given several times.",
    ),
]
Series = Annotated[str, typer.Option("--series", help="With --patches, without --source: the kernel series.")]
Seeds = Annotated[
    int, typer.Option("--seeds", min=1, help="Runs of each kernel, whose mean is judged: seeds 1, 2, ...")
]
RunStore = Annotated[
    Path | None, typer.Option("--store", help="Keep the runs in this folder. Default: they are removed.")
]
Keep = Annotated[
    bool, typer.Option("--keep", help="Keep the kernel's tree: the next bisection begins with it.")
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object per step, and one of the result.")]


@dataclass(frozen=True)
class _Searched:
    """What the options say is searched."""

    source: Path | None
    good: str
    bad: str
    patches: Sequence[Path]
    series: str


def bisect(
    file: File,
    when: When,
    source: Source = None,
    good: Good = "",
    bad: Bad = "HEAD",
    patches: PatchList = None,
    series: Series = DEFAULT_KERNEL,
    config: Config = None,
    seeds: Seeds = 1,
    jobs: Jobs = None,
    store: RunStore = None,
    keep: Keep = False,
    as_json: Json = False,
) -> None:
    """Find the first commit, or patch, of Linux with which a scenario misses a condition."""
    from airtcp.bisection.condition import read_condition
    from airtcp.bisection.history import patch_files
    from airtcp.bisection.kernel_test import KernelTest, kernel_of
    from airtcp.bisection.kernel_tree import base_name, kernel_tree
    from airtcp.bisection.search import Search
    from airtcp.execution.cores import runs_at_once
    from airtcp.execution.locate import find_runner
    from airtcp.execution.store import prepare_store

    condition = read_condition(when)
    files = patch_files(patches) if patches else []
    searched = _checked(_Searched(source, good, bad, files, series))
    runner = find_runner()
    name = kernel_of(file, base_name(str(source.resolve()) if source else series))
    shown = _Shown(as_json)
    with kernel_tree(name, config or [], keep) as tree, _history(searched, tree) as history:
        runs = prepare_store(store or tree.folder / "runs")
        at_once = min(runs_at_once(jobs), seeds)
        test = KernelTest(
            file, condition, range(1, seeds + 1), tree, history.build_words, runner, runs, at_once
        )
        shown.begin(history, condition.text, seeds)
        found = Search(history, test, shown.step).run()
        shown.end(found, history, searched)
        if keep:
            say(
                f"The tree is kept: {tree.folder} and {name}; remove it with a bisection without --keep.",
                err=True,
            )


def _checked(asked: _Searched) -> _Searched:
    if asked.patches and asked.good:
        raise AirtcpError("exclude each other", "--patches and --good", "Patches have no commits")
    if not asked.patches and not (asked.source and asked.good):
        remedy = "Give --source REPO --good COMMIT --bad COMMIT, or --patches DIR"
        raise AirtcpError("there is nothing to search", "", remedy)
    return asked


@contextmanager
def _history(asked: _Searched, tree: "KernelTree") -> "Iterator[History]":
    import shutil

    from airtcp.bisection.history import patch_series, worktree

    if asked.patches:
        base = ["--source", str(asked.source.resolve())] if asked.source else ["--series", asked.series]
        folder = tree.folder / "patches"
        shutil.rmtree(folder, ignore_errors=True)
        yield patch_series(asked.patches, base, folder)
        return
    assert asked.source, "it was checked"
    with worktree(asked.source.resolve(), (asked.good, asked.bad), tree.folder / "source") as commits:
        yield commits


class _Shown:
    """What is printed while it goes on: lines, or JSON."""

    def __init__(self, as_json: bool) -> None:
        self._as_json = as_json
        self._good_end: Judged | None = None
        self._count = 0

    def begin(self, history: "History", condition: str, seeds: int) -> None:
        """What is searched."""
        runs = f", means of {seeds} seeds" if seeds > 1 else ""
        say(f"Good kernels meet: {condition}{runs}. The first build takes some minutes.", err=self._as_json)
        ends = f"good {history.good.short} ({history.good.subject}), bad {history.bad.short} "
        say(f"{ends}({history.bad.subject})", err=self._as_json)

    def step(self, step: "Step") -> None:
        """A commit was tested."""
        from airtcp.bisection.search import overlapping

        self._count += 1
        tested = step.tested
        if self._as_json:
            say(json.dumps({"event": "step", **_facts(step)}))
        else:
            times = f"{tested.wall_s:.0f} s: build {tested.build_s:.0f}, runs {tested.run_s:.0f}"
            left = f"; some {step.steps_left + 1} left" if step.steps_left is not None else ""
            judged = f"{tested.verdict:<4}  {tested.text}  ({times}{left})"
            say(f"{step.commit.short}  {judged}  {step.commit.subject}")
        if self._good_end is None:
            self._good_end = tested
        elif self._count == 2 and (names := overlapping(self._good_end, tested)):
            say(
                f"warning: seeds of both ends overlap in {', '.join(names)}; more --seeds are safer.",
                err=True,
            )

    def end(self, found: "Found", history: "History", searched: _Searched) -> None:
        """The first bad commit."""
        commits = [{"commit": one.id, "subject": one.subject} for one in found.commits]
        if self._as_json:
            seconds = round(sum(step.tested.wall_s for step in found.steps), 1)
            facts = {"tested": len(found.steps), "skipped": found.skipped, "wall_s": seconds}
            say(json.dumps({"event": "found", "first_bad": commits, **facts}))
            return
        what = "patch" if searched.patches else "commit"
        if len(found.commits) > 1:
            say(f"The first bad {what} is one of these; those before the last could not be tested:")
        for commit in found.commits:
            named = commit.subject if searched.patches else f"{commit.id}  {commit.subject}"
            say(f"  {named}" if len(found.commits) > 1 else f"First bad {what}: {named}")
        for name, one in (("good end", history.good), ("first bad", found.commits[-1])):
            if (tested := found.tested(one)) is not None:
                say(f"  {name}: {tested.text}")
        total_s = sum(step.tested.wall_s for step in found.steps)
        say(f"  {len(found.steps)} kernels tested, {found.skipped} skipped, {total_s:.0f} s")


def _facts(step: "Step") -> dict[str, Any]:
    tested = step.tested
    return {
        "commit": step.commit.id,
        "subject": step.commit.subject,
        "verdict": tested.verdict,
        "text": tested.text,
        "values": {name: list(values) for name, values in tested.by_seed.items()},
        "build_s": round(tested.build_s, 1),
        "run_s": round(tested.run_s, 1),
    }
