"""The reference of campaign and study files, made from the models: `docs/reference/campaign.md`."""

from collections.abc import Sequence

from pydantic import BaseModel

from airtcp.campaign.campaign_file import CampaignFactor, CampaignFile
from airtcp.quantities.metric_file import MetricFile
from airtcp.scenario.reference.tables import table_text
from airtcp.studies.study_file import (
    ClaimFile,
    FigureFile,
    PartFile,
    QuickFile,
    StudyFile,
    StyleFile,
    TableFile,
)

_HEAD = """# Campaign and study files

A campaign is a TOML file beside its scenario; [campaigns](../how-to/sweeps.md) explains them. A study is a
folder with `study.toml` and, if there is a paper to hold it against, `claims.toml`;
[studies](../how-to/studies.md) explains those. Metrics, figures and tables are the same in both; what metrics
can be of is in [quantities](quantities.md).

This page is made from the models in `python/airtcp/campaign` and `python/airtcp/studies`
(`python -m airtcp.campaign.reference`).
"""
SECTIONS: Sequence[tuple[str, type[BaseModel]]] = (
    ("A campaign", CampaignFile),
    ("`[factor.NAME]` of a campaign", CampaignFactor),
    ("`[metric.NAME]`", MetricFile),
    ("`[[figure]]`", FigureFile),
    ("`[[table]]`", TableFile),
    ("`[style]`", StyleFile),
    ("`study.toml`", StudyFile),
    ("`[part.NAME]` of a study", PartFile),
    ("`quick` of a part", QuickFile),
    ("`[[claim]]` of `claims.toml`", ClaimFile),
)


def campaign_reference() -> str:
    """The page, as Markdown."""
    sections = (f"## {title}\n\n{table_text(model, None)}" for title, model in SECTIONS)
    return "\n".join((_HEAD, *sections))


if __name__ == "__main__":
    print(campaign_reference(), end="")
