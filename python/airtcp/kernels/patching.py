"""Applies patches to a Linux tree, as a whole or not at all, and says where they are refused."""

import re
import shutil
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from airtcp.kernels.hooks import Hook, Variant

_FILE_LINE = re.compile(r"^(?:---|\+\+\+) (?:[ab]/)?(\S+)", re.MULTILINE)
# What patch(1) says: the file at which it is, a hunk that it refuses, and the lines of a patch whose file it
# does not find.
_AT_FILE = re.compile(r"(?:checking|patching) file '?([^']+)'?")
_AT_HUNK = re.compile(r"Hunk #(\d+) FAILED at (\d+)")
_NOT_FOUND = re.compile(r"\|(?:---|\+\+\+) (?:[ab]/)?(\S+)")


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
