"""The page of any set of runs."""

from collections.abc import Sequence

from airtcp.metrics.summary import summarise
from airtcp.report.html.comparison import comparison_tables
from airtcp.report.html.comparison_figures import comparison_figures
from airtcp.report.html.comparison_maps import comparison_maps
from airtcp.report.html.groups import MEASURES, Groups, group_runs
from airtcp.report.html.page import Page
from airtcp.report.html.ranking_tables import rankings
from airtcp.report.html.run_factors import CASE, RunFactors, factors_of
from airtcp.report.html.runs import Runs

LEVELS_TOLD = 12


def campaign_page(runs: Runs, title: str = "", commands: Sequence[str] = (), rank: str = "") -> Page:
    """What differs between the runs, compared; without a difference only the runs.

    `rank` names the factor that is ranked on common seeds.
    """
    factors = factors_of(runs.records, runs.plans)
    groups = group_runs(runs.records, factors)
    ranked = rankings(groups, rank)
    return Page(
        title=title or _title(runs),
        lead=_lead(groups),
        commands=commands,
        notes=[*_notes(groups, factors), *ranked.notes],
        tables=[*comparison_tables(groups), *ranked.tables],
        figures=[*comparison_figures(groups), *comparison_maps(groups)],
        factors=factors,
    )


def _title(runs: Runs) -> str:
    names = list(dict.fromkeys(record.plan_name for record in runs.records))
    count = len(runs.records)
    return f"{names[0]}: {count} run{'' if count == 1 else 's'}" if len(names) == 1 else f"{count} runs"


def _lead(groups: Groups) -> list[str]:
    if not groups.names:
        return []
    return [f"What differs: {'; '.join(_told(groups, place) for place in range(len(groups.names)))}."]


def _told(groups: Groups, place: int) -> str:
    levels = groups.levels(place)
    shown = ", ".join(levels[:LEVELS_TOLD])
    more = f" and {len(levels) - LEVELS_TOLD} more" if len(levels) > LEVELS_TOLD else ""
    return f"{groups.names[place]} ({shown}{more})"


def _notes(groups: Groups, factors: RunFactors) -> list[str]:
    notes = [
        "Goodput: application bytes at the receivers of all flows over the time in which flows ran. Ping"
        " RTT: mean in that time. srtt: the kernel's own, mean over samples. Jain's index: of the flows' mean"
        " goodputs, each over its own time; of airtime: of the stations of the only access point. Queueing"
        " delay: srtt less the flow's least RTT. In flight, waiting: sums, means over time; what waits in"
        " mac80211 is in flight and in neither kind of queue.",
    ]
    if factors.untold:
        notes.append(f"Plans with different numbers under {CASE} differ in {', '.join(factors.untold)}.")
    twice = sum(1 for group in groups.groups if group.same_seed_twice)
    if twice:
        notes.append(f"In {twice} groups a seed stands twice: such runs are not independent repetitions.")
    fewest = min((len(group.records) for group in groups.groups), default=0)
    if groups.repetitions > 1 and fewest < groups.repetitions:
        notes.append(f"Groups have {fewest} to {groups.repetitions} runs: not all seeds were run everywhere.")
    if len(groups.groups) > 1 and groups.repetitions == 1:
        notes.append("One run for each case: differences may be chance. Repeat with other seeds.")
    if groups.repetitions > 1:
        methods = dict.fromkeys(
            summarise(values).method
            for group in groups.groups
            for measure in MEASURES
            if (values := group.values(measure))
        )
        notes.append(f"±: {', '.join(methods)}; the wider half where an interval is skew.")
    return notes
