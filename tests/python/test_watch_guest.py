"""`airtcp run --watch` runs again when a file is saved, whatever was wrong before."""

import signal
import subprocess
import time

import pytest
from support.command import COMMAND, environment

pytestmark = pytest.mark.guest

SCENARIO = """
name = "watched"
duration = "{duration}"
[wifi.home]
stations = ["sta1"]
[[ping]]
from = "sta1"
to = "ap1"
"""
PATIENCE_S = 30


def test_a_saved_file_runs_again_and_an_error_does_not_end_it(tmp_path):
    file = tmp_path / "watched.toml"
    file.write_text(SCENARIO.format(duration="1 s"))
    # Not beside the scenario: what changes there makes it run again.
    said = tmp_path / "output" / "said"
    said.parent.mkdir()

    def until(count, text):
        before = time.monotonic()
        while said.read_text().count(text) < count:
            assert time.monotonic() - before < PATIENCE_S, said.read_text()
            time.sleep(0.05)

    with said.open("w") as out:
        watching = subprocess.Popen(
            [*COMMAND, "run", file.name, "--watch"], cwd=tmp_path, env=environment(), stdout=out, stderr=out
        )
    try:
        until(1, "Waiting for a file to change")
        file.write_text(SCENARIO.format(duration="one second"))
        until(2, "Waiting for a file to change")
        assert "watched.toml:3: duration:" in said.read_text()
        file.write_text(SCENARIO.format(duration="2 s"))
        until(3, "Waiting for a file to change")
        assert said.read_text().count("Run folder:") == 2
    finally:
        watching.send_signal(signal.SIGINT)
        assert watching.wait(PATIENCE_S) == 130
