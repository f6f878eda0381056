"""Fewer points of a line, its peaks kept."""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray


def envelope(values: NDArray[np.float64], most: int) -> NDArray[np.intp]:
    """Places of at most `most` of the values: the least and the largest of equal parts, and both ends.

    What is kept are samples themselves, so no time and no value is made up, and no peak is lost. NaN (no
    value) is kept only where a whole part has nothing else.
    """
    if most < 4:
        raise ValueError(f"{most} points can't show a line")
    count = values.size
    if count <= most:
        return np.arange(count)
    parts = (most - 2) // 2
    edges = np.linspace(1, count - 1, parts + 1).astype(np.intp)
    low = np.where(np.isnan(values), np.inf, values)
    high = np.where(np.isnan(values), -np.inf, values)
    kept = [0, count - 1]
    for start, stop in pairwise(edges.tolist()):
        kept.append(start + int(np.argmin(low[start:stop])))
        kept.append(start + int(np.argmax(high[start:stop])))
    return np.unique(np.array(kept, dtype=np.intp))
