"""Self-tests of a source of Linux: built and installed beside it, and those of a folder as installed."""

import fnmatch
import hashlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from airtcp.cache_folder import cache_folder
from airtcp.errors import AirtcpError, suggestion
from airtcp.input_file import TEXT_BYTES_MOST, read_input

LIST = "kselftest-list.txt"
"""What names the tests of an installation, `FOLDER:TEST` in each line."""
SELFTESTS = Path("tools/testing/selftests")
# What the build of self-tests calls.
_BUILDERS = ("make", "gcc", "rsync")
# Virtual seconds for a test unless the file `settings` of its folder says otherwise (kselftest/runner.sh).
_TIMEOUT_S = 45
# `timeout=0` means without limit there.
_NO_TIMEOUT_S = 86_400


@dataclass(frozen=True)
class Selftest:
    """A test: where it is installed, its folder there (`net/mptcp`), its name, and its virtual seconds."""

    root: Path
    folder: str
    name: str
    timeout_s: int

    @property
    def label(self) -> str:
        """How it is named in lists."""
        return f"{self.folder}:{self.name}"

    @property
    def place(self) -> Path:
        """The folder in which it runs."""
        return self.root / self.folder

    @property
    def is_built(self) -> bool:
        """Whether the build has made it."""
        return (self.place / self.name).is_file()


def build(source: Path, folders: Sequence[str]) -> Path:
    """Builds and installs the tests of these folders, in the user's cache; what did not change stays.

    A test that can't be built here is left out.

    Raises:
        AirtcpError: there is no such folder, or the build can't begin.
    """
    missing = [one for one in folders if not (source / SELFTESTS / one / "Makefile").is_file()]
    if missing:
        remedy = f"Folders below {SELFTESTS}, such as net/mptcp"
        raise AirtcpError("has no self-tests there", f"{source}: {missing[0]}", remedy)
    for program in _BUILDERS:
        if shutil.which(program) is None:
            raise AirtcpError("is not installed, and the build of self-tests needs it", program, "Install it")
    name = hashlib.sha256(str(source.resolve()).encode()).hexdigest()[:12]
    out = cache_folder() / "selftests" / name
    out.mkdir(parents=True, exist_ok=True)
    log = out / "build.log"
    with log.open("wb") as file:
        headers = ["make", "-s", "-C", str(source), f"O={out}", "headers"]
        if subprocess.run(headers, stdout=file, stderr=file, check=False).returncode != 0:
            remedy = f"See {log}; a tree in which a kernel was built needs make mrproper, or another clone"
            raise AirtcpError("the kernel's headers can't be made", str(source), remedy)
        # -i: what has no library here is left out, and the rest is installed.
        tests = ["make", "-s", "-i", "-C", str(source / SELFTESTS), f"O={out}"]
        tests += [f"TARGETS={' '.join(folders)}", f"INSTALL_PATH={out / 'install'}", "install"]
        subprocess.run(tests, stdout=file, stderr=file, check=False)
    return out / "install"


def is_installed(folder: Path) -> bool:
    """Whether a folder is one that `make kselftest-install` has made."""
    return (folder / LIST).is_file()


def find_tests(root: Path, folders: Sequence[str], only: Sequence[str]) -> list[Selftest]:
    """The tests of these folders of an installation, in its order; `only`: patterns, or parts, of names.

    Raises:
        AirtcpError: there are none.
    """
    lines = read_input(root / LIST, TEXT_BYTES_MOST).decode(errors="replace").splitlines()
    named = [line.partition(":")[::2] for line in lines if ":" in line]
    known = list(dict.fromkeys(folder for folder, _ in named))
    for folder in folders:
        if folder not in known:
            hint = suggestion(folder, known)
            remedy = f"D{hint[1:]}" if hint else f"It has {', '.join(known)}"
            raise AirtcpError("has no such folder of tests", f"{root}: {folder}", remedy)
    tests = [
        Selftest(root, folder, name, _timeout_s(root / folder))
        for folder, name in named
        if folder in folders and (not only or any(_matches(name, one) for one in only))
    ]
    if not tests:
        names = sorted({name for folder, name in named if folder in folders})
        remedy = f"Tests: {', '.join(names)}"
        raise AirtcpError("no test has such a name", f"--only {' '.join(only)}", remedy)
    return tests


def _matches(name: str, pattern: str) -> bool:
    return pattern in name or fnmatch.fnmatch(name, pattern)


def _timeout_s(folder: Path) -> int:
    settings = folder / "settings"
    text = settings.read_text(encoding="utf-8", errors="replace") if settings.is_file() else ""
    given = [line.partition("=")[2].strip() for line in text.splitlines() if line.startswith("timeout=")]
    if not given or not given[-1].isdigit():
        return _TIMEOUT_S
    return int(given[-1]) or _NO_TIMEOUT_S


def interpreter(test: Selftest) -> list[str]:
    """The words that run a test in its folder, as `run_one` of kselftest/runner.sh has it."""
    file = test.place / test.name
    if os.access(file, os.X_OK):
        return [f"./{test.name}"]
    if os.access(test.place / "ksft_runner.sh", os.X_OK):
        return ["./ksft_runner.sh", f"./{test.name}"]
    first = file.read_bytes()[:256].splitlines()[:1]
    if first and first[0].startswith(b"#!"):
        return [*first[0][2:].decode(errors="replace").split(), f"./{test.name}"]
    return ["/bin/sh", f"./{test.name}"]
