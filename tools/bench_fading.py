"""The cost of tapped delay lines: a saturated station at 80 MHz with model D, over the same without."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from airtcp.scenario.compile.compiler import compile_scene_file, plan_text

SCENARIO = Path(__file__).resolve().parent / "bench" / "selective.toml"
# Nobody moves, and people walk about (docs/models/fading.md).
SPEEDS = ("0.089 km/h", "1.2 km/h")


def fading_costs(runner: Path, rounds: int) -> Iterator[tuple[str, list[float]]]:
    """Ratios of CPU time by speed and number of antennas, each of two runs in turn."""
    for streams in (1, 2):
        for speed in SPEEDS:
            fading = {"kind": "tgn", "model": "D", "speed": speed}
            ratios = [_cpu_s(runner, streams, fading) / _cpu_s(runner, streams, None) for _ in range(rounds)]
            yield f"fading by model D at {speed}, {streams} antenna{'s' * (streams > 1)}", ratios


def _cpu_s(runner: Path, streams: int, fading: dict[str, Any] | None) -> float:
    changes: dict[str, Any] = {"wifi.ax.streams": streams}
    if fading is not None:
        changes["channel.fading"] = fading
    with tempfile.TemporaryDirectory(prefix="airtcp-bench-") as folder:
        scene = Path(folder) / "scene.json"
        scene.write_text(plan_text(compile_scene_file(SCENARIO, changes)), encoding="utf-8")
        child = subprocess.Popen([runner, "air", scene], stdout=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
    if status:
        raise RuntimeError("airtcp-runner air failed")
    return used.ru_utime + used.ru_stime
