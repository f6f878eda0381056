"""A linear model of the statistics around a point, and the estimate that it gives.

Around a point c the statistics of virtual runs are s = a + J (u - c) + e, with u the parameters on their
axes. The points of a design, each with a seed of its own, give a, J and the variance of e by least squares;
e is what the seed and the unevenness of TCP do, and the measured runs have it too. The measured mean m gives

    u = c + (J'WJ + R)^-1 J'W (m - a),    W = 1 / (var e + floor^2)

(Gauss-Newton; W as in the method of simulated moments, McFadden, Econometrica 57, 1989; the linear
adjustment as Beaumont et al., Genetics 162, 2002). R is a weak prior, a standard deviation of one step of
the axis around c, which decides where the data say nothing. Noise in J looks like information. So only
sensitivities of which the data are sure count (|t| of at least `T_LEAST`), and what noise adds on average
to J'WJ is subtracted.

Some runs are far off for reasons that say nothing of the parameters: a lost ARP answer delays all pings of a
second. So residuals beyond `FAR` robust standard deviations count as such of that size (Huber, Ann. Math.
Statist. 35, 1964), in the design and of the measured means.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import stats

from airtcp.fitting.measured import Measured
from airtcp.fitting.statistics import floor_of
from airtcp.metrics.arrays import Floats

# Of 30 statistics and three parameters, 0.3 pass by chance at 12 degrees of freedom.
T_LEAST = 3.0
# The weak prior, in steps of the axis: a factor of e, or 10 dB.
PRIOR_STEPS = 1.0
# Weight of the model's variance, in repetitions, beside that of a few measured ones.
MODEL_REPETITIONS = 4.0
CONFIDENCE = 0.95
# Of a normal residual, 1 in 16,000 is further out.
FAR = 4.0
# A statistic that fewer of the rows have says nothing.
KNOWN_LEAST = 0.8
# Of the iteration for far residuals, which has settled then.
STEPS = 10


@dataclass(frozen=True)
class Local:
    """The linear model around a centre."""

    centre: Floats
    intercept: Floats
    jacobian: Floats
    """Sensitivities that are sure; others are 0."""
    residuals: Floats
    """Residuals, a row for each point of the design."""
    variances: Floats
    """Variances of a run of the model."""
    measured_more: Floats
    """Excess of the variance of a measured run over that of the model."""
    floors: Floats
    """The least variance."""
    weights: Floats
    design_inverse: Floats
    """(X'X)^-1 of the design, with the constant first."""
    freedom: int


@dataclass(frozen=True)
class Estimate:
    """The parameters on their axes, their covariance, and how the estimate depends on the statistics."""

    axes: Floats
    covariance: Floats
    influence: Floats
    """Change of the estimate by the change of each statistic."""
    information: Floats
    """J'WJ less what noise adds; without the prior."""
    residuals: Floats
    """Residuals of the measured means."""
    misfit: float
    """Sum of squares of the weighted residuals over what virtual runs have on average."""
    misfit_usual: float
    """What 95 % of the virtual runs do not exceed."""
    half_widths: Floats


def local_model(centre: Floats, points: Floats, rows: Floats, names: list[str], measured: Measured) -> Local:
    """The linear model of the rows at these points; statistics that many rows lack count nothing."""
    known = np.asarray(np.isfinite(rows).mean(axis=0) >= KNOWN_LEAST)
    rows = np.where(known, rows, 0.0)
    count, parameters = points.shape
    design = np.column_stack([np.ones(count), points - centre])
    inverse = np.linalg.pinv(design.T @ design)
    freedom = max(1, count - parameters - 1)
    floors = np.array([floor_of(name) for name in names]) ** 2
    coefficients, residuals = _robust(design, rows, np.sqrt(floors), freedom)
    virtual = (residuals**2).sum(axis=0) / freedom
    # A measured network may vary more than the model does.
    extra = np.maximum(measured.repetitions - 1, 0)
    seen = np.where(np.isfinite(measured.variances), measured.variances, 0.0)
    more = np.maximum(0.0, extra * (seen - virtual) / (MODEL_REPETITIONS + extra))
    weights = np.where(known, 1 / (virtual + more + floors), 0.0)
    slopes = coefficients[1:].T
    errors = np.sqrt(np.outer(virtual + floors, np.diag(inverse)[1:]))
    sure = np.logical_and(np.abs(slopes) >= T_LEAST * errors, known[:, None])
    jacobian = np.where(sure, slopes, 0.0)
    return Local(
        centre, coefficients[0], jacobian, residuals, virtual, more, floors, weights, inverse, freedom
    )


def _robust(design: Floats, rows: Floats, floors: Floats, freedom: int) -> tuple[Floats, Floats]:
    """Coefficients and residuals of each statistic, with far residuals moved to the limit."""
    missing = ~np.isfinite(rows)
    rows = np.where(missing, np.nanmedian(rows, axis=0), rows)
    coefficients: Floats = np.linalg.pinv(design) @ rows
    residuals: Floats = rows - design @ coefficients
    most = np.full(rows.shape[1], np.inf)
    for _ in range(STEPS):
        # 1.4826 median |x| is the standard deviation of a normal x.
        scale = 1.4826 * np.median(np.abs(residuals), axis=0) * math.sqrt(rows.shape[0] / freedom)
        most = FAR * np.maximum(scale, floors)
        # Huber's estimate: least squares of what has been moved to the limit. What is missing is as fitted.
        near = np.where(missing, 0.0, np.clip(residuals, -most, most))
        coefficients = np.linalg.pinv(design) @ (design @ coefficients + near)
        residuals = rows - design @ coefficients
    return coefficients, np.where(missing, 0.0, np.clip(residuals, -most, most))


def estimate(local: Local, measured: Measured, blocks: list[slice]) -> Estimate:
    """The parameters by the measured means, with their covariance."""
    jacobian, weights = local.jacobian, local.weights
    parameters = jacobian.shape[1]
    noise = (jacobian != 0).T.astype(float) @ (jacobian != 0) * local.design_inverse[1:, 1:]
    information = _positive((jacobian.T * weights) @ jacobian - noise)
    prior = np.eye(parameters) / PRIOR_STEPS**2
    shrunk = np.linalg.inv(information + prior)
    influence = shrunk @ (jacobian.T * weights)
    difference = np.where(weights > 0, measured.means - local.intercept, 0.0)
    step, most = influence @ difference, FAR / np.sqrt(np.maximum(weights * measured.repetitions, 1e-30))
    for _ in range(STEPS):
        moved = jacobian @ step
        step = influence @ (moved + np.clip(difference - moved, -most, most))
    residuals = np.where(weights > 0, difference - jacobian @ step, 0.0)
    covariance = shrunk @ prior @ shrunk + _covariance(local, measured, influence, step, blocks)
    misfit, usual = _misfit(local, measured, residuals)
    if misfit > usual:
        covariance = covariance * misfit
    width = float(stats.t.ppf(0.5 + CONFIDENCE / 2, local.freedom))
    half_widths = width * np.sqrt(np.diag(covariance))
    return Estimate(
        local.centre + step, covariance, influence, information, residuals, misfit, usual, half_widths
    )


def _positive(matrix: Floats) -> Floats:
    """The nearest matrix without negative eigenvalues."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    nearest: Floats = (vectors * np.maximum(values, 0.0)) @ vectors.T
    return nearest


def _covariance(
    local: Local, measured: Measured, influence: Floats, step: Floats, blocks: list[slice]
) -> Floats:
    """What the measured runs' noise, that of the design, and the floors do to the estimate."""
    alone = local.floors + local.measured_more / measured.repetitions
    total: Floats = (influence * alone) @ influence.T
    for block in blocks:
        moved = local.residuals[:, block] @ influence[:, block].T
        total += moved.T @ moved / local.freedom / measured.repetitions[block][0]
    moved = local.residuals @ influence.T
    at = np.concatenate([[1.0], step])
    return total + moved.T @ moved / local.freedom * float(at @ local.design_inverse @ at)


def _misfit(local: Local, measured: Measured, residuals: Floats) -> tuple[float, float]:
    """The weighted squares of the measured residuals over those of virtual runs, and the 95 % of these."""
    scaled = residuals * np.sqrt(measured.repetitions)
    seen = float(local.weights @ scaled**2)
    count = local.residuals.shape[0]
    virtual = (local.residuals**2 @ local.weights) * count / local.freedom
    # Virtual runs of an exact statistic have less than the floor.
    # So have measured ones that vary more.
    floors = float(local.weights @ (local.floors + local.measured_more))
    usual = float(virtual.mean()) + floors
    return seen / max(usual, 1e-12), float(np.quantile(virtual, 0.95) + floors) / max(usual, 1e-12)
