"""The verdict on bufferbloat of each level, by airtcp's definition, beside the paper's."""

from airtcp.metrics.bufferbloat import Bufferbloat, Loaded, judge_bufferbloat
from airtcp.report.table import Table, number
from airtcp.studies.results import Results, combined
from airtcp.studies.study_file import Level, TableFile


def bufferbloat_table(results: Results, table: TableFile) -> Table:
    """A row for each level of the first row factor; `queue` is the factor whose levels are queue sizes."""
    study, factor = results.study, table.rows[0]
    heads = (
        *(study.factors[factor].name, "base RTT ms", "RTT times base", "RTT growth", "exponent"),
        *("verdict", "paper"),
    )
    made = Table(table.title, heads, left=("verdict", "paper"))
    for level in results.levels(table.part, factor, table.where):
        found = _judge(results, table, level)
        made.add(
            *(study.label(factor, level), number(found.base_rtt_ms, 2), number(found.growth_with_load, 1)),
            *(number(found.growth_with_queue, 2), number(found.exponent, 2)),
            found.text() if found.verdict == "open" else found.verdict,
            table.verdicts.get(str(level), "-"),
        )
    return made


def _judge(results: Results, table: TableFile, level: Level) -> Bufferbloat:
    where = combined(table.where, {table.rows[0]: level})
    rtts = results.values(table.part, table.rtt, where, [table.queue])
    rates = results.values(table.part, table.used, where, [table.queue])
    base = results.values(table.part, table.base_rtt, where, [])[()]
    expected = results.values(table.part, table.capacity, where, [table.queue])
    loaded = [
        Loaded(_packets(key[0]), rtt.mean, rates[key].mean / expected[key].mean) for key, rtt in rtts.items()
    ]
    return judge_bufferbloat(base.mean, loaded)


def _packets(level: Level) -> int:
    return int(str(level).split()[0])
