"""What statistics of stations say of a node's peers, in the columns of the series `stations`."""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.formats.measurement import Measurement
from airtcp.sources.samples import Samples
from airtcp.sources.sources_file import Source
from airtcp.traces.kinds import open_recordings
from airtcp.traces.recording import RATE, RSSI, Recording, Values


def station_samples(measured: Measurement, source: Source, nics: Mapping[str, int]) -> list[Samples]:
    """What statistics of stations say of the peers that the source names, as rows of `stations`."""
    if "stations" not in measured.frames:
        what = f"has no statistics of stations ({measured.format})"
        raise AirtcpError(what, str(measured.file), "Give iw station dump, hostapd_cli, iwinfo or ubus")
    frame = measured.frame("stations")
    if frame["time_ns"].null_count():
        if source.every is None:
            what = 'Say the time between prints: every = "1 s"'
            raise AirtcpError("has no times", str(measured.file), what)
        frame = frame.with_columns(time_ns=frame["dump"] * source.every)
    peers = _peers(measured.file, source, frame["station"].unique(maintain_order=True).to_list())
    rows = [
        {
            "time_ns": row["time_ns"],
            "nic": nics[str(source.node)],
            "peer": nics[peers[row["station"]]],
            "signal_dbm": round(row["signal_dbm"] or 0),
            "tx_rate_bps": round((row["tx_mbps"] or 0) * 1e6),
            "rx_rate_bps": round((row["rx_mbps"] or 0) * 1e6),
            **{name: row[name] or 0 for name in ("tx_packets", "tx_retries", "tx_failed")},
        }
        for row in frame.iter_rows(named=True)
        if row["station"] in peers
    ]
    return [Samples(rows, rows[-1]["time_ns"], measured.warnings)]


def monitor_samples(file: Path, source: Source, nics: Mapping[str, int]) -> list[Samples]:
    """The power and rate of each peer's frames in a capture with radiotap headers, made at the node."""
    recordings = open_recordings(file, "monitor")[1]
    heard = {recording.name.split(" ")[0]: recording for recording in recordings}
    peers = _peers(file, source, list(heard))
    rows = [
        {
            "time_ns": round(time_s * 1e9),
            "nic": nics[str(source.node)],
            "peer": nics[node],
            "signal_dbm": round(power),
            "rx_rate_bps": round((rate or 0) * 1e6),
        }
        for address, node in peers.items()
        for time_s, power, rate in _steps(heard[address])
    ]
    if not rows:
        raise AirtcpError("has no power of a peer", str(file), "Capture with radiotap headers that have it")
    rows.sort(key=lambda row: int(row["time_ns"]))
    return [Samples(rows, int(rows[-1]["time_ns"]))]


def _steps(recording: Recording) -> Iterator[tuple[float, float, float | None]]:
    """Time, power and rate of each step whose power is known."""
    unknown: Values = [None] * len(recording.times_s)
    powers, rates = (recording.columns.get(name, unknown) for name in (RSSI, RATE))
    for time_s, power, rate in zip(recording.times_s, powers, rates, strict=True):
        if power is not None:
            yield time_s, power, rate


def _peers(file: Path, source: Source, known: Sequence[str]) -> dict[str, str]:
    """The nodes by the addresses that the source names, each of which the file must know."""
    peers = {address.lower(): str(node) for address, node in source.peers.items()}
    missing = [address for address in peers if address not in known]
    if missing or not peers:
        what = f"has no station {missing[0]}" if missing else "is of stations that are not named"
        raise AirtcpError(what, str(file), f"Name them in peers; it has {', '.join(known)}")
    return peers
