"""`airtcp kernel`: the guest's kernel."""

import shlex
import subprocess
from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.command_list import CommandList
from airtcp.cli.say import say
from airtcp.errors import AirtcpError
from airtcp.kernels.name import brought_by
from airtcp.kernels.table import DEFAULT_KERNEL

app = typer.Typer(
    cls=CommandList, help="Build the guest's kernel, copy it, or print its folder.", no_args_is_help=True
)
Series = Annotated[str, typer.Option("--series", help="Kernel series.")]
Ccas = Annotated[
    list[Path] | None,
    typer.Option("--cca", help="Your own congestion control, tcp_NAME.c; may be given several times."),
]


Hz = Annotated[
    int | None, typer.Option("--hz", help="Timer frequency: 100, 250, 300 or 1000 Hz; default: 250.")
]


Flavour = Annotated[
    str | None,
    typer.Option("--flavour", help="Flavour, such as lab; default: plain."),
]


@app.command()
def build(series: Series = DEFAULT_KERNEL, cca: Ccas = None, hz: Hz = None, flavour: Flavour = None) -> None:
    """Build the kernel of the guest (takes some minutes, once).

    Your own congestion controls, another timer frequency and a flavour become part of its name: tcp_mine.c
    makes 6.12-mine, 1000 Hz makes 6.12-hz1000, the flavour lab makes 6.12-lab.
    """
    from airtcp.execution.locate import builder_environment, kernel_builder
    from airtcp.execution.runner import end_session

    script = kernel_builder()
    if script is None:
        remedy = "Install airtcp from its wheel, use its source tree, or set AIRTCP_KERNELS to built kernels"
        raise AirtcpError("this installation has no kernel/build", "", remedy)
    files = [word for file in cca or [] for word in ("--cca", str(file))]
    chosen = [] if flavour is None else ["--flavour", flavour]
    chosen += [] if hz is None else ["--hz", str(hz)]
    # In a session of its own, so that make and compilers end with it.
    building = subprocess.Popen(
        ["bash", str(script), "--series", series, *chosen, *files],
        env=builder_environment(),
        start_new_session=True,
    )
    try:
        status = building.wait()
    finally:
        end_session(building)
    if status != 0:
        raise typer.Exit(AirtcpError.exit_status)


Folder = Annotated[Path, typer.Argument(help="Folder of kernels, for AIRTCP_KERNELS.", show_default=False)]


@app.command()
def copy(folder: Folder, series: Series = DEFAULT_KERNEL) -> None:
    """Copy a built kernel to a folder of kernels that others read, such as the machines of a class."""
    import shutil

    from airtcp.execution.locate import find_kernel
    from airtcp.kernels.folder_name import folder_of

    # A kernel with one's own congestion controls is found by a link; its folder has the name of its contents.
    built = find_kernel(series).resolve()
    target = folder / (folder_of(built) if built.name == series and "-" in series else built.name)
    if target.exists():
        remedy = "It is the same kernel: its name is that of its contents"
        raise AirtcpError("already exists", str(target), remedy)
    shutil.copytree(built, target)
    if brought_by(series):
        link = folder / series
        link.unlink(missing_ok=True)
        link.symlink_to(built.name)
    say(f"Kernel: {target}")
    say(f"Others find it with: AIRTCP_KERNELS={shlex.quote(str(folder.resolve()))}")


@app.command()
def path(series: Series = DEFAULT_KERNEL) -> None:
    """Print the folder of the built kernel."""
    from airtcp.execution.locate import find_kernel

    say(str(find_kernel(series)))
