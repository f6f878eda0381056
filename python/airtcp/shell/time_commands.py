"""Commands that let time pass, or take it back."""

from airtcp.errors import AirtcpError
from airtcp.sessions.condition import split_limit
from airtcp.sessions.happening import frame_in_words, stamp
from airtcp.sessions.session import Ppdu
from airtcp.shell.shell import Command, Shell, Words


def length(words: list[str]) -> str:
    """A time in one or two words: `5 s`, `500ms`, or a number of seconds."""
    text = " ".join(words)
    try:
        float(text)
    except ValueError:
        return text
    return f"{text} s"


def _run(shell: Shell, words: list[str]) -> None:
    if words[0] == "until" and len(words) > 1:
        _until(shell, words[1:])
        return
    shell.lab.run_for(length(words))


def _until(shell: Shell, words: list[str]) -> None:
    # What begins as a number is an instant.
    if words[0][0].isdigit() or words[0][0] in "+-.":
        shell.lab.until(length(words))
        return
    condition, within = split_limit(words)
    found = shell.lab.run_until(" ".join(condition), within)
    shell.say(
        f"{stamp(shell.lab.session.now_ns)}  not yet: {' '.join(condition)}" if found is None else str(found)
    )


def _back(shell: Shell, words: list[str]) -> None:
    shell.lab.back(length(words))


def _goto(shell: Shell, words: list[str]) -> None:
    shell.lab.goto(length(words))


def _step(shell: Shell, words: list[str]) -> None:
    try:
        count = int(words[0]) if words else 1
    except ValueError:
        raise AirtcpError("is not a number", words[0], "Write for example: step 5") from None
    if not shell.lab.plan["air"]["nics"]:
        raise AirtcpError("there is no radio in this network", "step", "Use run or until")
    for _ in range(count):
        for ppdu in shell.lab.step():
            shell.say(describe(shell, ppdu))


def describe(shell: Shell, ppdu: Ppdu) -> str:
    """A PPDU in one line."""
    return f"{ppdu.start_ns / 1e9:.6f} s  {frame_in_words(shell.lab.plan, ppdu)}"


def _pace(shell: Shell, words: list[str]) -> None:
    if not words:
        shell.say("as fast as it can" if shell.pace is None else f"{shell.pace:g} of real time")
        return
    try:
        pace = None if words[0] == "max" else float(words[0])
    except ValueError:
        pace = -1.0
    if pace is not None and not 0 < pace < float("inf"):
        raise AirtcpError("is not a pace", words[0], "Write 1 for real time, 0.1 for a tenth of it, or max")
    shell.set_pace(pace)


COMMANDS = (
    Command("run", "LENGTH", "Let so much time pass: run 5 s.", _run, Words.NEEDED),
    Command(
        "until",
        "TIME | CONDITION [within LENGTH]",
        "Let time pass until an instant, or something happens: until 12 s, until loss, until cwnd < 10.",
        _until,
        Words.NEEDED,
    ),
    Command(
        "step", "[COUNT]", "Let time pass until the next PPDU has ended, and show it.", _step, Words.ALLOWED
    ),
    Command(
        "pace", "[RATE|max]", "How fast time passes beside real time: pace 1, pace 0.1.", _pace, Words.ALLOWED
    ),
    Command(
        "back",
        "LENGTH",
        "Take the network back by so much time; what came later has not been.",
        _back,
        Words.NEEDED,
    ),
    Command("goto", "TIME", "Take the network to an instant, later or earlier.", _goto, Words.NEEDED),
)
