"""The variants of a script: IP versions, with the options that the runner of its suite gives packetdrill.

The options are read from the user's copy of that runner: addresses, and symbols such as the cookies of TCP
Fast Open, belong to the scripts beside it and change with them.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from airtcp.errors import AirtcpError, remedy_for
from airtcp.input_file import TEXT_BYTES_MOST, read_input
from airtcp.packetdrill.scripts import KERNEL, Script

# As packetdrill's option --ip_version names them.
IP_VERSIONS = ("ipv4", "ipv6", "ipv4-mapped-ipv6")
TOLERANCES = ("given", "tenth")
# An option of packetdrill in a runner, up to what ends a word of the shell or a text of Python. Others than
# addresses, MTU and symbols depend on the machine (`KSFT_MACHINE_SLOW`).
_WORD = r"[^\s'\"()]+"
_OPTIONS = re.compile(
    rf"--ip_version=(?P<ip>ipv4-mapped-ipv6|ipv4|ipv6)\b|--(?P<option>(local_ip|gateway_ip|netmask_ip|remote_ip|mtu)={_WORD})"
    rf"|-D\s+(?P<symbol>\w+={_WORD})"
)
_IN_ALL = "--send_omit_free"
# Options that a script gives itself, in lines of their own before its first event.
_OWN_VERSION = re.compile(r"^--ip_version=(\S+)", re.MULTILINE)
_OWN_TOLERANCE = re.compile(r"--tolerance_(usecs|percent)=([\d.]+)")
# packetdrill's defaults (`set_default_config` of its config.c).
_TOLERANCE_USECS, _TOLERANCE_PERCENT = 4000, 12.5


@dataclass(frozen=True)
class Case:
    """A script with an IP version, and the options for packetdrill."""

    script: Script
    ip: str
    options: tuple[str, ...]

    @property
    def label(self) -> str:
        """How it is named in lists: `tcp/close/simple.pkt [ipv4]`."""
        return f"{self.script.name} [{self.ip}]"


def checked_versions(words: Sequence[str]) -> list[str]:
    """The IP versions of `--ip`; all if there are none."""
    for word in words:
        if word not in IP_VERSIONS:
            raise AirtcpError(f'"{word}" is no IP version', "--ip", remedy_for(word, IP_VERSIONS))
    return list(words or IP_VERSIONS)


def cases_of(scripts: Sequence[Script], versions: Sequence[str], tolerance: str) -> list[Case]:
    """Every script in each of these IP versions that it is for."""
    if tolerance not in TOLERANCES:
        raise AirtcpError(f'"{tolerance}" is no tolerance', "--tolerance", remedy_for(tolerance, TOLERANCES))
    cases = []
    for script in scripts:
        text = read_input(script.file, TEXT_BYTES_MOST).decode(errors="replace")
        options = runner_options(script.runner)
        tight = _tenth(text) if tolerance == "tenth" else ()
        for ip in versions:
            if ip in options and _is_for(script, text, ip):
                cases.append(Case(script, ip, (*options[ip], *tight)))
    if not cases:
        remedy = "Leave --ip out, or name other scripts"
        raise AirtcpError(f"no script is for {' or '.join(versions)}", "--ip", remedy)
    return cases


@cache
def runner_options(runner: Path | None) -> Mapping[str, Sequence[str]]:
    """The options by IP version that a runner gives packetdrill; without one packetdrill's own defaults."""
    if runner is None:
        return {ip: (f"--ip_version={ip}",) for ip in IP_VERSIONS}
    text = read_input(runner, TEXT_BYTES_MOST).decode(errors="replace")
    found: dict[str, list[str]] = {}
    words: list[str] = []
    for option in _OPTIONS.finditer(text):
        if option["ip"]:
            words = found.setdefault(option["ip"], [f"--ip_version={option['ip']}"])
        elif option["option"]:
            words.append(f"--{option['option']}")
        else:
            words += ["-D", option["symbol"]]
    if not found:
        remedy = "Fetch packetdrill again, or copy the scripts elsewhere: then they get no options"
        raise AirtcpError("has no options of packetdrill", str(runner), remedy)
    in_all = [_IN_ALL] if _IN_ALL in text else []
    return {ip: (*in_all, *options) for ip, options in found.items()}


def _is_for(script: Script, text: str, ip: str) -> bool:
    """Whether a script is for an IP version: by its own option, or the end of its name in Google's suites."""
    own = _OWN_VERSION.search(text)
    if own:
        return own[1] == ip
    if script.suite == KERNEL:
        return True
    stem = script.file.stem
    return not (stem.endswith("v6") and ip != "ipv6") and not (stem.endswith("v4") and ip == "ipv6")


def _tenth(text: str) -> tuple[str, str]:
    """Options for a tenth of the tolerances that a script has."""
    given = {"usecs": float(_TOLERANCE_USECS), "percent": _TOLERANCE_PERCENT}
    given.update({kind: float(number) for kind, number in _OWN_TOLERANCE.findall(text)})
    return (
        f"--tolerance_usecs={round(given['usecs'] / 10)}",
        f"--tolerance_percent={given['percent'] / 10:g}",
    )
