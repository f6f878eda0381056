"""Whether all rows of a series are there, as far as plan and summary tell: samples come at known instants."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from airtcp.data.json_file import REMEDY
from airtcp.data.station_schemas import GROUP
from airtcp.errors import AirtcpError

if TYPE_CHECKING:
    import polars

JsonObject = dict[str, Any]


def check_rows(name: str, frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject, file: Path) -> None:
    """Refuses a series with rows of what the plan does not have, or without rows that it must have."""
    for column, known in _known_numbers(name, plan).items():
        numbers = frame[column]
        if name == "station_queues" and column == "peer":
            numbers = numbers.filter(numbers != GROUP)
        if numbers.len() and numbers.max() >= known:  # type: ignore[operator]
            what = f"column {column} has a number that the plan does not have: another run wrote it"
            raise AirtcpError(what, str(file), REMEDY)
    check = _CHECKS.get(name)
    why = check(frame, plan, agent) if check else ""
    if why:
        raise AirtcpError(f"is damaged: rows are missing: {why}", str(file), REMEDY)


def _known_numbers(name: str, plan: JsonObject) -> dict[str, int]:
    """How many there are of what a column numbers. A frame to a group is for none of the radios."""
    radios, flows = len(plan["air"]["nics"]), len(plan["flows"])
    return {
        "flows": {"flow": flows},
        "acks": {"flow": flows},
        "delays": {"flow": flows},
        "transfers": {"flow": flows},
        # Plans before version 4 have no datagrams.
        "datagrams": {"stream": len(plan.get("datagrams", ()))},
        "pings": {"ping": len(plan["pings"])},
        "qdiscs": {"node": len(plan["nodes"])},
        "air": {"nic": radios},
        "links": {"nic": radios, "peer": radios},
        "stations": {"nic": radios, "peer": radios},
        "station_queues": {"nic": radios, "peer": radios},
        "radio_queues": {"nic": radios},
        "station_rates": {"nic": radios, "peer": radios},
        "ppdus": {"nic": radios},
    }[name]


def _check_flows(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:
    """Each connected flow has a row at every instant until it has finished, the last at the run's end."""
    interval, end = plan["sampling"]["flows_interval_ns"], _end_ns(plan, agent)
    times_of = {number: times["time_ns"] for (number,), times in frame.group_by("flow", maintain_order=True)}
    for number, report in enumerate(agent["flows"]):
        # A connection that failed has samples for as long as the kernel kept it.
        if report["error"]:
            continue
        connected, finished = report["connected_ns"], report["finished_ns"]
        times = times_of.get(number)
        last_needed = end if finished is None else min(end, finished) - interval
        if times is None:
            # A flow may begin and end between two instants; one that never connected has no row.
            if connected is not None and last_needed >= connected + interval:
                return f"flow {report['name']} has none"
            continue
        if _gap_ns(times) > interval or (connected is not None and _first(times) > connected + interval):
            return f"flow {report['name']} has a gap"
        if _last(times) < last_needed:
            return f"flow {report['name']} ends at {_last(times) / 1e9:g} s"
    return ""


def _check_pings(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:  # noqa: ARG001
    """As many requests and answers as the summary counts."""
    for number, report in enumerate(agent["pings"]):
        rtts = frame.filter(frame["ping"] == number)["rtt_ns"]
        found = (rtts.len(), int((rtts >= 0).sum()))
        if found != (report["sent"], report["received"]):
            sent = f"{report['sent']} requests and {report['received']} answers"
            return f"ping {report['name']} has {found[0]} requests and {found[1]} answers, not {sent}"
    return ""


def _check_transfers(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:  # noqa: ARG001
    """The transfers of each flow have all numbers from 0."""
    for (flow,), rows in frame.group_by("flow"):
        numbers = rows["number"].sort()
        if numbers[-1] != numbers.len() - 1 or numbers.n_unique() != numbers.len():
            return f"flow {agent['flows'][flow]['name']} has {numbers.len()} of {numbers[-1] + 1} transfers"
    return ""


def _check_datagrams(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:  # noqa: ARG001
    """As many datagrams, sent and received, as the summary counts."""
    for number, report in enumerate(agent["datagrams"]):
        delays = frame.filter(frame["stream"] == number)["delay_ns"]
        found = (delays.len(), int((delays >= 0).sum()))
        if found != (report["sent"], report["received"]):
            sent = f"{report['sent']} datagrams and {report['received']} received"
            return f"stream {report['name']} has {found[0]} datagrams and {found[1]} received, not {sent}"
    return ""


def _check_air(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:
    """Each radio at every multiple of the interval from 0 to the run's end."""
    interval = plan["sampling"]["air_interval_ns"]
    needed = _end_ns(plan, agent) // interval + 1 if interval else 0
    for number, radio in enumerate(plan["air"]["nics"]):
        found = int((frame["nic"] == number).sum())
        if found < needed:
            return f"radio {number} ({radio['node']}) has {found} of {needed}"
    return ""


def _check_qdiscs(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:
    """Some row at every instant until the run's end; programs may add and remove queueing disciplines."""
    interval = plan["sampling"].get("qdiscs_interval_ns", 0)
    if not interval:
        return ""
    times, end = frame["time_ns"].unique().sort(), _end_ns(plan, agent)
    if not times.len():
        return "there are none"
    if max(_gap_ns(times), _first(times)) > interval or _last(times) + interval <= end:
        return "there is a gap"
    return ""


def _check_radio_queues(frame: "polars.DataFrame", plan: JsonObject, agent: JsonObject) -> str:
    """Each radio of mac80211 at every multiple of the interval after 0, and at the run's end."""
    interval, end = plan["sampling"].get("stations_interval_ns", 0), _end_ns(plan, agent)
    if not interval:
        return ""
    cells = plan["air"].get("cells", [])
    for number, radio in enumerate(plan["air"]["nics"]):
        if not cells[radio["cell"]].get("linux"):
            continue
        times = frame.filter(frame["nic"] == number)["time_ns"]
        if times.len() < -(-end // interval):
            return f"radio {number} ({radio['node']}) has {times.len()} of {-(-end // interval)}"
    return ""


def _end_ns(plan: JsonObject, agent: JsonObject) -> int:
    """When the run ended; older reports do not tell, for it was as planned."""
    end_ns: int = agent["end_ns"] if "end_ns" in agent else plan["duration_ns"]
    return end_ns


def _gap_ns(times: "polars.Series") -> int:
    widest = times.sort().diff().max()
    return widest if isinstance(widest, int) else 0


def _first(times: "polars.Series") -> int:
    return int(times.min())  # type: ignore[arg-type]


def _last(times: "polars.Series") -> int:
    return int(times.max())  # type: ignore[arg-type]


_Check = Callable[["polars.DataFrame", JsonObject, JsonObject], str]
_CHECKS: dict[str, _Check] = {
    "flows": _check_flows,
    "transfers": _check_transfers,
    "datagrams": _check_datagrams,
    "pings": _check_pings,
    "air": _check_air,
    "qdiscs": _check_qdiscs,
    "radio_queues": _check_radio_queues,
}
