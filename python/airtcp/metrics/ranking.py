"""A ranking of many congestion controls in which those that the runs can't distinguish share a place.

Every pair is compared on common seeds (`paired`), and Holm's correction over all pairs keeps the chance of
even one false difference at 5 %. Then:

* **rank**: 1 and the number of those that are better with a difference that is significant. Whoever is not
  distinguishable from anyone better shares rank 1.
* **letters**: two that share a letter are not distinguishable, two that share none are (compact letter
  display; the insert-and-absorb algorithm of Piepho, without spare letters: Journal of Computational and
  Graphical Statistics 13, 2004). "Not distinguishable" is no chain: a may be like b and b like c while a
  and c differ, so letters say more than ranks.

Rows are in the order of means, then of names. Nothing here is random: the same values give the same
ranking.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_lowercase

from airtcp.metrics.holm import holm
from airtcp.metrics.paired import WILCOXON, Paired, compare_pairs, paired_seeds
from airtcp.metrics.summary import Summary, summarise

SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Comparison:
    """One pair, the one with the better mean first; `p_adjusted` by Holm over all pairs, `None` without a
    test.
    """

    better: str
    worse: str
    paired: Paired
    p_adjusted: float | None
    differs: bool


@dataclass(frozen=True)
class Ranked:
    """One place: values in numbers, rank, letters, and the names it is not distinguishable from."""

    name: str
    summary: Summary
    rank: int
    letters: str
    not_different_from: tuple[str, ...]


@dataclass(frozen=True)
class Ranking:
    """Rows from the best mean to the worst, all pairs, and what a reader must know beside them."""

    rows: tuple[Ranked, ...]
    comparisons: tuple[Comparison, ...]
    significance: float
    notes: tuple[str, ...]


def rank(
    measured: Mapping[str, Mapping[int, float]],
    higher_is_better: bool,
    significance: float = SIGNIFICANCE,
) -> Ranking:
    """Ranks what was measured, by name and seed.

    All must have a number for the same seeds, else `UnpairedSeeds` names who lacks which;
    `paired.common_seeds` says which are common.
    """
    seeds = paired_seeds(measured)
    summaries = {name: summarise(list(values.values())) for name, values in measured.items()}
    sign = -1 if higher_is_better else 1
    names = sorted(measured, key=lambda name: (sign * summaries[name].mean, name))
    pairs = list(combinations(names, 2))
    tested = [compare_pairs(measured[better], measured[worse]) for better, worse in pairs]
    adjusted = holm([test.p_value for test in tested])
    comparisons = tuple(
        Comparison(better, worse, test, p, test.differs(p, significance))
        for (better, worse), test, p in zip(pairs, tested, adjusted, strict=True)
    )
    different = {(one.better, one.worse) for one in comparisons if one.differs}
    letters = letter_groups(names, different)
    rows = tuple(
        Ranked(
            name,
            summaries[name],
            1 + sum(worse == name for _, worse in different),
            letters[name],
            tuple(o for o in names if o != name and not {(o, name), (name, o)} & different),
        )
        for name in names
    )
    return Ranking(rows, comparisons, significance, tuple(_notes(len(seeds), comparisons, significance)))


def letter_groups(names: Sequence[str], different: set[tuple[str, str]]) -> dict[str, str]:
    """Letters by name: two share one exactly if they are not `different`; the first name has the letter a."""
    groups = [frozenset(names)]
    for one, other in sorted(different, key=lambda pair: (names.index(pair[0]), names.index(pair[1]))):
        split = [group for group in groups if {one, other} <= group]
        kept = [group for group in groups if group not in split]
        for part in (group - {name} for group in split for name in (one, other)):
            if not any(part <= group for group in kept):
                kept = [*(group for group in kept if not group <= part), part]
        groups = kept
    needed = _without_spare(sorted(groups, key=lambda group: sorted(names.index(name) for name in group)))
    return {name: _joined([n for n, group in enumerate(needed) if name in group]) for name in names}


def _without_spare(groups: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Leaves out, from the last on, groups whose members and pairs are all in others too: fewer letters,
    same meaning.
    """
    kept = list(groups)
    for group in reversed(groups):
        others = [other for other in kept if other is not group]
        pairs = combinations(sorted(group), 2) if len(group) > 1 else [tuple(group)]
        if all(any(set(pair) <= other for other in others) for pair in pairs):
            kept = others
    return kept


def _joined(numbers: Sequence[int]) -> str:
    """a to z, then a1 to z1, and so on."""
    rounds = [(ascii_lowercase[number % 26], number // 26) for number in numbers]
    return "".join(letter + (str(turn) if turn else "") for letter, turn in rounds)


def _notes(seeds: int, comparisons: Sequence[Comparison], significance: float) -> list[str]:
    if not comparisons:
        return []
    notes: list[str] = []
    if seeds < 2:
        notes.append("without a second seed nothing can be tested; the order is that of the values")
    by_ranks = sum(one.paired.test == WILCOXON for one in comparisons)
    # The least p-value that signed ranks can give, once adjusted for all pairs.
    if by_ranks and 2 / 2**seeds * len(comparisons) > significance:
        notes.append(
            f"{by_ranks} of {len(comparisons)} pairs were tested by signed ranks, which with {seeds} seeds "
            "may not reach significance over so many pairs"
        )
    return notes
