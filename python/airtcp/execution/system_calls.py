"""Tries, in a process of its own, the two system calls that containers and hardened machines may refuse.

As a program it prints one JSON object: for each call what the system said, empty if it was allowed.
"""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

# ptrace(2): the guest's kernel steers its processes with it, from their parent.
PTRACE_TRACEME = 0
# personality(2): asks for the present one; the runner sets this flag (docs/determinism.md, 3).
QUERY = 0xFFFFFFFF
ADDR_NO_RANDOMIZE = 0x0040000
LIMIT_S = 30


def refused_calls() -> dict[str, str]:
    """What the system says to `ptrace` and `personality`; empty where it allows them."""
    command = [sys.executable, "-IS", str(Path(__file__))]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT_S)
        said = json.loads(answer.stdout)
    except subprocess.CalledProcessError as error:
        # A filter may also kill who calls.
        return dict.fromkeys(
            ("ptrace", "personality"), f"the process that tried ended with {error.returncode}"
        )
    return {name: str(said[name]) for name in ("ptrace", "personality")}


def _try_calls() -> dict[str, str]:
    libc = ctypes.CDLL(None, use_errno=True)
    now = libc.personality(ctypes.c_ulong(QUERY))
    changed = libc.personality(ctypes.c_ulong((0 if now == -1 else now) | ADDR_NO_RANDOMIZE))
    personality = _said(changed)
    return {"personality": personality, "ptrace": _said(libc.ptrace(PTRACE_TRACEME, 0, None, None))}


def _said(result: int) -> str:
    return os.strerror(ctypes.get_errno()) if result == -1 else ""


if __name__ == "__main__":
    print(json.dumps(_try_calls()))
