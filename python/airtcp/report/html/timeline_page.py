"""The page of one run's timeline: one file that needs no network."""

from pathlib import Path

from airtcp.output_file import whole_file
from airtcp.report.html.page import MARK, asset, check_page, environment, policy
from airtcp.report.html.timeline_columns import packed_timeline
from airtcp.report.html.timeline_script import timeline_script
from airtcp.timeline.timeline import Timeline
from airtcp.version import __version__


def write_timeline_page(timeline: Timeline, out: Path) -> None:
    """Writes the file, which appears only when complete; one that is no page of ours is not replaced."""
    from markupsafe import Markup

    check_page(out)
    script = timeline_script()
    run = timeline.run
    text = (
        environment()
        .get_template("timeline.html.jinja")
        .render(
            mark=MARK,
            policy=policy(script),
            title=f"{run.plan['name']}, seed {run.plan['seed']} (run {run.name})",
            style=Markup(asset("report.css") + asset("timeline.css")),
            script=Markup(script),
            data=Markup(packed_timeline(timeline)),
            version=__version__,
        )
    )
    with whole_file(out) as aside:
        aside.write_text(text, encoding="utf-8")
