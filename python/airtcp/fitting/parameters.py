"""The unknown keys of a model: marked in its file by `"?"` or `"1 ms ? 50 ms"`, or named by `--free`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.fitting.kinds import MARK, Kind, kind_of, within
from airtcp.fitting.recorded_signal import asked_links


@dataclass(frozen=True)
class Parameter:
    """An unknown value: the path of its key, its kind, and a value to begin with if one is known."""

    path: str
    kind: Kind
    start: float | None = None

    @property
    def low(self) -> float:
        """The lower end of its range on the axis."""
        return self.kind.axis(self.kind.low)

    @property
    def high(self) -> float:
        """The upper end."""
        return self.kind.axis(self.kind.high)

    def clipped(self, axis: float) -> float:
        """The place nearest to this one that is within the range."""
        return min(max(axis, self.low), self.high)

    def text(self, axis: float) -> str | float:
        """What a scenario has for this place: rounded, whole where the key is."""
        return self.kind.written(self.kind.value(self.clipped(axis)))

    def realised(self, axis: float) -> float:
        """The place of what a scenario has for this place."""
        return self.kind.axis(self.kind.read(self.text(axis)))


def parameters_of(tables: Mapping[str, Any], free: Sequence[str]) -> tuple[Parameter, ...]:
    """The unknowns of a scenario's tables, and those of `--free PATH` or `--free "PATH=1 ms ? 50 ms"`.

    What cannot be estimated is an `AirtcpError`, and so is a model without unknowns and recordings to make.
    """
    marks: dict[str, str] = dict(_marked("", tables))
    starts: dict[str, object] = {}
    for option in free:
        path, _, text = (part.strip() for part in option.partition("="))
        starts[path] = None if path in marks else _value_at(tables, path)
        marks[path] = text or MARK
    found = tuple(_parameter(path, mark, starts.get(path)) for path, mark in marks.items())
    if not found and not asked_links(tables):
        what = "nothing in it is unknown"
        raise AirtcpError(what, "the model", 'Write "?" for a value, or give --free "wire[0].rate"')
    return found


def has_unknowns(tables: Mapping[str, Any]) -> bool:
    """Whether a value of the scenario is marked as unknown."""
    return next(_marked("", tables), None) is not None or bool(asked_links(tables))


def _marked(path: str, value: object) -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            step = f'"{key}"' if "." in key else key
            yield from _marked(f"{path}.{step}" if path else step, inner)
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from _marked(f"{path}[{place}]", inner)
    # Commands of programs may hold a question mark; recordings are no parameters.
    elif (
        isinstance(value, str) and MARK in value and not path.startswith(("program", "name", "channel.trace"))
    ):
        yield path, value


def _parameter(path: str, mark: str, start: object) -> Parameter:
    if mark.count(MARK) != 1:
        raise AirtcpError(f'"{mark}" is not an unknown value', path, 'Write "?" or "1 ms ? 50 ms"')
    low, high = (part.strip() for part in mark.split(MARK))
    kind = within(kind_of(path, (low, high)), low, high, path)
    if start is None:
        return Parameter(path, kind)
    try:
        return Parameter(path, kind, kind.read(start))
    except ValueError:
        return Parameter(path, kind)


def _value_at(tables: Any, path: str) -> object:
    """The value at a path, `None` if there is none yet; of `[*]` the first one."""
    here = tables
    for step in path.replace("]", "").replace("[", ".").split("."):
        if isinstance(here, list):
            place = 0 if step == "*" else int(step)
            here = here[place] if place < len(here) else None
        else:
            here = here.get(step) if isinstance(here, Mapping) else None
    return here
