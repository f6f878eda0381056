"""The reference of quantities, made from the registry: `docs/reference/quantities.md`."""

from airtcp.data.series.catalogue import SERIES
from airtcp.metrics.survival import STATISTICS
from airtcp.quantities.aliases import ALIASES, Alias
from airtcp.quantities.quantity import Quantity
from airtcp.quantities.registry import QUANTITIES

_HEAD = f"""# Quantities

Everything that airtcp reads off runs, by name. A name has one meaning and one label wherever it is used: in
`airtcp plot --what`, metrics of campaigns and studies, `--values` of `airtcp report`, `compare`, `predict`
and `fit`, and `airtcp.number` in Python.
A quantity is read off each flow, ping, queue or radio, and everything else follows:

- A *level* holds until its next sample; its number is the mean over time. Of a *rate*, a counter, the number
  is the increase per second, of a *count* the increase, and values are those of each `bin`. Of *events*
  (packets, transfers, windows) it is the mean of those that came.
- *together* says how flows, pings, queues or radios make one number: `sum` (added at each time), `pooled`
  (each value counts alike) or `mean` (each of them counts alike). A metric may ask for another way with
  `across`.
- A `statistic` of a metric is {", ".join(f"`{name}`" for name in STATISTICS)}, or a
  percentile such as `p95`. The mean is the number; of events it also counts what never came (product-limit
  estimate). Boxes and distributions show all values. It may follow a name: `rtt.p95`, `cwnd.most`.
- Lines over time (`kind = "time"`) are of each flow, ping, queue or radio; with `across = "sum"`, of all
  together.

Metrics are of what they choose: `flows`, `pings`, `node`, `interface`, and the span from the first chosen
flow's start to the last one's end. Comparisons are of that span and everything; plots are of the whole run. A
quantity that needs a series has no value where the run did not record it ([columns](columns.md)); the last
table says how to record it.

This page is made from the registry in `python/airtcp/quantities` (`python -m airtcp.quantities.reference`).

| quantity | label | meaning | unit | values | together | needs |
|---|---|---|---|---|---|---|
"""

_EXCEPTIONS = """
## Exceptions

Of these, something does not follow from the values.

| quantity | what | because |
|---|---|---|
"""

_FORMER = """
## Former names

Campaigns, studies and commands may still use them.

| former name | now |
|---|---|
"""

_NEEDS = """
## What a scenario must have for a series to be recorded

| series | the scenario has |
|---|---|
"""


def quantities_reference() -> str:
    """The page, as Markdown."""
    every = sorted(QUANTITIES.items())
    rows = "".join(_row(name, one) for name, one in every)
    exceptions = "".join(_exception(name, one) for name, one in every if one.override.reason)
    former = "".join(f"| `{old}` | {_now(new)} |\n" for old, new in sorted(ALIASES.items()))
    needs = "".join(f"| `{name}` | {series.setting.rstrip(',')} |\n" for name, series in SERIES.items())
    return _HEAD + rows + _EXCEPTIONS + exceptions + _FORMER + former + _NEEDS + needs


def _row(name: str, one: Quantity) -> str:
    needs = ", ".join(f"`{series}`" for series in one.series)
    kind, across = (one.kind.value, one.across) if one.entities is not None else ("number", "")
    return f"| `{name}` | {one.label} | {one.meaning} | {one.unit} | {kind} | {across} | {needs} |\n"


def _exception(name: str, one: Quantity) -> str:
    own = one.override
    forms = {"number": own.number, "mean": own.mean, "values": own.values, "drawing": own.drawn}
    what = ", ".join(form for form, own_form in forms.items() if own_form is not None)
    return f"| `{name}` | {what} | {own.reason} |\n"


def _now(alias: Alias) -> str:
    implied = ", ".join(f'`{key} = "{value}"`' for key, value in alias.implied.items())
    return f"`{alias.name}`" + (f" with {implied}" if implied else "")


if __name__ == "__main__":
    print(quantities_reference(), end="")
