"""Mininet in a lab guest: one node without links, in which Mininet itself makes the network."""

import base64
import contextlib
import shlex
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO

from airtcp.execution.limits import Limits
from airtcp.execution.locate import find_kernel
from airtcp.execution.run_names import names
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.plan_types.plan import Plan
from airtcp.scenario.reading.scenario_file import scenario_from_tables

PROGRAM = "mininet"
POLL_S = 0.1
# Seconds of real time for which virtual time may stand still: starting Python and Open vSwitch takes some.
STALL_S = 300
# Open vSwitch counts processors no earlier than 10 s after boot (COUNT_CPU_UPDATE_TIME_MS of its
# lib/ovs-thread.c), and handles no packet before.
_EPOCH = "60 s"
# A pipe that never ends: at its end Mininet's prompt would poll without sleeping, and virtual time stop.
_START = """
mkfifo /run/commands; exec 3<>/run/commands; cat "$SCENARIO_DIR/commands" >&3 &
control=/usr/share/openvswitch/scripts/ovs-ctl
[ ! -x $control ] || $control --system-id=airtcp start >"$RUN_DIR/openvswitch.log" 2>&1 ||
    cat "$RUN_DIR/openvswitch.log" >&2
# Mininet's own installation makes this link, Debian's package does not.
command -v controller >/dev/null || ln -s /usr/bin/ovs-testcontroller /usr/local/bin/controller
cd {folder} || exit
export PYTHONUNBUFFERED=1
{command} <&3
status=$?
echo $status >"$RUN_DIR/status"
exit $status
"""


def mininet_plan(command: Sequence[str], commands: bytes, folder: Path, seed: int) -> Plan:
    """The plan of a command in a lab guest; `commands` are typed at Mininet's prompt, which then ends."""
    tables = {
        "name": PROGRAM,
        "seed": seed,
        "duration": "86400 s",
        "ends_with": PROGRAM,
        "epoch": _EPOCH,
        "memory_mib": 2048,
        "guest": {"flavour": "lab", "privileged": True},
        # Nothing of this node is an interface of the plan.
        "sampling": {"qdiscs": "0 s"},
        "node": {PROGRAM: {"kind": "host"}},
        "sysctl": {"net.ipv6.conf.all.disable_ipv6": 0, "net.ipv6.conf.default.disable_ipv6": 0},
        "program": [
            {
                "name": PROGRAM,
                "node": PROGRAM,
                "must_succeed": False,
                "command": _START.format(folder=shlex.quote(str(folder)), command=shlex.join(command)),
            }
        ],
    }
    plan = compile_scenario(scenario_from_tables(tables))
    typed = commands + (b"" if commands.endswith(b"\n") or not commands else b"\n") + b"exit\n"
    content = {"kind": "base64", "base64": base64.b64encode(typed).decode()}
    plan["files"] = [{"path": "commands", "executable": False, "content": content}]
    return plan


def run_mininet(plan: Plan, runner: Path, store: Path, show: Callable[[str, bytes], None]) -> Path:
    """Runs the plan; shows what the command writes (`out` or `err`) while it does. Returns the run folder."""
    kernels = {plan["kernel"]: find_kernel(plan["kernel"])}
    tools = Tools(runner, kernels, store, fresh=True, limits=Limits(STALL_S, None))
    output = _Output(store, names(runner, kernels, [plan])[0], show)
    reader = threading.Thread(target=output.follow, daemon=True)
    reader.start()
    try:
        return run_plan(plan, tools, Running(), lambda _: None).folder
    finally:
        output.over.set()
        reader.join()


class _Output:
    """The two files of the command, in the run's working folder as long as it runs."""

    def __init__(self, store: Path, run: str, show: Callable[[str, bytes], None]) -> None:
        self.over = threading.Event()
        self._store, self._run, self._show = store, run, show
        self._files: dict[str, IO[bytes]] = {}

    def follow(self) -> None:
        """Shows what is written until the run is over, and what was left then."""
        while not self.over.wait(POLL_S):
            self._show_new()
        self._show_new()
        for file in self._files.values():
            file.close()

    def _show_new(self) -> None:
        for end in ("out", "err"):
            if end not in self._files:
                # Once open, the file can be read to its end, whatever becomes of its folder.
                for path in self._store.glob(f".working-{self._run}-*/programs/{PROGRAM}.{end}"):
                    with contextlib.suppress(FileNotFoundError):
                        self._files[end] = path.open("rb")
            new = self._files[end].read() if end in self._files else b""
            if new:
                self._show(end, new)
