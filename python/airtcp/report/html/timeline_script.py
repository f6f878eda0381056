"""The program of timelines in pages: built of the folder `frontend`, in the wheel, not in the tree."""

from functools import cache
from pathlib import Path

from airtcp.errors import AirtcpError

_FILE = Path(__file__).parent / "assets" / "built" / "timeline.js"


def is_built() -> bool:
    """Whether there is one; a source tree in which nothing was built has none."""
    return _FILE.is_file()


@cache
def timeline_script() -> str:
    """Its text; a tree in which it was not built is an `AirtcpError`."""
    return built_script(_FILE)


def built_script(file: Path) -> str:
    """The text of a program that is built of the folder `frontend`; one that was not is an `AirtcpError`."""
    if not file.is_file():
        what = "was not built: it is made of the folder frontend, by Node.js"
        raise AirtcpError(what, str(file), "Run 'make build' in the source tree")
    return file.read_text(encoding="utf-8")
