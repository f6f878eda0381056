#!/usr/bin/env python3
"""Runs scripts of Mininet or Mininet-WiFi in airtcp, types commands at their prompts, and prints a table.

    tools/mininet_suite.py FOLDER [--type pingall] [--type "iperf sta1 sta2"] [--limit SECONDS]

Each script runs in its own folder, as a user starts it. Nothing of those projects is part of airtcp: FOLDER
is what their repositories call `examples`. Libraries that they need are given by PYTHONPATH.
"""

import argparse
import re
import subprocess
import sys
import time
from pathlib import Path

# What shows how it went, the first that is found.
_CAUSES = [
    (r"airtcp: (.*)", "airtcp"),
    (r"(Cannot find required executable \S+)", "the machine"),
    (r"(\*\*\* \w+ will be used, but it is not installed)", "the machine"),
    (r"(ModuleNotFoundError: .*)", "the machine"),
    (r"(requests\.exceptions\.\w+)", "the Internet"),
    (r"^(\w*(?:Error|Exception): .*)", "the script"),
]


def run(script: Path, typed: list[str], limit_s: float) -> dict[str, str]:
    """Runs a script; what happened, by the columns of the table."""
    command = [
        sys.executable,
        "-m",
        "airtcp",
        "mininet",
        "--store",
        str(Path.home() / ".airtcp-mininet"),
        str(script),
    ]
    began = time.monotonic()
    try:
        done = subprocess.run(
            command,
            input="".join(f"{line}\n" for line in typed),
            capture_output=True,
            text=True,
            errors="replace",
            timeout=limit_s,
            cwd=script.parent,
            check=False,
        )
        told, status = done.stdout + done.stderr, f"exit {done.returncode}"
    except subprocess.TimeoutExpired as error:
        parts = [part.decode(errors="replace") for part in (error.stdout, error.stderr) if part]
        told, status = "".join(parts), "time-out"
    pings = re.findall(r"Results: (\d+% dropped \(\d+/\d+ received\))", told)
    rates = re.findall(r"Results: \['([^']*)'", told)
    return {
        "script": script.stem,
        "prompt": "yes" if "Starting CLI" in told else "no",
        "status": status,
        "pingall": pings[-1] if pings else "",
        "iperf": rates[-1] if rates else "",
        "seconds": f"{time.monotonic() - began:.0f}",
        "why": "" if status == "exit 0" else why(told),
    }


def why(told: str) -> str:
    """The last words of what did not end well."""
    for pattern, whose in _CAUSES:
        found = [match for match in re.findall(pattern, told, re.MULTILINE) if "left out" not in match]
        if found:
            return f"{whose}: {found[-1][:80]}"
    return ""


def main() -> None:
    """Prints the table while it is made."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--type", action="append", default=[], help="a line for the prompt")
    parser.add_argument("--limit", type=float, default=120, help="seconds of real time for a script")
    arguments = parser.parse_args()
    scripts = sorted(arguments.folder.resolve().rglob("*.py"))
    columns = ["script", "prompt", "status", "pingall", "iperf", "seconds", "why"]
    print("| " + " | ".join(columns) + " |\n" + "|" + " -- |" * len(columns))
    for script in scripts:
        if script.stem != "__init__":
            row = run(script, arguments.type, arguments.limit)
            print("| " + " | ".join(row[column] for column in columns) + " |", flush=True)


if __name__ == "__main__":
    main()
