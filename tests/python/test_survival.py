"""The product-limit estimate, against SciPy's and by hand."""

import numpy as np
import pytest
from airtcp.metrics.survival import Estimate, Survival
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

TIMES = st.lists(st.integers(0, 50).map(float), max_size=30)


@settings(max_examples=300, deadline=None)
@given(TIMES, TIMES)
def test_shares_are_scipys(ended, censored):
    if not ended:
        return
    theirs = stats.ecdf(stats.CensoredData(uncensored=ended, right=censored)).cdf
    ours = Survival(np.array(ended), np.array(censored))
    for share in (0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1.0):
        found = ours.quantile(share)
        reached = theirs.quantiles[theirs.probabilities >= share - 1e-9]
        if reached.size:
            assert found == Estimate(reached[0])
        else:
            assert found == Estimate(max(*ended, *censored, 0.0), at_least=True)


@settings(max_examples=200, deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=40))
def test_without_censored_times_it_is_the_sample(ended):
    survival = Survival(np.array(ended), np.empty(0))
    assert survival.mean() == Estimate(pytest.approx(np.mean(ended)))
    assert survival.most() == Estimate(max(ended))
    assert survival.quantile(0.5) == Estimate(float(np.quantile(ended, 0.5, method="inverted_cdf")))


def test_what_is_left_out_or_infinite_elsewhere():
    # Nine pages of 1 s and one that has taken 20 s: the 95th percentile is more than 20 s, not 1 s and not infinite.
    survival = Survival(np.ones(9), np.array([20.0]))
    assert survival.quantile(0.9) == Estimate(1.0)
    assert survival.quantile(0.95) == Estimate(20.0, at_least=True)
    assert survival.mean() == Estimate(pytest.approx(1 + 0.1 * 19), at_least=True)
    # One that began just before the end says little: it may have taken 1 s, as the others.
    assert Survival(np.ones(9), np.array([0.1])).quantile(0.95) == Estimate(1.0)


def test_lost_ones_never_come():
    survival = Survival(np.array([3.0, 5.0, 4.0]), np.array([np.inf]))
    assert survival.quantile(0.75) == Estimate(5.0)
    assert survival.quantile(0.95) == Estimate(5.0, at_least=True)


def test_of_nothing_nothing_is_known():
    nothing = Survival(np.empty(0), np.empty(0))
    assert np.isnan([nothing.mean().value, nothing.quantile(0.5).value]).all()
    assert Survival(np.empty(0), np.array([2.0])).quantile(0.5) == Estimate(2.0, at_least=True)
    with pytest.raises(ValueError, match="negative"):
        Survival(np.array([-1.0]), np.empty(0))
