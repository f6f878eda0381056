"""Numbers that stand on several pages, each counted in one place; `make generated` writes them there."""

import json
import re
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from airtcp.kernels.table import CONGESTION_CONTROLS
from airtcp.scenario.keys.card import CardName
from crosscheck.cases import read_cases

ROOT = Path(__file__).resolve().parents[1]
# Up to twelve, and where a page has a larger number in words.
WORDS = "no one two three four five six seven eight nine ten eleven twelve".split()  # noqa: SIM905
LARGER = {17: "seventeen", 18: "eighteen", 19: "nineteen", 20: "twenty"}


@dataclass(frozen=True)
class Statement:
    """What a page says, with names in braces for its numbers; a space stands for any white space."""

    page: str
    text: str
    numbers: Mapping[str, int]

    def found(self, page: str) -> re.Match[str] | None:
        """Where the page says it, whatever the numbers."""
        parts = re.split(r"\{(\w+)\}", self.text)
        words = [r"\s+".join(map(re.escape, part.split(" "))) for part in parts[::2]]
        names = [rf"(?P<{name}>[\w,]+)" for name in parts[1::2]] + [""]
        return re.search("".join(part for both in zip(words, names, strict=True) for part in both), page)

    def corrected(self, page: str) -> str:
        """The page with these numbers; in words where it has words. Without the statement it is an error."""
        found = self.found(page)
        if found is None:
            raise ValueError(f"{self.page}: nowhere is '{self.text}'")
        for name, number in sorted(self.numbers.items(), key=lambda item: -found.start(item[0])):
            in_words = not found[name][0].isdigit()
            written = (LARGER.get(number) or WORDS[number]) if in_words else f"{number:,}"
            page = page[: found.start(name)] + written + page[found.end(name) :]
        return page


def statements() -> Iterator[Statement]:
    """Every count that a page states."""
    limitations = "docs/limitations.md"
    unchanged = {"n": len(json.loads((ROOT / "tests/unchanged.json").read_text(encoding="utf-8")))}
    yield Statement("CONTRIBUTING.md", "| {n} scenarios give the results", unchanged)
    yield Statement("Makefile", "compute {n} scenarios: no result may move", unchanged)
    scenes = {"n": sum(not case.variant_of for case in read_cases(ROOT / "tools/crosscheck/grid.toml"))}
    yield from (Statement(page, "ns-3 in {n} scenes", scenes) for page in ("README.md", limitations))
    controls = {"n": len(CONGESTION_CONTROLS)}
    yield Statement("README.md", "its {n} congestion controls", controls)
    yield Statement("docs/how-to/congestion-controls.md", "has all {n} congestion controls", controls)
    cards = {"n": len(get_args(CardName)) - 1}  # but "none"
    yield Statement(limitations, "[interrupts and queues](models/delivery.md) of {n} drivers", cards)
    yield Statement("README.md", "one of {n} studies", {"n": len(published_studies())})
    for study, verdicts in outcomes().items():
        yield from _of_study(study, verdicts)


def claims() -> dict[str, int]:
    """How many claims each study has."""
    files = (ROOT / "studies").glob("*/claims.toml")
    return {file.parent.name: len(tomllib.loads(file.read_text(encoding="utf-8"))["claim"]) for file in files}


def published_studies() -> list[str]:
    """Studies of papers: those with claims and a page of results."""
    return [study for study in claims() if (ROOT / f"docs/studies/{study}.md").exists()]


def outcomes() -> dict[str, dict[str, int]]:
    """Claims of studies by verdict, as their last reports have them (`tools/study_outcomes.py`)."""
    text = (ROOT / "studies/outcomes.json").read_text(encoding="utf-8")
    return {study: dict(verdicts) for study, verdicts in json.loads(text).items()}


def _of_study(study: str, verdicts: Mapping[str, int]) -> Iterator[Statement]:
    compared = verdicts["holds"] + verdicts["differs"]
    text = "{holds} hold, {differs} differ, and {open}" if verdicts["open"] else "{holds} hold"
    numbers = {name: count for name, count in verdicts.items() if f"{{{name}}}" in text}
    numbers["claims"] = compared + verdicts["open"]
    yield Statement(f"docs/studies/{study}.md", f"Of {{claims}} claims {text}", numbers)
    counts = {"holds": verdicts["holds"], "compared": compared}
    yield Statement("docs/limitations.md", f"{{holds}} of {{compared}} for [{study}]", counts)


def wrong_pages() -> dict[str, str]:
    """The pages with a wrong count, by name: as they should be."""
    texts: dict[str, str] = {}
    before: dict[str, str] = {}
    for statement in statements():
        file = ROOT / statement.page
        before.setdefault(statement.page, file.read_text(encoding="utf-8"))
        texts[statement.page] = statement.corrected(texts.get(statement.page, before[statement.page]))
    return {name: text for name, text in texts.items() if text != before[name]}


def main() -> int:
    """Writes the right numbers."""
    for name, text in wrong_pages().items():
        (ROOT / name).write_text(text, encoding="utf-8")
        print(f"{name}: counts corrected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
