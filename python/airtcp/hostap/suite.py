"""The folder of hostap: its tests, the programs that its build makes, and what is missing."""

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from airtcp.errors import AirtcpError
from airtcp.execution.host import GUESTS_OWN_FOLDERS
from airtcp.input_file import TEXT_BYTES_MOST, read_input

TESTS = Path("tests") / "hwsim"
RUNNER, START = "run-tests.py", "start.sh"
PYTHON = "/usr/bin/python3"
"""Debian's Python, which has the modules of Debian's packages."""
# What tests/hwsim/build.sh makes of what start.sh starts and run-tests.py asks.
_BUILT = {
    "hostapd": ("hostapd", "hostapd_cli", "hlr_auc_gw"),
    "wpa_supplicant": ("wpa_supplicant", "wpa_cli"),
    "wlantest": ("wlantest", "wlantest_cli"),
}
# Commands of start.sh, stop.sh and many tests, with Debian's packages.
_COMMANDS = {
    "iw": "iw",
    "ip": "iproute2",
    "killall": "psmisc",
    "pidof": "sysvinit-utils",
    "brctl": "bridge-utils",
    "ifconfig": "net-tools",
    "openssl": "openssl",
}
_SYSTEM_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
# The certificate of the suite's RADIUS server, which is valid for a year, and its line.
_CERTIFICATE = Path("auth_serv") / "server.pem"
_VALID_FROM = re.compile(r"Not Before: (\w+ +\d+ \d+:\d+:\d+ \d+) GMT")
# Some others are made on the same day, but later.
_AFTER_S = 86400 * 30
# Where the suite has no such certificate: the clock with which guests begin.
_NO_CERTIFICATE = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Suite:
    """hostap's folder."""

    root: Path

    @property
    def tests(self) -> Path:
        """The folder of run-tests.py and its modules."""
        return self.root / TESTS

    @property
    def date_s(self) -> int:
        """A date on which the suite's certificates are valid, in seconds since 1970."""
        file = self.tests / _CERTIFICATE
        found = _VALID_FROM.search(read_input(file, TEXT_BYTES_MOST).decode()) if file.is_file() else None
        if found is None:
            return int(_NO_CERTIFICATE.timestamp())
        begin = datetime.strptime(found[1], "%b %d %H:%M:%S %Y").replace(tzinfo=UTC)
        return int(begin.timestamp()) + _AFTER_S


def find_suite(folder: Path) -> Suite:
    """hostap's folder, from itself or its tests/hwsim.

    Raises:
        AirtcpError: it is none, or a guest would not see it.
    """
    given = folder.resolve()
    for root in (given, *given.parents):
        if (root / TESTS / RUNNER).is_file():
            if any(root.is_relative_to(own) for own in GUESTS_OWN_FOLDERS):
                own = next(own for own in GUESTS_OWN_FOLDERS if root.is_relative_to(own))
                raise AirtcpError(f"a guest has a {own} of its own", str(root), "Move hostap elsewhere")
            return Suite(root)
    remedy = "Name the folder of hostap: git clone https://w1.fi/hostap.git"
    raise AirtcpError(f"has no {TESTS / RUNNER}", str(folder), remedy)


def check_built(suite: Suite) -> None:
    """Whether the programs are built, and the machine has what the suite starts.

    Raises:
        AirtcpError: what is missing, and how to get it.
    """
    missing = [
        f"{folder}/{name}"
        for folder, names in _BUILT.items()
        for name in names
        if not os.access(suite.root / folder / name, os.X_OK)
    ]
    if missing:
        where = shlex.quote(str(suite.tests))
        remedy = f"Build them: (cd {where} && ./build.sh), see airtcp docs hostap-tests"
        raise AirtcpError(f"{', '.join(missing)}: not built", str(suite.root), remedy)
    packages = [package for name, package in _COMMANDS.items() if not shutil.which(name, path=_SYSTEM_PATH)]
    if not _has_modules(["Cryptodome"]):
        packages.append("python3-pycryptodome")
    if packages:
        raise AirtcpError("the suite needs further packages", "", f"apt-get install {' '.join(packages)}")


def _has_modules(names: Sequence[str]) -> bool:
    command = [PYTHON, "-c", f"import {', '.join(names)}"]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0
