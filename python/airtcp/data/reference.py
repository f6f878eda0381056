"""What is made from the declarations of series and tables.

`python -m airtcp.data.reference` prints `docs/reference/columns.md`, with `--json` `tests/series.json`, with
which Rust's tests compare the tables of the recorders.
"""

import json
import sys
from collections.abc import Sequence

from airtcp.data.series.catalogue import IN_FILES, SERIES
from airtcp.formats.column import Column, Table
from airtcp.formats.columns import FOREIGN

_HEAD = """# Columns

Every frame that `airtcp.load(path)` gives, with type and unit of each column. This page is made from the
tables in `python/airtcp/data` (`python -m airtcp.data.reference`).

## Series of a run

`series/NAME.parquet` in a run folder, `run.NAME` in Python; a series that a run did not record is not there.
All times are virtual. *Key*: the columns that identify what a row describes; rows with the same key are one
time series. *Counter*: counts from zero, never goes back. *Later*: runs of older versions do not have it.
*Name*: not in the file; `run.NAME` adds it, `run.series("NAME")` does not.
"""

_RAW = """
`run.tcp_info(flow)` decodes `tcp_info` into every field of `struct tcp_info` of Linux 7.2, named as there
without `tcpi_` and with units; a field that the run's kernel does not have is null, and `unknown` holds the
bytes of later kernels. `run.congestion_control_info(flow)` decodes `cc_info`: of BBR `bandwidth_bps`,
`min_rtt_us`, `pacing_gain`, `cwnd_gain`; of Vegas, NV, Illinois and YeAH `enabled`, `rtt_count`, `rtt_us`,
`min_rtt_us`; of DCTCP `enabled`, `ce_state`, `alpha`, `marked_bytes`, `acked_bytes`. A number that is not
known yet is null.
"""

_FOREIGN = """
## Measurements of other programs

`airtcp.load(file).frame("NAME")`. Values that a program does not print are null.
"""


def columns_reference() -> str:
    """The page, as Markdown."""
    parts = [_HEAD]
    for series in SERIES.values():
        parts.append(_section(series, series.labels))
        if series.name == "flows":
            parts.append(_RAW)
    parts.append(_FOREIGN)
    parts.extend(_section(table, ()) for table in FOREIGN)
    return "".join(parts)


def series_declarations() -> str:
    """What recorders and readers must agree on of each series, as JSON."""
    declarations = {
        series.name: {
            "recorder": series.recorder,
            "key": list(series.keys),
            "early_end": series.early_end,
            "columns": {column.name: column.type for column in series.columns},
        }
        for series in IN_FILES.values()
    }
    return json.dumps(declarations, indent=1) + "\n"


def _section(table: Table, labels: Sequence[Column]) -> str:
    program, _, name = table.name.rpartition(": ")
    title = f"{program}: `{name}`" if program else f"`{name}`"
    lines = [f"\n### {title}\n", table.meaning, ""]
    if table.keys:
        lines += [f"Key: {', '.join(f'`{key}`' for key in table.keys)}.", ""]
    lines += ["| column | type | unit | meaning |", "|---|---|---|---|"]
    lines.extend(_row(column, "") for column in table.columns)
    lines.extend(_row(column, "Name: ") for column in labels)
    return "\n".join(lines) + "\n"


def _row(column: Column, mark: str) -> str:
    notes = [word for word, true in (("counter", column.counter), ("later", column.later)) if true]
    suffix = f" ({', '.join(notes)})" if notes else ""
    return f"| `{column.name}` | {column.type} | {column.unit} | {mark}{column.meaning}{suffix} |"


if __name__ == "__main__":
    print(series_declarations() if "--json" in sys.argv[1:] else columns_reference(), end="")
