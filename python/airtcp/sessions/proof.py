"""The proof that a session is a finished run: both have the same frames on the air."""

from airtcp.errors import AirtcpError
from airtcp.execution.session import SessionProcess
from airtcp.plans.types.plan import Plan
from airtcp.sessions.lab import Lab
from airtcp.sessions.opening import Opened, frame_hash_of


def prove(opened: Opened, lab: Lab) -> str:
    """Says that this session has the frames of the run up to now; another history is an `AirtcpError`.

    The run is computed again, to its end: there its hash must be that of the run, and at this instant that
    of this session.
    """
    assert opened.run is not None, "the session was opened with a run"
    now_ns = lab.session.now_ns
    now, end = _hashes(opened, now_ns)
    if now != lab.frame_hash().hash or end != frame_hash_of(opened.run):
        what = "the present kernel, library and agent give another run"
        raise AirtcpError(what, str(opened.run), "Compute it again: airtcp run with its plan.json")
    return f"The frames up to {now_ns / 1e9:g} s are those of run {opened.run.name}."


def _hashes(opened: Opened, now_ns: int) -> tuple[str, str]:
    """The hashes of the run at an instant and at its end."""
    plan: Plan = {**opened.plan, "session": {"inputs": list(opened.inputs)}}
    process = SessionProcess(plan, opened.tools)
    try:
        _wait_until_it_stands(process)
        if now_ns:
            process.send({"order": "go", "at_ns": now_ns, "condition": None})
            _wait_until_it_stands(process)
        process.send({"order": "frame_hash"})
        now = _next_hash(process)
        process.send({"order": "go", "condition": None})
        return now, _next_hash(process)
    finally:
        process.close()


def _wait_until_it_stands(process: SessionProcess) -> None:
    while (answer := process.receive()) is None or answer["session"] != "stopped":
        pass


def _next_hash(process: SessionProcess) -> str:
    """The hash that was asked for, or that of the end."""
    while True:
        answer = process.receive()
        if answer is not None and (answer["session"] == "frame_hash" or answer["session"] == "ended"):
            return answer["hash"]
