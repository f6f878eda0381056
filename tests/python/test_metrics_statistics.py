"""Intervals, paired comparisons and rankings against cases computed by hand."""

import itertools
import math

import numpy as np
import pytest
from airtcp.metrics import summary as methods
from airtcp.metrics.holm import holm
from airtcp.metrics.normality import all_equal, normality_p, not_normal
from airtcp.metrics.paired import (
    NO_DIFFERENCE,
    ONE_SEED,
    PAIRED_T,
    SAME_DIFFERENCE,
    WILCOXON,
    UnpairedSeeds,
    _wilcoxon_p,
    common_seeds,
    compare_pairs,
)
from airtcp.metrics.ranking import letter_groups, rank
from airtcp.metrics.summary import summarise
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats


@pytest.mark.parametrize(
    ("count", "quantile"), [(2, 12.706), (3, 4.303), (10, 2.262), (30, 2.045), (121, 1.980)]
)
def test_students_quantiles_are_those_of_the_tables(count, quantile):
    # half the values 1 below 10, half 1 above: the standard deviation is sqrt(n / (n - 1))
    values = [9.0, 11.0] * (count // 2) + [10.0] * (count % 2)
    sample = np.array(values)
    low, high = methods.student_interval(sample, 0.95)
    sd = math.sqrt(2 * (count // 2) / (count - 1))
    assert (high - low) / 2 == pytest.approx(quantile * sd / math.sqrt(count), rel=3e-4)
    assert (high + low) / 2 == pytest.approx(10.0)


def test_a_summary_by_hand():
    found = summarise([3.0, 1.0, 2.0])
    assert (found.count, found.missing, found.mean, found.sd, found.min, found.max) == (
        3,
        0,
        2.0,
        1.0,
        1.0,
        3.0,
    )
    half = 4.303 / math.sqrt(3)
    assert (found.low, found.high) == (pytest.approx(2 - half, abs=1e-3), pytest.approx(2 + half, abs=1e-3))
    assert found.error_bars == pytest.approx((half, half), abs=1e-3)
    assert found.method == methods.STUDENT
    assert found.caption() == "95 % confidence interval of the mean (Student's t)"


def test_one_value_has_no_interval():
    found = summarise([5.0])
    assert (found.mean, found.low, found.high, found.error_bars) == (5.0, None, None, None)
    assert math.isnan(found.sd)
    assert found.caption() == "no confidence interval (one value)"


def test_no_value_is_no_number():
    for found in (summarise([]), summarise([math.nan, None])):
        assert math.isnan(found.mean)
        assert (found.count, found.method) == (0, methods.NO_VALUES)
    assert summarise([math.nan, None]).missing == 2


def test_what_was_not_measured_is_counted_and_left_out():
    found = summarise([1.0, math.nan, 2.0, None, 3.0])
    assert (found.count, found.missing, found.mean) == (3, 2, 2.0)


def test_runs_that_all_say_the_same_have_that_as_interval():
    # 0.1 thrice has the mean 0.10000000000000002 by plain summing
    found = summarise([0.1, 0.1, 0.1])
    assert (found.mean, found.low, found.high, found.sd) == (0.1, 0.1, 0.1, pytest.approx(0.0, abs=1e-15))
    assert found.error_bars == (0.0, 0.0)
    assert found.caption() == "no confidence interval (all values are equal)"
    assert summarise([0.0] * 5).method == methods.EQUAL
    assert summarise([0.1 + 0.2, 0.3]).method == methods.EQUAL


def test_infinite_values_have_no_interval():
    found = summarise([1.0, math.inf])
    assert (found.mean, found.max, found.method) == (math.inf, math.inf, methods.INFINITE)
    assert math.isnan(summarise([-math.inf, math.inf]).mean)


def test_the_test_of_normality():
    assert normality_p([1.0, 2.0]) is None
    assert normality_p([1.0, 1.0, 1.0]) is None
    # three values in even steps: W = 1 (Shapiro and Wilk's coefficients of n = 3 are -+ sqrt(1/2))
    assert normality_p([1.0, 2.0, 3.0]) == pytest.approx(1.0, abs=1e-6)
    assert not_normal([1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 50.0])
    assert not not_normal([1.0, 1.0, 1.0])
    assert all_equal(np.array([1.0, 1.0 + 1e-13]))
    assert not all_equal(np.array([1e-9, 2e-9]))
    assert all_equal(np.array([1e-9, 2e-9]), size=1e6)


def test_few_values_that_are_not_normal_keep_students_interval_and_say_so():
    found = summarise([1.0] * 6 + [50.0])
    assert found.method == methods.STUDENT_NOT_NORMAL
    assert found.error_bars[0] == pytest.approx(found.error_bars[1])


def test_many_values_that_are_not_normal_are_bootstrapped():
    # eight zeros and ones: resampled means are Binomial(16, 1/2) / 16; P(<= 3) = 1.1 %, P(<= 4) = 3.8 %
    found = summarise([0.0, 1.0] * 8)
    assert found.method == methods.BOOTSTRAP
    assert (found.low, found.high) == (4 / 16, 12 / 16)
    skewed = summarise([1.0] * 9 + [50.0])
    assert skewed.error_bars[1] > skewed.error_bars[0] > 0


@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_the_runs_changes_nothing(values, random):
    shuffled = random.sample(values, len(values))
    found = summarise(values)
    assert summarise(shuffled) == found or all_equal(np.array(values))
    assert found.min <= found.mean <= found.max
    assert found.low <= found.mean + 1e-6
    assert found.high >= found.mean - 1e-6


def seeds(*values):
    return dict(enumerate(values, 1))


def test_a_paired_t_test_by_hand():
    found = compare_pairs(seeds(11.0, 22.0, 33.0), seeds(10.0, 20.0, 30.0))
    assert (found.first_mean, found.second_mean, found.difference.mean) == (22.0, 20.0, 2.0)
    # t = 2 sqrt(3) with two degrees of freedom: p = 1 - t / sqrt(2 + t^2)
    t = 2 * math.sqrt(3)
    assert found.p_value == pytest.approx(1 - t / math.sqrt(2 + t * t))
    assert (found.test, found.direction) == (PAIRED_T, 1)
    # the spread between the seeds, ten times as large, is not in the interval
    assert found.difference.error_bars[0] == pytest.approx(4.303 / math.sqrt(3), abs=1e-3)


def test_a_signed_rank_test_by_hand():
    # six differences of one sign: 2 of 64 assignments of signs are as far out
    lower = seeds(*([0.0] * 6))
    found = compare_pairs(seeds(1.0, 1.1, 1.2, 1.3, 1.4, 100.0), lower)
    assert (found.test, found.p_value) == (WILCOXON, pytest.approx(2 / 64))
    assert found.differs(found.p_value, 0.05)
    assert not found.differs(found.p_value, 0.01)


def exact_p(differences):
    """All assignments of signs to the ranks, Pratt's treatment of zeros; two-sided."""
    sizes = [abs(d) for d in differences]
    ranks = [sum(o < d for o in sizes) + (sum(o == d for o in sizes) + 1) / 2 for d in sizes]
    used = [(rank, d > 0) for rank, d in zip(ranks, differences, strict=True) if d]
    middle = sum(rank for rank, _ in used) / 2
    far = abs(sum(rank for rank, up in used if up) - middle)
    sums = [
        sum(rank for (rank, _), up in zip(used, ups, strict=True) if up)
        for ups in itertools.product([False, True], repeat=len(used))
    ]
    return sum(abs(s - middle) >= far - 1e-9 for s in sums) / len(sums)


@pytest.mark.parametrize(
    "differences",
    [(0.0, 0.0, 1.0, 1.0, 1.0, 40.0, -1.0), (1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 60.0, -2.0), (0.0,) * 7 + (5.0,)],
)
def test_ties_and_zeros_are_exact(differences):
    found = compare_pairs(seeds(*differences), seeds(*([0.0] * len(differences))))
    assert found.test == WILCOXON
    assert found.p_value == pytest.approx(exact_p(differences))


def test_many_seeds_are_tested_by_ranks_too():
    differences = [1.0 + n / 100 for n in range(19)] + [500.0]
    found = compare_pairs(seeds(*differences), seeds(*([0.0] * 20)))
    assert (found.test, found.p_value) == (WILCOXON, pytest.approx(2 / 2**20))


@given(st.lists(st.integers(-40, 40).filter(bool), min_size=6, max_size=30, unique_by=abs))
def test_ranks_without_ties_are_as_scipy_has_them(whole):
    differences = np.array(whole, float)
    assert _wilcoxon_p(differences) == pytest.approx(stats.wilcoxon(differences, method="exact").pvalue)


def test_very_many_seeds_are_approximated():
    found = compare_pairs(seeds(*([1.0] * 60 + [-500.0] * 5)), seeds(*([0.0] * 65)))
    # the sum of ranks has the mean n (n + 1) / 4, and a variance that ties make less than n (n + 1) (2n + 1) / 24
    mean, variance = 65 * 66 / 4, 65 * 66 * 131 / 24 - (60**3 - 60 + 5**3 - 5) / 48
    z = (60 * 30.5 - mean) / math.sqrt(variance)
    assert found.p_value == pytest.approx(math.erfc(z / math.sqrt(2)))


def test_ranks_against_the_mean_are_no_difference():
    # nine of ten seeds are lower by 1, one is higher by 1000: the mean says higher
    found = compare_pairs(seeds(*[-1.0 - n / 100 for n in range(19)], 1000.0), seeds(*([0.0] * 20)))
    assert found.difference.mean > 0
    assert found.direction == -1
    assert found.p_value < 0.05
    assert not found.differs(found.p_value, 0.05)


def test_one_seed_is_no_test():
    found = compare_pairs(seeds(1.0), seeds(2.0))
    assert (found.p_value, found.test, found.difference.mean) == (None, ONE_SEED, -1.0)
    assert not found.differs(found.p_value, 0.05)
    assert compare_pairs({}, {}).p_value is None


def test_equal_differences_need_no_test():
    same = compare_pairs(seeds(1.0, 2.0, 3.0), seeds(1.0, 2.0, 3.0))
    assert (same.p_value, same.test) == (1.0, NO_DIFFERENCE)
    assert not same.differs(1.0, 1.0)
    # 1e6 + 0.3 less 1e6 is not 0.3 in the last digits
    steady = compare_pairs(seeds(1e6 + 0.3, 0.3, 1.3), seeds(1e6, 0.0, 1.0))
    assert (steady.p_value, steady.test, steady.direction) == (0.0, SAME_DIFFERENCE, 1)
    assert compare_pairs(seeds(0.1 + 0.2, 1.0), seeds(0.3, 1.0)).test == NO_DIFFERENCE


def test_unpaired_seeds_are_named():
    with pytest.raises(
        UnpairedSeeds, match="the first has no number for seed 4; the second has no number for seed 1, 2"
    ) as failed:
        compare_pairs({1: 1.0, 2: 1.0, 3: 1.0}, {2: math.nan, 3: 1.0, 4: 1.0})
    assert failed.value.missing == {"the first": (4,), "the second": (1, 2)}
    with pytest.raises(UnpairedSeeds, match="seed 1"):
        compare_pairs({1: math.nan}, {1: math.nan})
    with pytest.raises(ValueError, match="infinite"):
        compare_pairs({1: math.inf}, {1: 1.0})
    common = common_seeds({"a": {1: 1.0, 2: 1.0}, "b": {2: 1.0, 3: 1.0}})
    assert (common.seeds, common.left_out) == ((2,), (1, 3))


def test_holm_by_hand():
    # 4 x 0.005, 3 x 0.01, 2 x 0.03, and 0.04, which is not below the one before
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    # what has no p-value belongs to the family
    assert holm([0.01, None]) == [0.02, None]
    with pytest.raises(ValueError, match="2 is not a p-value"):
        holm([2])


@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_keeps_the_order(p_values):
    adjusted = holm(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, adjusted, strict=True))
    for (p, a), (q, b) in itertools.combinations(zip(p_values, adjusted, strict=True), 2):
        assert (p <= q) <= (a <= b)


def test_letters_are_no_chain():
    assert letter_groups(["x", "y", "z"], {("x", "z")}) == {"x": "a", "y": "ab", "z": "b"}
    assert letter_groups(["x", "y"], set()) == {"x": "a", "y": "a"}
    assert letter_groups(["x", "y", "z"], set(itertools.combinations("xyz", 2))) == {
        "x": "a",
        "y": "b",
        "z": "c",
    }
    assert letter_groups([], set()) == {}


def test_spare_letters_are_left_out():
    # a, b, c are like one another, d is like a and b, e like b and c, f like a and c: the three pairs of a, b, c
    # have their letters from d, e and f, and need none of their own
    different = {("c", "d"), ("d", "e"), ("d", "f"), ("a", "e"), ("e", "f"), ("b", "f")}
    expected = {"a": "ab", "b": "ac", "c": "bc", "d": "a", "e": "c", "f": "b"}
    assert letter_groups("abcdef", different) == expected
    # a ring of four needs all of its letters
    assert letter_groups("wxyz", {("w", "y"), ("x", "z")}) == {"w": "ab", "x": "ac", "y": "cd", "z": "bd"}


def test_more_groups_than_letters():
    names = [str(n) for n in range(30)]
    groups = letter_groups(names, set(itertools.combinations(names, 2)))
    assert (groups["25"], groups["26"], groups["29"]) == ("z", "a1", "d1")


@given(st.integers(1, 8), st.data())
def test_two_share_a_letter_exactly_if_they_are_not_different(count, data):
    names = [f"n{n}" for n in range(count)]
    pairs = list(itertools.combinations(names, 2))
    different = set(data.draw(st.lists(st.sampled_from(pairs), unique=True))) if pairs else set()
    groups = letter_groups(names, different)
    assert all(groups.values())
    for one, other in pairs:
        assert bool(set(groups[one]) & set(groups[other])) == ((one, other) not in different)


def measured():
    """Rates of four; b is a tenth above a in every seed or so, c is far lower, d is as c."""
    base = [10.0, 12.0, 9.0, 11.0, 10.5, 9.5]
    wobble = [0.01, -0.02, 0.015, -0.005, 0.02, -0.01]
    near = [0.3, -0.4, 0.2, -0.1, 0.25, -0.2]
    return {
        "a": seeds(*base),
        "b": seeds(*(value + 0.5 + w for value, w in zip(base, wobble, strict=True))),
        "c": seeds(*(value - 5 + w for value, w in zip(base, wobble[::-1], strict=True))),
        "d": seeds(*(value - 5 + w for value, w in zip(base, near, strict=True))),
    }


def test_a_ranking_by_hand():
    found = rank(measured(), higher_is_better=True)
    assert [(row.name, row.rank, row.letters) for row in found.rows] == [
        ("b", 1, "a"),
        ("a", 2, "b"),
        ("d", 3, "c"),
        ("c", 3, "c"),
    ]
    assert found.rows[2].not_different_from == ("c",)
    assert len(found.comparisons) == 6
    first = found.comparisons[0]
    assert (first.better, first.worse, first.differs) == ("b", "a", True)
    # b less a within the seeds: 0.5 and a wobble; without pairing the spread of the seeds hides it
    assert first.paired.difference.mean == pytest.approx(0.5 + 0.01 / 6)
    assert found.notes == ()


def test_lower_may_be_better():
    found = rank(measured(), higher_is_better=False)
    assert [(row.name, row.rank) for row in found.rows] == [("c", 1), ("d", 1), ("a", 3), ("b", 4)]


def test_the_ranking_does_not_depend_on_the_order_of_names():
    backwards = dict(reversed(measured().items()))
    assert rank(backwards, True) == rank(measured(), True)


def test_one_seed_ranks_nothing():
    found = rank({"a": seeds(1.0), "b": seeds(2.0)}, True)
    assert [(row.name, row.rank, row.letters) for row in found.rows] == [("b", 1, "a"), ("a", 1, "a")]
    assert found.notes == ("without a second seed nothing can be tested; the order is that of the values",)


def test_runs_in_which_the_seed_decides_nothing_are_ranked_by_value():
    found = rank({"a": seeds(1.0, 1.0), "b": seeds(2.0, 2.0), "c": seeds(1.0, 1.0)}, True)
    assert [(row.name, row.rank, row.letters) for row in found.rows] == [
        ("b", 1, "a"),
        ("a", 2, "b"),
        ("c", 2, "b"),
    ]


def test_rankings_of_few():
    assert rank({}, True).rows == ()
    assert [row.letters for row in rank({"a": seeds(1.0)}, True).rows] == ["a"]
    with pytest.raises(UnpairedSeeds, match="b has no number for seed 2"):
        rank({"a": seeds(1.0, 2.0), "b": seeds(1.0)}, True)


def test_signed_ranks_over_many_pairs_are_noted():
    outlier = {name: seeds(0.0, 0.1, 0.2, 0.3, 0.4, 100.0 * n) for n, name in enumerate("abc", 1)}
    found = rank(outlier, True)
    assert any("signed ranks, which with 6 seeds" in note for note in found.notes)
