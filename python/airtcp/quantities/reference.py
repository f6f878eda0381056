"""The reference of quantities, made from the registry: `docs/reference/quantities.md`."""

from airtcp.data.series.catalogue import SERIES
from airtcp.metrics.survival import STATISTICS
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.registry import QUANTITIES

_HEAD = f"""# Quantities

Everything that airtcp reads off runs, by name. A name has one meaning wherever it is used:

- A *number* is a single value of a run. Metrics of campaigns and studies take it for tables, bars, lines and
  claims.
- *values* are a distribution for each flow, stream, ping or queue. Of them a metric takes a `statistic`:
  {", ".join(f"`{name}`" for name in STATISTICS)}, or a percentile such as `p95`. Boxes and
  distributions show all of them.
- *samples* are a distribution of the whole run, for figures of `kind = "cdf"`.
- *lines* are over time, for figures of `kind = "time"`.
- *plot*: `airtcp plot --what NAME` draws it over time or, with `--kind cdf`, as a distribution; pages of
  reports draw some of them.
- *compare*: a single value of a whole run, by which reports and `airtcp compare` compare runs.

Numbers, values, samples and lines are of what the metric chooses: `flows`, `pings`, `node`, `interface`, and
the span from the first chosen flow's start to the last one's end. A quantity that needs a series has no value
where the run did not record it ([columns](columns.md)); the second table says how to record it.

This page is made from the registry in `python/airtcp/quantities` (`python -m airtcp.quantities.reference`).

| quantity | meaning | unit | forms | needs |
|---|---|---|---|---|
"""


_NEEDS = """
## What a scenario must have for a series to be recorded

| series | the scenario has |
|---|---|
"""


def quantities_reference() -> str:
    """The page, as Markdown."""
    rows = "".join(_row(name, one) for name, one in sorted(QUANTITIES.items()))
    needs = "".join(f"| `{name}` | {series.setting.rstrip(',')} |\n" for name, series in SERIES.items())
    return _HEAD + rows + _NEEDS + needs


def _row(name: str, one: Quantity) -> str:
    needs = ", ".join(f"`{series}`" for series in one.series)
    return f"| `{name}` | {one.meaning} | {one.unit} | {_forms(one)} | {needs} |\n"


def _forms(one: Quantity) -> str:
    forms = {
        "number": one.number,
        "values": one.values,
        "samples": one.samples,
        "lines": one.lines,
        "plot": one.drawing,
        "compare": one.of_run,
    }
    return ", ".join(name for name, form in forms.items() if form is not None)


if __name__ == "__main__":
    print(quantities_reference(), end="")
