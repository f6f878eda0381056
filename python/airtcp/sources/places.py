"""Folders with `sources.toml` among the places that a user names."""

from collections.abc import Sequence
from pathlib import Path

from airtcp.sources.file_name import SOURCES_FILE


def with_sources(places: Sequence[Path]) -> list[Path]:
    """The places, with a store of measured runs in place of each folder that has a `sources.toml`.

    The store is in airtcp's folder of the user's cache, named by the content of all files: the user's folder
    stays as it is. What is wrong with a file is an `AirtcpError`.
    """
    return [_runs_of(place) if (place / SOURCES_FILE).is_file() else place for place in places]


def _runs_of(folder: Path) -> Path:
    # Scenarios, readers of files and tables are loaded only where there is such a folder.
    from airtcp.sources.imported import import_sources

    return import_sources(folder)
