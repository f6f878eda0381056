"""What is searched: commits of the user's repository, or a series of patches; each with the words by which
`kernel/build` builds what is checked out.

git checks out in a folder of its own, so the user's files and branches stay as they are.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from airtcp.bisection.git import Commit, ask, commit_named, commit_of, git
from airtcp.errors import AirtcpError

_COUNT = "count"
_PATCH_ENDINGS = (".patch", ".diff")


@dataclass(frozen=True)
class History:
    """A repository in which `git bisect` runs, its ends, and the words for what is checked out."""

    folder: Path
    good: Commit
    bad: Commit
    build_words: Callable[[], list[str]]


@contextmanager
def worktree(repository: Path, ends: tuple[str, str], folder: Path) -> Iterator[History]:
    """The commits of a repository from a good to a bad one, in a worktree that is removed at the end."""
    if not repository.is_dir():
        raise AirtcpError("there is no such folder", str(repository), "Give a clone of Linux")
    if ask(repository, "rev-parse", "--git-dir").status != 0:
        remedy = "Give a clone of Linux; for an archive or a series use --patches"
        raise AirtcpError("is no repository of git", str(repository), remedy)
    good, bad = (commit_named(repository, name) for name in ends)
    if good.id == bad.id:
        raise AirtcpError("are the same commit", "--good and --bad", "Give an older commit for --good")
    _forget(repository, folder)
    try:
        git(repository, "worktree", "add", "--quiet", "--detach", str(folder), good.id)
        yield History(folder, good, bad, lambda: ["--source", str(folder)])
    finally:
        _forget(repository, folder)


def _forget(repository: Path, folder: Path) -> None:
    """Removes a worktree, also one that a killed bisection has left."""
    ask(repository, "worktree", "remove", "--force", "--force", str(folder))
    ask(repository, "worktree", "prune")


def patch_series(files: Sequence[Path], base: Sequence[str], folder: Path) -> History:
    """A history of these patches: the n-th commit of a small repository stands for the first n of them.

    `base` tells the builder what they are for.
    """
    git(folder.parent, "init", "--quiet", str(folder))
    commits = []
    for count, subject in enumerate(["no patch", *(file.name for file in files)]):
        (folder / _COUNT).write_text(f"{count}\n", encoding="utf-8")
        git(folder, "add", _COUNT)
        git(folder, "commit", "--quiet", "--message", subject)
        commits.append(commit_of(folder, git(folder, "rev-parse", "HEAD")))

    def words() -> list[str]:
        count = int((folder / _COUNT).read_text(encoding="utf-8"))
        return [*base, *(word for file in files[:count] for word in ("--patch", str(file)))]

    return History(folder, commits[0], commits[-1], words)


def patch_files(given: Sequence[Path]) -> list[Path]:
    """The patches of folders, by name, and files, in the order given."""
    found: list[Path] = []
    for place in given:
        if place.is_dir():
            found += sorted(file for file in place.iterdir() if file.suffix in _PATCH_ENDINGS)
        elif place.is_file():
            found.append(place)
        else:
            raise AirtcpError("there is no such file or folder", f"--patches {place}", "Check the path")
    if not found:
        where = " ".join(map(str, given))
        raise AirtcpError("has no patches", f"--patches {where}", "Patches end in .patch or .diff")
    return [file.resolve() for file in found]
