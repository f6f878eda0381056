"""Keeps how many claims of studies hold: `tools/study_outcomes.py FOLDER...`, of reports of `airtcp study`.

`studies/outcomes.json` has the counts that pages state; `tools/page_counts.py` writes them there.
"""

import json
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
OUTCOMES = ROOT / "studies" / "outcomes.json"


def outcome(report: Path) -> tuple[str, dict[str, int]]:
    """The study of a report's folder, and its claims by verdict; part of a study is an error."""
    about = json.loads((report / "report.json").read_text(encoding="utf-8"))
    claims = json.loads((report / "results.json").read_text(encoding="utf-8"))["claims"]
    verdicts = Counter(claim["finding"]["verdict"] for claim in claims)
    if about["quick"] or about["failed"] or verdicts["not computed"]:
        sys.exit(f"{report}: is not of the whole study; compute it with airtcp study {about['study']}")
    return about["study"], {name: verdicts[name] for name in ("holds", "differs", "open")}


def main() -> int:
    """Adds the outcomes of these reports."""
    known = json.loads(OUTCOMES.read_text(encoding="utf-8")) if OUTCOMES.exists() else {}
    known |= dict(outcome(Path(report)) for report in sys.argv[1:])
    OUTCOMES.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
