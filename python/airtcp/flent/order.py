"""What was asked of Flent: its test and its options, as typed, and what of them a plan must know."""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import NoReturn

from airtcp.errors import AirtcpError

# Flent's defaults (flent(1)).
_LENGTH_S, _DELAY_S = 60.0, 5.0
# Tests whose definition takes a host for each of their streams (`HOSTS` in Flent's tests/*.conf).
_FOR_SEVERAL_HOSTS = ("rtt_fair", "udp_flood_var", "cisco_5tcp")


class _Reader(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise AirtcpError(message, "options of Flent", "See flent --help")


@dataclass(frozen=True)
class Order:
    """A test of Flent with its options, in the words of its command line."""

    test: str
    options: Sequence[str]
    hosts: Sequence[str]
    """Hosts that the options name (`-H`)."""
    length_s: float
    delay_s: float
    folders: Sequence[str]
    """Folders that Flent writes to, below the one in which it runs."""

    @property
    def takes_several_hosts(self) -> bool:
        """Whether the test has a stream for each host."""
        return any(part in self.test for part in _FOR_SEVERAL_HOSTS)


def order_of(test: str, options: Sequence[str]) -> Order:
    """Reads the words after the name of a test.

    Raises:
        AirtcpError: an option lacks its value, or would write to a folder that a guest's program can't.
    """
    reader = _Reader(add_help=False, allow_abbrev=False)
    reader.add_argument("-H", "--host", action="append", default=[])
    reader.add_argument("-l", "--length", type=float, default=_LENGTH_S)
    reader.add_argument("-d", "--delay", type=float, default=_DELAY_S)
    reader.add_argument("-D", "--data-dir")
    reader.add_argument("-o", "--output")
    known, _ = reader.parse_known_args(list(options))
    folders = [] if known.data_dir is None else [_below("-D", known.data_dir)]
    if known.output not in (None, "-"):
        folders.append(str(PurePath(_below("-o", known.output)).parent))
    return Order(test, options, known.host, known.length, known.delay, folders)


def _below(option: str, path: str) -> str:
    if PurePath(path).is_absolute() or ".." in PurePath(path).parts:
        remedy = "Give a path below this folder: what Flent writes is copied here"
        raise AirtcpError("is outside of this folder", f"{option} {path}", remedy)
    return path
