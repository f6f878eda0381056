"""The search: `git bisect` chooses the commits, a test judges them."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from airtcp.bisection.git import Answer, Commit, ask, commit_of, git
from airtcp.bisection.history import History
from airtcp.errors import AirtcpError

Verdict = Literal["good", "bad", "skip"]
_FOUND = re.compile(r"^# (?:possible )?first bad commit: \[([0-9a-f]+)\]", re.MULTILINE)
_LEFT = re.compile(r"\(roughly (\d+) steps?\)")


@dataclass(frozen=True)
class Judged:
    """What came of a commit: whether it is good, or can't be tested; its values, or why there are none.

    `by_seed` has the value of each seed by the names of quantities.
    """

    verdict: Verdict
    text: str
    by_seed: Mapping[str, Sequence[float]] = field(default_factory=dict)
    build_s: float = 0.0
    run_s: float = 0.0

    @property
    def wall_s(self) -> float:
        """How long it took."""
        return self.build_s + self.run_s


@dataclass(frozen=True)
class Step:
    """A commit that was tested; `steps_left` is git's estimate, `None` where it has none."""

    commit: Commit
    tested: Judged
    steps_left: int | None = None


@dataclass(frozen=True)
class Found:
    """The first bad commit; several where those before could not be tested."""

    commits: tuple[Commit, ...]
    steps: tuple[Step, ...]

    def tested(self, commit: Commit) -> Judged | None:
        """What came of a commit, if it was tested."""
        return next((step.tested for step in self.steps if step.commit == commit), None)

    @property
    def skipped(self) -> int:
        """How many could not be tested."""
        return sum(step.tested.verdict == "skip" for step in self.steps)


class EndIsWrong(AirtcpError):
    """An end of the history that is not what the user says: there is nothing to search."""


class Search:
    """A search in a history. `test` judges what is checked out, `told` hears of each step."""

    def __init__(self, history: History, test: Callable[[], Judged], told: Callable[[Step], None]) -> None:
        self._history = history
        self._test = test
        self._told = told
        self._steps: list[Step] = []

    def run(self) -> Found:
        """Tests both ends, then searches between them.

        Raises:
            EndIsWrong: the good end is not good, the bad one not bad, or one can't be tested.
        """
        for commit, wanted in ((self._history.good, "good"), (self._history.bad, "bad")):
            self._check_end(commit, wanted)
        folder = self._history.folder
        answer = ask(folder, "bisect", "start", self._history.bad.id, self._history.good.id)
        while not (found := self._found()):
            if answer.status != 0:
                raise AirtcpError(f"git bisect says: {_one_line(answer)}", str(folder), "Give other ends")
            commit = commit_of(folder, git(folder, "rev-parse", "HEAD"))
            left = _LEFT.search(answer.out)
            tested = self._tested(commit, int(left[1]) if left else None)
            answer = ask(folder, "bisect", tested.verdict)
        return Found(tuple(found), tuple(self._steps))

    def _check_end(self, commit: Commit, wanted: str) -> None:
        git(self._history.folder, "checkout", "--quiet", "--force", "--detach", commit.id)
        tested = self._tested(commit, None)
        if tested.verdict == wanted:
            return
        place = f"{commit.short} ({commit.subject})"
        if tested.verdict == "skip":
            raise EndIsWrong(f"the {wanted} end can't be tested: {tested.text}", place, "Choose another end")
        meets = "does not meet the condition" if wanted == "good" else "meets the condition, too"
        remedy = "Choose another commit, or another condition"
        raise EndIsWrong(f"the {wanted} end {meets}: {tested.text}", place, remedy)

    def _tested(self, commit: Commit, left: int | None) -> Judged:
        known = next((step.tested for step in self._steps if step.commit == commit), None)
        if known is not None:
            return known
        tested = self._test()
        self._steps.append(Step(commit, tested, left))
        self._told(self._steps[-1])
        return tested

    def _found(self) -> list[Commit]:
        """The first bad commit as the log of git has it, or all that may be it."""
        folder = self._history.folder
        log = ask(folder, "bisect", "log").out
        return [commit_of(folder, id) for id in _FOUND.findall(log)]


def _one_line(answer: Answer) -> str:
    return " ".join(f"{answer.errors} {answer.out}".split())


def overlapping(good: Judged, bad: Judged) -> list[str]:
    """Quantities of which the ranges of seeds meet at both ends, so that one seed could be of either."""
    return [
        name
        for name, here in good.by_seed.items()
        if (there := bad.by_seed.get(name)) and min(here) <= max(there) and min(there) <= max(here)
    ]
