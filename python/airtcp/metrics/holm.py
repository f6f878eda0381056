"""Holm's correction of p-values where many hypotheses are tested at once."""

from collections.abc import Sequence


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Adjusted p-values, in the order given (S. Holm, Scandinavian Journal of Statistics 6, 1979).

    The k-th smallest of m (from 0) is multiplied with m - k, and none is below a smaller one's; 1 is the
    most. Rejecting what is at most 5 % afterwards is wrong anywhere in the family in at most 5 % of cases,
    whatever depends on whatever. A hypothesis without a p-value (`None`) keeps none; it belongs to the
    family all the same.
    """
    count = len(p_values)
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * count
    least = 0.0
    for k, (p, place) in enumerate(known):
        if not 0 <= p <= 1:
            raise ValueError(f"{p} is not a p-value")
        least = max(least, min(1.0, p * (count - k)))
        adjusted[place] = least
    return adjusted
