"""Checks that a machine can run airtcp, each with a remedy."""

import importlib.util
import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.host import Check, examine_host
from airtcp.execution.locate import find_kernel, find_runner, kernel_label
from airtcp.execution.runner import end_session
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.values.kernel_series import kernel_keys

PYTHON_PACKAGES = ("pydantic", "typer", "rich", "polars", "numpy", "matplotlib", "scipy", "jinja2")
CHECKS_LIMIT_S = 120
# What the checks run: a station that pings its access point.
SCENARIO: dict[str, Any] = {
    "name": "doctor",
    "duration": "2 s",
    "wifi": {"home": {"standard": "11g", "stations": ["sta1"]}},
    "ping": [{"from": "sta1", "to": "ap1"}],
}
BUILD_RUNNER = "Build the runner again: cargo build --release"


def examine(series: str, store: Path) -> Iterator[Check]:
    """All checks, in the order of their dependencies."""
    yield _python_packages()
    yield from examine_host(store)
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
        yield from _guest_checks(runner, kernel, series)


def _python_packages() -> Check:
    missing = [name for name in PYTHON_PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        remedy = f"Install them: pip install {' '.join(missing)}"
        return Check("python packages", False, f"missing: {', '.join(missing)}", remedy)
    return Check("python packages", True, ", ".join(PYTHON_PACKAGES))


def _guest_checks(runner: Path, kernel: Path, series: str) -> Iterator[Check]:
    with TemporaryDirectory(prefix="airtcp-") as folder:
        plan = Path(folder) / "plan.json"
        compiled = compile_scenario(scenario_from_tables(SCENARIO | kernel_keys(series)))
        plan.write_text(json.dumps(compiled), encoding="utf-8")
        answer = _ask([str(runner), "doctor", "--plan", str(plan), "--kernel", str(kernel)])
    if isinstance(answer, Check):
        yield answer
        return
    any_check = False
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
            check = Check(
                "guest",
                False,
                f"the runner printed {line[:120]!r}",
                BUILD_RUNNER,
            )
        any_check = True
        yield check
    if not any_check:
        last = answer[1].strip().splitlines()[-1:] or ["nothing"]
        yield Check(
            "guest",
            False,
            f"the runner's checks printed {last[0]}",
            BUILD_RUNNER,
        )


def _ask(command: list[str]) -> tuple[str, str] | Check:
    """Output and errors of the runner's checks, or a failed check if they do not end."""
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(command, stdout=pipe, stderr=pipe, start_new_session=True)
    except OSError as error:
        return Check(
            "guest",
            False,
            f"the runner can't be started: {error.strerror}",
            BUILD_RUNNER,
        )
    try:
        output, errors = process.communicate(timeout=CHECKS_LIMIT_S)
        return output.decode(errors="replace"), errors.decode(errors="replace")
    except subprocess.TimeoutExpired:
        remedy = "Run airtcp-runner doctor yourself to see where it stops"
        return Check("guest", False, f"the runner's checks took over {CHECKS_LIMIT_S} s", remedy)
    finally:
        end_session(process)
