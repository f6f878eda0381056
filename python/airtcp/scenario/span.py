"""Times within a run."""

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.units import TIME


def check_start(duration_ns: int, start_ns: int, key: str) -> None:
    """Refuses a start that is not before the end of the run."""
    if start_ns >= duration_ns:
        what = f"{TIME.text(start_ns)} is not before the end of the run at {TIME.text(duration_ns)}"
        raise ScenarioError(key, what, "Start earlier or make the run longer")


def check_stop(start_ns: int, stop_ns: int, key: str) -> None:
    """Refuses a stop that is not after its start."""
    if stop_ns <= start_ns:
        what = f"{TIME.text(stop_ns)} is not after the start at {TIME.text(start_ns)}"
        raise ScenarioError(key, what, "Stop later")
