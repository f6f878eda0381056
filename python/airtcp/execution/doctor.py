"""What a machine lacks to run airtcp, and how to get it."""

import importlib.util
import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.locate import find_kernel, find_runner, kernel_label
from airtcp.execution.runner import end_session

PYTHON_PACKAGES = ("pydantic", "typer", "rich", "polars", "numpy", "matplotlib")
# The guest sets up its network with the host's own programs; they need no privileges there.
PROGRAMS = ("ip", "tc")
# Where they are on systems that keep them off an ordinary user's path.
_SYSTEM_FOLDERS = ("/usr/sbin", "/sbin")
CHECKS_LIMIT_S = 120


@dataclass(frozen=True)
class Check:
    """One thing looked at."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def examine(series: str) -> Iterator[Check]:
    """Every check, in the order in which things depend on each other."""
    yield _python_packages()
    for program in PROGRAMS:
        yield _program(program)
    runner = kernel = None
    try:
        runner = find_runner()
        yield Check("runner", True, str(runner))
    except AirtcpError as error:
        yield Check("runner", False, error.what, error.remedy)
    try:
        kernel = find_kernel(series)
        yield Check("kernel", True, f"{kernel_label(kernel)} in {kernel}")
    except AirtcpError as error:
        yield Check("kernel", False, error.what, error.remedy)
    if runner is not None and kernel is not None:
        yield from _guest_checks(runner, kernel)


def _python_packages() -> Check:
    missing = [name for name in PYTHON_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        return Check(
            "python packages", False, f"missing: {', '.join(missing)}", "Install with: pip install ."
        )
    return Check("python packages", True, ", ".join(PYTHON_PACKAGES))


def _program(name: str) -> Check:
    folders = [*os.environ.get("PATH", "").split(os.pathsep), *_SYSTEM_FOLDERS]
    found = shutil.which(name, path=os.pathsep.join(folders))
    if found is None:
        return Check(f"program {name}", False, "not found", "Install iproute2 (Debian: apt install iproute2)")
    return Check(f"program {name}", True, found)


def _guest_checks(runner: Path, kernel: Path) -> Iterator[Check]:
    answer = _ask([str(runner), "doctor", "--kernel", str(kernel)])
    if isinstance(answer, Check):
        yield answer
        return
    said = False
    for line in answer[0].splitlines():
        try:
            fields = json.loads(line)
            check = Check(
                str(fields["check"]),
                bool(fields["ok"]),
                str(fields["detail"]),
                str(fields.get("remedy") or ""),
            )
        except (ValueError, KeyError, TypeError):
            check = Check("guest", False, f"the runner said {line[:120]!r}", "Build it again")
        said = True
        yield check
    if not said:
        last = answer[1].strip().splitlines()[-1:] or ["nothing"]
        yield Check("guest", False, f"the runner's checks said {last[0]}", "Build it again")


def _ask(command: list[str]) -> tuple[str, str] | Check:
    """Output and errors of the runner's checks; they and their guests end with us, whatever happens."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(command, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        return Check("guest", False, f"the runner can't be started: {error.strerror}", "Build it again")
    try:
        output, errors = process.communicate(timeout=CHECKS_LIMIT_S)
        return output.decode(errors="replace"), errors.decode(errors="replace")
    except subprocess.TimeoutExpired:
        remedy = "Run airtcp-runner doctor by hand"
        return Check("guest", False, f"the runner's checks took over {CHECKS_LIMIT_S} s", remedy)
    finally:
        end_session(process)
