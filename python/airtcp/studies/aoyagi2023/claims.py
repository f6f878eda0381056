"""The claims of section 4.2: data from the study's folder, findings from our cells."""

from dataclasses import fields

from airtcp.errors import AirtcpError
from airtcp.report.claims import Claim, Finding
from airtcp.studies.aoyagi2023.computations import COMPUTATIONS, Arguments, find
from airtcp.studies.aoyagi2023.design import Design
from airtcp.studies.aoyagi2023.measure import Cells
from airtcp.studies.catalogue import read_data

_OF_A_CLAIM = tuple(field.name for field in fields(Claim))


def read_claims(design: Design) -> list[tuple[Claim, Arguments]]:
    """The claims, each with the arguments of its computation."""
    file = design.folder / design.claims_file
    claims: list[tuple[Claim, Arguments]] = []
    for entry in read_data(file)["claim"]:
        claim = Claim(**{name: entry[name] for name in _OF_A_CLAIM if name in entry})
        if claim.computation not in COMPUTATIONS:
            raise AirtcpError(f'there is no computation "{claim.computation}"', f"{file}: {claim.id}")
        claims.append((claim, {key: value for key, value in entry.items() if key not in _OF_A_CLAIM}))
    return claims


def judge_claims(design: Design, cells: Cells) -> list[tuple[Claim, Finding]]:
    """Every claim with our finding."""
    return [(claim, find(claim, arguments, cells)) for claim, arguments in read_claims(design)]
