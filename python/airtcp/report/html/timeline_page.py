"""The page of one run's timeline: one file that needs no network."""

import os
from pathlib import Path

from airtcp.errors import AirtcpError
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
    aside = out.parent / f".{out.name}.{os.getpid()}.partial"
    try:
        aside.write_text(text, encoding="utf-8")
        aside.replace(out)
    except OSError as error:
        raise AirtcpError(f"can't be written: {error.strerror}", str(out), "Choose another file") from None
    finally:
        aside.unlink(missing_ok=True)
