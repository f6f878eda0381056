"""Lanes for spans of time that overlap."""

import heapq

import numpy as np

from airtcp.timeline.ppdus import Integers


def lanes(start_ns: Integers, end_ns: Integers) -> Integers:
    """A lane for each of these spans, which are in the order of their starts: the lowest that is free."""
    free: list[int] = []
    busy: list[tuple[int, int]] = []
    used = np.zeros(start_ns.size, np.int64)
    most = 0
    for place, (start, end) in enumerate(zip(start_ns.tolist(), end_ns.tolist(), strict=True)):
        while busy and busy[0][0] <= start:
            heapq.heappush(free, heapq.heappop(busy)[1])
        lane = heapq.heappop(free) if free else most
        most = max(most, lane + 1)
        heapq.heappush(busy, (end, lane))
        used[place] = lane
    return used
