"""Commands that make traffic."""

import re

from airtcp.errors import AirtcpError
from airtcp.plans.nodes import address_of
from airtcp.scenario.values.units import AMOUNT, LENGTH_OF_TIME
from airtcp.shell.node_pair import pair
from airtcp.shell.shell import BEGIN, Command, Shell, Words

# A ping of `pingall` waits so long for its answer.
PING_WAIT_S = 1
IPERF_S = 5
IPERF_PORT = 5201


def _addressed(shell: Shell) -> list[str]:
    return [node["name"] for node in shell.lab.plan["nodes"] if address_of(node) is not None]


def _pingall(shell: Shell, words: list[str]) -> None:  # noqa: ARG001
    names = _addressed(shell)
    sent = lost = 0
    for one in names:
        answers = []
        for other in (name for name in names if name != one):
            sent += 1
            command = f"ping -c 1 -W {PING_WAIT_S} {shell.address(other)}"
            answered = shell.run_quietly(one, command).status == 0
            lost += not answered
            answers.append(other if answered else "X")
        shell.say(f"{one} -> {' '.join(answers)}")
    share = 100 * lost / sent if sent else 0
    shell.say(f"{share:.0f}% lost ({sent - lost} of {sent} received)")


def _iperf(shell: Shell, words: list[str]) -> None:
    names = _addressed(shell)
    if not words and len(names) < 2:
        raise AirtcpError("this network has less than two nodes with addresses", "iperf", "")
    one, other, _ = pair(words or [names[0], names[-1]])
    server = shell.lab[other].popen(f"iperf3 -s -1 -p {IPERF_PORT}")
    shell.lab.run_for(BEGIN)
    command = f"iperf3 -c {shell.address(other)} -p {IPERF_PORT} -t {IPERF_S}"
    result = shell.run_quietly(one, command)
    if server.job.runs:
        shell.lab.session.signal(server.job, 15)
    rates = re.findall(r"([\d.]+ [KMG]?bits/sec).*(sender|receiver)", result.output)
    if result.status or not rates:
        raise AirtcpError((result.error or result.output).strip() or "no result", f"iperf {one} {other}", "")
    shell.say(f"{one} -> {other}: " + ", ".join(f"{end} {rate}" for rate, end in rates))


def _flow(shell: Shell, words: list[str]) -> None:
    one, other, rest = pair(words)
    limited = bool(rest) and rest[0][:1].isdigit()
    cca = "cubic" if limited or not rest else rest.pop(0)
    size, length = _limit(" ".join(rest))
    process = shell.lab.flow(one, other, cca, size=size, length=length)
    shell.lab.run_for(BEGIN)
    shell.require(process.job)
    shell.say(f"[{process.job.number}] {process.job.command}")


def _limit(text: str) -> tuple[str | None, str | None]:
    """Size and length of a flow; at most one of them is given."""
    if not text:
        return None, None
    for dimension, limit in ((AMOUNT, (text, None)), (LENGTH_OF_TIME, (None, text))):
        try:
            dimension.read(text)
            return limit
        except ValueError:
            pass
    raise AirtcpError("is no length and no size", text, "Write for example: flow sta1 h1 bbr 5 s, or 10 MB")


COMMANDS = (
    Command(
        "flow",
        "A B [CCA] [LENGTH|SIZE]",
        "Start a TCP flow beside: flow sta1 h1 bbr 5 s.",
        _flow,
        Words.NEEDED,
    ),
    Command("pingall", "", "Ping every node from every other.", _pingall),
    Command(
        "iperf",
        "[A B]",
        f"Measure TCP from a node to another for {IPERF_S} s (iperf3).",
        _iperf,
        Words.ALLOWED,
    ),
)
