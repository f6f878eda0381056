"""Times within a run."""

from airtcp.scenario.errors import ScenarioError
from airtcp.scenario.units import TIME


def check_start(duration_ns: int, start_ns: int, key: str) -> None:
    """Refuses a start that is not before the end of the run."""
    if start_ns >= duration_ns:
        what = f"{TIME.text(start_ns)} is not before the end of the run at {TIME.text(duration_ns)}"
        raise ScenarioError(key, what, "Start earlier or make the run longer")


def stop_of(duration_ns: int, key: str, start_ns: int, stop: int | None, length: int | None) -> int:
    """When something ends: at its `stop`, after its `duration`, or with the run."""
    if stop is not None and length is not None:
        raise ScenarioError(f"{key}.duration", "stop is given too", "Keep one of them")
    if length is not None:
        return start_ns + length
    stop_ns = duration_ns if stop is None else stop
    check_stop(start_ns, stop_ns, f"{key}.stop")
    return stop_ns


def check_stop(start_ns: int, stop_ns: int, key: str) -> None:
    """Refuses a stop that is not after its start."""
    if stop_ns <= start_ns:
        what = f"{TIME.text(stop_ns)} is not after the start at {TIME.text(start_ns)}"
        raise ScenarioError(key, what, "Stop later")
