"""The distribution of ratios, as figure 7 of aoyagi2023 has it."""

from collections import Counter
from collections.abc import Mapping

import numpy as np

from airtcp.metrics.survival import Sample
from airtcp.plots.cdf import CdfChart, CdfLine, CdfPanel, prepare_cdf, prepare_cdf_line, prepare_cdf_panel
from airtcp.quantities.doubt import marked
from airtcp.report.comparison.comparison import Comparison
from airtcp.report.comparison.values import name_of
from airtcp.report.html.run_factors import natural

# More curves than these can't be distinguished.
LINES_MOST = 6
# A curve of fewer points says nothing.
POINTS_LEAST = 2


def ratio_chart(found: Comparison) -> CdfChart | None:
    """A panel for each value, a curve for each level of the key with the fewest levels.

    `None` where there are no two ratios.
    """
    key = _parting(found)
    panels = [panel for value in found.names.values if (panel := _panel(found, value, key))]
    if not panels:
        return None
    caption = "Ratios of ours to theirs: share of the cases with at most this ratio; 1 is no difference."
    return prepare_cdf(panels, caption)


def _parting(found: Comparison) -> str | None:
    """The key with the fewest levels, if each has several cases and there are not too many."""
    table = found.ratios.table
    counts = {key: table[key].n_unique() for key in found.names.keys}
    fitting = [key for key, count in counts.items() if 1 < count <= LINES_MOST]
    fitting = [key for key in fitting if min(Counter(table[key].to_list()).values()) >= POINTS_LEAST]
    return min(fitting, key=lambda key: counts[key]) if fitting else None


def _panel(found: Comparison, value: str, key: str | None) -> CdfPanel | None:
    chosen: list[dict[str, str]] = [{}]
    if key:
        chosen = [{key: level} for level in sorted(found.ratios.table[key].unique(), key=natural)]
    lines = [line for each in chosen if (line := _line(found, value, each))]
    return prepare_cdf_panel(f"Ratio of {name_of(value)}", lines) if lines else None


def _line(found: Comparison, value: str, chosen: Mapping[str, str]) -> CdfLine | None:
    ratios: list[float] = []
    doubtful = False
    for row in found.ratios.table.iter_rows(named=True):
        ratio = row[f"{value}_ratio"]
        if ratio is not None and ratio > 0 and all(row[key] == level for key, level in chosen.items()):
            ratios.append(ratio)
            doubtful = doubtful or found.doubtful(tuple(row[name] for name in found.columns))
    if len(ratios) < POINTS_LEAST:
        return None
    label = ", ".join(f"{key} {level}" for key, level in chosen.items()) or "all cases"
    return prepare_cdf_line(marked(label, doubtful), Sample(np.array(ratios)))
