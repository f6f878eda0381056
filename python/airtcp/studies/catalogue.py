"""Which studies there are, and where their data is."""

import tomllib
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.locate import repository
from airtcp.scenario.known import suggestion

_INSTALLED = Path(__file__).resolve().parents[1] / "_studies"

# Studies and the sections whose analysis exists.
STUDIES = {"aoyagi2023": ("4.2",)}


def study_folder(name: str) -> Path:
    """The folder of a study's data; an unknown name is an error."""
    if name not in STUDIES:
        hint = suggestion(name, STUDIES)
        remedy = f"D{hint[1:]}" if hint else f"Known: {', '.join(STUDIES)}"
        raise AirtcpError(f'there is no study "{name}"', "", remedy)
    tree = repository()
    folder = (tree / "studies" if tree else _INSTALLED) / name
    if not folder.is_dir():
        raise AirtcpError("the data of the study is missing", str(folder), "Install airtcp again")
    return folder


def check_section(name: str, section: str) -> None:
    """An unknown section is an error."""
    if section not in STUDIES[name]:
        known = f"Known: {', '.join(STUDIES[name])}"
        raise AirtcpError(f'there is no section "{section}" of {name}', "", known)


def read_data(file: Path) -> dict[str, Any]:
    """A TOML file of a study."""
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise AirtcpError(f"can't be read: {error}", str(file), "Install airtcp again") from None
