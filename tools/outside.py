#!/usr/bin/env python3
"""Runs the field's own tools and suites in airtcp as far as they are there, and writes docs/outside.md.

    tools/outside.py [tools] [flent] [--selftests DIR FOLDER...]... [--packetdrill DIR]... [--page-only]

Parts: `tools` (tools/outside.toml) and `flent`; both, if nothing else is asked for. Each part's results are
kept in outside-results/ as JSON, so parts can be run one after the other; the page has what is there.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import textwrap
import time
import tomllib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "tools" / "outside.toml"
PAGE = ROOT / "docs" / "outside.md"
RESULTS = ROOT / "outside-results"
# The network of all tools: a station 5 ms from a host.
SCENARIO = """name = "outside"
duration = "60 s"
ends_with = "client"
[wifi.home]
standard = "11n"
stations = ["sta1"]
[[wire]]
between = ["ap1", "h1"]
rate = "100 Mbit/s"
delay = "5 ms"
[[program]]
name = "client"
node = "sta1"
start = "1 s"
must_succeed = false
command = {client}
"""
_SERVER = """[[program]]
name = "server"
node = "h1"
must_succeed = false
command = {server}
"""
FLENT_TESTS = (
    ("rrul", "-l", "10"),
    ("tcp_ndown", "-l", "10", "--test-parameter", "download_streams=4"),
    ("tcp_nup", "-l", "10", "--test-parameter", "upload_streams=4"),
    ("rtt_fair", "-l", "10"),
)
INTRODUCTION = (
    "`make outside` runs tools and suites of the field, unmodified, as far as a machine has them, and "
    "writes this page. How to run them yourself: [tools and Flent](how-to/tools.md), [self-tests of the "
    "kernel](how-to/selftests.md), [packetdrill](how-to/packetdrill.md)."
)
# Of a cell of a table.
_CHARACTERS = 110


@dataclass(frozen=True)
class Tool:
    """A tool as typed, of tools/outside.toml."""

    name: str
    package: str
    version: str
    client: str
    expect: str
    server: str = ""

    @property
    def is_here(self) -> bool:
        """Whether the programs that it is made of are installed."""
        words = [self.client.split()[0], *self.server.replace("exec ", "").rpartition(";")[2].split()[:1]]
        return all(shutil.which(word) for word in words)

    def scenario(self) -> str:
        """The scenario in which it runs."""
        # A string of JSON is one of TOML.
        server = _SERVER.format(server=json.dumps(self.server)) if self.server else ""
        return SCENARIO.format(client=json.dumps(self.client)) + server


def tools() -> list[Tool]:
    """Those of tools/outside.toml."""
    return [Tool(**entry) for entry in tomllib.loads(TOOLS.read_text(encoding="utf-8"))["tool"]]


def airtcp(words: Sequence[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    """The command of this tree."""
    command = [sys.executable, "-m", "airtcp", *words]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, errors="replace", check=False)


def version_of(command: str) -> str:
    """The first line with a number that a program prints of its version."""
    said = subprocess.run(command, shell=True, capture_output=True, text=True, errors="replace", check=False)
    lines = (said.stdout + said.stderr).splitlines()
    return next((line.strip() for line in lines if any(map(str.isdigit, line))), "")[:60]


def run_tool(tool: Tool, folder: Path) -> dict[str, Any]:
    """Runs a tool; what it said, and whether that is what it says where it works."""
    if not tool.is_here:
        return {**asdict(tool), "verdict": "not installed", "said": ""}
    (folder / "tool.toml").write_text(tool.scenario(), encoding="utf-8")
    began = time.monotonic()
    answer = airtcp(["run", "tool.toml", "--json"], folder)
    real_s = round(time.monotonic() - began, 1)
    if answer.returncode != 0:
        return {**asdict(tool), "verdict": "failed", "said": answer.stderr[-_CHARACTERS:], "real_s": real_s}
    run = Path(json.loads(answer.stdout)["folder"]) / "programs"
    lines = [
        line.strip()
        for end in ("out", "err")
        for line in (run / f"client.{end}").read_text(encoding="utf-8", errors="replace").splitlines()
    ]
    said = [line for line in lines if tool.expect in line]
    verdict, last = ("passed", said[-1]) if said else ("failed", lines[-1] if lines else "")
    return {
        **asdict(tool),
        "version": version_of(tool.version),
        "verdict": verdict,
        "said": " ".join(last.split()),
        "real_s": real_s,
    }


def run_flent(asked: Sequence[str], folder: Path) -> dict[str, Any]:
    """Runs a test of Flent over the scenario of `airtcp flent`."""
    answer = airtcp(["flent", *asked], folder)
    sums = [line.split() for line in answer.stdout.splitlines() if re.search(r" (avg|sum) +:", line)]
    said = [" ".join(words).replace(" N/A", "").rpartition(" ")[0] for words in sums]
    first = answer.stdout.partition("\n")[0].removeprefix("Starting ")
    return {
        "command": " ".join(["airtcp flent", *asked]),
        "version": first,
        "verdict": "passed" if answer.returncode == 0 else "failed",
        "said": "; ".join(said) if answer.returncode == 0 else answer.stderr.strip().splitlines()[-1],
    }


def run_suite(words: Sequence[str], folder: Path) -> dict[str, Any]:
    """Runs a suite by a command of airtcp that prints one object."""
    answer = airtcp([*words, "--json"], folder)
    if answer.returncode not in (0, 3):
        raise SystemExit(answer.stderr)
    found: dict[str, Any] = json.loads(answer.stdout)
    return found


def store(part: str, found: Any) -> None:
    """Keeps the results of a part."""
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{part}.json").write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def stored(part: str) -> Iterator[tuple[str, Any]]:
    """The results of a part, and of several suites of a part, with their names."""
    for file in sorted(RESULTS.glob(f"{part}*.json")):
        yield file.stem.removeprefix(part).strip("-"), json.loads(file.read_text(encoding="utf-8"))


def row(*cells: object) -> str:
    """A row of a table."""
    # As mdformat writes them.
    escaped = [str(cell).replace("|", "/").replace("*", "\\*").replace("<", "\\<") for cell in cells]
    return f"| {' | '.join(escaped)} |"


def page() -> str:
    """The page of what is stored."""
    lines = [
        "# What others wrote, inside airtcp",
        "",
        *textwrap.wrap(INTRODUCTION, 130, break_on_hyphens=False),
    ]
    for _, found in stored("tools"):
        lines += _tools_section(found)
    for _, found in stored("flent"):
        lines += _flent_section(found)
    suites = dict(stored("selftests"))
    if suites:
        lines += _selftests_section(suites)
    drills = dict(stored("packetdrill"))
    if drills:
        lines += _packetdrill_section(drills)
    return "\n".join(lines) + "\n"


def _tools_section(found: Sequence[Mapping[str, Any]]) -> list[str]:
    counts = Counter(one["verdict"] for one in found)
    lines = ["", "## Tools as typed", "", f"{_counted(counts)}.", ""]
    lines += [row("tool", "version", "command", "verdict", "what it says"), row(*["--"] * 5)]
    return lines + [
        row(one["name"], one["version"], f"`{one['client']}`", one["verdict"], one["said"][:_CHARACTERS])
        for one in found
    ]


def _flent_section(found: Sequence[Mapping[str, Any]]) -> list[str]:
    lines = ["", "## Flent", "", found[0]["version"], ""]
    lines += [row("command", "verdict", "what it says"), row(*["--"] * 3)]
    return lines + [row(f"`{one['command']}`", one["verdict"], one["said"]) for one in found]


def _selftests_section(suites: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = ["", "## Self-tests of the kernel", ""]
    lines += [row("folder", "kernel", "tests", "verdicts", "virtual"), row(*["--"] * 5)]
    others = []
    for name, found in suites.items():
        counts = Counter(one["verdict"] for one in found["tests"])
        end_s = sum(one["end_s"] for one in found["tests"])
        folder = found["tests"][0]["folder"] if found["tests"] else name
        number = len(found["tests"])
        # A suite may be stored in part, with the number of all its tests.
        tests = f"{number} of {found['of']}" if found.get("of", number) != number else number
        lines.append(row(folder, found["kernel"], tests, _counted(counts), f"{end_s:.0f} s"))
        others += [one for one in found["tests"] if one["verdict"] != "passed"]
    if others:
        lines += ["", row("test", "verdict", "steps passed", "reason"), row(*["--"] * 4)]
        lines += [_selftest(one) for one in others]
    return lines


def _selftest(one: Mapping[str, Any]) -> str:
    steps = one["steps"]
    passed = f"{steps.get('pass', 0)} of {sum(steps.values())}" if steps else "-"
    reason = (one["known"] or one["reason"])[:_CHARACTERS]
    return row(f"{one['folder']}: {one['test']}", one["verdict"], passed, reason)


def _packetdrill_section(suites: Mapping[str, Mapping[str, Any]]) -> list[str]:
    lines = ["", "## packetdrill", "", row("suite", "kernel", "cases", "verdicts"), row(*["--"] * 4)]
    for name, found in suites.items():
        counts = {verdict: number for verdict, number in found["totals"].items() if number}
        lines.append(row(name, found["kernel"], len(found["cases"]), _counted(counts)))
    failed = [one for found in suites.values() for one in found["cases"] if one["verdict"] == "failed"]
    if failed:
        lines += ["", row("script", "reason"), row("--", "--")]
        lines += [row(f"{one['script']} [{one['ip']}]", one["reason"][:_CHARACTERS]) for one in failed]
    return lines


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number} {verdict}" for verdict, number in counts.items())


def main() -> None:
    """Runs what was asked for, and writes the page."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("parts", nargs="*", choices=[[], "tools", "flent"])
    parser.add_argument("--selftests", nargs="+", action="append", default=[], metavar=("DIR", "FOLDER"))
    parser.add_argument("--packetdrill", action="append", default=[], metavar="DIR")
    parser.add_argument("--page-only", action="store_true")
    asked = parser.parse_args()
    alone = not (asked.selftests or asked.packetdrill or asked.page_only)
    parts = asked.parts or (["tools", "flent"] if alone else [])
    work = RESULTS / "runs"
    work.mkdir(parents=True, exist_ok=True)
    if "tools" in parts:
        store("tools", [run_tool(tool, work) for tool in tools()])
    if "flent" in parts and shutil.which("flent") and shutil.which("netserver"):
        store("flent", [run_flent(words, work) for words in FLENT_TESTS])
    for source, *folders in asked.selftests:
        for folder in folders:
            words = ["kernel", "test", "--source", str(Path(source).resolve()), folder]
            store(f"selftests-{folder.replace('/', '-')}", run_suite(words, work))
    for folder in asked.packetdrill:
        path = Path(folder).resolve()
        store(f"packetdrill-{path.parent.name}-{path.name}", run_suite(["packetdrill", str(path)], work))
    PAGE.write_text(page(), encoding="utf-8")
    print(f"Page: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
