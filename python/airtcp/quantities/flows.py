"""What every room asks of a flow: its time, and whether its congestion control limited it."""

from dataclasses import replace
from typing import Any

from airtcp.data.program_flows import is_udp
from airtcp.data.run_folder import Run
from airtcp.data.series_file import within
from airtcp.metrics.control import Control, Sender, judge_control

# Of UDP flows of programs: their congestion control, if they have any, is in the program.
UNJUDGED = Control(in_control=None, reasons=("UDP",), judged_share=0.0)


def flow_time(run: Run, flow: int) -> tuple[int, int]:
    """When a flow began and ended, in ns from the epoch, the end of the run at the latest."""
    planned, report = run.flow_plans[flow], run.flow_reports[flow]
    stop = min(_planned_stop_ns(planned, run.end_ns), run.end_ns)
    if report["finished_ns"] is not None:
        stop = min(stop, report["finished_ns"])
    # A run may end before a flow's time has come.
    return planned["start_ns"], max(planned["start_ns"] + 1, stop)


def begun_flows(run: Run) -> list[int]:
    """The numbers of the flows whose time came before the run ended."""
    return [n for n, planned in enumerate(run.flow_plans) if planned["start_ns"] < run.end_ns]


def _planned_stop_ns(planned: dict[str, Any], end_ns: int) -> int:
    """Plans before version 4 said what ends a flow: a time, or an amount."""
    return int(planned.get("stop_ns", planned.get("end", {}).get("time_ns", end_ns)))


def workload_of(planned: dict[str, Any]) -> dict[str, Any]:
    """The workload of a flow; plans before version 4 only had bulk transfers."""
    workload: dict[str, Any] = planned.get("workload", {"kind": "bulk"})
    return workload


def flows_with(run: Run, kind: str) -> list[int]:
    """The numbers of the flows with a kind of workload."""
    return [n for n, flow in enumerate(run.flow_plans) if workload_of(flow)["kind"] == kind]


def flow_sender(planned: dict[str, Any]) -> Sender:
    """What the plan states about a flow's sender."""
    kind = workload_of(planned)["kind"]
    # When a program has something to send is not known: only the time that it did not limit is judged.
    return Sender(pauses=kind not in ("bulk", "bytes"), rate_limit=planned.get("pacing_bps") is not None)


def flow_control(run: Run, flow: int) -> Control:
    """Whether the congestion control of one flow was in control."""
    if is_udp(run.flow_plans[flow]):
        return UNJUDGED
    start_ns, stop_ns = flow_time(run, flow)
    samples = within(run.flow_samples(flow), start_ns, stop_ns)
    if samples["busy_us"].null_count():
        # Measured by other programs, which do not say what limited the sender.
        return Control(None, ("what limited the sender was not measured",))
    sender = replace(flow_sender(run.flow_plans[flow]), short_of_memory=_was_short_of_memory(run))
    return judge_control(samples, run.flow_reports[flow]["congestion_control"], sender)


def _was_short_of_memory(run: Run) -> bool:
    """Whether the kernel, which all hosts share, was short of memory for TCP; older runs do not say."""
    limits = run.agent.get("limits", ())
    return any(limit["counter"] == "TcpExtTCPMemoryPressures" for limit in limits)


def out_of_control(run: Run) -> dict[str, str]:
    """By flow, why its congestion control was not in control; nothing if flows were not sampled."""
    if not run.plan["sampling"]["flows_interval_ns"]:
        return {}
    verdicts = [(flow["name"], flow_control(run, number)) for number, flow in enumerate(run.flow_plans)]
    return {name: ", ".join(one.reasons) for name, one in verdicts if one.is_doubtful}
