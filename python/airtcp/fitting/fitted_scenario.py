"""The scenario of a fit: the model's file with values in place of unknowns, each with its source."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Item
from tomlkit.toml_document import TOMLDocument

from airtcp.fitting.fit import Fit, Found
from airtcp.fitting.kinds import MARK
from airtcp.fitting.recorded_signal import Link, source_of
from airtcp.scenario.reading.toml_file import read_text

_STEP = re.compile(r'"([^"]+)"|([^.\[\]]+)|\[(\d+|\*)\]')


def write_fitted(fit: Fit, file: Path, command: str, fixed: Mapping[str, Any]) -> None:
    """Writes the scenario, and the recordings of links that it names beside it."""
    file.write_text(fitted_scenario(fit, file.stem, command, fixed), encoding="utf-8")
    for link, signals in fit.model.signals.items():
        shutil.copyfile(signals[0][1], file.with_name(_recording_name(file.stem, link)))


def _recording_name(stem: str, link: Link) -> str:
    return f"{stem}-{link.sender}-{link.receiver}.csv"


def fitted_scenario(fit: Fit, stem: str, command: str, fixed: Mapping[str, Any]) -> str:
    """The text of the scenario; a parameter that is not identifiable stays `"?"`, with the reason beside it.

    Recordings of links have names that begin with `stem`. `fixed` are keys that the user set for the fit.
    """
    document = tomlkit.parse(read_text(fit.model.file))
    for path, value in fixed.items():
        _put(document, path, value, "set for the fit")
    for one in fit.found:
        if one.identifiable:
            _put(document, one.parameter.path, one.texts()[0], _comment(one))
        else:
            _put(document, one.parameter.path, MARK, f"not identifiable: {one.refused}")
    for link, signals in fit.model.signals.items():
        _put(document, link.path, _recording_name(stem, link), source_of(signals[0][0], link))
    return f"# {command}\n# {_head(fit)}\n{tomlkit.dumps(document)}"


def _head(fit: Fit) -> str:
    runs = sum(len(setting.folders) for setting in fit.settings)
    if not fit.found:
        return f"Recordings of links are of {runs} measured run{'' if runs == 1 else 's'}."
    what = "reproduces them" if fit.explains else "does not reproduce all of them: see the report"
    return f"Fitted to {runs} measured run{'' if runs == 1 else 's'}; the model {what}."


def _comment(one: Found) -> str:
    _, low, high = one.texts()
    begin = f", begun at {one.source}" if one.source else ""
    return f"95 %: {low} to {high}; matched statistics{begin}"


def _put(document: TOMLDocument, path: str, value: object, comment: str) -> None:
    """Puts a value at a path, in every entry for `[*]`, with a comment at the end of its line."""
    steps = [name or word or place for name, word, place in _STEP.findall(path)]
    _into(document, steps, value, comment, [])


def _into(holder: Any, steps: list[str], value: object, comment: str, above: list[tuple[Any, str]]) -> None:
    step, rest = steps[0], steps[1:]
    if isinstance(holder, list):
        places = range(len(holder)) if step == "*" else [int(step)]
        for place in places:
            _into(holder[place], rest, value, comment, above)
        return
    if not rest:
        item = tomlkit.item(value)
        holder[step] = item
        _note(holder, step, comment, above)
        return
    if step not in holder:
        holder[step] = tomlkit.inline_table()
    _into(holder[step], rest, value, comment, [*above, (holder, step)])


def _note(holder: Any, key: str, comment: str, above: list[tuple[Any, str]]) -> None:
    """The comment behind a value; of one in an inline table behind that, for a line has one comment."""
    for table, step in reversed(above):
        if not isinstance(holder, InlineTable):
            break
        holder, key = table, step
    item = holder[key]
    if isinstance(item, Item):
        before = item.trivia.comment.lstrip("# ")
        item.comment(f"{before}; {comment}" if before else comment)
