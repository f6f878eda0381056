"""Fewer points of a line, its peaks kept."""

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
    size = -(-(count - 2) // parts)
    # Filled up with NaN to whole parts, so that all are looked at at once.
    filled = np.full(parts * size, np.nan)
    filled[: count - 2] = values[1:-1]
    whole = filled.reshape(parts, size)
    low = np.argmin(np.where(np.isnan(whole), np.inf, whole), axis=1)
    high = np.argmax(np.where(np.isnan(whole), -np.inf, whole), axis=1)
    starts = 1 + size * np.arange(parts)
    kept = np.concatenate([[0], starts + low, starts + high, [count - 1]])
    return np.unique(kept[kept < count])
