"""The tree in which a kernel of one's own source is built: that source with airtcp's patches and files.

It is kept, and brought up to date before each build. Only files whose content changed are written, so `make`
compiles only what depends on them. `kernel/build` runs this as a program.
"""

import argparse
import filecmp
import json
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from pathlib import Path

from airtcp.kernels.hooks import hooks_for, nearest, patch_folders
from airtcp.kernels.patching import Applied, apply_hooks, apply_patch, touched_files
from airtcp.kernels.source import kernel_source
from airtcp.kernels.source_tree import NoLinuxTree, SourceFolder, Stamp, unpack
from airtcp.kernels.table import PLAIN, SERIES


class DoesNotApply(ValueError):
    """A patch that a tree does not take; the text has the reasons, a line each."""


@dataclass(frozen=True)
class Recipe:
    """What a kernel of one's own source is made of; paths are absolute."""

    source: str
    patches: tuple[str, ...] = ()
    config: tuple[str, ...] = ()
    flavour: str = PLAIN


@dataclass
class State:
    """What a tree was brought up to date with, kept beside it."""

    recipe: Recipe
    series: str = ""
    version: str = ""
    stamps: dict[str, Stamp] = field(default_factory=dict)
    overlay: list[str] = field(default_factory=list)
    archive: list[int] = field(default_factory=list)

    @classmethod
    def read(cls, file: Path) -> "State | None":
        """The state of a tree that was made before."""
        try:
            kept = json.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        made_of = kept["recipe"]
        recipe = Recipe(
            made_of["source"], tuple(made_of["patches"]), tuple(made_of["config"]), made_of["flavour"]
        )
        stamps = {name: (size, time_ns) for name, (size, time_ns) in kept["stamps"].items()}
        return cls(**kept | {"recipe": recipe, "stamps": stamps})

    def write(self, file: Path) -> None:
        """Keeps it; a build that is interrupted before has the state of the build before that."""
        new = file.with_suffix(".new")
        new.write_text(json.dumps(asdict(self)), encoding="utf-8")
        new.replace(file)


@dataclass(frozen=True)
class BuildTree:
    """The folder of a kernel's tree: `tree`, its state, and the source of an archive."""

    folder: Path

    @property
    def tree(self) -> Path:
        """The kernel's tree, in which `make` runs."""
        return self.folder / "tree"

    @property
    def state_file(self) -> Path:
        """Where the state is kept."""
        return self.folder / "state.json"

    def update(self, recipe: Recipe) -> tuple[State, set[str]]:
        """Brings the tree up to date with its recipe; its state, and which files changed.

        Raises:
            NoLinuxTree: the source is none.
            DoesNotApply: a patch or a hook does not apply.
        """
        before = State.read(self.state_file) or State(recipe)
        self.tree.mkdir(parents=True, exist_ok=True)
        source, archive = self._source(recipe, before)
        version = source.version()
        stamps = source.stamps()
        hooks = hooks_for(version.version, patch_folders(recipe.flavour))
        own = [Path(patch) for patch in recipe.patches]
        touched = touched_files([*own, *(variant.file for hook in hooks for variant in hook.variants)])
        with tempfile.TemporaryDirectory(dir=self.folder, prefix="overlay-") as name:
            overlay = Path(name)
            _copy_files(source.folder, overlay, touched & stamps.keys())
            _patch_and_add(overlay, own)
            if missing := [applied for applied in apply_hooks(overlay, hooks) if applied.missing]:
                lines = ["these patches of airtcp do not apply:", *map(described, missing)]
                raise DoesNotApply("\n".join(lines))
            laid = sorted(_files(overlay))
            changed = self._bring(overlay, laid)
        gone = (before.stamps.keys() | set(before.overlay)) - stamps.keys() - set(laid)
        # A file that a patch removes, or of which it makes no more than the source has.
        gone |= (touched & stamps.keys()) - set(laid)
        fresh = {
            file
            for file, stamp in stamps.items()
            if before.stamps.get(file) != stamp or (file in before.overlay and file not in laid)
        }
        changed |= self._bring(source.folder, fresh - touched)
        for file in gone:
            (self.tree / file).unlink(missing_ok=True)
        state = State(recipe, nearest(version.version, SERIES), version.text, stamps, laid, archive)
        state.write(self.state_file)
        return state, changed | gone

    def _source(self, recipe: Recipe, before: State) -> tuple[SourceFolder, list[int]]:
        """The folder of the source: an archive is unpacked once."""
        given = Path(recipe.source)
        if given.is_dir():
            return SourceFolder(given), []
        if not given.is_file():
            raise NoLinuxTree("there is no such folder or archive")
        unpacked, about = self.folder / "source", given.stat()
        stamp = [about.st_size, about.st_mtime_ns]
        if before.archive != stamp or before.recipe.source != recipe.source or not unpacked.is_dir():
            shutil.rmtree(unpacked, ignore_errors=True)
            unpack(given, unpacked)
        return SourceFolder(unpacked), stamp

    def _bring(self, folder: Path, files: Iterable[str]) -> set[str]:
        """Copies the files that differ from the tree's, which are new for `make` then; these files."""
        changed = set()
        for file in files:
            new, old = folder / file, self.tree / file
            if _same(new, old):
                continue
            _replace(new, old)
            if not old.is_symlink():
                os.utime(old)
            changed.add(file)
        return changed


def _same(new: Path, old: Path) -> bool:
    if new.is_symlink() or old.is_symlink():
        return new.is_symlink() and old.is_symlink() and new.readlink() == old.readlink()
    return old.is_file() and filecmp.cmp(new, old, shallow=False)


def _replace(new: Path, old: Path) -> None:
    old.parent.mkdir(parents=True, exist_ok=True)
    old.unlink(missing_ok=True)
    shutil.copy2(new, old, follow_symlinks=False)


def _copy_files(source: Path, target: Path, files: Iterable[str]) -> None:
    for file in files:
        _replace(source / file, target / file)


def _files(folder: Path) -> Iterable[str]:
    for place, _, files in os.walk(folder):
        yield from (str((Path(place) / file).relative_to(folder)) for file in files)


def _patch_and_add(overlay: Path, own: Iterable[Path]) -> None:
    """Applies one's own patches, then puts airtcp's files there, which its hooks may change."""
    for patch in own:
        if refusals := apply_patch(overlay, patch):
            lines = [f"--patch {patch} does not apply:", *(f"  {refusal}" for refusal in refusals)]
            raise DoesNotApply("\n".join(lines))
    sources = kernel_source() / "src"
    shutil.copytree(sources, overlay, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".*"))


def described(applied: Applied) -> str:
    """What became of a hook, in a few lines."""
    if applied.variant is not None:
        of = applied.variant.first or "all versions"
        return f"  {applied.hook.name}: applies (the patch for {of})"
    if not applied.hook.required:
        return (
            f"  {applied.hook.name}: is left out: the next version of a folder has none, or only that has it"
        )
    lines = [f"  {applied.hook.name}: does not apply"]
    for variant, refusals in applied.refused:
        lines += [f"    the patch for {variant.first or 'all versions'}: {refusal}" for refusal in refusals]
    return "\n".join(lines)


def check_source(source: Path, patches: Iterable[Path], flavour: str) -> tuple[str, list[Applied]]:
    """The version of a source, and what would become of each hook in it; nothing is built.

    Raises:
        NoLinuxTree: the source is none.
        DoesNotApply: one of one's own patches does not apply.
    """
    folders, own = patch_folders(flavour), list(patches)
    # Those of all series: which are needed is not known before the Makefile of an archive is unpacked.
    touched = touched_files([*own, *(patch for folder in folders for patch in folder.rglob("*.patch"))])
    with tempfile.TemporaryDirectory(prefix="airtcp-check-") as name:
        overlay = Path(name)
        if source.is_dir():
            _copy_files(
                source, overlay, {file for file in touched | {"Makefile"} if (source / file).is_file()}
            )
        elif source.is_file():
            unpack(source, overlay, touched | {"Makefile"})
        else:
            raise NoLinuxTree("there is no such folder or archive")
        version = SourceFolder(overlay).version()
        _patch_and_add(overlay, own)
        return version.text, list(apply_hooks(overlay, hooks_for(version.version, folders)))


def main() -> int:
    """Brings a tree up to date for `kernel/build`, and prints what it is as assignments of the shell."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--source", type=Path)
    parser.add_argument("--patch", type=Path, action="append", default=[])
    parser.add_argument("--config", action="append", default=[])
    parser.add_argument("--flavour", default="")
    given = parser.parse_args()
    tree = BuildTree(given.folder)
    if given.source:
        patches = tuple(str(patch.resolve()) for patch in given.patch)
        recipe = Recipe(str(given.source.resolve()), patches, tuple(given.config), given.flavour or PLAIN)
    else:
        kept = State.read(tree.state_file)
        assert kept, "kernel/build looks for it"
        recipe = kept.recipe
    try:
        state, changed = tree.update(recipe)
    except NoLinuxTree as error:
        print(f"--source {recipe.source} is no source of Linux: {error}", file=sys.stderr)
        return 2
    except (DoesNotApply, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    parts = {
        "series": state.series,
        "version": state.version,
        "changed": str(len(changed)),
        # Whether the options must be looked through again.
        "options_changed": "yes" if any(Path(file).name.startswith("Kconfig") for file in changed) else "",
    }
    for name, value in parts.items():
        print(f"{name}={shlex.quote(value)}")
    print(f"config=({' '.join(map(shlex.quote, recipe.config))})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
