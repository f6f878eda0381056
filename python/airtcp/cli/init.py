"""`airtcp init`: writes a scenario from a template."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from airtcp.cli.say import say
from airtcp.errors import AirtcpError, remedy_for

TEMPLATES = Path(__file__).resolve().parents[1] / "templates"
# Of templates whose question is a comparison: the campaign that answers it.
CAMPAIGNS = TEMPLATES / "campaigns"


def _template_names(incomplete: str) -> list[str]:
    """What completion offers."""
    return [
        name for name in sorted(file.stem for file in TEMPLATES.glob("*.toml")) if name.startswith(incomplete)
    ]


Template = Annotated[
    str,
    typer.Argument(
        help="Name of a template. Default: list the templates.",
        show_default=False,
        autocompletion=_template_names,
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(help="File to write. Default: TEMPLATE.toml.", show_default=False),
]


Examples = Annotated[
    bool, typer.Option("--examples", help="Copy the folder of examples, with a notebook, instead.")
]


def init(template: Template = "", out: Out = None, examples: Examples = False) -> None:
    """Write a first scenario from a template, and the campaign that answers its question if one is needed."""
    if examples:
        _copy_examples(out or Path("examples"))
        return
    questions = template_questions()
    chosen = template or _ask_for_template(questions)
    if not chosen:
        return
    if chosen not in questions:
        raise AirtcpError(f'there is no template "{chosen}"', "", remedy_for(chosen, questions))
    file = out or Path(f"{chosen}.toml")
    campaign = CAMPAIGNS / f"{chosen}.toml"
    beside = file.with_name(f"{file.stem}-campaign.toml")
    for each in (file, *([beside] if campaign.exists() else [])):
        if each.exists():
            raise AirtcpError("already exists", str(each), "Name another file with --out")
    file.write_text((TEMPLATES / f"{chosen}.toml").read_text(encoding="utf-8"), encoding="utf-8")
    say(f"Scenario: {file}")
    if campaign.exists():
        text = campaign.read_text(encoding="utf-8").replace(f'"{chosen}.toml"', f'"{file.name}"')
        beside.write_text(text, encoding="utf-8")
        say(f"Campaign: {beside}")
    say(f"Run it: airtcp run {shlex.quote(str(file))}")
    if campaign.exists():
        say(f"Compare: airtcp sweep {shlex.quote(str(beside))}")


def _copy_examples(folder: Path) -> None:
    import shutil

    from airtcp.manual.pages import examples_home

    if folder.exists():
        raise AirtcpError("already exists", str(folder), "Name another folder with --out")
    # Files of an installation may be read-only, and copies are for changing.
    shutil.copytree(examples_home(), folder, copy_function=shutil.copyfile)
    say(f"Examples: {folder}; airtcp docs examples describes them")


def template_questions() -> dict[str, str]:
    """The question that each template answers: its first line."""
    files = sorted(TEMPLATES.glob("*.toml"))
    return {file.stem: file.read_text(encoding="utf-8").splitlines()[0].removeprefix("# ") for file in files}


def _ask_for_template(questions: dict[str, str]) -> str:
    """Lists the templates and asks for one; empty if stdin is no terminal."""
    width = max(map(len, questions))
    for number, (name, question) in enumerate(questions.items(), 1):
        say(f"{number:2}  {name:{width}}  {question}")
    if not sys.stdin.isatty():
        say("Write one with: airtcp init NAME.")
        return ""
    answer = typer.prompt("Template (number or name)").strip()
    names = list(questions)
    is_number = answer.isdigit() and 1 <= int(answer) <= len(names)
    return names[int(answer) - 1] if is_number else answer
