"""The studies of airtcp, and where they are."""

import tomllib
from pathlib import Path

from airtcp.errors import AirtcpError, suggestion
from airtcp.kernels.source import repository

_INSTALLED = Path(__file__).resolve().parents[1] / "_studies"
STUDY_FILE = "study.toml"
# Set-ups of further papers, without their claims.
PRESETS = "presets"


def known_studies() -> list[str]:
    """The names of airtcp's own studies, then those of its presets."""
    return list(_folders())


def study_folder(name: str) -> Path:
    """The folder of a study: of airtcp's own by its name, or a user's by its path; else an error."""
    own = Path(name)
    if name in _folders():
        return _folders()[name]
    if (own / STUDY_FILE).is_file():
        return own
    if own.is_dir():
        raise AirtcpError(f"holds no {STUDY_FILE}", name, "Copy the folder of a study, and change it")
    hint = suggestion(name, known_studies())
    remedy = f"D{hint[1:]}" if hint else f"Known: {', '.join(known_studies())}; or name a folder"
    raise AirtcpError(f'there is no study "{name}"', "", remedy)


def study_titles() -> dict[str, str]:
    """What each of airtcp's own studies is, by its name."""
    return {name: title_in(folder / STUDY_FILE) for name, folder in _folders().items()}


def title_in(file: Path) -> str:
    """The title in the file of one of airtcp's own studies, without the models of all else in it."""
    with file.open("rb") as opened:
        return str(tomllib.load(opened)["title"])


def _folders() -> dict[str, Path]:
    places = (studies_home(), studies_home() / PRESETS)
    files = [file for place in places for file in sorted(place.glob(f"*/{STUDY_FILE}"))]
    return {file.parent.name: file.parent for file in files}


def studies_home() -> Path:
    """The folder of airtcp's own studies."""
    tree = repository()
    return tree / "studies" if tree else _INSTALLED
