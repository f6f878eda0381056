"""Runs of scenarios that were made for a recording."""

import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import numpy.typing as npt
from airtcp.data.run_folder import open_run

Floats = npt.NDArray[np.float64]


def rtts_ms(text: str, files: dict[str, str], store: Path) -> tuple[Floats, float]:
    """RTTs of the pings of a scenario that were answered, and the share that was not."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "scenario.toml").write_text(text, encoding="utf-8")
        for file, content in files.items():
            (folder / file).write_text(content, encoding="utf-8")
        command = [
            sys.executable,
            "-m",
            "airtcp",
            "run",
            str(folder / "scenario.toml"),
            "--store",
            str(store),
        ]
        answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode:
        raise SystemExit(answer.stderr)
    run = open_run(Path(answer.stdout.strip().splitlines()[-1].removeprefix("Run folder: ")))
    rtt_ns = run.series("pings")["rtt_ns"].to_numpy()
    return rtt_ns[rtt_ns >= 0] / 1e6, float(np.mean(rtt_ns < 0))
