"""Runs the script that builds kernels."""

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.locate import builder_environment, kernel_builder
from airtcp.execution.runner import end_session

# What the builder says before its reason (`builder_environment`).
_SAID_BY = "airtcp: "
_COMPILER_ERROR = re.compile(r"^.*\berror: .*$", re.MULTILINE)
# Of a reason with a line for each hunk.
_REASON_LINES_MOST = 6


class BuildFailed(AirtcpError):
    """A kernel that was not built: its source does not compile, or does not take a patch or an option."""


def run_builder(words: Sequence[str], log: Path | None = None) -> int:
    """Runs the builder with these words; returns its exit status. What it says goes to the `log`, if given.

    Raises:
        AirtcpError: this installation has no builder.
    """
    script = kernel_builder()
    if script is None:
        remedy = "Install airtcp from its wheel, use its source tree, or set AIRTCP_KERNELS to built kernels"
        raise AirtcpError("this installation has no kernel/build", "", remedy)
    command = ["bash", str(script), *words]
    # In a session of its own, so that make and compilers end with it.
    if log is None:
        return _waited(subprocess.Popen(command, env=builder_environment(), start_new_session=True))
    with log.open("wb") as said:
        return _waited(
            subprocess.Popen(
                command, env=builder_environment(), start_new_session=True, stdout=said, stderr=said
            )
        )


def _waited(building: "subprocess.Popen[bytes]") -> int:
    try:
        return building.wait()
    finally:
        end_session(building)


def build_quietly(words: Sequence[str], log: Path) -> None:
    """Builds a kernel without a word; one that is not built is a `BuildFailed` with the reason."""
    status = run_builder(words, log)
    if status != 0:
        raise BuildFailed(reason_of(log.read_text(encoding="utf-8", errors="replace"), status), "", "")


def reason_of(said: str, status: int) -> str:
    """Why a builder that said this has failed: the compiler's first error, or its own last words."""
    if (error := _COMPILER_ERROR.search(said)) is not None:
        return error[0].strip()
    lines = said.strip().splitlines()
    begins = [place for place, line in enumerate(lines) if line.startswith(_SAID_BY)]
    if not begins:
        return f"the builder ended with status {status}{': ' + lines[-1] if lines else ''}"
    own = lines[begins[-1] : begins[-1] + _REASON_LINES_MOST]
    return "; ".join(line.removeprefix(_SAID_BY).strip() for line in own)
