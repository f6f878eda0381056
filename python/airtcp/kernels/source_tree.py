"""A Linux tree of one's own from which a kernel is built: a folder, or an archive of one."""

import os
import re
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from airtcp.kernels.hooks import Version

# What a build in the tree itself leaves there. A tree of git is asked for its files instead.
_BUILT_FOLDERS = {".git", "include/config", "include/generated"}
_BUILT_IN_ARCH = re.compile(r"arch/\w+/include/generated")
_BUILT = re.compile(
    r"(.*/)?(\.[^/]*\.(cmd|d)|[^/]*\.(o|a|ko|mod|order|symvers|dwo))|\.config[^/]*|vmlinux|linux|System\.map"
)
_NUMBER = re.compile(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION)[ \t]*=[ \t]*(\S*)$", re.MULTILINE)

# Size and time of change: who has both as before is taken for unchanged, as make and rsync do.
Stamp = tuple[int, int]


class NoLinuxTree(ValueError):
    """What was given is not the source of a kernel; the text says what it is."""


@dataclass(frozen=True)
class LinuxVersion:
    """The version in the Makefile of a tree."""

    version: Version
    text: str
    """As `make kernelversion` has it, such as 7.3.4 or 7.4.0-rc2."""


def linux_version(makefile: str) -> LinuxVersion:
    """The version that a tree's Makefile has."""
    found = dict(_NUMBER.findall(makefile))
    try:
        version = int(found["VERSION"]), int(found["PATCHLEVEL"])
    except (KeyError, ValueError):
        raise NoLinuxTree("its Makefile has no VERSION and PATCHLEVEL") from None
    rest = f".{found.get('SUBLEVEL') or 0}{found.get('EXTRAVERSION', '')}"
    return LinuxVersion(version, f"{version[0]}.{version[1]}{rest}")


@dataclass(frozen=True)
class SourceFolder:
    """A folder with the source of Linux, such as a clone of its repository."""

    folder: Path

    def version(self) -> LinuxVersion:
        """The version of the tree."""
        try:
            return linux_version((self.folder / "Makefile").read_text(encoding="utf-8", errors="replace"))
        except OSError:
            raise NoLinuxTree("it has no Makefile") from None

    def stamps(self) -> dict[str, Stamp]:
        """All files of the source but those of a build in it, with size and time of change in ns."""
        names = self._known_to_git() if (self.folder / ".git").exists() else self._all_files()
        stamps: dict[str, Stamp] = {}
        for name in names:
            try:
                state = os.lstat(self.folder / name)
            except FileNotFoundError:
                continue
            stamps[name] = (state.st_size, state.st_mtime_ns)
        return stamps

    def _known_to_git(self) -> list[str]:
        command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        answer = subprocess.run(command, cwd=self.folder, capture_output=True, check=False)
        if answer.returncode != 0:
            raise NoLinuxTree(f"git says: {answer.stderr.decode(errors='replace').strip()}")
        return [os.fsdecode(name) for name in answer.stdout.split(b"\0") if name]

    def _all_files(self) -> Iterator[str]:
        for place, folders, files in os.walk(self.folder):
            at = os.path.relpath(place, self.folder)
            within = "" if at == "." else f"{at}/"
            folders[:] = sorted(
                name
                for name in folders
                if f"{within}{name}" not in _BUILT_FOLDERS and not _BUILT_IN_ARCH.fullmatch(f"{within}{name}")
            )
            yield from (f"{within}{name}" for name in files if not _BUILT.fullmatch(f"{within}{name}"))


def unpack(archive: Path, folder: Path, names: set[str] | None = None) -> None:
    """Unpacks an archive of a tree, or these files of it, without the folder at its top.

    Raises:
        NoLinuxTree: it is no archive.
    """
    try:
        with tarfile.open(archive) as tar:
            for member in tar:
                _, _, name = member.name.partition("/")
                if not name or (names is not None and name not in names):
                    continue
                member.name = name
                if member.islnk():
                    member.linkname = member.linkname.partition("/")[2]
                tar.extract(member, folder, filter="tar")
    except (tarfile.TarError, EOFError, OSError) as error:
        said = str(error).partition(":\n")[0]
        raise NoLinuxTree(f"it can't be unpacked: {said}") from None
