"""airtcp: how Linux TCP behaves over Wi-Fi.

Packages, each of which may use some of those before it: `scenario` (scenario files to plans), `execution`
(plans to run folders), `data` (run folders to frames), `store` (maintenance of run folders), `sessions`
(running networks to step into), `metrics` (frames to numbers), `plots` (numbers to figures), `report`
(tables, claims, files), `studies`, `fitting` (models from measured runs), `shell` (the prompt of a session),
`campaign` and `cli`; tests/python/test_architecture.py lists what each may import.

`airtcp.load(path)` opens runs, stores of runs, and measurements of other programs.
`airtcp.sweep(campaign)` computes a campaign and returns its results.
`airtcp.number(run, quantity)` reads a number off a run.
`airtcp.lab(scenario)` starts a network to work with.
"""

from typing import TYPE_CHECKING, Any

from airtcp.errors import AirtcpError
from airtcp.version import __version__

if TYPE_CHECKING:
    from airtcp.campaign.sweep import sweep as sweep
    from airtcp.data.load import load as load
    from airtcp.quantities.named_number import number as number
    from airtcp.sessions.lab import lab as lab

__all__ = ["AirtcpError", "__version__", "lab", "load", "number", "sweep"]


def __getattr__(name: str) -> Any:
    # Imported on first use: polars and the readers take 0.5 s to import.
    if name == "load":
        from airtcp.data.load import load

        return load
    if name == "lab":
        from airtcp.sessions.lab import lab

        return lab
    if name == "number":
        from airtcp.quantities.named_number import number

        return number
    if name == "sweep":
        from airtcp.campaign.sweep import sweep

        return sweep
    raise AttributeError(f"module 'airtcp' has no attribute {name!r}")
