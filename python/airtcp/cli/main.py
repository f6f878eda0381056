"""The command with its subcommands; every error becomes a message and an exit status."""

import contextlib
import signal
import sys
from types import FrameType
from typing import Annotated, NoReturn

import typer

from airtcp.cli import (
    air,
    bisect,
    compare,
    compare_kernels,
    debug,
    docs,
    doctor,
    enter,
    explain,
    export,
    fit,
    flent,
    help,
    hostap_tests,
    init,
    kernel,
    map,
    measure,
    mininet,
    packetdrill,
    plot,
    predict,
    report,
    run,
    shell,
    show_plan,
    store,
    study,
    sweep,
    trace,
    view,
)
from airtcp.cli.command_list import CommandList
from airtcp.cli.lazy_numpy import load_numpy_lazily
from airtcp.cli.say import say
from airtcp.errors import AirtcpError
from airtcp.version import __version__
from airtcp.visible_text import visible

INTERRUPTED = 130  # 128 + SIGINT, as shells have it

app = typer.Typer(
    name="airtcp",
    cls=CommandList,
    help="Measure Linux TCP over Wi-Fi: real kernels, a model of the air, one virtual clock.",
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("init")(init.init)
app.command("run")(run.run)
app.command("shell")(shell.shell)
app.command("enter")(enter.enter)
app.command("debug")(debug.debug)
app.command("air")(air.air)
app.command("explain")(explain.explain)
app.command("map")(map.draw_map)
app.command("plot")(plot.plot)
app.command("view")(view.view)
app.command("report")(report.report)
app.command("measure")(measure.measure)
app.command("compare")(compare.compare)
app.command("compare-kernels")(compare_kernels.compare_kernels)
app.command("bisect")(bisect.bisect)
app.command("fit")(fit.fit)
app.command("predict")(predict.predict)
app.command("export")(export.export)
app.command("trace")(trace.trace)
app.command("study")(study.study)
app.command("sweep")(sweep.sweep)
app.command("mininet", context_settings={"allow_interspersed_args": False})(mininet.mininet)
app.command("flent", context_settings={"ignore_unknown_options": True})(flent.flent)
app.command("packetdrill")(packetdrill.packetdrill)
app.command("hostap-tests")(hostap_tests.hostap_tests)
app.command("show-plan")(show_plan.show_plan)
app.command("doctor")(doctor.doctor)
app.command("docs")(docs.docs)
app.command("help")(help.explain_topic)
app.add_typer(store.app, name="store")
app.add_typer(kernel.app, name="kernel")


def _version(asked: bool) -> None:
    if asked:
        say(f"airtcp {__version__}")
        raise typer.Exit


@app.callback()
def _common(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    pass


class Interrupted(BaseException):
    """Ctrl-C or SIGTERM; not `KeyboardInterrupt`, which Typer handles itself."""


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:  # noqa: ARG001
    raise Interrupted


def _handle_signals(*numbers: signal.Signals) -> None:
    for number in numbers:
        # The parent process may have set it to be ignored (nohup, background jobs of a shell).
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, _interrupt)


def main() -> None:
    """Runs the command; a user's error is one message on stderr and status 2, a failed run is status 3."""
    _handle_signals(signal.SIGINT, signal.SIGTERM)
    load_numpy_lazily()
    try:
        app(standalone_mode=True)
    except AirtcpError as error:
        _print_error(error)
        sys.exit(error.exit_status)
    except (Interrupted, KeyboardInterrupt):
        print("airtcp: interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output has ended (`| head`).
        with contextlib.suppress(OSError):
            sys.stderr.close()
        sys.exit(1)
    except OSError as error:
        # An error with a file name concerns the user's files; others are bugs and keep their traceback.
        if error.filename is None:
            raise
        remedy = "Check the path, its permissions and the space on the disk"
        _print_error(AirtcpError(f"can't be used: {error.strerror}", str(error.filename), remedy))
        sys.exit(AirtcpError.exit_status)


def _print_error(error: AirtcpError) -> None:
    for line in str(error).splitlines() if hasattr(error, "errors") else [str(error)]:
        print(f"airtcp: {visible(line)}", file=sys.stderr)
    console = getattr(error, "console", [])
    if console:
        print("The guest's last lines:", file=sys.stderr)
        for line in console:
            print(f"    {visible(line)}", file=sys.stderr)
