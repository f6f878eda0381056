"""What limited each flow: shares of its time."""

from airtcp.data.run_folder import Run
from airtcp.metrics.control import LIMITERS, Control
from airtcp.report.table import Table


def limits_table(run: Run, controls: list[Control]) -> Table:
    """One row per flow with exact times (`metrics/control.py`); empty if the run recorded none."""
    columns = ("flow", "CCA", *LIMITERS.values())
    table = Table("What limited each flow (share of its time)", columns, left=("CCA",))
    for report, control in zip(run.flow_reports, controls, strict=True):
        if control.exact and control.shares:
            shares = (f"{control.shares[name]:.1%}" for name in LIMITERS.values())
            table.add(report["name"], report["congestion_control"], *shares)
    return table
