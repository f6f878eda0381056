"""`airtcp doctor`: checks that this machine can run airtcp."""

from typing import Annotated

import typer

from airtcp.cli.execute import DEFAULT_STORE, Store
from airtcp.cli.say import say
from airtcp.kernels.table import DEFAULT_KERNEL

Series = Annotated[str, typer.Option("--series", help="Kernel series.")]


def doctor(series: Series = DEFAULT_KERNEL, store: Store = DEFAULT_STORE) -> None:
    """Check that this machine can run airtcp; the exit status is 2 if a check fails."""
    from airtcp.execution.locate import find_ahead

    find_ahead(series)
    from airtcp.execution.doctor import examine

    failed = 0
    for check in examine(series, store):
        say(f"{'ok     ' if check.ok else 'MISSING'}  {check.name}: {check.detail}")
        if not check.ok:
            failed += 1
            if check.remedy:
                say(f"         {check.remedy}")
    if failed:
        say(f"{failed} problem{'s' if failed > 1 else ''} found.")
        raise typer.Exit(2)
    say("No problems found.")
