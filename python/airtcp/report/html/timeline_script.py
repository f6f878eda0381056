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
    if not is_built():
        what = "was not built: it is made of the folder frontend, by Node.js"
        raise AirtcpError(what, str(_FILE), "Run 'make build' in the source tree")
    return _FILE.read_text(encoding="utf-8")
