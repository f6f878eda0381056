"""Polars frames as pandas frames, where pandas is installed."""

from typing import TYPE_CHECKING

from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import pandas
    import polars


def to_pandas(frame: "polars.DataFrame") -> "pandas.DataFrame":
    """A Polars frame as a pandas frame; without pandas an `AirtcpError`."""
    try:
        import pandas  # noqa: F401
        import pyarrow  # noqa: F401
    except ImportError as error:
        what = f"pandas frames need {error.name}, which is not installed"
        raise AirtcpError(what, remedy="pip install 'airtcp[pandas]'") from None
    return frame.to_pandas()
