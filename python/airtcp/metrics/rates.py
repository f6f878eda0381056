"""From counters to what they count per second."""

from collections.abc import Sequence


def per_second(times_ns: Sequence[int], counts: Sequence[int]) -> tuple[list[float], list[float]]:
    """Increase of a counter per second from each sample to the next, at the later one's time in seconds.

    Samples are in the order of time; two at one time, or a counter that falls, are a `ValueError`.
    """
    if len(times_ns) != len(counts):
        raise ValueError(f"{len(times_ns)} times and {len(counts)} counts")
    times_s: list[float] = []
    rates: list[float] = []
    for n in range(1, len(counts)):
        passed_ns = times_ns[n] - times_ns[n - 1]
        more = counts[n] - counts[n - 1]
        if passed_ns <= 0 or more < 0:
            raise ValueError(f"sample {n}: {passed_ns} ns and {more} more")
        times_s.append(times_ns[n] / 1e9)
        rates.append(more * 1e9 / passed_ns)
    return times_s, rates
