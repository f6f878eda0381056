"""Factors: what was varied between runs, found by comparing their plans.

A factor is a key of the flattened plan whose value differs between runs, or something nicer to read that is
made from several (`cca`, `flows`, `stations`, `mac`, `measured`). Keys that always vary together are one
factor. A key that another factor alone decides (addresses, when the number of stations varies) is none.
`seed` is the repetition and `name` a label.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from airtcp.plans.flat import MEASURED, Value

# Not a factor: the repetition, the label, the version of the plan's format, and what `_MADE` tells.
_NO_FACTORS = ("seed", "name", "version", MEASURED)
_ABSENT = object()

_QUEUE = r"nodes\.[^.]+\.interfaces\.[^.]+\.egress\.queue"
_QUEUE_LIMIT = rf"{_QUEUE}\.limit"
# Patterns of keys that have a shorter name as a factor, and that name.
SHORT_NAMES = (
    (_QUEUE_LIMIT, "queue_limit"),
    (_QUEUE, "queue"),
    (r"nodes\.[^.]+\.interfaces\.[^.]+\.egress\.rate_bps", "wire_rate_bps"),
    (r"nodes\.[^.]+\.interfaces\.[^.]+\.egress\.delay_ns", "wire_delay_ns"),
    (r"nodes\.[^.]+\.interfaces\.[^.]+\.egress\.trace\.points", "wire_trace"),
    (r"air\.nics\.[^.]+\.queue\.packets", "nic_queue_packets"),
    (r"air\.nics\.[^.]+\.queue\.kind", "nic_queue_kind"),
    (r"air\.nics\.[^.]+\.rate_control\.kind", "rate_control"),
    (r"air\.nics\.[^.]+\.rate_control\.mode\.rate_bps", "phy_rate_bps"),
    (r"air\.nics\.[^.]+\.rate_control\.mode\.mcs", "mcs"),
    (r"air\.cells\.[^.]+\.standard", "standard"),
    (r"air\.cells\.[^.]+\.channel\.width_mhz", "width_mhz"),
    (r"air\.channel\.losses\.0\.loss", "loss"),
    (r"(kernel|duration_ns)", r"\1"),
)


@dataclass(frozen=True)
class Factor:
    """What was varied between runs: keys of the plan that vary together.

    Attributes:
        name: short name, for example `queue_packets`.
        keys: the keys of the flattened plan.
        values: the value of each run, in the order of `ResultSet.folders`.

    Example:
        >>> factor = airtcp.load("varied").factors[0]
        >>> factor.name, sorted(factor.values)
        ('queue_packets', [20, 100])
    """

    name: str
    keys: tuple[str, ...]
    values: tuple[Value, ...]

    @property
    def levels(self) -> tuple[Value, ...]:
        """The different values in ascending order.

        Example:
            >>> factor.levels
            (20, 100)
        """
        return tuple(sorted(set(self.values), key=_order))


@dataclass(frozen=True)
class _Chosen:
    """A factor on its way: its keys, its levels by number, and whether it may decide everything."""

    keys: list[str]
    codes: tuple[int, ...]

    @property
    def structural(self) -> bool:
        return any(key in _STRUCTURAL for key in self.keys)


class PlanComparison:
    """Plans as they are read, one after another: only what differs from the first is kept."""

    def __init__(self) -> None:
        self._first: dict[str, Any] = {}
        self._others: list[dict[str, Any]] = []
        self._made: list[dict[str, Value]] = []
        self.seeds: list[int] = []
        self.names: list[str] = []

    def add(self, plan: dict[str, Value]) -> None:
        """The next run's plan, flattened."""
        self.seeds.append(int(plan["seed"] or 0))
        self.names.append(str(plan["name"]))
        self._made.append(made_of_plan(plan))
        if len(self.seeds) == 1:
            self._first = plan
        other: dict[str, Any] = {
            key: value for key, value in plan.items() if self._first.get(key, _ABSENT) != value
        }
        other.update((key, _ABSENT) for key in self._first if key not in plan)
        self._others.append(other)

    def varying(self) -> dict[str, list[Any]]:
        """Each run's value of every key that differs between runs; what is made of several keys first."""
        columns: dict[str, list[Any]] = {name: [made[name] for made in self._made] for name in _MADE}
        columns = {name: values for name, values in columns.items() if len(set(values)) > 1}
        keys = dict.fromkeys(key for other in self._others for key in other if key not in _NO_FACTORS)
        for key in keys:
            first = self._first.get(key, _ABSENT)
            columns[key] = [other.get(key, first) for other in self._others]
        return self._with_queues(columns)

    def _with_queues(self, columns: dict[str, list[Any]]) -> dict[str, list[Any]]:
        """Queues of which more than the limit differs as they are written in scenarios: one key for each."""
        found = (re.fullmatch(rf"({_QUEUE})\.(kind|args\..*)", key) for key in columns)
        for queue in dict.fromkeys(match[1] for match in found if match is not None):
            columns = {key: values for key, values in columns.items() if not key.startswith(f"{queue}.")}
            columns[queue] = [self._queue(queue, other) for other in self._others]
        return columns

    def _queue(self, queue: str, other: Mapping[str, Any]) -> Any:
        """The text of a queue in one of the plans, of which `other` is what differs from the first."""
        keys = dict.fromkeys(
            key for plan in (self._first, other) for key in plan if key.startswith(f"{queue}.")
        )
        parts = {key.removeprefix(f"{queue}."): other.get(key, self._first.get(key, _ABSENT)) for key in keys}
        parts = {key: value for key, value in parts.items() if value is not _ABSENT}
        if "kind" not in parts:
            return _ABSENT
        words = [str(value) for key, value in parts.items() if key.startswith("args.")]
        unit = "B" if parts["kind"] == "bytes" else str(parts["kind"])
        return " ".join(words) or (f"{parts['limit']} {unit}" if "limit" in parts else unit)

    def factors(self) -> list[Factor]:
        """What was varied, what is made of several keys first."""
        columns = self.varying()
        return [self._with_unit(factor, columns) for factor in _find_factors(columns, self.seeds)]

    def _with_unit(self, factor: Factor, columns: dict[str, list[Any]]) -> Factor:
        """A queue's limit is in packets or bytes, by the kind of queue, if that is the same everywhere."""
        kind = factor.keys[0].removesuffix("limit") + "kind"
        if factor.name != "queue_limit" or kind in columns:
            return factor
        return replace(factor, name=f"queue_{self._first[kind]}")


def made_of_plan(plan: dict[str, Value]) -> dict[str, Value]:
    """What is made of several keys of a flattened plan, whether it differs between runs or not."""
    return {name: make(plan) for name, make in _MADE.items()}


def _find_factors(columns: dict[str, list[Any]], run_seeds: Sequence[int]) -> list[Factor]:
    groups: dict[tuple[int, ...], list[str]] = {}
    for key, values in columns.items():
        groups.setdefault(_codes(values), []).append(key)
    seeds = _Chosen(["seed"], _codes(run_seeds))
    chosen: list[_Chosen] = []
    for codes, keys in sorted(groups.items(), key=lambda group: _rank(group, len(run_seeds))):
        keys.sort(key=lambda key: (_is_blurred(columns[key]), _niceness(key)))
        if keys[0] in _MADE or not _follows(codes, columns[keys[0]], [*chosen, seeds]):
            chosen.append(_Chosen(keys, codes))
    names = _distinct_names([each.keys[0] for each in chosen])
    return [_factor(name, each.keys, columns) for name, each in zip(names, chosen, strict=True)]


def _factor(name: str, keys: list[str], columns: dict[str, list[Any]]) -> Factor:
    values = tuple(None if value is _ABSENT else value for value in columns[keys[0]])
    return Factor(name, tuple(keys), values)


def _is_blurred(values: Sequence[object]) -> bool:
    """Whether two of its levels would look alike: a key that some plans do not have and others have empty."""
    return any(value is _ABSENT for value in values) and None in values


def _codes(values: Sequence[object]) -> tuple[int, ...]:
    """Equal values have equal numbers, in the order of their first appearance."""
    seen: dict[object, int] = {}
    return tuple(seen.setdefault(value, len(seen)) for value in values)


def _rank(group: tuple[tuple[int, ...], list[str]], runs: int) -> tuple[int, int, tuple[int, int, str]]:
    """Made ones first, then those with many levels; those with a level per run would decide all: last."""
    codes, keys = group
    best = min(keys, key=_niceness)
    levels = max(codes) + 1
    if best in _MADE:
        return 0, list(_MADE).index(best), _niceness(best)
    return (2 if levels == runs else 1), -levels, _niceness(best)


def _follows(codes: Sequence[int], values: Sequence[object], chosen: "Sequence[_Chosen]") -> bool:
    """Whether one chosen factor decides where a key is absent, and one its value where it is present.

    A factor with a level of its own in every run would decide everything; only numbers of flows and stations
    may, for what belongs to a station comes and goes with it.
    """
    able = [each.codes for each in chosen if each.structural or max(each.codes) + 1 < len(codes)]
    absence = [int(value is _ABSENT) for value in values]
    there = [place for place, absent in enumerate(absence) if not absent]
    places = list(range(len(codes)))
    return any(_decides(by, absence, places) for by in able) and any(
        _decides(by, codes, there) for by in able
    )


def _decides(by: Sequence[int], codes: Sequence[int], places: Sequence[int]) -> bool:
    """Whether at these places equal numbers in `by` mean equal numbers in `codes`."""
    decided: dict[int, int] = {}
    return all(decided.setdefault(by[place], codes[place]) == codes[place] for place in places)


def _niceness(key: str) -> tuple[int, int, str]:
    """Keys that are easy to read first."""
    if key in _MADE:
        return 0, list(_MADE).index(key), key
    nice = any(re.fullmatch(pattern, key) for pattern, _ in SHORT_NAMES)
    return (1 if nice else 2), key.count("."), key


def _distinct_names(keys: Sequence[str]) -> list[str]:
    """A short name for each key; where two would be the same, the keys themselves."""
    short = [_short_name(key) for key in keys]
    return [name if short.count(name) == 1 else key for name, key in zip(short, keys, strict=True)]


def _short_name(key: str) -> str:
    for pattern, name in SHORT_NAMES:
        match = re.fullmatch(pattern, key)
        if match:
            return match.expand(name)
    return key.rsplit(".", 1)[-1] if not key.rsplit(".", 1)[-1].isdigit() else key


def _order(value: Value) -> tuple[int, float, str]:
    """Nothing first, then numbers, then texts."""
    if value is None:
        return 0, 0.0, ""
    return (2, 0.0, value) if isinstance(value, str) else (1, float(value), "")


def _of_items(plan: dict[str, Value], holder: str, key: str) -> list[Value]:
    """The values of a key in the items of a list of the plan."""
    # By comparing texts: a pattern for every key of every plan would cost a page of many runs more.
    begin, end, dots = f"{holder}.", f".{key}", f"{holder}..{key}".count(".")
    return [
        value
        for name, value in plan.items()
        if name.startswith(begin) and name.endswith(end) and name.count(".") == dots
    ]


def _cca(plan: dict[str, Value]) -> str | None:
    """The congestion controls of the flows, with a plus between where there are several."""
    found = {str(value) for value in _of_items(plan, "flows", "congestion_control")}
    return "+".join(sorted(found)) or None


def _mac(plan: dict[str, Value]) -> str | None:
    """Whose upper MAC the cells have: airtcp's, or `linux` (mac80211), with a plus where there are both."""
    keys = [key.split(".") for key in plan if key.startswith("air.cells.")]
    cells = {cell for _, _, cell, *_ in keys}
    linux = {cell for _, _, cell, *inner in keys if len(inner) > 1 and inner[0] == "linux"}
    return "+".join(sorted({"linux" if cell in linux else "airtcp" for cell in cells})) or None


# What is made of several keys, by the factor's name.
_MADE: dict[str, Callable[[dict[str, Value]], Value]] = {
    "cca": _cca,
    "flows": lambda plan: len(_of_items(plan, "flows", "congestion_control")),
    "stations": lambda plan: _of_items(plan, "air.nics", "role").count("station"),
    "mac": _mac,
    "measured": lambda plan: "yes" if MEASURED in plan else "no",
}
_STRUCTURAL = ("flows", "stations")
