"""Conditions of `until` and `run_until`: words, as the order of a session that says where time stops.

    loss                      a packet is lost: by a queue, a radio, a wire, or an interface that goes down
    loss of FLOW, loss at NODE
    retransmit                a sender sends a segment again; of FLOW
    roam                      a station changes its access point; of STATION
    frame                     a PPDU ends; from NODE, to NODE, of KIND, OUTCOME
    COLUMN < NUMBER           a column of the series `flows` or `qdiscs`; of FLOW, NODE, NODE:INTERFACE

Parts are joined by `and`, which binds closer, and `or`.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Literal

from airtcp.data.series.qdiscs import QDISCS
from airtcp.data.series.tcp import FLOWS
from airtcp.errors import AirtcpError, remedy_for, suggestion
from airtcp.formats.column import Column
from airtcp.plans.nodes import nic_of
from airtcp.plans.types.messages import (
    Compared,
    Condition,
    ConditionFlow,
    ConditionFrame,
    ConditionLoss,
    ConditionQueue,
    ConditionRetransmission,
    ConditionRoam,
    FlowChoice,
)
from airtcp.plans.types.plan import Plan
from airtcp.scenario.values.units import AMOUNT, RATE, TIME, Dimension
from airtcp.wifi.ppdu import PPDU_KINDS, PPDU_OUTCOMES

# A name in quotes, a comparison, or a word.
_TOKEN = re.compile(r'"([^"]*)"|(<=|>=|!=|==|[<>=])|([^\s<>=!"]+)')
Comparison = Literal["less", "at_most", "greater", "at_least", "equal", "other"]
COMPARISONS: Mapping[str, Comparison] = {
    "<": "less",
    "<=": "at_most",
    ">": "greater",
    ">=": "at_least",
    "=": "equal",
    "==": "equal",
    "!=": "other",
}
EVENTS = ("loss", "retransmit", "roam", "frame")
# Words for columns: what people say, and the names of states of congestion control (`enum tcp_ca_state`).
_FLOW_WORDS = {"state": "ca_state"}
_QUEUE_WORDS = {"backlog": "backlog_packets"}
STATES = ("open", "disorder", "cwr", "recovery", "loss")
# What the number of a column counts, and what remains of its name without that unit.
_UNITS: Mapping[str, tuple[Dimension, float]] = {
    "ns": (TIME, 1.0),
    "us": (TIME, 1e-3),
    "byte": (AMOUNT, 1.0),
    "bit/s": (RATE, 1.0),
}
_SUFFIXES = ("_ns", "_us", "_bps")
# Of columns that count things, whose unit may be written or not.
_COUNTED = ("segment", "packet")


def _numeric(columns: Sequence[Column], without: Sequence[str]) -> dict[str, Column]:
    """Columns by their names, with and without their units."""
    known = {one.name: one for one in columns if one.type != "bytes" and one.name not in without}
    shorter = {
        name.removesuffix(suffix): column
        for name, column in known.items()
        for suffix in _SUFFIXES
        if name.endswith(suffix) and name.removesuffix(suffix) not in known
    }
    return {**known, **shorter}


FLOW_COLUMNS = _numeric(FLOWS.columns, ("time_ns", "flow", "cc_kind"))
QUEUE_COLUMNS = _numeric(QDISCS.columns, ("time_ns", "node", "interface", "handle"))
WORDS = (*EVENTS, *_FLOW_WORDS, *_QUEUE_WORDS, *FLOW_COLUMNS, *QUEUE_COLUMNS)


def split_limit(words: Sequence[str]) -> tuple[list[str], str | None]:
    """The words of a condition, and the length that follows `within`."""
    if "within" not in words:
        return list(words), None
    place = len(words) - 1 - list(reversed(words)).index("within")
    length = " ".join(words[place + 1 :])
    if not length:
        raise AirtcpError("has no length of time", "within", "Write for example: until loss within 10 s")
    return list(words[:place]), length


def tokens(text: str) -> list[str]:
    """The words of a text: names in quotes are one word."""
    found = _TOKEN.findall(text)
    return [quoted or compared or word for quoted, compared, word in found]


class ConditionReader:
    """Reads conditions about a network with these flows: their numbers in the series `flows`, by name."""

    def __init__(self, plan: Plan, flows: Mapping[str, Sequence[int]]) -> None:
        self.plan = plan
        self.flows = flows
        self._nodes = [node["name"] for node in plan["nodes"]]

    def read(self, words: Sequence[str]) -> Condition:
        """The condition that these words are; what is wrong with them is an `AirtcpError`."""
        if not words:
            raise AirtcpError("says nothing to wait for", "until", "Write for example: until loss")
        found = [self._all(part) for part in parts_of(words, "or")]
        return found[0] if len(found) == 1 else {"kind": "any", "of": found}

    def _all(self, words: Sequence[str]) -> Condition:
        found = [self._part(part) for part in parts_of(words, "and")]
        return found[0] if len(found) == 1 else {"kind": "all", "of": found}

    def _part(self, words: Sequence[str]) -> Condition:
        readers: Mapping[str, Callable[[list[str]], Condition]] = {
            "loss": self._loss,
            "retransmit": self._retransmit,
            "roam": self._roam,
            "frame": self._frame,
        }
        first, rest = words[0], list(words[1:])
        if first in readers and not set(rest) & COMPARISONS.keys():
            return readers[first](rest)
        return self._value(first, rest)

    def _loss(self, words: list[str]) -> ConditionLoss:
        given = _named(words, "loss", ("of", "at"))
        of = self._flow_choice(given["of"]) if "of" in given else None
        return {"kind": "loss", "of": of, "node": self._node(given["at"]) if "at" in given else None}

    def _retransmit(self, words: list[str]) -> ConditionRetransmission:
        given = _named(words, "retransmit", ("of",))
        return {"kind": "retransmission", "of": self._flow_choice(given.get("of"))}

    def _roam(self, words: list[str]) -> ConditionRoam:
        given = _named(words, "roam", ("of",))
        nic = nic_of(self.plan, given["of"]) if "of" in given else None
        cells = {one["cell"] for place, one in enumerate(self.plan["air"]["nics"]) if nic in (None, place)}
        if not any(self.plan["air"]["cells"][cell]["linux"] for cell in cells):
            what = "waits for ever: stations of airtcp's own MAC stay with their access point"
            raise AirtcpError(what, "roam", 'Give the cell mac = "linux", whose stations roam')
        return {"kind": "roam", "nic": nic}

    def _frame(self, words: list[str]) -> ConditionFrame:
        if not self.plan["air"]["nics"]:
            raise AirtcpError("there is no radio in this network", "frame", "Wait for something else")
        outcomes = [word for word in words if word in PPDU_OUTCOMES]
        left = [word for word in words if word not in PPDU_OUTCOMES and word != "kind"]
        given = _named(left, "frame", ("from", "to", "of"), PPDU_OUTCOMES)
        return {
            "kind": "frame",
            "from": nic_of(self.plan, given["from"]) if "from" in given else None,
            "to": nic_of(self.plan, given["to"]) if "to" in given else None,
            "ppdu": _one_of(given["of"], PPDU_KINDS, "kind of frame") if "of" in given else None,
            "outcome": PPDU_OUTCOMES.index(outcomes[0]) if outcomes else None,
        }

    def _value(self, word: str, words: list[str]) -> ConditionFlow | ConditionQueue:
        place = next((place for place, one in enumerate(words) if one in COMPARISONS), None)
        name = _FLOW_WORDS.get(word, _QUEUE_WORDS.get(word, word))
        if name not in FLOW_COLUMNS and name not in QUEUE_COLUMNS:
            raise AirtcpError("is nothing to wait for", word, _remedy(word))
        if place is None or place + 1 == len(words):
            raise AirtcpError("is compared with nothing", word, f"Write for example: {_example(word, name)}")
        given = _named(words[:place], word, ("of",))
        number = " ".join(words[place + 1 :])
        if name in FLOW_COLUMNS:
            value = _compared(word, FLOW_COLUMNS[name], words[place], number)
            return {"kind": "flow", "of": self._flow_choice(given.get("of")), "value": value}
        column = QUEUE_COLUMNS[name]
        if word == "backlog" and not _is_count(number):
            column = QUEUE_COLUMNS["backlog_bytes"]
        node, interface = self._queue_place(given["of"]) if "of" in given else (None, None)
        value = _compared(word, column, words[place], number)
        return {"kind": "queue", "node": node, "interface": interface, "value": value}

    def _flow_choice(self, name: str | None) -> FlowChoice:
        """The flows of a name: those that are called so, or that a node of this name sends."""
        if name is None:
            return {"numbers": None, "from": None}
        if name in self.flows:
            return {"numbers": list(self.flows[name]), "from": None}
        if name in self._nodes:
            return {"numbers": None, "from": self._nodes.index(name)}
        known = [*self.flows, *self._nodes]
        raise AirtcpError("is neither a flow nor a node", name, remedy_for(name, known))

    def _node(self, name: str) -> int:
        return _one_of(name, self._nodes, "node")

    def _queue_place(self, name: str) -> tuple[int, int | None]:
        """A node and perhaps its interface: `ap1`, `ap1:eth0`."""
        node, _, interface = name.partition(":")
        number = self._node(node)
        of = self.plan["nodes"][number]
        devices = [one["name"] for one in (*of["interfaces"], *of["bridges"])]
        return number, _one_of(interface, devices, f"interface of {node}") if interface else None


def parts_of(words: Sequence[str], by: str) -> list[list[str]]:
    """The words between each of these."""
    parts: list[list[str]] = [[]]
    for word in words:
        if word == by:
            parts.append([])
        else:
            parts[-1].append(word)
    if not all(parts):
        raise AirtcpError("joins nothing", by, f"Write a condition before and after {by}")
    return parts


def _named(words: Sequence[str], of: str, known: Sequence[str], others: Sequence[str] = ()) -> dict[str, str]:
    """What follows each of these words; a word that stands elsewhere is an `AirtcpError`."""
    given: dict[str, str] = {}
    for place in range(0, len(words), 2):
        word = words[place]
        if word not in known or word in given:
            what = "stands twice" if word in given else f'is no word after "{of}"'
            raise AirtcpError(what, word, remedy_for(word, [*known, *others]))
        if place + 1 == len(words):
            raise AirtcpError("names nothing", word, f"Write a name after {word}")
        given[word] = words[place + 1]
    return given


def _one_of(word: str, known: Sequence[str], what: str) -> int:
    """The place of a word among those that are known."""
    same = [place for place, own in enumerate(known) if own.lower() == word.lower()]
    if word in known:
        return list(known).index(word)
    if len(same) == 1:
        return same[0]
    raise AirtcpError(f"is no {what}", word, remedy_for(word, known))


def _compared(word: str, column: Column, comparison: str, number: str) -> Compared:
    than = _number(word, column, number)
    return {"column": column.name, "comparison": COMPARISONS[comparison], "than": than}


def _is_count(text: str) -> bool:
    number, _, unit = text.partition(" ")
    return _plain_number(number) is not None and unit.removesuffix("s") in ("", *_COUNTED)


def _plain_number(text: str) -> float | None:
    try:
        return float(text)
    except ValueError:
        return None


def _number(word: str, column: Column, text: str) -> float:
    """A number in the unit of a column: one with a unit, or one whose unit the column's name says."""
    if column.name == "ca_state" and text.lower() in STATES:
        return float(STATES.index(text.lower()))
    bare = _plain_number(text)
    if column.unit not in _UNITS:
        number = text.split(" ")[0] if _is_count(text) and column.unit in _COUNTED else text
        counted = _plain_number(number)
        if counted is None:
            known = f"one of {', '.join(STATES)}" if column.name == "ca_state" else "a number"
            raise AirtcpError("can't be compared with it", text, f"Write {known} after {word}")
        return counted
    dimension, scale = _UNITS[column.unit]
    if bare is not None:
        if word.endswith(_SUFFIXES) or column.unit == "byte":
            return bare
        raise AirtcpError("has no unit", text, f"Write for example: {word} > {dimension.example}")
    try:
        return float(dimension.read(text)) * scale
    except ValueError as error:
        raise AirtcpError(str(error), word, "") from None


def _example(word: str, name: str) -> str:
    column = FLOW_COLUMNS.get(name) or QUEUE_COLUMNS[name]
    if name == "ca_state":
        return f"{word} = recovery"
    return f"{word} > {_UNITS[column.unit][0].example if column.unit in _UNITS else 10}"


def _remedy(word: str) -> str:
    """The word that may be meant, else what there is."""
    if word == "drop":
        return 'Did you mean "loss"?'
    # An event sooner than a column that is called alike.
    near = suggestion(word, EVENTS) or suggestion(word, WORDS)
    if near:
        return near
    return f"Known: {', '.join(EVENTS)}, and columns of flows and queues, such as cwnd < 10 or backlog > 50"
