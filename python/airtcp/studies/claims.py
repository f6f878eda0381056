"""The claims of a study with our findings."""

from collections.abc import Callable

from airtcp.errors import AirtcpError, remedy_for
from airtcp.report.claims import Claim, Finding
from airtcp.studies.computations import orders, pairs, values
from airtcp.studies.computations.judging import not_computed
from airtcp.studies.results import Results, missing_levels
from airtcp.studies.study import CLAIMS_FILE, Study
from airtcp.studies.study_file import ClaimFile

COMPUTATIONS: dict[str, Callable[[Results, ClaimFile], Finding]] = {
    function.__name__: function
    for function in (
        values.within,
        values.compare_metrics,
        values.flat,
        pairs.ratio,
        pairs.difference,
        pairs.above,
        orders.largest,
        orders.smallest,
    )
}


def check_claims(study: Study) -> None:
    """A computation that is not there is an error."""
    for claim in study.claims:
        if claim.computation not in COMPUTATIONS:
            remedy = remedy_for(claim.computation, COMPUTATIONS)
            place = f"{study.folder / CLAIMS_FILE}: claim {claim.id}"
            raise AirtcpError(f'there is no computation "{claim.computation}"', place, remedy)
        several = [
            name for side in (claim.of, claim.to) for name, level in side.items() if isinstance(level, list)
        ]
        if several and claim.computation != "above":
            what = f"several levels of {several[0]} in of or to would be averaged in silence"
            place = f"{study.folder / CLAIMS_FILE}: claim {claim.id}"
            raise AirtcpError(what, place, "Name one level, or choose them with where and pool them")


def judge_claims(results: Results) -> list[tuple[Claim, Finding]]:
    """Every claim with our finding; one whose runs were left out is not computed."""
    return [(_claim(claim), _find(results, claim)) for claim in results.study.claims]


def _find(results: Results, claim: ClaimFile) -> Finding:
    for where in (claim.where, claim.of, claim.to):
        if left_out := list(missing_levels(results, claim.part, where)):
            return not_computed(f"runs left out: {', '.join(left_out)}")
    return COMPUTATIONS[claim.computation](results, claim)


def _claim(claim: ClaimFile) -> Claim:
    return Claim(
        id=claim.id,
        place=claim.place,
        sentence=claim.sentence,
        computation=claim.computation,
        paper=claim.paper,
        tolerance=claim.tolerance,
        reason=claim.reason,
        likely=claim.likely,
    )
