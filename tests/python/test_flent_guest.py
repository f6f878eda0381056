"""`airtcp flent` with Flent, netperf and irtt as installed: its numbers and airtcp's are the same."""

import gzip
import json
import shutil
from pathlib import Path

import pytest
from support.command import airtcp

pytestmark = [
    pytest.mark.guest,
    pytest.mark.skipif(
        not (shutil.which("flent") and shutil.which("netserver")),
        reason="flent and netperf are not installed",
    ),
]


def of_flent(folder):
    (file,) = folder.glob("*.flent.gz")
    with gzip.open(file) as data:
        return json.load(data)


@pytest.fixture(scope="module")
def upload(tmp_path_factory):
    """A test of Flent with two uploads: its data, and what airtcp says of the same run."""
    folder = tmp_path_factory.mktemp("flent")
    words = ("tcp_nup", "-l", "2", "-d", "1", "--test-parameter", "upload_streams=2", "-x")
    answer = airtcp("flent", *words, cwd=folder)
    assert answer.returncode == 0, answer.stderr
    run = answer.stdout.strip().splitlines()[-1].removeprefix("Run folder: ")
    return of_flent(folder), json.loads((Path(run) / "summary.json").read_text())


def test_flent_s_bytes_are_those_of_airtcp_to_the_byte(upload):
    data, summary = upload
    meta = data["metadata"]["SERIES_META"]
    flents = sorted(meta[f"TCP upload::{n}"]["BYTES_RECVD"] for n in (1, 2))
    flows = [one for one in summary["sockets"]["flows"] if one["from"]["node"] == "laptop"]
    # TCP's counter has the FIN as one more (tcp_fin).
    assert flents == sorted(one["bytes_received"] - 1 for one in flows)


def test_metadata_are_those_of_the_guest(upload):
    metadata = upload[0]["metadata"]
    assert metadata["LOCAL_HOST"] == "laptop"
    assert metadata["HOST"] == "near"
    assert metadata["NAME"] == "tcp_nup"
    assert metadata["TIME"].startswith("2026-01-01T00:00:01")
    assert "airtcp" in metadata["KERNEL_RELEASE"]
    assert metadata["FAILED_RUNNERS"] == 0


def test_a_test_that_flent_does_not_know_fails(tmp_path):
    answer = airtcp("flent", "no_such_test", cwd=tmp_path)
    assert answer.returncode == 2
    assert "no_such_test" in answer.stderr
    assert "Flent has measured nothing" in answer.stderr
