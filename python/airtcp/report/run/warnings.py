"""What a reader should know before trusting the results of a run."""

from airtcp.data.plain_file import REMEDY
from airtcp.data.run_folder import Run
from airtcp.errors import AirtcpError
from airtcp.quantities.flows import begun_flows
from airtcp.report.plan_warnings import plan_warnings


def run_warnings(run: Run) -> list[str]:
    """What its agent, its flows and its plan have to say."""
    warnings = [str(warning) for warning in run.agent["warnings"]]
    for flow in (run.flow_reports[n] for n in begun_flows(run)):
        if flow["error"]:
            warnings.append(f"flow {flow['name']}: {flow['error']}")
        elif flow["connected_ns"] is None:
            warnings.append(f"flow {flow['name']} never connected")
    warnings += [f"a log of QUIC is left out: {each}" for each in run.quic_left_out]
    try:
        return warnings + plan_warnings(run.plan)
    except (KeyError, TypeError, IndexError, AttributeError, ValueError):
        # Only the runner checks all of a plan, which somebody has changed since.
        raise AirtcpError(
            "is damaged: its network is not whole", str(run.folder / "plan.json"), REMEDY
        ) from None
