"""Counts the branches of the guest kernel, for compilers to know which are usual: `make kernel-profile`.

Runs scenarios of all kinds, most of them short, with a kernel that counts (`kernel/build --instrument`), adds
up the counts and stores them as `kernel/profiles/SERIES-gcc-VERSION.tar.xz`, where `kernel/build` finds those
of its compiler. Only the speed of kernels depends on them. Make them again when other code is usual.
`--series` makes those of another series, by the same scenarios.
"""

import argparse
import lzma
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from pathlib import Path

from airtcp.execution.locate import find_runner
from airtcp.execution.runner import Running, Tools, run_plan
from airtcp.kernels.table import DEFAULT_KERNEL, SERIES
from airtcp.plans.types.plan import Plan
from airtcp.scenario.compile.compiler import compile_scenario
from airtcp.scenario.reading.assignment import assign
from airtcp.scenario.reading.scenario_file import scenario_from_tables
from airtcp.scenario.reading.toml_file import parse_toml
from unchanged import FOLDERS, plans

ROOT = Path(__file__).resolve().parents[1]
# What takes most of the time of whole studies counts for more than what scenarios of tests do.
USUAL = {
    "studies/alakoca2015/one-hop.toml": "10 s",
    "studies/alakoca2015/two-hops.toml": "10 s",
    "tools/bench/saturated.toml": "60 s",
    "tools/bench/ten-flows.toml": "20 s",
    "tools/bench/wired.toml": "60 s",
}
CONGESTION_CONTROLS = ("bbr", "bic", "dctcp", "htcp", "hybla", "illinois", "reno", "vegas", "veno", "yeah")


def bench(file: str, duration: str, cca: str | None = None) -> Plan:
    """A scenario of the tree with another length, and another congestion control of its first flow."""
    path = ROOT / file
    tables = parse_toml(path.read_text(encoding="utf-8"), path)
    if cca is not None:
        assign(tables, "flow[0].cca", cca)
    return compile_scenario(scenario_from_tables(tables | {"duration": duration}))


def scenarios() -> Iterator[tuple[str, Plan]]:
    """The runs that are counted, by name."""
    for file, duration in USUAL.items():
        yield file, bench(file, duration)
    for cca in CONGESTION_CONTROLS:
        yield cca, bench("tools/bench/wired.toml", "5 s", cca)
    for name, plan in plans():
        if "sources" in plan or not name.startswith((*FOLDERS, "random")):
            continue
        if plan["kernel"] == DEFAULT_KERNEL:
            yield name, plan


def instrumented_kernel(series: str) -> Path:
    """Builds the kernel that counts, or finds it."""
    command = [str(ROOT / "kernel/build"), "--instrument", "--series", series]
    built = subprocess.run(command, stdout=subprocess.PIPE, check=True, text=True)
    return Path(built.stdout.splitlines()[-1])


def add(counts: Path, total: Path) -> None:
    """Adds the counts of a run to those of the runs before."""
    if not total.exists():
        shutil.move(counts, total)
        return
    merged = total.with_name("merged")
    subprocess.run(["gcov-tool", "merge", "-o", merged, total, counts], check=True)
    shutil.rmtree(total)
    merged.rename(total)


def store(total: Path, file: Path) -> None:
    """Packs the counts, each file with the name of its object in the kernel's tree."""
    file.parent.mkdir(exist_ok=True)
    with lzma.open(file, "wb", preset=9) as packed, tarfile.open(fileobj=packed, mode="w") as archive:
        for counts in sorted(total.iterdir()):
            entry = archive.gettarinfo(counts, counts.name.replace("#", "/"))
            entry.mtime = entry.uid = entry.gid = 0
            entry.uname = entry.gname = ""
            with counts.open("rb") as content:
                archive.addfile(entry, content)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description="Count the branches of a guest kernel.")
    parser.add_argument("--series", choices=SERIES, default=DEFAULT_KERNEL)
    series = parser.parse_args().series
    kernel = instrumented_kernel(series)
    version = subprocess.run(["gcc", "-dumpfullversion"], stdout=subprocess.PIPE, check=True, text=True)
    major, minor, *_ = version.stdout.strip().split(".")
    with tempfile.TemporaryDirectory() as folder:
        total = Path(folder) / "total"
        tools = Tools(find_runner(), {series: kernel}, Path(folder) / "store", fresh=True)
        for name, plan in scenarios():
            plan["kernel"] = series
            done = run_plan(plan, tools, Running(), lambda _: None)
            print(f"{name}: {done.cpu_s:.1f} s", flush=True)
            add(Path(done.folder) / "profile", total)
            shutil.rmtree(done.folder)
        file = ROOT / f"kernel/profiles/{series}-gcc-{major}.{minor}.tar.xz"
        store(total, file)
    print(f"{file.stat().st_size} bytes: {file.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
