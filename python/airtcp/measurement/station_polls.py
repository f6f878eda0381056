"""Polls of `iw station dump` by an agent, as samples of the series `stations`."""

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from airtcp.formats.iw_station import BEGINS, values_of


def read_samples(
    file: Path, nic: int, peers: Mapping[str, int], other: int | None
) -> Iterator[dict[str, Any]]:
    """The rows of one radio's polls. `peers` are the numbers of radios by MAC address; a peer that is not
    among them is the radio `other`, if there is one."""
    with file.open(encoding="utf-8", errors="replace") as lines:
        for line in lines:
            try:
                sample = json.loads(line)
                time_ns, output = int(sample["time_ns"]), str(sample["output"])
            except (ValueError, KeyError, TypeError, RecursionError):
                # The file is among those of programs, one of which has written it.
                continue
            for mac, station in _stations(output).items():
                peer = peers.get(mac, other)
                if peer is not None:
                    yield {"time_ns": time_ns, "nic": nic, "interface": 1, "peer": peer, **station}


def _stations(text: str) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    own: dict[str, int] = {}
    for line in text.splitlines():
        if begins := BEGINS.match(line):
            own = found[begins["mac"].lower()] = {}
            continue
        # The last line of an output may be cut.
        with suppress(ValueError):
            own |= values_of(line)
    return found
