"""The plan of a case: one node without links, in which packetdrill runs."""

import shlex
from dataclasses import dataclass
from functools import cache
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.kernels.table import DEFAULT_KERNEL, FREQUENCIES_HZ, USUAL_HZ
from airtcp.packetdrill.binary import Binary
from airtcp.packetdrill.guest_files import needed_files, plan_files
from airtcp.packetdrill.variants import Case
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.values.kernel_series import kernel_keys, known_kernel

PROGRAM = "packetdrill"
LIMIT_S = 180
"""Virtual seconds for a script (`max_runtime` of packetdrill's run_all.py)."""
_SUITE = "suite"


@dataclass(frozen=True)
class Setting:
    """What all cases have in common: packetdrill, the kernel, and whether each packet is printed."""

    binary: Binary
    kernel: str = DEFAULT_KERNEL
    hz: int | None = None
    verbose: bool = False


def case_plan(case: Case, setting: Setting) -> Plan:
    """The plan of a case."""
    base = _base_plan(setting.kernel, setting.hz)
    root, files = needed_files(case.script.file)
    folder = f"{_SUITE}/{case.script.file.parent.relative_to(root).as_posix()}"
    brought = [setting.binary.brought] if setting.binary.brought else []
    options = [*case.options, *(["--verbose"] if setting.verbose else []), case.script.file.name]
    command = f'cd "$SCENARIO_DIR"/{shlex.quote(folder)} && {setting.binary.words} {shlex.join(options)}'
    return {
        **base,
        "name": case.label,
        "programs": [{**base["programs"][0], "command": command}],
        "files": [*plan_files(root, files, _SUITE), *brought],
    }


def kernel_tables(name: str, hz: int | None) -> dict[str, Any]:
    """The keys of a scenario that choose a kernel by its name and a timer frequency beside it."""
    kernel = known_kernel(name, f"--kernel {name}")
    if hz is not None and hz not in FREQUENCIES_HZ:
        remedy = f"Write one of {', '.join(map(str, FREQUENCIES_HZ))}"
        raise AirtcpError("is no timer frequency of kernels", f"--hz {hz}", remedy)
    if hz is not None and kernel.hz not in (USUAL_HZ, hz):
        raise AirtcpError(f"contradicts --kernel {name}", f"--hz {hz}", "Give one of them")
    return kernel_keys(name) | ({} if hz is None else {"hz": hz})


@cache
def _base_plan(kernel: str, hz: int | None) -> Plan:
    """A plan whose only node is as a network namespace that was just made: nothing is set in it."""
    tables = {
        **kernel_tables(kernel, hz),
        "name": PROGRAM,
        "duration": f"{LIMIT_S} s",
        "ends_with": PROGRAM,
        "sampling": {"qdiscs": "0 s", "sockets": False},
        # A scenario has links; this one goes below.
        "wire": [{"between": ["host", "peer"]}],
        "program": [{"name": PROGRAM, "node": "host", "command": "true", "must_succeed": False}],
    }
    plan = compile_scenario(scenario_from_tables(tables))
    host = next(node for node in plan["nodes"] if node["name"] == "host")
    return {**plan, "nodes": [{**host, "interfaces": [], "sysctls": []}]}
