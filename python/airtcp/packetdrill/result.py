"""How a case ended: packetdrill's exit status, what it wrote, and at which virtual time."""

import re
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from airtcp.data.json_file import read_json
from airtcp.execution.events import Done, RunFailed
from airtcp.input_file import read_input
from airtcp.packetdrill.plan import PROGRAM
from airtcp.packetdrill.variants import Case

# What a script writes in a moment; a broken one may write without end.
_OUTPUT_BYTES_MOST = 64 << 20
# "NAME.pkt:LINE: what is wrong", as packetdrill reports events, and "NAME.pkt: what" for the rest.
_REASON = re.compile(r"^[^\s:]+\.pkt:(?:(?P<line>\d+):)?\s*(?P<what>.+)$", re.MULTILINE)
_RUNTIME = "runtime error in "
# Code in a script that checks `tcp_info` (%{ }%) fails with Python's words.
_CODE = "error in Python code"
_ASSERTION = re.compile(r"^\s+assert (?P<asserted>.+?),? *\w*;? *\\?$", re.MULTILINE)


class Verdict(Enum):
    """How a case ended; the value is its name in lists."""

    PASSED = "passed"
    FAILED = "failed"
    KNOWN = "failed as known"
    PASSED_ALL_THE_SAME = "passed, known to fail"


@dataclass(frozen=True)
class Ending:
    """What can be compared of a case to the bit: exit status, end and output."""

    status: int | None
    end_ns: int
    output: bytes
    failure: str = ""
    """Why there is no result: the run failed, or the script took too long."""


@dataclass(frozen=True)
class Result:
    """A case with its ending, its verdict and the reason of a known difference."""

    case: Case
    ending: Ending
    verdict: Verdict
    known: str = ""
    cpu_s: float = 0.0

    @property
    def is_unexpected(self) -> bool:
        """Whether it failed without a known reason."""
        return self.verdict is Verdict.FAILED

    @property
    def line(self) -> int | None:
        """The line of the script at which it failed."""
        found = _reason(self.ending)
        return int(found["line"]) if found and found["line"] else None

    @property
    def reason(self) -> str:
        """Why it failed, in packetdrill's words."""
        if self.ending.status == 0:
            return ""
        if self.ending.failure:
            return self.ending.failure
        found = _reason(self.ending)
        text = self.ending.output.decode(errors="replace")
        if found and found["what"] == _CODE:
            return _of_python(text[found.end() :]) or _CODE
        if found:
            return found["what"].removeprefix(_RUNTIME)
        lines = [line for line in text.splitlines() if line.strip()]
        return lines[-1].strip() if lines else f"exit status {self.ending.status}"


def _of_python(text: str) -> str:
    """What Python says of code that failed: the assertion with the value, or the exception."""
    trace = text.partition("Traceback")[2].partition(".pkt: error executing")[0]
    lines = [line for line in trace.splitlines()[1:] if line and not line[0].isspace()]
    error = next((line for line in lines if "Error" in line), "")
    asserted = _ASSERTION.findall(trace)
    if error.startswith("AssertionError: ") and asserted:
        return f"{asserted[-1]}: it is {error.removeprefix('AssertionError: ')}"
    if asserted and error == "AssertionError":
        return f"{asserted[-1]} is not so"
    return error


def _reason(ending: Ending) -> re.Match[str] | None:
    return _REASON.search(ending.output.decode(errors="replace"))


def ending_of_run(done: Done) -> Ending:
    """The ending of a run that is complete."""
    agent = read_json(done.folder / "summary.json", ("agent",))["agent"]
    program = agent["programs"][0]
    output = _written(done.folder)
    if program["status"] is None:
        why = f"took longer than {done.virtual_s:.0f} s of virtual time"
        return Ending(None, agent["end_ns"], output, why)
    return Ending(program["status"], agent["end_ns"], output)


def ending_of_failure(failed: RunFailed) -> Ending:
    """The ending of a run that has no result: it hangs, or its guest fell."""
    return Ending(None, 0, "\n".join(failed.console).encode(), failed.what)


def _written(folder: Path) -> bytes:
    files = [folder / "programs" / f"{PROGRAM}.{end}" for end in ("err", "out")]
    return b"".join(read_input(file, _OUTPUT_BYTES_MOST, follow=False) for file in files if file.is_file())
