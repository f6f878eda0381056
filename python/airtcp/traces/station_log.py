"""Statistics of stations as recordings: what changed between dumps.

Power and rates of a dump hold until the next one; counters say what happened until then.
"""

import itertools
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.formats.station_log import Dump, Station, set_times, told
from airtcp.traces.recording import LOSS, RATE, RSSI, Recording, Values


def recordings(file: Path, dumps: list[Dump], every_s: float | None) -> list[Recording]:
    """Two recordings for each station of the dumps, from it and to it."""
    known = told(dumps)
    if len(known) < 2:
        what = "has one dump of stations, and a trace needs several"
        raise AirtcpError(what, str(file), "Print them again and again, each with its time")
    set_times(file, known, every_s)
    addresses = sorted({address for dump in known for address in dump.stations})
    return [made for address in addresses for made in _of_station(known, address)]


def _of_station(dumps: list[Dump], address: str) -> list[Recording]:
    seen = [(float(dump.time_s or 0), dump.stations.get(address)) for dump in dumps]
    first_s = seen[0][0]
    times = [time_s - first_s for time_s, _ in seen[:-1]]
    end_s = seen[-1][0] - first_s
    pairs = [(now, later) for (_, now), (_, later) in itertools.pairwise(seen)]
    to: dict[str, Values] = {
        RATE: [now.tx_mbps if now else None for now, _ in pairs],
        LOSS: [_loss(now, later) for now, later in pairs],
    }
    from_: dict[str, Values] = {
        RSSI: [now.signal_dbm if now else None for now, _ in pairs],
        RATE: [now.rx_mbps if now else None for now, _ in pairs],
    }
    both = ((f"to {address}", to), (f"from {address}", from_))
    known = (
        (name, {k: v for k, v in columns.items() if any(x is not None for x in v)}) for name, columns in both
    )
    return [Recording(name, "link", times, columns, end_s) for name, columns in known if columns]


def _loss(now: Station | None, later: Station | None) -> float | None:
    """Share of the transmissions of frames that were not acknowledged, between two dumps.

    A frame that was given up had one more unsuccessful transmission than retries. `None` if nothing was sent,
    if it is not counted, or if the counters began again.
    """
    counts = ("tx_packets", "tx_retries", "tx_failed")
    before = [getattr(now, name, None) for name in counts]
    after = [getattr(later, name, None) for name in counts]
    if None in (before[0], before[1], after[0], after[1]):
        return None
    packets, retries, failed = (int(b or 0) - int(a or 0) for a, b in zip(before, after, strict=True))
    if min(packets, retries, failed) < 0 or packets + retries == 0:
        return None
    return min(1.0, (retries + failed) / (packets + retries))
