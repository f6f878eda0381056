"""Keeps the runner's contract without any guest. FAKE_RUNNER says what happens:

`ok` (default), `fail`, `plan`, `garbage`, `silent`, `hang` (until told to stop), `stubborn` (ignores that).
FAKE_FAIL is a text: plans that hold it fail. FAKE_SLOW is one, too: these end a second later. FAKE_WAITS: seconds for which
another process makes the run. FAKE_LOG is a file with a line for each run that begins, FAKE_ARGUMENTS one with its arguments.
With FAKE_GUEST it starts a process of its own, as a guest is, and writes its id there.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any


def say(**fields: object) -> None:
    print(json.dumps(fields), flush=True)


def argument(name: str) -> str:
    return sys.argv[sys.argv.index(name) + 1]


def doctor() -> None:
    for check in ("boot", "clock", "nic", "determinism"):
        say(check=check, ok=True, detail="fine", remedy="")


def fail(kind: str, status: int) -> None:
    say(
        event="failed",
        kind=kind,
        what="the program 'nosuch' was not found",
        place="programs[0]",
        remedy="Install it",
        console=["[    0.1] last words"],
    )
    sys.exit(status)


def guest() -> "subprocess.Popen[bytes] | None":
    place = os.environ.get("FAKE_GUEST")
    if not place:
        return None
    process = subprocess.Popen(["sleep", "300"])
    with Path(place).open("a") as file:
        file.write(f"{process.pid} {os.getpid()}\n")
    return process


def keep(store: Path, plan: dict[str, Any], rate_mbps: float, rtt_ms: float) -> Path:
    """The run's folder, which is in the store whole or not at all; one that is there and damaged is mended."""
    from support.run_folder import Shape, write_run_folder

    working = store / f".working-{os.getpid()}"
    made = write_run_folder(working, plan, Shape(rate_mbps=rate_mbps, rtt_ms=rtt_ms))
    folder = store / made.name
    try:
        made.rename(folder)
    except OSError:
        for file in made.rglob("*.*"):
            file.replace(folder / file.relative_to(made))
    shutil.rmtree(working)
    return folder


def run() -> None:
    plan = json.loads(Path(argument("--plan")).read_text())
    store = Path(argument("--store"))
    mode = os.environ.get("FAKE_RUNNER", "ok")
    if (text := os.environ.get("FAKE_FAIL")) and text in json.dumps(plan):
        mode = "fail"
    if log := os.environ.get("FAKE_LOG"):
        with Path(log).open("a") as file:
            file.write(f"{plan['name']} seed {plan['seed']} cores {sorted(os.sched_getaffinity(0))}\n")
    if arguments := os.environ.get("FAKE_ARGUMENTS"):
        with Path(arguments).open("a") as file:
            file.write(" ".join(sys.argv[1:]) + "\n")
    child = guest()

    def stop(*_: object) -> None:
        if child:
            child.kill()
            child.wait()
        say(event="failed", kind="interrupted", what="interrupted", place="", remedy="", console=[])
        sys.exit(130)

    signal.signal(signal.SIGTERM, signal.SIG_IGN if mode == "stubborn" else stop)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    say(event="start", run="0" * 16, folder=str(store / ("0" * 16)))
    if waits := os.environ.get("FAKE_WAITS"):
        say(event="waiting", run="0" * 16, over=False)
        time.sleep(float(waits))
        say(event="waiting", run="0" * 16, over=True)
    say(event="progress", virtual_ns=plan["duration_ns"] // 2, of_ns=plan["duration_ns"])
    if mode in ("hang", "stubborn"):
        time.sleep(300)
    if mode == "garbage":
        print("Segmentation fault", flush=True)
        sys.exit(1)
    if mode == "silent":
        print("thread 'main' panicked", file=sys.stderr)
        sys.exit(101)
    if mode == "fail":
        fail("program", 3)
    if mode == "plan":
        fail("plan", 2)
    time.sleep(float(os.environ.get("FAKE_SECONDS", "0")))
    if (text := os.environ.get("FAKE_SLOW")) and text in json.dumps(plan):
        time.sleep(1)
    if child:
        child.kill()
        child.wait()
    # A made-up law, so that a study has something to tell: a long queue makes a long RTT.
    queues = [i["egress"]["queue"] for n in plan["nodes"] for i in n["interfaces"] if i["egress"]["delay_ns"]]
    packets = queues[0].get("limit", 0) if queues else 0
    rate = 9.4 / max(1, len(plan["flows"]))
    folder = keep(store, plan, rate, rtt_ms=1.8 + packets * 1.2)
    say(
        event="done",
        run=folder.name,
        folder=str(folder),
        cached=False,
        wall_s=0.5,
        cpu_s=0.4,
        virtual_s=plan["duration_ns"] / 1e9,
    )


def answer(command: str) -> None:
    """`air PLAN` and `explain PLAN`: one JSON object."""
    from support.scene_report import explanation, scene_report

    mode = os.environ.get("FAKE_RUNNER", "ok")
    if mode == "plan":
        fail("plan", 2)
    if mode == "silent":
        print("thread 'main' panicked", file=sys.stderr)
        sys.exit(101)
    if mode == "garbage":
        print("Segmentation fault", flush=True)
        return
    plan = json.loads(Path(sys.argv[2]).read_text())
    print(json.dumps((scene_report if command == "air" else explanation)(plan), indent=1))


def names() -> None:
    """`names`: FAKE_NAMES has an answer for each plan: a name, `-` (another than any), `kernel` (not built),
    `plan` (of another version).

    Without it the names are those of the folders that this runner makes.
    """
    from support.run_folder import run_name

    lines = list(sys.stdin)
    given = os.environ.get("FAKE_NAMES")
    answers = given.split(",") if given is not None else [run_name(json.loads(line)) for line in lines]
    for line, name in zip(lines, answers, strict=True):
        json.loads(line)
        refused = {
            "kernel": ("the plan wants another kernel", "build it"),
            "plan": ("version: the plan has another", "compile the scenario again"),
        }
        if name in refused:
            what, remedy = refused[name]
            say(error={"kind": name, "what": what, "place": "plan", "remedy": remedy})
        else:
            say(run=name)


if __name__ == "__main__":
    if sys.argv[1] == "names":
        names()
    elif sys.argv[1] in ("air", "explain"):
        answer(sys.argv[1])
    else:
        doctor() if sys.argv[1] == "doctor" else run()
