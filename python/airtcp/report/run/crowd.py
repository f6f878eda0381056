"""What a figure shows of more things than a reader can tell apart: groups, or the largest and the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from airtcp.plans.groups import Groups
from airtcp.quantities.application_groups import application_groups
from airtcp.quantities.doubt import DOUBT_MARK, marked
from airtcp.quantities.grouping import Grouping
from airtcp.quantities.run_view import RunView

T = TypeVar("T")

# Of more lines a reader has to look each up in the legend, and of one panel's legend they are the height.
ONE_BY_ONE_MOST = 12
# Of more, if they have no groups; the others make the ninth.
LARGEST = 8
OTHERS = "others"
BY_APPLICATION = "Grouped by application (--group makes other groups)."


@dataclass(frozen=True)
class Thing(Generic[T]):
    """What has the values of a line, bar or box: a flow, a queue, a radio. `size`: by what the largest are
    chosen. Things of different `kind` never come together.
    """

    label: str
    name: str
    content: T
    size: float
    kind: str = ""


@dataclass(frozen=True)
class Bundle(Generic[T]):
    """What is shown as one: a thing, or several together. What has one `name` has one look."""

    label: str
    name: str
    contents: tuple[T, ...]
    size: float


@dataclass(frozen=True)
class Shown(Generic[T]):
    """The bundles of each panel, in order, and what a caption has to say of how they were chosen."""

    panels: list[list[Bundle[T]]]
    notes: list[str]


class Crowd:
    """How the things of one run are shown: all panels of a figure show the same.

    The run's groups are used if there are too many things, or in any case if they were `asked` for. Without
    any, applications are the groups.
    """

    def __init__(self, view: RunView, asked: bool = False) -> None:
        own: Groups = view.run.groups
        self._asked = Grouping(view.run, own) if asked and own else None
        self._usual = Grouping(view.run, own or application_groups(view.run))
        self._said = "" if own else BY_APPLICATION
        flows = zip(view.run.flow_plans, view.run.flow_reports, strict=True)
        self._received = {plan["name"]: float(report["bytes_received"]) for plan, report in flows}

    def size(self, name: str, mean: float) -> float:
        """By what the largest are chosen: of a flow, in every figure, the data that it brought to its
        receiver, else the mean of its values.
        """
        return self._received.get(name, mean)

    def shown(self, panels: Sequence[Sequence[Thing[T]]], clouds: Sequence[bool] = ()) -> Shown[T]:
        """What each panel shows. Of `clouds` of points one group may hold everything; lines would be one."""
        if self._asked is not None:
            made, notes = [_grouped(panel, self._asked, named=True) for panel in panels], []
        else:
            least = [1 if cloud else 2 for cloud in clouds] or [2] * len(panels)
            fit = {
                one.name
                for panel, groups_least in zip(panels, least, strict=True)
                if self._has_groups(panel, groups_least)
                for one in panel
            }
            made = [
                _grouped(panel, self._usual) if any(one.name in fit for one in panel) else _alone(panel)
                for panel in panels
            ]
            notes = [self._said] if fit and self._said else []
        chosen: dict[str, bool] = {}
        cut = []
        for panel in made:
            cut.append(_largest(panel, chosen) if len(panel) > ONE_BY_ONE_MOST else panel)
        if chosen:
            most = f"Of more than {ONE_BY_ONE_MOST} lines the {LARGEST} largest"
            notes.append(f"{most} (flows by data received, others by their mean), and the others together.")
        return Shown(cut, notes)

    def each(self, panel: Sequence[Thing[T]]) -> list[Bundle[T]]:
        """Each thing, however many there are; those of groups that were asked for together."""
        return _alone(panel) if self._asked is None else _grouped(panel, self._asked, named=True)

    def _has_groups(self, panel: Sequence[Thing[T]], least: int) -> bool:
        """Whether a panel has too many things, of which the groups make few."""
        if len(panel) <= ONE_BY_ONE_MOST:
            return False
        return least <= len(_grouped(panel, self._usual)) <= ONE_BY_ONE_MOST


def _alone(panel: Sequence[Thing[T]]) -> list[Bundle[T]]:
    return [Bundle(one.label, one.name, (one.content,), one.size) for one in panel]


def _grouped(panel: Sequence[Thing[T]], grouping: Grouping, named: bool = False) -> list[Bundle[T]]:
    """Each group where its first member stands; what is in none, or alone in one that nobody `named`, by
    itself.
    """
    members: dict[tuple[str, str], list[Thing[T]]] = {}
    for one in panel:
        group = grouping.of(one.name)
        members.setdefault((f"{group} {one.kind}".strip(), "" if group else one.label), []).append(one)
    made: list[Bundle[T]] = []
    for (name, alone), things in members.items():
        apart = alone or (len(things) == 1 and not named)
        made += _alone(things) if apart else [_together(name, _alone(things))]
    return made


def _together(name: str, bundles: Sequence[Bundle[T]]) -> Bundle[T]:
    contents = tuple(content for one in bundles for content in one.contents)
    doubtful = any(one.label.endswith(DOUBT_MARK) for one in bundles)
    size = sum(one.size for one in bundles) / len(bundles)
    return Bundle(marked(f"{name} ({len(contents)})", doubtful), name, contents, size)


def _largest(panel: Sequence[Bundle[T]], chosen: dict[str, bool]) -> list[Bundle[T]]:
    """The largest, which an earlier panel of a figure may have chosen, and one of all others.

    `chosen` says of each name seen so far whether it is one of the largest.
    """
    room = LARGEST - sum(chosen.get(one.name, False) for one in panel)
    new = sorted((one for one in panel if one.name not in chosen), key=lambda one: -one.size)
    chosen.update({one.name: place < room for place, one in enumerate(new)})
    others = [one for one in panel if not chosen[one.name]]
    return [*(one for one in panel if chosen[one.name]), *([_together(OTHERS, others)] if others else [])]
