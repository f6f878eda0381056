"""Finds which parameters the measurements determine, which only together, and what would tell them apart.

Three tests, each of which can refuse:

* **Width.** The 95 % interval of a parameter is wider than `WIDEST` (upper end over lower; 4 dB of a level).
  Where a direction of the parameters has no information (an eigenvalue of J'WJ that is less than that of the
  weak prior), all parameters that take part in it have such an interval.
* **Response.** Virtual runs in which the parameter is moved by three half-widths of its interval, and the
  others so that they make up for it as far as the linear model knows, must move the estimate by at least
  half of that.
  An information that is only noise of the design does not.
* **Exchange.** Of two parameters of one kind the values are exchanged. If virtual runs are then as near to
  the measured ones, the data do not say which is which (which of two wires is the slow one).
"""

import math
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from airtcp.fitting.kinds import What
from airtcp.fitting.parameters import Parameter
from airtcp.fitting.regression import Estimate, Local
from airtcp.fitting.search import Search
from airtcp.metrics.arrays import Floats

# Ends of an interval by more than a factor of 1.5 apart, or 4 dB, are no estimate.
WIDEST = 1.5
HALF_MOST = math.log(WIDEST) / 2
WITH_OTHERS = "only a combination with others is determined"
RESPONSE_LEAST = 0.5
# Moved this many half-widths, but by at least as much as a design is wide. With so many seeds the noise of
# three measured runs makes the answer of an identifiable parameter too small in one of 300 cases.
MOVED_HALF_WIDTHS, MOVED_LEAST = 3.0, 0.03
SEEDS = 5
# Values nearer than this are equal for an exchange.
APART_LEAST = 0.1
# Of the misfit that is usual, how much more an exchanged network may have to be as good as the estimate.
AS_GOOD = 2.0


def judge(search: Search, local: Local, found: Estimate) -> list[str]:
    """Why each parameter is refused; an empty text for one that is identifiable."""
    parameters = search.experiment.model.parameters
    reasons = [lacks_width(one, found, n) for n, one in enumerate(parameters)]
    for n, answer in _responses(search, found, [n for n, reason in enumerate(reasons) if not reason]):
        if answer < RESPONSE_LEAST:
            reasons[n] = (
                "virtual runs with another value, and the others adapted to it, are like the measured ones"
            )
    for first, second in _exchangeable(search, local, found):
        for one, other in ((first, second), (second, first)):
            reasons[one] = reasons[one] or f"exchanged with {parameters[other].path} it fits as well"
    return reasons


def lacks_width(one: Parameter, found: Estimate, n: int) -> str:
    """Why the interval of a parameter is no estimate; an empty text if it is one."""
    half = found.half_widths[n]
    if half <= HALF_MOST and one.low < found.axes[n] < one.high:
        return ""
    with_others = _directions(found, n)
    if with_others:
        return WITH_OTHERS
    if half > HALF_MOST:
        return "the measured runs hardly depend on it"
    return "it is at the end of its range"


def _directions(found: Estimate, n: int) -> bool:
    """Whether the parameter would be determined if all others were known."""
    own = found.information[n, n]
    return bool(own > 0 and 2 / math.sqrt(own) < HALF_MOST)


def _responses(search: Search, found: Estimate, chosen: Sequence[int]) -> Iterator[tuple[int, float]]:
    """How much of a move of each of these parameters the estimate follows."""
    answers = _answers(search, found, chosen, SEEDS)
    # A small answer may be noise: it is asked again, of more runs.
    small = [n for n, answer in answers.items() if answer < RESPONSE_LEAST]
    yield from {**answers, **_answers(search, found, small, 3 * SEEDS)}.items()


def _answers(search: Search, found: Estimate, chosen: Sequence[int], seeds: int) -> dict[int, float]:
    if not chosen:
        return {}
    moves = {n: _move(search, found, n) for n in chosen}
    places = [found.axes] * seeds + [axes for axes in moves.values() for _ in range(seeds)]
    rows = np.nan_to_num(search.compute(places, "check of each parameter"))
    answers = {}
    for number, (n, axes) in enumerate(moves.items(), start=1):
        # What the estimate would be by each run alone; of outliers, medians know nothing.
        alone = rows @ found.influence[n]
        change = np.median(alone[number * seeds : (number + 1) * seeds]) - np.median(alone[:seeds])
        answers[n] = float(change) / float(axes[n] - found.axes[n])
    return answers


def _move(search: Search, found: Estimate, n: int) -> Floats:
    """The place with one parameter moved, and the others adapted to it."""
    one = search.experiment.model.parameters[n]
    size = max(MOVED_HALF_WIDTHS * found.half_widths[n], MOVED_LEAST)
    if one.kind.noun:
        size = max(size, 1.5 / one.kind.value(found.axes[n]))
    up = one.high - found.axes[n] > size
    return search.clipped(found.axes + _compensated(found, n, size if up else -size))


def _compensated(found: Estimate, n: int, size: float) -> Floats:
    """A move of one parameter, with the others such that the statistics change least."""
    others = [m for m in range(found.axes.size) if m != n]
    step = np.zeros(found.axes.size)
    step[n] = size
    if others:
        inner = found.information[np.ix_(others, others)] + np.eye(len(others))
        step[others] = np.clip(-np.linalg.solve(inner, found.information[others, n]) * size, -1, 1)
    return step


def _exchangeable(search: Search, local: Local, found: Estimate) -> Iterator[tuple[int, int]]:
    """Pairs of one kind whose exchanged values fit as well."""
    parameters = search.experiment.model.parameters
    pairs = [
        (n, m)
        for n, m in combinations(range(len(parameters)), 2)
        if parameters[n].kind.what == parameters[m].kind.what
        and abs(found.axes[n] - found.axes[m]) > max(found.half_widths[n], found.half_widths[m], APART_LEAST)
    ]
    if not pairs:
        return
    places = [found.axes] * SEEDS
    for n, m in pairs:
        axes = found.axes.copy()
        axes[n], axes[m] = found.axes[m], found.axes[n]
        places += [search.clipped(axes)] * SEEDS
    rows = search.compute(places, "check of exchanged values")
    usual = _mean_misfit(search, local, rows[:SEEDS])
    for number, pair in enumerate(pairs, start=1):
        if _mean_misfit(search, local, rows[number * SEEDS : (number + 1) * SEEDS]) <= AS_GOOD * usual:
            yield pair


def _mean_misfit(search: Search, local: Local, rows: Floats) -> float:
    """The mean weighted square of the difference to the measured means."""
    difference = np.nan_to_num(np.nanmean(rows, axis=0) - search.measured.means, nan=10.0)
    return float(local.weights @ difference**2) / max(1, int(np.count_nonzero(local.weights)))


# What would tell parameters apart: by the kinds of two, or of one alone.
_TOGETHER: tuple[tuple[frozenset[What], str], ...] = (
    (frozenset({"delay"}), "a ping to or from a node between the wires tells their delays apart"),
    (frozenset({"rate"}), "a flow that crosses only one of the wires tells their rates apart"),
    (frozenset({"rate", "queue"}), "a flow that the wire limits tells its rate, one that fills it the queue"),
    (frozenset({"delay", "host delay"}), "a ping from the access point to a wired node has no host delay"),
    (frozenset({"delay", "interrupt"}), "a ping between wired nodes has no moderation of the radio"),
    (frozenset({"host delay", "interrupt"}), "a fast flow tells them apart: moderation joins frames"),
    (frozenset({"signal", "loss"}), "station dumps tell the signal"),
    (frozenset({"signal", "level"}), "station dumps tell the signal: only its distance to the noise matters"),
    (frozenset({"rate", "load"}), "a measurement while the background rests tells the rate"),
    (frozenset({"queue"}), "a flow that fills only one of the queues tells their lengths apart"),
)  # fmt: skip
_ALONE: dict[What, str] = {
    "rate": "a flow that this wire limits, and no receive window or application, tells its rate",
    "delay": "pings without load tell a delay",
    "queue": "a flow of cubic or reno that lasts until the queue overflows tells its length, with a ping",
    "frames": "a flow of cubic or reno that lasts until the queue of the radio overflows tells its length",
    "interrupt": "pings without load at a short interval, and a fast flow, tell the moderation",
    "host delay": "pings without load tell a delay of the host, if that of the wires is known",
    "signal": "station dumps, or a place where the signal limits the rate, tell it",
    "level": "a place where the signal limits the rate tells it",
    "loss": "a flow whose losses are not those of a queue tells it (bbr with a short queue)",
    "load": "a flow that has to share with the background tells its load",
}


def advice(lacking: Sequence[Parameter]) -> Iterator[str]:
    """What to measure so that these parameters, which are not identifiable, become so."""
    kinds = [one.kind.what for one in lacking]
    for both, text in _TOGETHER:
        if both <= set(kinds) and (len(both) > 1 or kinds.count(next(iter(both))) > 1):
            yield f"{text[0].upper()}{text[1:]}."
            return
    for what in dict.fromkeys(kinds):
        yield f"{_ALONE[what][0].upper()}{_ALONE[what][1:]}."
