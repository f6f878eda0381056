"""`airtcp kernel`: the guest's kernel."""

import shlex
from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli import kernel_test
from airtcp.cli.command_list import CommandList
from airtcp.cli.say import say
from airtcp.errors import AirtcpError
from airtcp.kernels.name import brought_by
from airtcp.kernels.table import DEFAULT_KERNEL

app = typer.Typer(
    cls=CommandList,
    help="Build the guest's kernel, test it, copy it, or print its folder.",
    no_args_is_help=True,
)
app.command("test")(kernel_test.run_selftests)
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
Name = Annotated[
    str | None, typer.Option("--name", help="Name of a kernel of your own source, for the key kernel.")
]
Source = Annotated[
    Path | None, typer.Option("--source", help="Your own source of Linux: a folder, or an archive of one.")
]
Patches = Annotated[
    list[Path] | None,
    typer.Option(
        "--patch",
        help="A patch for the source, without one for that of the series; may be given several times.",
    ),
]
Config = Annotated[
    list[str] | None,
    typer.Option("--config", help="An option of the kernel, KEY=VALUE; may be given several times."),
]

Debug = Annotated[
    bool, typer.Option("--debug", help="With symbols and source for airtcp debug; of a series, beside it.")
]


@app.command()
def build(
    series: Series = DEFAULT_KERNEL,
    cca: Ccas = None,
    hz: Hz = None,
    flavour: Flavour = None,
    name: Name = None,
    source: Source = None,
    patch: Patches = None,
    config: Config = None,
    debug: Debug = False,
) -> None:
    """Build the kernel of the guest (takes some minutes, once).

    Your own congestion controls, another timer frequency and a flavour become part of its name: tcp_mine.c
    makes 6.12-mine, 1000 Hz makes 6.12-hz1000, the flavour lab makes 6.12-lab.

    A kernel of your own source, or of a series with patches of your own, has the name that you give.
    Building it again (--series NAME) compiles what changed in the source.
    """
    if (source or patch or (config and not debug)) and not name:
        remedy = 'Add --name NAME; scenarios choose the kernel with kernel = "NAME"'
        raise AirtcpError("a kernel of your own source needs a name", "--source, --patch, --config", remedy)
    if name and not (source or patch):
        remedy = f"Give --source DIR or --patch FILE; to build it again: airtcp kernel build --series {name}"
        raise AirtcpError("has no source", f"--name {name}", remedy)
    words = ["--series", series]
    words += [word for file in cca or [] for word in ("--cca", str(file))]
    words += [word for file in patch or [] for word in ("--patch", str(file))]
    words += [word for option in config or [] for word in ("--config", option)]
    for key, value in {"--flavour": flavour, "--hz": hz, "--name": name, "--source": source}.items():
        words += [] if value is None else [key, str(value)]
    words += ["--debug"] if debug else []
    _run_builder(words)


def _run_builder(words: list[str]) -> None:
    from airtcp.execution.kernel_build import run_builder

    if run_builder(words) != 0:
        raise typer.Exit(AirtcpError.exit_status)


CheckedSource = Annotated[
    Path,
    typer.Option("--source", help="The source of Linux: a folder, or an archive of one.", show_default=False),
]


@app.command()
def check(source: CheckedSource, patch: Patches = None, flavour: Flavour = None) -> None:
    """Tell whether airtcp's patches apply to a source of Linux, and where they do not; build nothing."""
    from airtcp.kernels.build_tree import DoesNotApply, check_source, described
    from airtcp.kernels.source_tree import NoLinuxTree
    from airtcp.kernels.table import PLAIN

    try:
        version, outcomes = check_source(source, patch or [], flavour or PLAIN)
    except NoLinuxTree as error:
        remedy = "Give the folder that has Linux' Makefile, or an archive of it"
        raise AirtcpError(f"is no source of Linux: {error}", str(source), remedy) from None
    except DoesNotApply as error:
        raise AirtcpError(str(error), "", "Port the patch to this source") from None
    missing = [outcome for outcome in outcomes if outcome.missing]
    for outcome in outcomes:
        if outcome.missing or outcome.refused:
            say(described(outcome))
    applied = sum(outcome.variant is not None for outcome in outcomes)
    say(f"Linux {version}: {applied} patches of airtcp apply, {len(missing)} do not.")
    if missing:
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
