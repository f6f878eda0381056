"""airtcp's side of the comparison."""

from crosscheck.cases import Case
from crosscheck.results import Result


class AirtcpUnavailable(Exception):
    """airtcp cannot run the case; the text says why."""


def airtcp_result(case: Case) -> Result:
    """airtcp's result of a case, with the same scene and seeds."""
    raise AirtcpUnavailable(f"{case.name}: airtcp has no command that runs the air without a guest")
