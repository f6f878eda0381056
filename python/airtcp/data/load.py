"""`airtcp.load`: opens whatever holds measurements, recognised by its content."""

from collections.abc import Iterable
from os import PathLike
from pathlib import Path

from airtcp.data.result_set import ResultSet, open_result_set
from airtcp.data.run_folder import Run, open_run
from airtcp.data.scene_folder import SceneRun, is_scene_folder, open_scene
from airtcp.errors import AirtcpError
from airtcp.formats.measurement import Measurement
from airtcp.formats.recognition import open_measurement

Place = str | PathLike[str]

# Any of these makes a folder a run folder, be it complete or not.
_OF_A_RUN = ("plan.json", "manifest.json", "summary.json", "series")


def load(where: Place | Iterable[Place]) -> Run | SceneRun | ResultSet | Measurement:
    """Opens what is at a path: a run, a store of runs, a scene, or a file of another program.

    The kind is recognised by the content, not by the name.

    Args:
        where: a run folder, a store (a folder of run folders), the folder of `airtcp air`, a file, or a list
            of run folders.

    Returns:
        A `Run` for a run folder; a `ResultSet` for a store or a list; a `SceneRun` for a folder of
        `airtcp air`; a `Measurement` for a file: iperf2 CSV, iperf3 JSON, the text of ping, pcap or pcapng,
        Flent's data, qlog of QUIC.

    Raises:
        AirtcpError: nothing is there; the folder or file is incomplete, damaged, or of none of these kinds.

    Example:
        >>> airtcp.load("runs")
        <ResultSet of 2 runs; varied: nothing>
        >>> run = airtcp.load("runs")[0]
        >>> run.flows.select("time_ns", "cwnd").row(0)
        (100000000, 20)
    """
    if not isinstance(where, str | PathLike):
        return open_result_set([Path(each) for each in where])
    place = Path(where)
    if not place.exists():
        raise AirtcpError("there is no such file or folder", str(place), "Check the path")
    if not place.is_dir():
        return open_measurement(place)
    if is_scene_folder(place):
        return open_scene(place)
    if any((place / name).exists() for name in _OF_A_RUN):
        return open_run(place)
    return open_result_set(place)
