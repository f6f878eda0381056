"""Commands about jobs, and about what is kept of the session."""

import shutil
import textwrap
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.input_file import TEXT_BYTES_MOST, read_input
from airtcp.shell.shell import Command, Shell, Words

TERMINATE = 15  # signal(7)
# The width of text that is not printed to a terminal, and the least of a column of it.
FILE_COLUMNS, LEAST_COLUMNS = 130, 30


def _jobs(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    for job in shell.lab.jobs:
        if job.is_process and job.runs:
            shell.say(f"[{job.number}] {job.line}")


def _kill(shell: Shell, words: list[str]) -> None:
    running = {str(job.number): job for job in shell.lab.jobs if job.is_process and job.runs}
    for word in words or [""]:
        if word not in running:
            raise AirtcpError("is not a running job", word, "The command jobs lists them")
        job = running[word]
        if job.is_flow:
            shell.lab.session.close_input(job)
        else:
            shell.lab.session.signal(job, TERMINATE)
    shell.lab.run_for("1 ms")


def _save(shell: Shell, words: list[str]) -> None:
    path = Path(" ".join(words) or "session.toml")
    shell.lab.save(path)
    shell.say(f"Session: {path} (airtcp run repeats it)")


def _plot(shell: Shell, words: list[str]) -> None:
    what = words[0] if words else ""
    shell.pictures.plot(shell.lab.measured().folder, what, Path(words[1]) if len(words) > 1 else None)


def _report(shell: Shell, words: list[str]) -> None:
    shell.pictures.report(shell.lab.measured().folder, Path(words[0]) if words else None)


def _hash(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    shell.say(shell.lab.frame_hash().hash)


def _py(shell: Shell, words: list[str]) -> None:
    text = " ".join(words)
    names = {"lab": shell.lab}
    try:
        try:
            value = eval(text, names)
        except SyntaxError:
            exec(text, names)
            return
    except AirtcpError:
        raise
    except Exception as error:
        raise AirtcpError(f"{type(error).__name__}: {error}", "py", "") from None
    if value is not None:
        shell.say(repr(value))


def _source(shell: Shell, words: list[str]) -> None:
    path = Path(" ".join(words))
    try:
        lines = read_input(path, TEXT_BYTES_MOST).decode("utf-8").splitlines()
    except OSError as error:
        raise AirtcpError(f"can't be read: {error.strerror}", str(path), "Name a file of commands") from None
    except UnicodeDecodeError:
        raise AirtcpError("is not UTF-8 text", str(path), "Name a file of commands") from None
    for line in lines:
        shell.execute(line)


def _help(shell: Shell, words: list[str]) -> None:
    chosen = [command for name, command in shell.commands.items() if not words or name in words]
    if not chosen:
        raise AirtcpError("is not a command", words[0], "The command help lists them")
    heads = [f"{command.name} {command.usage}".rstrip() for command in chosen]
    width = max(map(len, heads))
    for head, command in zip(heads, chosen, strict=True):
        _say_help(shell, f"{head:<{width}}", command.help)
    if not words:
        beside = "Run a command in a node, with & at its end beside: sta1 ping h1."
        _say_help(shell, f"{'NODE COMMAND':<{width}}", beside)
        _say_help(shell, f"{'NODE':<{width}}", "Open a shell on a terminal in the node.")


def _say_help(shell: Shell, head: str, text: str) -> None:
    """A line of help, broken between words at the edge of the terminal."""
    columns = shutil.get_terminal_size((FILE_COLUMNS, 24)).columns
    room = max(columns - len(head) - 2, LEAST_COLUMNS)
    indent = " " * (len(head) + 2)
    shell.say(f"{head}  " + f"\n{indent}".join(textwrap.wrap(text, room, break_on_hyphens=False)))


def _exit(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    shell.over = True


COMMANDS = (
    Command("jobs", "", "List the commands and flows that run beside.", _jobs),
    Command("kill", "JOB", "End a command that runs beside, or stop a flow.", _kill, Words.NEEDED),
    Command(
        "plot", "[QUANTITIES] [FILE]", "Draw what was measured so far: plot cwnd,srtt.", _plot, Words.ALLOWED
    ),
    Command("report", "[FOLDER]", "Write a report of what was measured so far.", _report, Words.ALLOWED),
    Command("save", "[FILE]", "Keep the session as a file that airtcp run repeats.", _save, Words.ALLOWED),
    Command("hash", "", "Show the hash over all frames on the air so far.", _hash),
    Command("py", "PYTHON", "Evaluate Python; `lab` is the network.", _py, Words.NEEDED),
    Command("source", "FILE", "Carry out the commands of a file.", _source, Words.NEEDED),
    Command("help", "[COMMAND]", "Explain the commands.", _help, Words.ALLOWED),
    Command("exit", "", "End the session.", _exit),
    Command("quit", "", "End the session.", _exit),
)
