"""The text of a queue: `"100 packets"`, `"64 kB"`, `"none"` or the words of `tc`."""

import re
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

from airtcp.errors import suggestion
from airtcp.kernels.name import base_of, series_of
from airtcp.kernels.table import SERIES
from airtcp.plans.types.plan import PlanQueue
from airtcp.scenario.keys.dualpi2 import dualpi2_plan
from airtcp.scenario.values.kernel_series import kernel_in_context
from airtcp.scenario.values.units import AMOUNT
from airtcp.wrong_values import in_toml

# Names as in `tc qdisc` (net/sched/sch_*.c of the kernel airtcp builds).
QDISCS = (
    "netem", "tbf", "htb", "fq", "fq_codel", "codel", "cake", "pie", "fq_pie", "red", "sfq", "pfifo", "bfifo",
    "pfifo_fast", "prio", "drr", "dualpi2",
)  # fmt: skip
# Those of them that only some kernel series have.
_OF_SOME_SERIES = frozenset(name for series in SERIES.values() for name in series.qdiscs)

# A queue of more packets than this is a mistake in writing, not an experiment.
PACKETS_MOST = 1_000_000

_PACKETS = re.compile(r"\s*([+-]?[\d.]+)\s*packets?\s*")
_SPELLED_OTHERWISE = re.compile(
    r"\s*(\d+)\s*(?:packets?|pkts?|packages?|frames?|segments?|p)?\.?\s*", re.IGNORECASE
)
_TIME = re.compile(r"\s*[\d.]+\s*(?:ns|us|µs|ms|s|BDP|bdp)\s*")
# Queues that people name by what they are, and how they are written.
_IN_OTHER_WORDS = {
    **dict.fromkeys(("fifo", "droptail", "drop-tail", "drop_tail", "taildrop", "tail-drop"), "100 packets"),
    **dict.fromkeys(("noqueue", "no", "off", "0"), "none"),
}
_STARTS_WITH_NUMBER = re.compile(r"\s*[+-]?[\d.]")
# `tc` reads a number and its unit as one word.
_UNIT_APART = re.compile(
    r"\b(\d[\d.]*) (us|usecs?|ms|msecs?|s|secs?|[kmg]?bit|[kmg]bps|[kmg]?b|%)(?= |$)", re.I
)
_SAFE_WORD = re.compile(r"[\w.,:/%+-]+")


@dataclass(frozen=True)
class QueueText:
    """A queue as it was written, and as the plan has it."""

    text: str
    plan: PlanQueue

    def __str__(self) -> str:
        return self.text


def read_queue(value: Any) -> QueueText:
    """The queue that the text means; `ValueError` says what is wrong with it."""
    if isinstance(value, QueueText):
        return value
    if not isinstance(value, str):
        raise ValueError(
            f'{in_toml(value)} is not a queue; write "100 packets", "64 kB", "none" or words of tc'
        )
    if value.strip() == "none":
        return QueueText(value, {"kind": "none"})
    packets = _PACKETS.fullmatch(value)
    if packets is not None:
        return QueueText(value, {"kind": "packets", "limit": _packet_count(packets.group(1), value)})
    if (own := _IN_OTHER_WORDS.get(value.strip().lower())) is not None:
        raise ValueError(f'"{value}" is not a queue; write "{own}"')
    if (meant := _SPELLED_OTHERWISE.fullmatch(value)) is not None:
        raise ValueError(f'"{value}" is not a queue; write "{meant[1]} packets"')
    if _TIME.fullmatch(value):
        counted = 'write "100 packets" or "64 kB"'
        raise ValueError(f'"{value}" is not a queue: a queue counts packets or octets; {counted}')
    if _STARTS_WITH_NUMBER.match(value):
        return QueueText(value, {"kind": "bytes", "limit": _byte_count(value)})
    words = _tc_words(value)
    if words[0] == "dualpi2":
        return QueueText(value, dualpi2_plan(words[1:]))
    return QueueText(value, {"kind": "tc", "args": words})


def _queue_of_series(value: Any, info: ValidationInfo) -> QueueText:
    """The queue, if the scenario's kernel has it."""
    queue = read_queue(value)
    kernel = kernel_in_context(info)
    kind = queue.text.split()[0] if queue.text.split() else ""
    if kind in _OF_SOME_SERIES - set(series_of(kernel).qdiscs):
        having = " or ".join(name for name, series in SERIES.items() if kind in series.qdiscs)
        raise ValueError(f'Linux {base_of(kernel)} has no {kind}; write kernel = "{having}" at the top')
    return queue


def _packet_count(number: str, text: str) -> int:
    if not number.lstrip("+").isdigit() or not 1 <= int(number) <= PACKETS_MOST:
        raise ValueError(f'"{text}": a queue holds 1 to {PACKETS_MOST} whole packets')
    return int(number)


def _byte_count(text: str) -> int:
    count = int(AMOUNT.read(text))
    if count >= 2**32:
        raise ValueError(f'"{text}" is out of range: a queue holds less than 4 GiB')
    return count


def _tc_words(text: str) -> list[str]:
    words = text.split()
    if not words:
        raise ValueError('the queue is empty; write "100 packets", "64 kB", "none" or words of tc')
    if words[0] not in QDISCS:
        hint = suggestion(words[0], QDISCS)
        known = f"known: {', '.join(QDISCS)}"
        raise ValueError(f'unknown queueing discipline "{words[0]}"; {hint + " " if hint else ""}{known}')
    if (apart := _UNIT_APART.search(text)) is not None:
        joined = _UNIT_APART.sub(r"\1\2", text)
        raise ValueError(f'tc reads a number and its unit as one word, not "{apart[0]}"; write "{joined}"')
    for word in words[1:]:
        if not _SAFE_WORD.fullmatch(word):
            raise ValueError(f'"{word}" can\'t be a word of a tc command')
    return words


Queue = Annotated[QueueText, BeforeValidator(_queue_of_series)]
