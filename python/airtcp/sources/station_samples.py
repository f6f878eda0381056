"""What statistics of stations say of a node's peers, in the columns of the series `stations`."""

from collections.abc import Mapping

from airtcp.errors import AirtcpError
from airtcp.formats.measurement import Measurement
from airtcp.sources.samples import Samples
from airtcp.sources.sources_file import Source


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
    peers = {address.lower(): node for address, node in source.peers.items()}
    missing = [address for address in peers if address not in frame["station"].to_list()]
    if missing or not peers:
        has = ", ".join(frame["station"].unique(maintain_order=True).to_list())
        what = f"has no station {missing[0]}" if missing else "is of stations that are not named"
        raise AirtcpError(what, str(measured.file), f"Name them in peers; it has {has}")
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
