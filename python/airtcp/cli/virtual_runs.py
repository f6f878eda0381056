"""What `airtcp fit` and `airtcp predict` share: options about measured and virtual runs, and progress."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.status_line import StatusLine

if TYPE_CHECKING:
    from airtcp.fitting.virtual_runs import VirtualRuns

Measured = Annotated[
    list[Path],
    typer.Argument(
        help="Run folders, stores of them, or folders with sources.toml: what was measured.",
        show_default=False,
    ),
]
Free = Annotated[
    list[str] | None,
    typer.Option(
        "--free",
        metavar="KEY[=LOW ? HIGH]",
        help='Another unknown key, as "wire[0].rate" or "wire[0].delay=1 ms ? 50 ms"; several times.',
        show_default=False,
    ),
]
VirtualStore = Annotated[Path, typer.Option("--store", help="Folder of the virtual runs.")]
Json = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]

DEFAULT_VIRTUAL_STORE = Path("fit-runs")


class FitProgress(StatusLine):
    """One line on stderr for each step of a fit; on a terminal it counts the runs."""

    def __init__(self) -> None:
        super().__init__("reading")
        self._name = ""

    def runs(
        self, store: Path, jobs: int | None, stall_limit_s: int | None, wall_limit_s: int | None
    ) -> "VirtualRuns":
        """Virtual runs in a store that are counted: so many at once, within these limits."""
        from airtcp.execution.limits import Limits
        from airtcp.fitting.virtual_runs import Place, VirtualRuns

        return VirtualRuns(Place(store, jobs, Limits(stall_limit_s, wall_limit_s)), self._count)

    def step(self, name: str, count: int) -> None:
        """A step begins, with so many runs."""
        self._name = name
        text = f"{name}: {count} runs"
        self.say(text, text)

    def _count(self, done: int, count: int) -> None:
        self.show(f"{self._name}: {done} of {count} runs")
