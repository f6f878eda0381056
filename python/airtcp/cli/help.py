"""`airtcp help`: what a key means, or how a command is used."""

import re
import shutil
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from airtcp.cli.say import say
from airtcp.errors import AirtcpError, suggestion

if TYPE_CHECKING:
    from airtcp.manual.keys import KeyMeaning, KeyTable


def _topics(incomplete: str) -> list[str]:
    """What completion offers."""
    return sorted({name for name in _all_names() if name.startswith(incomplete)})


Topic = Annotated[
    str,
    typer.Argument(
        help="Key of a scenario, campaign or lab (nic_queue, flow.cca, channel), a quantity, or a command.",
        show_default=False,
        autocompletion=_topics,
    ),
]
# Lines that are longer are hard to read, however wide the terminal is.
LINE_MOST = 100
USES_MOST = 6
# Other tables have other words for the same thing.
REMEDIES_MOST = 3


def explain_topic(context: typer.Context, topic: Topic = "") -> None:
    """Say what a key means, its values and its default, or how a command is used."""
    command = _command(context, topic.split())
    if command is not None and not (topic and _is_key(topic)):
        say(command)
        return
    if not _explain_key(topic):
        raise AirtcpError(f'there is no key "{topic}"', "", _instead(topic))
    if command is not None:
        say(f"The command of this name: airtcp {topic} --help")


def _instead(topic: str) -> str:
    """What the user probably meant, for a word that is not a key."""
    from airtcp.scenario.reading.key_hints import other_name, remedies

    name = topic.rpartition(".")[2]
    own = other_name(topic)
    meant = [own.remedy] if own is not None else remedies(name)
    pages = "All keys: airtcp docs reference/scenario; a word in all pages: airtcp docs --find WORD"
    return ". ".join(meant[:REMEDIES_MOST]) or suggestion(name, _all_names()) or pages


def _command(context: typer.Context, words: Sequence[str]) -> str | None:
    """The help of a command, as its `--help` prints it; of all without a word; `None` of no command."""
    command, path = context.find_root().command, "airtcp"
    for word in words:
        found = getattr(command, "commands", {}).get(word)
        if found is None:
            return None
        command, path = found, f"{path} {word}"
    return command.get_help(typer.Context(command, info_name=path))


def _is_key(topic: str) -> bool:
    from airtcp.manual.keys import meanings, scenario_tables

    return bool(meanings(topic, scenario_tables()))


def _explain_key(topic: str) -> bool:
    """Says what a key, a table or a quantity means; whether there is one."""
    from airtcp.manual.keys import campaign_tables, lab_tables, meanings, scenario_tables, table_of

    for page, tables_of in (
        ("scenario", scenario_tables),
        ("campaign", campaign_tables),
        ("lab", lab_tables),
    ):
        tables = tables_of()
        found, table = meanings(topic, tables), table_of(topic, tables)
        for meaning in found:
            _say_meaning(meaning)
        if table is not None:
            _say_table(table)
        if found or table is not None:
            _say_uses(topic)
            say(f"All keys: airtcp docs reference/{page}")
            return True
    return _explain_quantity(topic)


def _say_meaning(meaning: "KeyMeaning") -> None:
    key = meaning.key
    say(f"{key.name}: {_plain(key.value)}")
    _say_wrapped(f"in {'; '.join(_plain(title) for title in meaning.tables)}")
    if key.default:
        say(f"  default: {_plain(key.default)}")
    _say_wrapped(_plain(key.meaning))
    say("")


def _say_table(table: "KeyTable") -> None:
    say(f"Keys of {_plain(table.title)}:")
    for key in table.keys:
        _say_wrapped(f"{key.name}: {_plain(key.meaning)}", further="    ")
    say("")


def _say_uses(topic: str) -> None:
    from airtcp.manual.keys import steps_of, uses

    found = uses(steps_of(topic)[-1], _texts())
    if found:
        more = f", and {len(found) - USES_MOST} more" if len(found) > USES_MOST else ""
        _say_wrapped(f"Used in: {', '.join(found[:USES_MOST])}{more}", first="")


def _texts() -> Mapping[str, str]:
    """Templates, and the scenarios on pages, by the commands that show them."""
    from airtcp.cli.init import TEMPLATES
    from airtcp.manual.pages import page_files, page_name

    texts = {
        f"airtcp init {file.stem}": file.read_text(encoding="utf-8")
        for file in sorted(TEMPLATES.glob("*.toml"))
    }
    for file in page_files():
        blocks = re.findall(
            r"^```toml\n(.*?)^```$", file.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
        )
        texts[f"airtcp docs {page_name(file)}"] = "\n".join(blocks)
    return texts


def _explain_quantity(topic: str) -> bool:
    from airtcp.manual.keys import quantities

    one = quantities().get(topic)
    if one is None:
        return False
    say(f"{topic}: a quantity{f' in {one.unit}' if one.unit else ''}")
    _say_wrapped(_plain(one.meaning))
    say(f'\nDraw it: airtcp plot RUN --what {topic}. In a campaign: metrics = ["{topic}"]')
    say("All quantities: airtcp docs reference/quantities")
    return True


def _all_names() -> list[str]:
    from airtcp.manual.keys import campaign_tables, known_names, lab_tables, quantities, scenario_tables

    return [*known_names([*scenario_tables(), *campaign_tables(), *lab_tables()]), *quantities()]


def _plain(markdown: str) -> str:
    """Text of a page for a terminal: without marks of code, links as commands."""
    linked = re.sub(r"\[([^]]*)\]\((?:\.\./)*([^)#]*?)(?:\.md)?(?:#[^)]*)?\)", _link, markdown)
    return linked.replace("`", "")


def _link(match: re.Match[str]) -> str:
    text, page = match.groups()
    return f"{text} (airtcp docs {page})" if page else str(text)


def _say_wrapped(text: str, first: str = "  ", further: str = "  ") -> None:
    # Without a terminal it is that which COLUMNS says.
    line = min(LINE_MOST, shutil.get_terminal_size((LINE_MOST, 24)).columns)
    say(textwrap.fill(text, line, initial_indent=first, subsequent_indent=further, break_on_hyphens=False))
