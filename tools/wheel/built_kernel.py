"""The kernel that goes into a wheel: that which `kernel/build` finds for its present patches."""

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERIES = tomllib.loads((ROOT / "kernel/series.toml").read_text(encoding="utf-8"))["default"]
KERNEL_FILES = ("linux", "kernel.json", "config")


def built_kernel(series: str, target: str) -> Path:
    """The folder of the kernel of this series; without one `make TARGET` is named, which builds it."""
    command = [str(ROOT / "kernel" / "build"), "--series", series, "--print-path"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode != 0:
        sys.exit(f"this wheel needs the kernel {series}: 'make {target}' builds it ({answer.stderr.strip()})")
    return Path(answer.stdout.strip().splitlines()[-1])
