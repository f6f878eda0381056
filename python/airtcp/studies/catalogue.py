"""Which studies there are, and where they are."""

from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.locate import repository
from airtcp.scenario.known import suggestion

_INSTALLED = Path(__file__).resolve().parents[1] / "_studies"
STUDY_FILE = "study.toml"


def known_studies() -> list[str]:
    """The names of airtcp's own studies."""
    return sorted(file.parent.name for file in _home().glob(f"*/{STUDY_FILE}"))


def study_folder(name: str) -> Path:
    """The folder of a study: of airtcp's own by its name, or a user's by its path; else an error."""
    own = Path(name)
    if name in known_studies():
        return _home() / name
    if (own / STUDY_FILE).is_file():
        return own
    if own.is_dir():
        raise AirtcpError(f"holds no {STUDY_FILE}", name, "Copy the folder of a study, and change it")
    hint = suggestion(name, known_studies())
    remedy = f"D{hint[1:]}" if hint else f"Known: {', '.join(known_studies())}; or name a folder"
    raise AirtcpError(f'there is no study "{name}"', "", remedy)


def _home() -> Path:
    tree = repository()
    return tree / "studies" if tree else _INSTALLED
