"""`airtcp hostap-tests` with a guest, and a suite of a few tests in place of hostap's."""

import json
import tempfile
from pathlib import Path

import pytest
from airtcp.hostap import suite
from support.command import airtcp

pytestmark = pytest.mark.guest

# As hostap's: it asks for radios where there are none, and its programs stay.
START = """#!/bin/sh
test -d /sys/module/mac80211_hwsim || sudo modprobe mac80211_hwsim radios=7 channels=1
grep -q admin: /etc/group || exit 1
[ -e $LOGDIR ] || exit 1
echo "$USER $VM $1" >$LOGDIR/log0
sudo sleep 1000 &
[ -d /sys/class/net/wlan6 ]
"""
# What the command relies on: options, and lines that say how tests end.
RUNNER = """#!/usr/bin/env python3
import argparse
import os
import subprocess
import sys
import time
import traceback
from datetime import datetime

import test_air
from utils import HwsimSkip

parser = argparse.ArgumentParser()
parser.add_argument("-q", action="store_true")
parser.add_argument("--long", action="store_true")
parser.add_argument("--logdir")
parser.add_argument("tests", nargs="*")
args = parser.parse_args()
open("/dev/kmsg", "w").write("begin")
for number, name in enumerate(args.tests, 1):
    print(f"START {name} {number}/{len(args.tests)}")
    start = datetime.now()
    reason = ""
    try:
        getattr(test_air, f"test_{name}")(["wlan0"], ["wlan3"])
        result = "PASS"
    except HwsimSkip as error:
        result, reason = "SKIP", str(error)
    except Exception:
        traceback.print_exc()
        result = "FAIL"
    with open(f"{args.logdir}/{name}.log", "w") as log:
        log.write(open(f"{args.logdir}/log0").read())
    end = datetime.now()
    print(f"{result} {name} {(end - start).total_seconds()} {end}")
    if reason:
        print(f"REASON {reason}")
"""
TESTS = '''
import os
import subprocess
import time

from hwsim import HWSimRadio


def test_waits(dev, apdev):
    """Time is virtual"""
    time.sleep(100.25)


def test_fails(dev, apdev):
    """A failure with its log"""
    raise Exception("No connection")


def test_ends(dev, apdev):
    """The runner ends"""
    os._exit(1)


def test_radio(dev, apdev):
    """A radio of the pool, twice"""
    for _ in range(2):
        with HWSimRadio() as (radio, iface):
            assert (radio, iface) == (7, "wlan7")
            told = subprocess.run(["iw", "phy7", "info"], capture_output=True, text=True, check=True)
            assert "5180" in told.stdout
            address = open(f"/sys/class/net/{iface}/address").read()
            assert address == "02:00:00:00:07:00\\\\n"


def test_keys(dev, apdev):
    """What mac80211 has in debugfs"""
    assert os.path.isdir("/sys/kernel/debug/ieee80211/phy0/keys")


def test_channels(dev, apdev):
    """A radio that there is not"""
    with HWSimRadio(n_channels=2):
        pass
'''
HWSIM = "raise Exception('messages to mac80211_hwsim')\n"
UTILS = "class HwsimSkip(Exception):\n    pass\n"


@pytest.fixture
def hostap():
    """A folder that the guest sees; in `/tmp` it has its own files."""
    with tempfile.TemporaryDirectory(dir=Path.home(), prefix=".airtcp-hostap-") as name:
        folder = Path(name)
        tests = folder / "tests" / "hwsim"
        tests.mkdir(parents=True)
        files = {"start.sh": START, "run-tests.py": RUNNER, "hwsim.py": HWSIM, "utils.py": UTILS}
        for file, text in {**files, "test_air.py": TESTS.replace("\\\\", "\\")}.items():
            (tests / file).write_text(text)
            (tests / file).chmod(0o755)
        for part, programs in suite._BUILT.items():
            (folder / part).mkdir()
            for program in programs:
                (folder / part / program).touch(0o755)
        yield folder


def test_a_suite_finds_radios_and_goes_on_when_its_runner_ends(hostap, tmp_path):
    words = ("hostap-tests", hostap, "--all", "--repeat", "2", "--json", "results.json")
    answer = airtcp(*words, cwd=tmp_path)
    assert answer.returncode == 3, answer.stderr
    results = json.loads((tmp_path / "results.json").read_text())
    found = {one["test"]: (one["verdict"], one["reason"]) for one in results["tests"]}
    assert found == {
        "waits": ("passed", ""),
        "fails": ("failed", "No connection"),
        "ends": ("failed", "run-tests.py ended without a verdict"),
        "radio": ("passed", ""),
        "keys": ("passed", ""),
        "channels": ("skipped", "airtcp: radios have no n_channels=2"),
    }, (tmp_path / "hostap-results" / "air-1" / "output.txt").read_text()
    durations = {one["test"]: one["duration_s"] for one in results["tests"]}
    assert 100.25 <= durations["waits"] < 100.26
    assert results["changed"] == []
    logs = tmp_path / "hostap-results" / "air-1" / "logs"
    assert (logs / "fails" / "log").read_text() == "0 VM VM\n"
    assert [one.name for one in logs.iterdir()] == ["fails"]
