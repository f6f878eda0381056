"""The prompt: lines from a terminal with history and completion, or from a file."""

import asyncio
import contextlib
import select
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError
from airtcp.sessions.condition import WORDS
from airtcp.shell.shell import Shell
from airtcp.visible_text import visible

if TYPE_CHECKING:
    from prompt_toolkit import PromptSession


# While time goes on, the prompt shows it.
REFRESH_S = 0.5


def hold(shell: Shell, history: Path) -> int:
    """Carries out lines until the session is over; returns its status: 1 if a line of a file was wrong."""
    # Ctrl-C ends what runs, and not the session.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    wrong = False
    interactive = sys.stdin.isatty()
    try:
        for line in _typed(shell, history) if interactive else _read(shell):
            shell.tell_audience(f"{_prompt(shell)}{line}\n")
            try:
                shell.execute(line)
            except AirtcpError as error:
                said = f"airtcp: {visible(str(error))}"
                print(said, file=sys.stderr, flush=True)
                shell.tell_audience(f"{said}\n")
                wrong = not interactive
            except KeyboardInterrupt:
                print("interrupted", file=sys.stderr)
            if shell.over:
                break
            _show_audience(shell)
    finally:
        signal.signal(signal.SIGINT, before)
    return int(wrong)


class _Asked(Exception):
    """Somebody elsewhere has asked for a line."""


def _prompt(shell: Shell) -> str:
    return f"{shell.lab.now_s:.6f} s> "


def _read(shell: Shell) -> Iterator[str]:
    """Lines of a file or a pipe, shown with the prompt as on a terminal; then what an audience asks for."""
    for line in sys.stdin:
        print(f"{_prompt(shell)}{line.rstrip()}", flush=True)
        yield line.rstrip()
    if shell.audience is None:
        return
    session = shell.lab.session
    with contextlib.suppress(KeyboardInterrupt):
        while True:
            _show_audience(shell)
            while (asked := shell.audience.asked()) is not None:
                print(f"{_prompt(shell)}{asked}", flush=True)
                yield asked
                _show_audience(shell)
            select.select([session.fileno(), *session.listening], [], [])
            session.attend()


def _show_audience(shell: Shell) -> None:
    if shell.audience is not None:
        shell.audience.look()


def _typed(shell: Shell, history: Path) -> Iterator[str]:
    from prompt_toolkit.patch_stdout import patch_stdout

    session, typed = _session(shell, history), ""
    while True:
        if shell.audience is not None and (asked := shell.audience.asked()) is not None:
            print(f"{_prompt(shell)}{asked}", flush=True)
            yield asked
            continue
        try:
            waiting = shell.visitors.at_prompt(shell.pace) if shell.visitors else contextlib.nullcontext()
            with waiting, patch_stdout(raw=True):
                line = session.prompt(lambda: _prompt(shell), default=typed, pre_run=lambda: _attend(shell))
        except AirtcpError as error:
            if shell.lab.session.has_ended:
                raise
            # A program that somebody had started was killed, and the session goes on.
            print(f"airtcp: {visible(str(error))}", file=sys.stderr)
        except _Asked:
            # What was being typed comes back when that line has been carried out.
            typed = session.default_buffer.text
        except KeyboardInterrupt:
            typed = ""
        except EOFError:
            return
        else:
            typed = ""
            yield line


def _attend(shell: Shell) -> None:
    """The network, and who has entered it, are attended to while the prompt waits."""
    from prompt_toolkit.application import get_app

    app, session = get_app(), shell.lab.session

    async def attend() -> None:
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        try:
            while True:
                files = [session.fileno(), *session.listening]
                for file in files:
                    loop.add_reader(file, ready.set)
                try:
                    await asyncio.wait_for(ready.wait(), None if session.stands else REFRESH_S)
                except TimeoutError:
                    session.ask_for_time()
                finally:
                    for file in files:
                        loop.remove_reader(file)
                ready.clear()
                session.attend()
                if shell.audience is not None:
                    shell.audience.look()
                    if shell.audience.has_asked:
                        raise _Asked
                app.invalidate()
        except (AirtcpError, _Asked) as error:
            app.exit(exception=error)

    app.create_background_task(attend())


def _session(shell: Shell, history: Path) -> "PromptSession[str]":
    from prompt_toolkit import PromptSession
    from prompt_toolkit.completion import NestedCompleter
    from prompt_toolkit.history import FileHistory, History, InMemoryHistory

    kept: History = FileHistory(str(history))
    try:
        history.parent.mkdir(parents=True, exist_ok=True)
        history.touch()
    except OSError:
        kept = InMemoryHistory()
    nodes = dict.fromkeys(shell.lab.nodes)
    words: dict[str, dict[str, None] | None] = dict.fromkeys(shell.commands)
    words.update(dict.fromkeys(("move", "rssi", "loss", "link", "iperf", "flow"), nodes))
    words.update(dict.fromkeys(shell.lab.nodes, None))
    words["until"] = dict.fromkeys(WORDS)
    completer = NestedCompleter.from_nested_dict(words)
    return PromptSession(history=kept, completer=completer, complete_while_typing=False)
