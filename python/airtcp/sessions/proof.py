"""The proof that a session is a finished run: both have the same frames on the air."""

from airtcp.errors import AirtcpError
from airtcp.execution.session import Answer, SessionProcess
from airtcp.scenario.plan_types.plan import Plan
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
        _until(process, "stopped")
        if now_ns:
            process.send("go", at_ns=now_ns)
            _until(process, "stopped")
        process.send("frame_hash")
        now = _until(process, "frame_hash")
        process.send("go")
        return str(now["hash"]), str(_until(process, "ended")["hash"])
    finally:
        process.close()


def _until(process: SessionProcess, kind: str) -> Answer:
    while True:
        answer = process.receive()
        if answer is not None and answer["session"] == kind:
            return answer
