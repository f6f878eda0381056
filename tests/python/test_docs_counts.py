"""A number that stands on several pages is the same on all of them, and is that of what it counts."""

import re

import page_counts
import pytest
from page_counts import Statement, claims, outcomes, statements, wrong_pages
from study_outcomes import outcome
from support.documentation_pages import ROOT, pages


def test_every_page_has_the_numbers_that_are_counted():
    """`make generated` writes them."""
    assert wrong_pages() == {}


def test_a_wrong_number_is_corrected_in_digits_or_in_words():
    found = Statement("page", "one of {n} studies", {"n": 5})
    assert found.corrected("Computes one of four\nstudies.") == "Computes one of five\nstudies."
    both = Statement("page", "{holds} of {compared} for [x]", {"holds": 1200, "compared": 7})
    assert both.corrected("So 3 of 12 for [x](y)") == "So 1,200 of 7 for [x](y)"
    with pytest.raises(ValueError, match=r"page: nowhere is 'one of \{n\} studies'"):
        found.corrected("Nothing is said.")


def test_claims_of_outcomes_are_those_of_the_studies():
    known = claims()
    assert {"aoyagi2023", "khademi2011", "alakoca2015", "taank-peng"} <= outcomes().keys()
    for study, verdicts in outcomes().items():
        assert sum(verdicts.values()) == known[study], f"{study}: compute it, then tools/study_outcomes.py"


# Words in which pages speak of what is counted, whatever the number; each such place must be a known statement.
COUNTED = (
    r"\w+\s+scenarios\s+give\s+the\s+results",
    r"ns-3\s+in\s+\w+\s+scenes",
    r"one\s+of\s+\w+\s+published\s+studies",
    r"Of\s+(?!the)\w+\s+claims",
    r"\w+\s+of\s+\w+\s+(?:hold\s+)?for\s+\[",
)


def test_no_page_states_such_a_number_that_is_not_counted():
    known = [(ROOT / statement.page, statement) for statement in statements()]
    for page in (*pages(), ROOT / "CONTRIBUTING.md"):
        # The changelog tells what was true then.
        if page.name == "CHANGELOG.md":
            continue
        text = page.read_text(encoding="utf-8")
        places = [found.span() for of, statement in known if of == page and (found := statement.found(text))]
        for pattern in COUNTED:
            for told in re.finditer(pattern, text):
                inside = any(begin <= told.end() and told.start() <= end for begin, end in places)
                assert inside, f"{page}: {told[0]}"


def test_a_report_of_part_of_a_study_has_no_outcome(tmp_path):
    (tmp_path / "report.json").write_text('{"study": "s", "quick": false, "failed": 0}')
    claim = '{"finding": {"verdict": "%s"}}'
    (tmp_path / "results.json").write_text(f'{{"claims": [{claim % "holds"}, {claim % "open"}]}}')
    assert outcome(tmp_path) == ("s", {"holds": 1, "differs": 0, "open": 1})
    (tmp_path / "results.json").write_text(f'{{"claims": [{claim % "holds"}, {claim % "not computed"}]}}')
    with pytest.raises(SystemExit, match="compute it with airtcp study s"):
        outcome(tmp_path)


def test_the_makefile_writes_them():
    assert f"tools/{page_counts.__name__}.py" in (ROOT / "Makefile").read_text()
