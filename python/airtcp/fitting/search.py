"""The search: linear models around better and better points, from designs that become smaller.

A derivative-free Gauss-Newton method in a trust region (as Cartis and Roberts, Math. Prog. Comp. 11, 2019,
with regression in place of interpolation, because runs have noise). Every point of a design has its own
seed: with common ones the noise of a seed would look like a part of the model, and intervals would be too
narrow. Runs of earlier rounds that are near enough are used again.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.stats import qmc

from airtcp.fitting.first_estimate import First
from airtcp.fitting.measured import Measured
from airtcp.fitting.regression import Estimate, Local, estimate, local_model
from airtcp.fitting.statistics import is_count
from airtcp.fitting.virtual_runs import Experiment, Point, VirtualRuns
from airtcp.metrics.arrays import Floats

# Radii on the axis: a third, and 5 dB, at first; where the data say little, up to a factor of 1.6.
RADIUS_FIRST, RADIUS_MOST, RADIUS_LEAST = 0.3, 0.5, 0.02
# Of the half-width of an interval: in a design of this radius sensitivities stand out from noise.
WIDE = 3.0
# A design must tell one packet from another.
PACKETS_LEAST = 2.5
SHRINK = 0.4
NARROWER = 0.6
STEP_MOST = 2.0
ROUNDS_MOST = 15
# Points for each parameter of the rounds before the last, and of the last.
POINTS_EACH, POINTS_BESIDE, LAST_EACH, LAST_BESIDE = 3, 5, 4, 12
# If a parameter has no formula: points for each such one, over its range, and for each of the others.
GLOBAL_EACH, NEAR_EACH = 16, 4
# What two runs differ by, roughly, before anything is known of it.
GLOBAL_NOISE = 0.05
# Of the design's radius, how far a point may be to be used again.
NEAR = 1.3
FIRST_SEED = 1001

# Called with the name of a step, and how many runs it has.
Step = Callable[[str, int], None]


def unreported(name: str, count: int) -> None:
    """For steps that nobody is told of."""


@dataclass
class Search:
    """The state of a search: every point that was computed, and its statistics."""

    experiment: Experiment
    measured: Measured
    runs: VirtualRuns
    step: Step = unreported
    points: list[Floats] = field(default_factory=list)
    rows: list[Floats] = field(default_factory=list)

    def compute(self, axes: Sequence[Floats], name: str) -> Floats:
        """The statistics at these places; they are kept for later rounds."""
        parameters = self.experiment.model.parameters
        real = [np.array([one.realised(a) for one, a in zip(parameters, each, strict=True)]) for each in axes]
        first = FIRST_SEED + len(self.points)
        made = [Point(self.experiment.model.values(each.tolist()), first + n) for n, each in enumerate(axes)]
        self.step(name, len(made) * len(self.experiment.settings))
        rows = self.experiment.rows(self.runs, made)
        self.points += real
        self.rows += list(rows)
        return rows

    def find(self, first: Sequence[First], first_radius: float = RADIUS_FIRST) -> tuple[Local, Estimate]:
        """The linear model around the best place, and the estimate."""
        centre = self._global(first) if not all(one.sure for one in first) else self._axes(first)
        radius = np.array([first_radius if one.sure else RADIUS_MOST for one in first])
        radius = self._limited(radius, centre)
        widths, before = None, radius
        for number in range(1, ROUNDS_MOST + 1):
            self._design(centre, radius, POINTS_EACH * centre.size + POINTS_BESIDE, f"round {number}")
            _, found = self._estimate(centre, radius)
            moved = np.clip(found.axes - centre, -STEP_MOST * radius, STEP_MOST * radius)
            if widths is not None:
                # A narrower design was tried. It stays where it made the interval narrower: there the wider
                # one had taken a bend for noise.
                better = found.half_widths < NARROWER * widths
                if not better.any():
                    radius = before
                    break
                radius = np.where(better, radius, before)
            centre = self.clipped(centre + moved)
            wanted = self._limited(np.clip(WIDE * found.half_widths, RADIUS_LEAST, RADIUS_MOST), centre)
            settled = bool(np.all(np.abs(moved) <= 0.5 * np.maximum(radius, wanted)))
            widths, before = None, radius
            if settled and np.all(radius <= 1.01 * wanted):
                narrow = self._limited(SHRINK * radius, centre)
                if np.all(narrow >= 0.99 * radius):
                    break
                widths, radius = found.half_widths, narrow
                continue
            # What moved far keeps its radius.
            far = np.abs(moved) > radius / 2
            shrunk = np.maximum(SHRINK * radius, np.minimum(wanted, radius))
            radius = self._limited(np.where(far & (not settled), radius, shrunk), centre)
        self._design(centre, radius, LAST_EACH * centre.size + LAST_BESIDE, "last round")
        return self._estimate(centre, radius)

    def _estimate(self, centre: Floats, radius: Floats) -> tuple[Local, Estimate]:
        points, rows = np.array(self.points), np.array(self.rows)
        near = (np.abs(points - centre) <= NEAR * radius).all(axis=1) & np.isfinite(rows).any(axis=1)
        labels = [name for names in self.experiment.names for name in names]
        local = local_model(centre, points[near], rows[near], labels, self.measured)
        return local, estimate(local, self.measured, self.experiment.blocks)

    def _design(self, centre: Floats, radius: Floats, count: int, name: str) -> None:
        """Points around the centre, in a Latin hypercube of this radius; those that are near count."""
        near = sum(bool((np.abs(point - centre) <= NEAR * radius).all()) for point in self.points)
        least = POINTS_EACH * centre.size if not name.startswith("last") else count // 2
        wanted = max(least, count - near)
        sampler = qmc.LatinHypercube(centre.size, rng=np.random.default_rng(len(self.points) + 1))
        cube = 2 * sampler.random(wanted) - 1
        self.compute([self.clipped(centre + each * radius) for each in cube], name)

    def _axes(self, first: Sequence[First]) -> Floats:
        return self.clipped(np.array([one.axis for one in first]))

    def _global(self, first: Sequence[First]) -> Floats:
        """The best of a Sobol sequence: over the whole range of what has no formula, near to what has one."""
        begin, parameters = self._axes(first), self.experiment.model.parameters
        unsure = sum(not one.sure for one in first)
        count = 2 ** math.ceil(math.log2(GLOBAL_EACH * unsure + NEAR_EACH * (len(first) - unsure)))
        cube = qmc.Sobol(len(first), rng=np.random.default_rng(1)).random(count)
        lows = [begin[n] - RADIUS_MOST if one.sure else parameters[n].low for n, one in enumerate(first)]
        highs = [begin[n] + RADIUS_MOST if one.sure else parameters[n].high for n, one in enumerate(first)]
        tried = [begin, *(self.clipped(each) for each in qmc.scale(cube, lows, highs))]
        rows = self.compute(tried, "overview")
        distances = np.array([self._distance(row) for row in rows])
        good = np.flatnonzero(distances <= max(1.0, 2 * distances.min()))
        # Of those that are as good as the best: where the data say nothing, the search stays where it began.
        return min((tried[n] for n in good), key=lambda axes: float(np.abs(axes - begin).sum()))

    def _distance(self, row: Floats) -> float:
        """How far a run is from the measured ones; one without numbers is infinitely far."""
        scale = np.array([1.0 if is_count(name) else GLOBAL_NOISE for name in self.experiment.labels])
        known = np.isfinite(row)
        if not known.any():
            return math.inf
        # A few far ones must not decide: beyond ten errors the distance grows linearly (Huber).
        errors = np.abs(row - self.measured.means)[known] / scale[known]
        mean = float(np.mean(np.where(errors < 10, errors**2, 20 * errors - 100)))
        return mean * known.size / int(known.sum())

    def clipped(self, axes: Floats) -> Floats:
        """The nearest place within the ranges."""
        parameters = self.experiment.model.parameters
        return np.array([one.clipped(axis) for one, axis in zip(parameters, axes, strict=True)])

    def _limited(self, radius: Floats, centre: Floats) -> Floats:
        """Radii that hold several whole packets."""
        least = [
            PACKETS_LEAST / one.kind.value(axis) if one.kind.noun else 0.0
            for one, axis in zip(self.experiment.model.parameters, centre, strict=True)
        ]
        return np.clip(radius, np.minimum(np.maximum(least, RADIUS_LEAST), RADIUS_MOST), RADIUS_MOST)
