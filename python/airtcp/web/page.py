"""What both kinds of pages have in common: their file, their programs, what browsers may do."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.report.html.page import asset, policy
from airtcp.version import __version__

HERE = Path(__file__).parent


@cache
def built(name: str) -> str:
    """The text of a program that is built of the folder `frontend`; without it an `AirtcpError`."""
    file = HERE / "assets" / "built" / f"{name}.js"
    if not file.is_file():
        what = "was not built: it is made of the folder frontend, by Node.js"
        raise AirtcpError(what, str(file), "Run 'make build' in the source tree")
    return file.read_text(encoding="utf-8")


@cache
def style(name: str) -> str:
    """The text of a style sheet of this room."""
    return (HERE / "assets" / f"{name}.css").read_text(encoding="utf-8")


def live_policy(*scripts: str) -> str:
    """As `policy`; beside, the page may ask the server that it came from, and nothing else."""
    return f"{policy(*scripts)}; connect-src 'self'; form-action 'none'; frame-ancestors 'none'"


def page(name: str, styles: tuple[str, ...], scripts: tuple[str, ...], **content: Any) -> tuple[str, str]:
    """The page of a template, and the policy that goes with it; `data` of the content is for its program."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FileSystemLoader(HERE / "templates"), autoescape=True, undefined=StrictUndefined
    )
    data = in_script(content.pop("data"))
    text = environment.get_template(f"{name}.html.jinja").render(
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
