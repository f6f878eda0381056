"""airtcp's folder in the user's cache."""

import os
from pathlib import Path

from airtcp.errors import AirtcpError


def cache_folder() -> Path:
    """airtcp's folder in the user's cache."""
    given = os.environ.get("XDG_CACHE_HOME")
    try:
        return (Path(given) if given else Path.home() / ".cache") / "airtcp"
    except RuntimeError:  # neither HOME nor an entry in the list of users
        remedy = "Set XDG_CACHE_HOME or HOME to a folder that you may write"
        raise AirtcpError("this user has no home folder", "", remedy) from None
