"""The plan of a test: a lab guest as a machine that was just booted, whose one node is its root."""

import os
import shlex
from functools import cache
from typing import Any

from airtcp.errors import AirtcpError
from airtcp.execution.host import GUESTS_OWN_FOLDERS, SYSTEM_FOLDERS
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.values.kernel_series import kernel_keys, known_kernel
from airtcp.selftests.installed import Selftest, interpreter

PROGRAM = "selftest"
LAB = "lab"
_NODE = "machine"
# Tests make namespaces by the dozen, and files to send.
_MEMORY_MIB = 1024


def lab_kernel(name: str) -> dict[str, Any]:
    """The keys of a scenario for the kernel of this name, in the flavour that tests need."""
    keys = kernel_keys(str(known_kernel(name, f"--kernel {name}")))
    return {**keys, "guest": {"flavour": LAB, "privileged": True}}


def selftest_plan(test: Selftest, kernel: str) -> Plan:
    """The plan of a test."""
    for own in GUESTS_OWN_FOLDERS:
        if test.root.resolve().is_relative_to(own):
            what = f"the guest has an empty {own} of its own"
            raise AirtcpError(what, str(test.root), "Install the self-tests elsewhere")
    base = _base_plan(kernel, test.timeout_s)
    # Tests take programs as those of the user's shell: a newer iproute2, for instance.
    path = os.pathsep.join([os.environ.get("PATH", ""), *SYSTEM_FOLDERS]).lstrip(os.pathsep)
    command = (
        f"export PATH={shlex.quote(path)} HOME=/root USER=root LOGNAME=root; exec 2>&1\n"
        f"cd {shlex.quote(str(test.place.resolve()))} || exit\nexec {shlex.join(interpreter(test))}"
    )
    return {**base, "name": PROGRAM, "programs": [{**base["programs"][0], "command": command}]}


@cache
def _base_plan(kernel: str, limit_s: int) -> Plan:
    tables = {
        **lab_kernel(kernel),
        "name": PROGRAM,
        "duration": f"{limit_s} s",
        "ends_with": PROGRAM,
        "memory_mib": _MEMORY_MIB,
        "sampling": {"qdiscs": "0 s", "sockets": False},
        "node": {_NODE: {"kind": "host"}},
        "program": [{"name": PROGRAM, "node": _NODE, "command": "true", "must_succeed": False}],
    }
    plan = compile_scenario(scenario_from_tables(tables))
    machine = next(n for n, node in enumerate(plan["nodes"]) if node["name"] == _NODE)
    plan["guest"]["initial_node"] = machine
    # Nothing is set: IPv6 is as Linux has it, and metrics are saved.
    plan["nodes"][machine]["sysctls"] = []
    return plan
