"""The patches that make a Linux tree a guest: which of them a version needs.

Patches of `kernel/patches` serve all versions. Those of `kernel/patches/VERSION`, and of the folders of a
flavour, serve Linux from that version on, until a later folder has a patch of the same number, or until the
version that `series.toml` has for the number.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from airtcp.kernels.source import kernel_source
from airtcp.kernels.table import PATCHES_UNTIL, PLAIN

Version = tuple[int, int]

_NUMBERED = re.compile(r"(\d{4})-(.+)\.patch")


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


def patch_folders(flavour: str) -> list[Path]:
    """The folders that have the patches of a flavour."""
    kernel = kernel_source()
    return [kernel / "patches", *([] if flavour == PLAIN else [kernel / "flavours" / flavour])]
