"""The names of runs, computed from plans without executing them."""

import json
import subprocess
import tempfile
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import IO, Any

from airtcp.errors import AirtcpError
from airtcp.execution.events import RunFailed, protocol_error, read_event


def names(runner: Path, kernels: Mapping[str, Path], plans: Iterable[Mapping[str, Any]]) -> list[str]:
    """The name of each plan's run with this runner and these kernels (by series), in the plans' order.

    Takes about 0.1 ms per plan: no guest is started. The first invalid plan raises `AirtcpError`.
    """
    found = names_or_errors(runner, kernels, plans)
    for name in found:
        if isinstance(name, AirtcpError):
            raise name
    return [name for name in found if isinstance(name, str)]


def names_or_errors(
    runner: Path, kernels: Mapping[str, Path], plans: Iterable[Mapping[str, Any]]
) -> list[str | AirtcpError]:
    """Names of the runs of plans; an invalid plan has its error in place of a name."""
    command = [str(runner), "names"]
    for folder in sorted({str(folder) for folder in kernels.values()}):
        command += ["--kernel", folder]
    labels: list[str] = []
    with tempfile.TemporaryFile("w+") as errors:
        pipe = subprocess.PIPE
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=errors)
        except OSError as error:
            remedy = "Check AIRTCP_RUNNER, or build it: cargo build --release"
            raise AirtcpError(f"can't be started: {error.strerror}", str(runner), remedy) from None
        try:
            lines = _exchange(process, plans, labels)
        except BaseException:
            process.kill()
            raise
        finally:
            status = process.wait()
        errors.seek(0)
        last = errors.read()[-2000:].strip().splitlines()[-1:]
    if status != 0:
        raise _refusal(lines, f"ended with status {status}{': ' if last else ''}{''.join(last)}")
    if len(lines) != len(labels):
        raise protocol_error(f"named {len(lines)} of {len(labels)} plans")
    return [_answer(line, label) for line, label in zip(lines, labels, strict=True)]


def _exchange(
    process: "subprocess.Popen[bytes]", plans: Iterable[Mapping[str, Any]], labels: list[str]
) -> list[bytes]:
    """Writes plans while a thread reads the answers; otherwise both pipes could fill up and block."""
    assert process.stdin is not None, "stdin is a pipe"
    assert process.stdout is not None, "stdout is a pipe"
    with ThreadPoolExecutor(1) as reader, process.stdout:
        answers = reader.submit(process.stdout.read)
        try:
            _write(process.stdin, plans, labels)
        except BrokenPipeError:
            # It ended early and printed the reason.
            pass
        except BaseException:
            process.kill()
            raise
        return answers.result().splitlines()


def _write(to: IO[bytes], plans: Iterable[Mapping[str, Any]], labels: list[str]) -> None:
    try:
        for plan in plans:
            labels.append(f"plan {len(labels) + 1} ({plan.get('name', 'without a name')})")
            to.write(json.dumps(plan).encode() + b"\n")
    finally:
        to.close()


def _refusal(lines: list[bytes], otherwise: str) -> AirtcpError:
    for line in lines:
        event = read_event(line.decode(errors="replace")) if line.startswith(b'{"event"') else None
        if isinstance(event, RunFailed):
            return event
    return protocol_error(otherwise)


def _answer(line: bytes, label: str) -> str | AirtcpError:
    try:
        fields = json.loads(line)
        if "run" in fields:
            return str(fields["run"])
        error = fields["error"]
        return RunFailed(str(error["kind"]), str(error["what"]), label, str(error["remedy"]), [])
    except (ValueError, KeyError, TypeError):
        raise protocol_error(f"printed {line[:200]!r}") from None
