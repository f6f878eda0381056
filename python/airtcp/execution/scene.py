"""The runner's commands `air` (scenes without a guest), `explain` (closed forms) and `coverage`."""

import hashlib
import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.events import RunFailed, protocol_error, read_event

PLAN_FILE, REPORT_FILE = "plan.json", "report.json"


def run_scene(runner: Path, plan: Mapping[str, Any], store: Path) -> tuple[Path, dict[str, Any]]:
    """Computes a scene; returns its folder in the store, which has plan and report, and the report."""
    report = ask_runner(runner, "air", plan, ("sources", "nics", "media"))
    text = json.dumps(plan, sort_keys=True)
    folder = store / f"air-{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    try:
        folder.mkdir(exist_ok=True)
        _write_whole(folder / PLAN_FILE, plan)
        _write_whole(folder / REPORT_FILE, report)
    except OSError as error:
        what = f"can't be written: {error.strerror}"
        raise AirtcpError(what, str(folder), "Choose another store with --store") from None
    return folder, report


def _write_whole(file: Path, value: Mapping[str, Any]) -> None:
    """Replaces the file atomically."""
    with tempfile.NamedTemporaryFile("w", dir=file.parent, delete=False, encoding="utf-8") as aside:
        aside.write(json.dumps(value, indent=2) + "\n")
    Path(aside.name).replace(file)


def explain_plan(runner: Path, plan: Mapping[str, Any]) -> dict[str, Any]:
    """PPDU durations and capacities of every link of a plan, with or without a guest."""
    return ask_runner(runner, "explain", plan, ("links",))


def coverage_of(
    runner: Path, plan: Mapping[str, Any], places_m: Sequence[Sequence[float]], error_rate: float
) -> dict[str, Any]:
    """What a station would have of each access point of a plan at each place: signal and mode.

    The mode is the fastest whose packet error rate is at most `error_rate`, as `ideal` rate control has it.
    """
    request = {"error_rate": error_rate, "places_m": places_m}
    return ask_runner(runner, "coverage", plan, ("sensitivity_dbm", "access_points"), json.dumps(request))


def ask_runner(
    runner: Path, command: str, plan: Mapping[str, Any], keys: tuple[str, ...], said: str | None = None
) -> dict[str, Any]:
    """The runner's JSON output for a plan, which must have these keys; its failure is raised.

    `said` is its standard input.
    """
    with tempfile.TemporaryDirectory(prefix="airtcp-") as folder:
        file = Path(folder) / PLAN_FILE
        file.write_text(json.dumps(plan), encoding="utf-8")
        try:
            ended = subprocess.run(
                [str(runner), command, str(file)], input=said, capture_output=True, text=True, check=False
            )
        except OSError as error:
            remedy = "Check AIRTCP_RUNNER, or build it: cargo build --release"
            raise AirtcpError(f"can't be started: {error.strerror}", str(runner), remedy) from None
    if ended.returncode != 0:
        raise _failure(ended, file)
    try:
        answer = json.loads(ended.stdout)
    except ValueError:
        raise protocol_error(f"printed {ended.stdout.strip()[:200]!r}") from None
    if not isinstance(answer, dict) or any(key not in answer for key in keys):
        raise protocol_error(f"printed no {', '.join(keys)}")
    return answer


def _failure(ended: "subprocess.CompletedProcess[str]", plan: Path) -> AirtcpError:
    for line in ended.stdout.splitlines():
        event = read_event(line) if line.startswith("{") else None
        if isinstance(event, RunFailed):
            # The plan was a temporary file: name the scenario instead.
            place = "the compiled scenario" if event.place == str(plan) else event.place
            return RunFailed(event.kind, event.what, place, event.remedy, event.console)
    last = ended.stderr.strip().splitlines()[-1:]
    return protocol_error(f"ended with status {ended.returncode}{': ' if last else ''}{''.join(last)[:500]}")
