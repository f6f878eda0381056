"""Commands that change the network while it runs."""

from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError
from airtcp.scenario.values.units import RATE, RECEIVED_POWER
from airtcp.shell.node_pair import pair
from airtcp.shell.shell import Command, Shell, Words
from airtcp.shell.time_commands import length

if TYPE_CHECKING:
    from airtcp.scenario.values.units import Dimension


def _read(dimension: "Dimension", words: list[str], example: str) -> float:
    text = " ".join(words)
    try:
        return dimension.read(text)
    except ValueError as error:
        raise AirtcpError(str(error), text, f"Write for example: {example}") from None


def _move(shell: Shell, words: list[str]) -> None:
    node, *place = words or [""]
    try:
        position = [float(number) for number in ",".join(place).replace(",,", ",").split(",") if number]
    except ValueError:
        position = []
    if len(position) not in (2, 3):
        raise AirtcpError("needs a node and its place in metres", "move", "Write for example: move sta1 3,4")
    shell.lab.move(node, position)


def _rssi(shell: Shell, words: list[str]) -> None:
    if len(words) < 2:
        raise AirtcpError("needs a node and a power", "rssi", "Write for example: rssi sta1 -70 dBm")
    node, *rest = words
    other = rest.pop(0) if rest[0] in shell.lab.nodes else None
    if rest and not rest[-1].endswith("dBm"):
        rest.append("dBm")
    shell.lab.rssi(node, _read(RECEIVED_POWER, rest, "rssi sta1 -70 dBm"), other)


def _loss(shell: Shell, words: list[str]) -> None:
    example = "Write for example: loss sta1 10 %"
    if len(words) < 2:
        raise AirtcpError("needs a node and a share", "loss", example)
    node, *rest = words
    other = rest.pop(0) if rest[0] in shell.lab.nodes else None
    text = "".join(rest).removesuffix("%")
    try:
        percent = float(text)
    except ValueError:
        raise AirtcpError("is no share in percent", f"loss {node}", example) from None
    shell.lab.loss(node, percent / 100, other)


def _wire(shell: Shell, words: list[str]) -> None:
    example = "wire ap1-h1 rate 5 Mbit/s delay 10 ms"
    a, b, rest = pair(words)
    given: dict[str, list[str]] = {}
    key = ""
    for word in rest:
        if word in ("rate", "delay"):
            key = word
            given[key] = []
        elif key:
            given[key].append(word)
    if not given or rest[0] not in given:
        raise AirtcpError("needs a rate or a delay", "wire", f"Write for example: {example}")
    rate = int(_read(RATE, given["rate"], example)) if "rate" in given else None
    shell.lab.wire(a, b, rate, length(given["delay"]) if "delay" in given else None)


def _link(shell: Shell, words: list[str]) -> None:
    a, b, rest = pair(words)
    if rest not in (["up"], ["down"]):
        raise AirtcpError("needs up or down", "link", "Write for example: link sta1 ap1 down")
    shell.lab.link(a, b, up=rest == ["up"])


COMMANDS = (
    Command("move", "NODE X,Y[,Z]", "A radio is at this place from now on, in metres.", _move, Words.NEEDED),
    Command(
        "rssi",
        "NODE [NODE] POWER",
        "A node and another, or all of its cell, hear each other so.",
        _rssi,
        Words.NEEDED,
    ),
    Command(
        "loss",
        "NODE [NODE] PERCENT",
        "So many data frames between them are lost beside losses of reception.",
        _loss,
        Words.NEEDED,
    ),
    Command(
        "wire",
        "A-B [rate RATE] [delay DELAY]",
        "Both ends of a wire send so from now on.",
        _wire,
        Words.NEEDED,
    ),
    Command("link", "A B up|down", "Switch the link between two nodes on or off.", _link, Words.NEEDED),
)
