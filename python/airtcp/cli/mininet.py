"""`airtcp mininet`: a script or a command of Mininet or Mininet-WiFi, in virtual time."""

import functools
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.execute import DEFAULT_STORE, Store
from airtcp.cli.say import say
from airtcp.errors import AirtcpError
from airtcp.input_file import TEXT_BYTES_MOST, read_input

if TYPE_CHECKING:
    from airtcp.plans.types.plan import Plan

# As many radios as most scripts of Mininet-WiFi use. One more costs the boot some milliseconds.
_USUAL_RADIOS = 32
_INTERPRETERS = {".py": "/usr/bin/python3", ".sh": "/bin/bash"}
# The greatest exit status (POSIX), and what a shell writes for one.
_STATUS_MOST, _STATUS_BYTES_MOST = 255, 4

Words = Annotated[
    list[str],
    typer.Argument(
        help="A script with its arguments, or after -- a command such as mn --test pingall.",
        show_default=False,
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", help="Root of every random stream.")]
Radios = Annotated[
    int | None,
    typer.Option(
        "--radios",
        min=0,
        max=200,
        help="Radios for Mininet-WiFi; default: 32 if a script names mn_wifi and for mn --wifi, else 0.",
        show_default=False,
    ),
]
Pace = Annotated[
    float,
    typer.Option("--pace", min=0.001, help="On a terminal: speed of virtual time beside that of a clock."),
]
LinkRate = Annotated[
    str | None,
    typer.Option(
        "--link-rate",
        help="What a link without bw carries in each direction, for example '10 Gbit/s'; default: 1 Gbit/s.",
        show_default=False,
    ),
]
Keep = Annotated[
    Path | None,
    typer.Option(
        "--save",
        help="On a terminal: keep what was typed, with its times, as a plan (.json) that airtcp run repeats.",
        show_default=False,
    ),
]


def mininet(
    command: Words,
    seed: SeedOption = 1,
    radios: Radios = None,
    pace: Pace = 1.0,
    keep: Keep = None,
    link_rate: LinkRate = None,
    store: Store = DEFAULT_STORE,
) -> None:
    """Run a script of Mininet or Mininet-WiFi in virtual time, as root of a guest of its own.

    On a terminal you type at its prompt while virtual time goes at the pace of a clock. Otherwise standard
    input has the commands for the prompt, and time goes as fast as it can. The script can change every file;
    the changes end with the guest. What it wrote in this folder, beside itself and in $RUN_DIR is kept, in
    programs/ of the run folder.
    """
    from airtcp.execution.store import prepare_store
    from airtcp.mininet.plan import mininet_plan
    from airtcp.mininet.start import Command

    _check_folder(Path.cwd())
    plan = mininet_plan(_radios_of(command) if radios is None else radios, seed)
    line = Command(_words(command), Path.cwd(), _libraries(), _link_mbit_s(link_rate)).line()
    folder = prepare_store(store)
    if sys.stdin.isatty():
        from airtcp.mininet.terminal import on_terminal
        from airtcp.shell.terminal import run_on_terminal

        hold = functools.partial(run_on_terminal, pace=pace)
        raise typer.Exit(on_terminal(plan, line, folder, hold, keep))
    if keep is not None:
        raise AirtcpError("keeps what is typed on a terminal", "--save", "Leave it out: this run is kept")
    raise typer.Exit(_in_batch(plan, line, folder))


def _in_batch(plan: "Plan", line: str, store: Path) -> int:
    from airtcp.execution.locate import find_runner
    from airtcp.mininet.batch import batch_plan, run_batch

    typed = sys.stdin.buffer.read()
    together = os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
    folder = run_batch(batch_plan(plan, line, typed, together=together), find_runner(), store, _show)
    say(f"Run folder: {folder}", err=True)
    return _status(folder / "programs" / "status")


def _status(file: Path) -> int:
    """The exit status that the command has left. A script may have put something else there."""
    try:
        text = read_input(file, _STATUS_BYTES_MOST, follow=False)
        status = int(text) if text.strip().isdigit() else -1
    except OSError:
        status = -1
    return status if status in range(_STATUS_MOST + 1) else AirtcpError.exit_status


def _link_mbit_s(rate: str | None) -> int:
    from airtcp.mininet.start import LINK_MBIT_S
    from airtcp.scenario.values.units import RATE

    if rate is None:
        return LINK_MBIT_S
    try:
        mbit_s = int(RATE.read(rate)) // 1_000_000
    except ValueError as error:
        raise AirtcpError(str(error), "--link-rate", "Write a rate such as '10 Gbit/s'") from error
    if mbit_s < 1:
        raise AirtcpError(f"{rate} is less than 1 Mbit/s", "--link-rate", "Give the links bw in the script")
    return mbit_s


def _radios_of(command: list[str]) -> int:
    uses_wifi = "--wifi" in command or "-w" in command or any(map(_names_mininet_wifi, command))
    return _USUAL_RADIOS if uses_wifi else 0


def _names_mininet_wifi(word: str) -> bool:
    """Whether a word is a script in which Mininet-WiFi is named, of Python or a shell."""
    script = Path(word)
    return (
        script.suffix in (".py", ".sh")
        and script.is_file()
        and b"mn_wifi" in read_input(script, TEXT_BYTES_MOST)
    )


def _libraries() -> list[Path]:
    """Folders of modules that the user has for Python, as the guest sees them too."""
    return [Path(one).absolute() for one in os.environ.get("PYTHONPATH", "").split(os.pathsep) if one]


def _words(command: list[str]) -> list[str]:
    """A script is run by Debian's Python, which Mininet is installed for, or by bash, as labs' `run.sh`."""
    script = Path(command[0])
    if script.suffix == ".py" and not script.is_file():
        raise AirtcpError("there is no such script", command[0], "Check the path")
    interpreter = _INTERPRETERS.get(script.suffix) if script.is_file() else None
    return command if interpreter is None else [interpreter, *command]


def _check_folder(folder: Path) -> None:
    from airtcp.execution.host import GUESTS_OWN_FOLDERS

    for own in GUESTS_OWN_FOLDERS:
        if folder.is_relative_to(own):
            raise AirtcpError(f"the guest has an empty {own} of its own", str(folder), "Use another folder")


def _show(end: str, new: bytes) -> None:
    stream = sys.stdout if end == "out" else sys.stderr
    stream.buffer.write(new)
    stream.flush()
