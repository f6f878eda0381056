"""airtcp: how Linux TCP behaves over Wi-Fi.

Rooms, each of which may use those before it: `scenario` (what a person writes, compiled to a plan),
`execution` (plans to run folders), `data` (run folders to frames), `metrics` (frames to numbers), `plots`
(numbers to figures), `report` (tables, claims, files), `studies`, `campaign` and `cli`.

`airtcp.load(path)` opens runs, stores of runs, and measurements of other programs.
`airtcp.sweep(campaign)` computes a campaign and returns its results.
"""

from typing import TYPE_CHECKING, Any

from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    from airtcp.campaign.sweep import sweep as sweep
    from airtcp.data.load import load as load

__version__ = "0.2.0"
__all__ = ["AirtcpError", "__version__", "load", "sweep"]


def __getattr__(name: str) -> Any:
    # Only who loads waits for what loading needs.
    if name == "load":
        from airtcp.data.load import load

        return load
    if name == "sweep":
        from airtcp.campaign.sweep import sweep

        return sweep
    raise AttributeError(f"module 'airtcp' has no attribute {name!r}")
