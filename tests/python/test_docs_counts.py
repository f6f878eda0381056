"""A number that stands on several pages is the same on all of them, and is that of what it counts."""

import re
from pathlib import Path

import pytest
from crosscheck.cases import read_cases
from support.documentation_pages import ROOT

LIMITATIONS = re.sub(r"\s+", " ", (ROOT / "docs/limitations.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", ["README.md", "docs/limitations.md"])
def test_scenes_compared_with_ns_3_are_those_of_the_grid(page: str) -> None:
    cases = read_cases(Path(ROOT / "tools/crosscheck/grid.toml"))
    text = re.sub(r"\s+", " ", (ROOT / page).read_text(encoding="utf-8"))
    (scenes,) = re.findall(r"(\d+) scenes", text)
    assert int(scenes) == sum(not case.variant_of for case in cases)


@pytest.mark.parametrize("study", ["khademi2011", "alakoca2015", "taank-peng"])
def test_claims_that_hold_are_those_of_the_studys_page(study: str) -> None:
    hold, compared = re.findall(rf"(\d+) of (\d+)(?: hold)? for \[{study}\]", LIMITATIONS)[0]
    page = re.sub(r"\s+", " ", (ROOT / f"docs/studies/{study}.md").read_text(encoding="utf-8"))
    claims, rest = re.findall(r"Of (\d+) claims (.{1,200}?hold)", page)[0]
    assert re.findall(r"(\d+) hold", rest) == [hold]
    left_out = {"two cannot be checked": 2, "three are not checked": 3}
    not_compared = sum(count for words, count in left_out.items() if words in page)
    assert int(claims) == int(compared) + not_compared
