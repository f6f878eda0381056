"""The page of any set of runs."""

from collections import Counter
from collections.abc import Sequence

from airtcp.metrics.summary import summarise
from airtcp.report.html.comparison import comparison_tables
from airtcp.report.html.comparison_figures import comparison_figures
from airtcp.report.html.comparison_maps import comparison_maps
from airtcp.report.html.groups import Groups, group_runs
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
    groups = group_runs(runs.records, factors, runs.shown)
    ranked = rankings(groups, rank)
    return Page(
        title=title or _title(runs),
        lead=_lead(groups),
        commands=commands,
        notes=[*_notes(groups, factors), *_lacking(runs), *ranked.notes],
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
    meanings = {one.quantity.label: one.quantity.meaning.replace("`", "") for one in groups.measures}
    notes = ["Over the time in which flows ran.", *(f"{label}: {text}." for label, text in meanings.items())]
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
            for measure in groups.measures
            if (values := group.values(measure))
        )
        notes.append(f"±: {', '.join(methods)}; the wider half where an interval is skew.")
    return notes


def _lacking(runs: Runs) -> list[str]:
    """Why cells of measures that were asked for by name are empty."""
    if not runs.asked:
        return []
    notes = []
    for measure in runs.measures:
        reasons = Counter(one.lacking[measure.name] for one in runs.records if measure.name in one.lacking)
        notes += [
            f"{measure.label} is empty in {count} of {len(runs.records)} runs: {reason}."
            for reason, count in reasons.items()
        ]
    return notes
