"""What both kinds of pages have in common: their file, their programs, what browsers may do."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from airtcp.report.html.page import asset, environment, policy
from airtcp.report.html.timeline_script import built_script
from airtcp.version import __version__

HERE = Path(__file__).parent


@cache
def built(name: str) -> str:
    """The text of a program of this room; one that was not built is an `AirtcpError`."""
    return built_script(HERE / "assets" / "built" / f"{name}.js")


@cache
def style(name: str) -> str:
    """The text of a style sheet of this room."""
    return (HERE / "assets" / f"{name}.css").read_text(encoding="utf-8")


def live_policy(*scripts: str) -> str:
    """As `policy`; beside, the page may ask the server that it came from, and nothing else."""
    return f"{policy(*scripts)}; connect-src 'self'; form-action 'none'; frame-ancestors 'none'"


def page(name: str, styles: tuple[str, ...], scripts: tuple[str, ...], **content: Any) -> tuple[str, str]:
    """The page of a template, and the policy that goes with it; `data` of the content is for its program."""
    from markupsafe import Markup

    data = in_script(content.pop("data"))
    template = environment(HERE / "templates").get_template(f"{name}.html.jinja")
    text = template.render(
        style=Markup("".join((asset("report.css"), *styles))),
        scripts=[Markup(script) for script in scripts],
        data=Markup(data),
        version=__version__,
        **content,
    )
    return text, live_policy(*scripts)


def in_script(value: Any) -> str:
    """JSON that ends no element of HTML, whatever a name holds."""
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
