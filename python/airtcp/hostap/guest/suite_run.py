"""Runs tests of the suite in the guest: makes what it expects, and starts it again when it ends early."""

import os
import selectors
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

SCENARIO, RUN = Path("/run/scenario"), Path(os.environ.get("RUN_DIR", "/run"))
LOGS = Path("/tmp/logs")
"""Where the suite's programs write their logs, in the guest's memory."""
SILENCE_S = 600
"""Virtual seconds after which a test that says nothing hangs. The longest tests take some 300 s."""
LOG_BYTES_MOST = 2 << 20
"""What is kept of the end of each log of a failed test."""
NOT_STARTED = "airtcp: the suite's programs do not start"
HANGS = f"airtcp: nothing for {SILENCE_S} s of virtual time"
_START_OUTPUT = Path("/run/airtcp-start-output")
_MARKS = "/run/airtcp-hwsim-signs"


def environment() -> Mapping[str, str]:
    """That of the suite's programs, as in the virtual machines of tests/hwsim/vm."""
    paths = [f"{SCENARIO}/tools", os.environ.get("PATH", ""), "/usr/sbin", "/sbin"]
    return {
        **os.environ,
        "PATH": ":".join(paths),
        "PYTHONPATH": f"{SCENARIO}/tools/lib/airtcp/hostap/guest",
        "PYTHONUNBUFFERED": "1",
        "AIRTCP_HWSIM_SIGNS": _MARKS,
        "USER": "0",
        "HOME": "/tmp",
        "LOGDIR": str(LOGS),
        "VM": "VM",
    }


def prepare(needs_dbus: bool) -> None:
    """What the suite expects of a machine, as its inside.sh for virtual machines makes it."""
    LOGS.mkdir(parents=True)
    with Path("/etc/group").open("a") as groups:
        groups.write("admin:x:0:\n")
    if not Path("/dev/kmsg").exists():
        # Guests make no devices. Nothing reads what tests tell the kernel's log.
        Path("/dev/kmsg").symlink_to("/dev/null")
    Path("/proc/sys/kernel/hostname").write_text("hwsimvm")
    subprocess.run(["ip", "link", "set", "lo", "up"], check=False)
    # Radios begin with the country 99, of none; the suite looks for a country other than 00 after each test.
    subprocess.run(["iw", "reg", "set", "00"], check=False)
    if needs_dbus:
        Path("/run/dbus").mkdir(exist_ok=True)
        Path("/run/dbus/hwsim-test").touch()
        subprocess.run(["dbus-daemon", "--config-file=vm/dbus.conf", "--fork"], check=False)


def main() -> None:
    """Runs the tests of a file, one a line, in a folder; then keeps the logs of those that failed."""
    folder, list_file, dbus = sys.argv[1:]
    os.environ.update(environment())
    os.chdir(folder)
    prepare(dbus == "dbus")
    left = Path(list_file).read_text().split()
    while left and _start():
        ended, begun = _run(left)
        _keep_logs([test for test, verdict in ended.items() if verdict == "FAIL"])
        if not begun:
            break
        # A test without a verdict is not tried again: it ended the suite.
        left = left[left.index(begun) + 1 :]
    shutil.rmtree(LOGS, ignore_errors=True)


def _start() -> bool:
    # start.sh asks for radios each time. Those that a test has left are given back first.
    subprocess.run(["rmmod", "mac80211_hwsim"], check=False)
    # Programs that it leaves running keep its output open.
    with _START_OUTPUT.open("w+b") as output:
        done = subprocess.run(
            ["./start.sh", "VM"],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            check=False,
        )
        output.seek(0)
        if done.returncode:
            print(f"{output.read().decode(errors='replace')}\n{NOT_STARTED}", flush=True)
    return done.returncode == 0


def _run(tests: list[str]) -> tuple[dict[str, str], str]:
    """Runs run-tests.py and shows what it writes; returns verdicts, and the last test that began."""
    command = [sys.executable, "run-tests.py", "-q", "--long", "--logdir", str(LOGS), *tests]
    verdicts: dict[str, str] = {}
    begun = ""
    for line in _lines(command):
        print(line, flush=True)
        words = line.split()
        if len(words) > 1 and words[0] == "START":
            begun = words[1]
        elif len(words) > 1 and words[0] in ("PASS", "FAIL", "SKIP"):
            verdicts[words[1]] = words[0]
    return verdicts, begun


def _lines(command: list[str]) -> Iterator[str]:
    """What a command writes, until it ends or is silent for too long: then it is killed."""
    process = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    assert process.stdout is not None
    rest = b""
    with selectors.DefaultSelector() as selector, process:
        selector.register(process.stdout, selectors.EVENT_READ)
        while True:
            if not selector.select(SILENCE_S):
                process.kill()
                yield HANGS
                return
            new = os.read(process.stdout.fileno(), 1 << 16)
            if not new:
                return
            *whole, rest = (rest + new).split(b"\n")
            yield from (line.decode(errors="replace") for line in whole)


def _keep_logs(tests: list[str]) -> None:
    for test in tests:
        for log in sorted(LOGS.glob(f"{test}.*")):
            folder = RUN / "logs" / test
            folder.mkdir(parents=True, exist_ok=True)
            content = log.read_bytes()
            (folder / log.name.removeprefix(f"{test}.")).write_bytes(content[-LOG_BYTES_MOST:])
    for log in LOGS.glob("*.*"):
        log.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
