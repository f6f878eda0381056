"""Tries, in a separate process, the two system calls that containers and hardened machines may refuse.

As a program it prints one JSON object: the error text of each call, empty if the call succeeded.
"""

import ctypes
import json
import os
import subprocess
import sys
from pathlib import Path

# ptrace(2): the guest's kernel controls its processes with it, as their parent.
PTRACE_TRACEME = 0
# personality(2): asks for the present one; the runner sets this flag (docs/determinism.md, 3).
QUERY = 0xFFFFFFFF
ADDR_NO_RANDOMIZE = 0x0040000
LIMIT_S = 30


def refused_calls() -> dict[str, str]:
    """The error texts of `ptrace` and `personality`; empty if the call is allowed."""
    command = [sys.executable, "-IS", str(Path(__file__))]
    try:
        answer = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT_S)
        said = json.loads(answer.stdout)
    except subprocess.CalledProcessError as error:
        # A seccomp filter may also kill the calling process.
        return dict.fromkeys(
            ("ptrace", "personality"), f"the process that tried it ended with status {error.returncode}"
        )
    return {name: str(said[name]) for name in ("ptrace", "personality")}


def _try_calls() -> dict[str, str]:
    libc = ctypes.CDLL(None, use_errno=True)
    now = libc.personality(ctypes.c_ulong(QUERY))
    changed = libc.personality(ctypes.c_ulong((0 if now == -1 else now) | ADDR_NO_RANDOMIZE))
    personality = _error_text(changed)
    return {"personality": personality, "ptrace": _error_text(libc.ptrace(PTRACE_TRACEME, 0, None, None))}


def _error_text(result: int) -> str:
    return os.strerror(ctypes.get_errno()) if result == -1 else ""


if __name__ == "__main__":
    print(json.dumps(_try_calls()))
