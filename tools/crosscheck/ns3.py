"""ns-3's side: finds the library, builds our programs in a cache, runs them."""

import hashlib
import importlib.metadata
import json
import os
import shutil
import statistics
import subprocess
from pathlib import Path
from typing import Any

from crosscheck.cases import Case, Scene
from crosscheck.results import NS3_VERSION, Entry, Run, mean_of

SOURCES = Path(__file__).resolve().parent / "ns3"
# Those that our programs use.
MODULES = ["wifi", "spectrum", "mobility", "propagation", "applications", "internet", "network", "core"]
# Package of PyPI: libraries and headers. The package cppyy on which it depends is for scripts in Python only.
PACKAGE = "ns3"
REMEDY = (
    f"ns-3 {NS3_VERSION} and g++ are needed. `make crosscheck` installs ns-3; by hand: "
    f"pip install --no-deps '{PACKAGE}=={NS3_VERSION}.*' and apt-get install g++\n"
    "Without them, `make crosscheck REFERENCE=1` compares with the stored results of ns-3."
)
# Text that an ns-3 library with assertions contains (assert.h), and the call that one with logging makes.
ASSERTION_TEXT = b'NS_ASSERT failed, cond="'
LOGGING_SYMBOL = b"_ZNK3ns312LogComponent9IsEnabledENS_8LogLevelE"


# Fields that only airtcp can vary.
AIRTCP_ONLY = {"energy_detection_dbm"}


class Ns3Missing(Exception):
    """ns-3 or its compiler is not installed."""


class Ns3Failed(Exception):
    """Our program cannot be built, or ended with an error."""


def _package() -> Path:
    """The folder of ns-3's libraries and headers."""
    try:
        found = importlib.metadata.distribution(PACKAGE)
    except importlib.metadata.PackageNotFoundError as missing:
        raise Ns3Missing(REMEDY) from missing
    if not found.version.startswith(NS3_VERSION) or not shutil.which("g++"):
        raise Ns3Missing(REMEDY)
    return Path(str(found.locate_file(PACKAGE)))


def _library(package: Path, module: str) -> Path:
    return package / "lib64" / f"libns{NS3_VERSION}-{module}.so"


def made_with() -> dict[str, Any]:
    """Version and build of the library: speed depends on it."""
    code = _library(_package(), "wifi").read_bytes()
    return {
        "simulator": "ns-3",
        "version": importlib.metadata.version(PACKAGE),
        "assertions": ASSERTION_TEXT in code,
        "logging_compiled_in": LOGGING_SYMBOL in code,
        "program": "tools/crosscheck/ns3/saturation.cc",
        "program_flags": "-O2",
    }


def build(source: str = "saturation.cc") -> Path:
    """A program of ours, built once for each state of the sources and of ns-3."""
    package = _package()
    key = hashlib.sha256(f"{package} {importlib.metadata.version(PACKAGE)}".encode())
    for file in sorted(SOURCES.iterdir()):
        key.update(file.read_bytes())
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "airtcp" / "crosscheck"
    program = cache / key.hexdigest()[:16] / Path(source).stem
    if not program.exists():
        program.parent.mkdir(parents=True, exist_ok=True)
        new = program.with_suffix(f".{os.getpid()}")
        libraries = [str(_library(package, module)) for module in MODULES]
        compiler = ["g++", "-std=c++20", "-O2", str(SOURCES / source), "-o", str(new)]
        places = [f"-I{package / 'include'}", f"-Wl,-rpath,{package / 'lib64'}"]
        done = subprocess.run([*compiler, *places, *libraries], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Ns3Failed(f"{source} cannot be built with this ns-3:\n{done.stderr[-2000:]}")
        new.rename(program)
    return program


def arguments(scene: Scene, seed: int, count: bool) -> list[str]:
    """The scene as the program's command line; a value of None keeps the program's default."""
    line = [f"--seed={seed}", f"--count={int(count)}"]
    for name, value in scene.model_dump(exclude=AIRTCP_ONLY).items():
        if value not in (None, []):
            line.append(f"--{name.replace('_', '-')}={_text(value)}")
    return line


def _text(value: Any) -> str:
    if isinstance(value, list):
        return ",".join(_text(entry) for entry in value)
    if isinstance(value, bool):
        return str(int(value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def run(program: Path, scene: Scene, seed: int, count: bool = True) -> dict[str, Any]:
    """One run; the program's whole output."""
    line = [str(program), *arguments(scene, seed, count)]
    done = subprocess.run(line, capture_output=True, text=True, check=False, preexec_fn=lambda: os.nice(10))
    if done.returncode:
        raise Ns3Failed(f"{' '.join(line)}\n{done.stderr[-2000:]}")
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def ns3_run(said: dict[str, Any]) -> Run:
    """The part of a run that both simulators report."""
    results = said["results"]
    return Run(**results, cpu_s_per_s=results["cpu_s"] / results["simulated_s"])


def ns3_entry(program: Path, case: Case) -> Entry:
    """All seeds of a case."""
    runs = [run(program, case.scene, seed) for seed in case.seeds]
    results = [said["results"] for said in runs]
    seconds = case.scene.seconds
    kinds = sorted({kind for result in results for kind in result["ppdus"]})
    data = sum(result["ppdus"].get("data", 0) for result in results)
    txops = sum(result["txops"] for result in results)
    txop_us = {
        "mean": round(sum(r["mean_txop_us"] * r["txops"] for r in results) / max(txops, 1), 1),
        "longest": max(result["longest_txop_us"] for result in results),
    }
    return Entry(
        scene=case.scene,
        seeds=case.seeds,
        variant_of=case.variant_of,
        result=mean_of([ns3_run(said) for said in runs], seconds),
        access=runs[0]["access"],
        ppdus_per_s={
            kind: round(statistics.fmean(r["ppdus"].get(kind, 0) for r in results) / seconds, 2)
            for kind in kinds
        },
        mpdus_per_data_ppdu=round(sum(r["data_mpdus"] for r in results) / max(data, 1), 3),
        txop_us=txop_us if txops else {},
        neighbour_dbm=[round(dbm, 2) for dbm in results[0]["neighbour_dbm"]],
        longest_ppdus=[{k: v for k, v in o.items() if k != "count"} for o in results[0]["observed"]],
    )
