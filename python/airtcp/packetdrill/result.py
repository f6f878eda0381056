"""How a case ended: packetdrill's exit status, what it wrote, and at which virtual time."""

import re
from dataclasses import dataclass

from airtcp.packetdrill.variants import Case
from airtcp.suites.ending import Ending
from airtcp.suites.verdict import Verdict

# "NAME.pkt:LINE: what is wrong", as packetdrill reports events, and "NAME.pkt: what" for the rest.
_REASON = re.compile(r"^[^\s:]+\.pkt:(?:(?P<line>\d+):)?\s*(?P<what>.+)$", re.MULTILINE)
_RUNTIME = "runtime error in "
# Code in a script that checks `tcp_info` (%{ }%) fails with Python's words.
_CODE = "error in Python code"
_ASSERTION = re.compile(r"^\s+assert (?P<asserted>.+?),? *\w*;? *\\?$", re.MULTILINE)


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
