"""The patches that make a Linux tree a guest: which of them a version needs, and how they apply to a tree.

Patches of `kernel/patches` serve all versions. Those of `kernel/patches/VERSION`, and of the folders of a
flavour, serve Linux from that version on, until a later folder has a patch of the same number, or until the
version that `series.toml` has for the number.
"""

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from airtcp.kernels.source import kernel_source
from airtcp.kernels.table import PATCHES_UNTIL, PLAIN

Version = tuple[int, int]

_NUMBERED = re.compile(r"(\d{4})-(.+)\.patch")
_FILE_LINE = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?(\S+)", re.MULTILINE)
# What patch(1) says: the file at which it is, a hunk that it refuses, and the lines of a patch whose file it
# does not find.
_AT_FILE = re.compile(r"(?:checking|patching) file '?([^']+)'?")
_AT_HUNK = re.compile(r"Hunk #(\d+) FAILED at (\d+)")
_NOT_FOUND = re.compile(r"\|(?:---|\+\+\+) (?:[ab]/)?(\S+)")


def version_of(name: str) -> Version:
    """The version in the name of a series or folder: (6, 12) of "6.12"."""
    major, minor = name.split(".")
    return int(major), int(minor)


def nearest(version: Version, names: Iterable[str]) -> str:
    """The last of these versions that is not after this one, or else the first of all."""
    ordered = sorted(names, key=version_of)
    before = [name for name in ordered if version_of(name) <= version]
    return before[-1] if before else ordered[0]


@dataclass(frozen=True)
class Variant:
    """A file of a patch, and the version from which it serves; `first` is "" for one that serves all."""

    file: Path
    first: str


@dataclass(frozen=True)
class Hook:
    """A patch by its number, with its variants in the order in which they are tried.

    One is not `required` if the next version of a folder does without it, or only that one has it: Linux may
    have changed already.
    """

    number: str
    variants: tuple[Variant, ...]
    required: bool

    @property
    def name(self) -> str:
        """The name of the patch's file, without its ending."""
        return self.variants[0].file.stem


def hooks_for(version: Version, folders: Iterable[Path]) -> list[Hook]:
    """What a version may need of the patches in these folders (see `patch_folders`), by their numbers."""
    by_number: dict[str, list[Variant]] = {}
    for folder in folders:
        for file in sorted([*folder.glob("*.patch"), *folder.glob("*/*.patch")]):
            found = _NUMBERED.fullmatch(file.name)
            assert found, f"{file} has no number"
            first = "" if file.parent == folder else file.parent.name
            by_number.setdefault(found[1], []).append(Variant(file, first))
    # The next version that is known, which is this one if it has a folder.
    following = next((at for at in _folder_versions(by_number) if at >= version), version)
    hooks = []
    for number, variants in sorted(by_number.items()):
        serves, will_serve = (_serving(number, variants, at) for at in (version, following))
        best = serves or will_serve
        if best:
            rest = sorted(set(variants) - {best}, key=lambda variant: _distance(version, variant.first))
            hooks.append(Hook(number, (best, *rest), required=bool(serves and will_serve)))
    return hooks


def _folder_versions(by_number: dict[str, list[Variant]]) -> list[Version]:
    return sorted(
        {
            version_of(variant.first)
            for variants in by_number.values()
            for variant in variants
            if variant.first
        }
    )


def _serving(number: str, variants: Iterable[Variant], version: Version) -> Variant | None:
    """The variant for a version: that of the last folder not after it."""
    if number in PATCHES_UNTIL and version >= version_of(PATCHES_UNTIL[number]):
        return None
    serving = [variant for variant in variants if not variant.first or version_of(variant.first) <= version]
    return max(serving, key=lambda variant: version_of(variant.first or "0.0"), default=None)


def _distance(version: Version, first: str) -> tuple[bool, int]:
    """Later folders before earlier ones, each by its distance."""
    at = version_of(first or "0.0")
    steps = (at[0] - version[0]) * 100 + at[1] - version[1]
    return steps < 0, abs(steps)


def touched_files(patches: Iterable[Path]) -> set[str]:
    """The files that patches change or make, by their paths in the tree of the kernel."""
    touched: set[str] = set()
    for patch in patches:
        text = patch.read_text(encoding="utf-8", errors="replace")
        touched |= {name for name in _FILE_LINE.findall(text) if name != "/dev/null"}
    return touched


@dataclass(frozen=True)
class Refusal:
    """Why a patch does not apply: a hunk of a file, with its line in the patch, or the whole file."""

    file: str
    hunk: int | None
    line: int | None

    def __str__(self) -> str:
        if self.hunk is None:
            return f"{self.file}: the tree has no such file, or has what the patch makes"
        return f"{self.file}: hunk {self.hunk}, at line {self.line}"


@dataclass(frozen=True)
class Applied:
    """What became of a hook: the variant that applies, or what each variant that was tried is refused for."""

    hook: Hook
    variant: Variant | None
    refused: tuple[tuple[Variant, tuple[Refusal, ...]], ...] = ()

    @property
    def missing(self) -> bool:
        """Whether the kernel lacks something that its version needs."""
        return self.variant is None and self.hook.required


def apply_hooks(tree: Path, hooks: Iterable[Hook]) -> Iterator[Applied]:
    """Applies each hook to a tree, which needs no more than the files that the patches touch.

    A hook that is not required is left out if it does not apply.
    """
    for hook in hooks:
        refused: list[tuple[Variant, tuple[Refusal, ...]]] = []
        for variant in hook.variants:
            refusals = apply_patch(tree, variant.file)
            if not refusals:
                yield Applied(hook, variant, tuple(refused))
                break
            refused.append((variant, refusals))
        else:
            yield Applied(hook, None, tuple(refused))


def apply_patch(tree: Path, patch: Path) -> tuple[Refusal, ...]:
    """Applies a patch as a whole, or leaves the tree as it is and says why."""
    trial = _patched(tree, patch, "--dry-run")
    if trial.returncode == 0:
        _patched(tree, patch)
        return ()
    return tuple(_refusals(trial.stdout)) or (Refusal(patch.name, None, None),)


def _patched(tree: Path, patch: Path, *options: str) -> "subprocess.CompletedProcess[str]":
    # --batch and --forward: no questions, and a patch that the tree already has is refused. -r: no files of
    # refused hunks.
    words = ["patch", "-p1", "--batch", "--forward", "--no-backup-if-mismatch", "-r", "-", *options]
    program = shutil.which("patch") or "patch"
    with patch.open("rb") as text:
        return subprocess.run(
            [program, *words[1:]], cwd=tree, stdin=text, capture_output=True, text=True, check=False
        )


def _refusals(said: str) -> Iterator[Refusal]:
    """What patch(1) refused, by its messages."""
    file = ""
    for line in said.splitlines():
        if at_file := _AT_FILE.fullmatch(line):
            file = at_file[1]
        elif at_hunk := _AT_HUNK.match(line):
            yield Refusal(file, int(at_hunk[1]), int(at_hunk[2]))
        elif not_found := _NOT_FOUND.match(line):
            file = not_found[1]
        elif line.endswith("ignored"):
            yield Refusal(file, None, None)


def patch_folders(flavour: str) -> list[Path]:
    """The folders that have the patches of a flavour."""
    kernel = kernel_source()
    return [kernel / "patches", *([] if flavour == PLAIN else [kernel / "flavours" / flavour])]
