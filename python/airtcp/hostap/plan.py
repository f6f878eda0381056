"""The plan of a batch: a lab guest with radios, in which the suite runs its tests."""

import shlex
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from airtcp.hostap.batches import Batch
from airtcp.hostap.suite import PYTHON, Suite
from airtcp.mininet.plan import LIBRARY, NODE, RadioKind, guest_file, mininet_plan
from airtcp.plans.types.plan import Plan, PlanFile, PlanProgram

PROGRAM = "hostap"
RADIOS = 16
"""Those that start.sh asks for, 7, and spare ones: no test makes more than 8 itself."""
LIMIT_S = 7200
"""Virtual seconds of a batch: its tests take some 10 s each, and the longest five minutes."""
# Of what mac80211_hwsim's radios have, what airtcp's can have.
_KIND = RadioKind("11ac", "160 MHz")
# Nothing in the guest waits for Open vSwitch.
_EPOCH_NS = 5_000_000_000
_GUEST = Path(__file__).parent / "guest"
_FOLDER = f"{LIBRARY}/airtcp/hostap"
_LIST = "hostap-tests"


@dataclass(frozen=True)
class Setting:
    """What all batches have in common: the suite, the seed, and where Python keeps what it compiled of it."""

    suite: Suite
    seed: int = 1
    compiled: Path | None = None


def batch_plan(batch: Batch, setting: Setting, *, dbus: bool = False) -> Plan:
    """The plan of a batch; `dbus`: one of its tests needs the daemon of D-Bus."""
    base = _base_plan(setting.seed)
    words = [
        PYTHON,
        f"/run/scenario/{_FOLDER}/guest/suite_run.py",
        str(setting.suite.tests),
        f"/run/scenario/{_LIST}",
        "dbus" if dbus else "-",
    ]
    compiled = f"PYTHONPYCACHEPREFIX={shlex.quote(str(setting.compiled))} " if setting.compiled else ""
    program: PlanProgram = {
        "name": PROGRAM,
        "node": NODE,
        "command": f"exec 2>&1; {compiled}{shlex.join(words)}",
        "start_ns": 0,
        "must_succeed": False,
        "stop_ns": None,
    }
    tests = guest_file(_LIST, "".join(f"{test.name}\n" for test in batch.tests), executable=False)
    return {
        **base,
        "name": batch.label,
        "date_s": setting.suite.date_s,
        "programs": [program],
        "ends_with_programs": [0],
        "files": [*base["files"], *_guest_files(), tests],
    }


@cache
def _base_plan(seed: int) -> Plan:
    return {
        **mininet_plan(RADIOS, seed, _KIND),
        "epoch_ns": _EPOCH_NS,
        "duration_ns": LIMIT_S * 1_000_000_000,
    }


@cache
def _guest_files() -> list[PlanFile]:
    package = guest_file(f"{_FOLDER}/__init__.py", "", executable=False)
    modules = [
        guest_file(f"{_FOLDER}/guest/{source.name}", source.read_text("utf-8"), executable=False)
        for source in sorted(_GUEST.glob("*.py"))
    ]
    return [package, *modules]
