"""git, without what the user has set for its own calls: language, hooks, a repository in the environment."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from airtcp.errors import AirtcpError

_SETTINGS = ("core.hooksPath=/dev/null", "advice.detachedHead=false", "commit.gpgSign=false", "gc.auto=0")


@dataclass(frozen=True)
class Answer:
    """What git said, and its exit status."""

    status: int
    out: str
    errors: str


def ask(folder: Path, *words: str) -> Answer:
    """Runs git in a folder."""
    settings = [word for setting in _SETTINGS for word in ("-c", setting)]
    known = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    author = {f"GIT_{who}_{what}": "airtcp" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    try:
        done = subprocess.run(
            ["git", *settings, "-C", str(folder), *words],
            env={**known, **author, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except FileNotFoundError:
        raise AirtcpError("git is missing", "", "Install it: apt-get install git") from None
    return Answer(done.returncode, done.stdout.strip(), done.stderr.strip())


def git(folder: Path, *words: str) -> str:
    """What git answers; what it refuses is an `AirtcpError`."""
    answer = ask(folder, *words)
    if answer.status != 0:
        said = (answer.errors or answer.out or f"status {answer.status}").replace("\n", " ")
        raise AirtcpError(f"git {words[0]} says: {said}", str(folder))
    return answer.out


@dataclass(frozen=True)
class Commit:
    """A commit: its hash and the first line of its message."""

    id: str
    subject: str

    @property
    def short(self) -> str:
        """The hash as far as people write it."""
        return self.id[:12]


def commit_named(folder: Path, name: str) -> Commit:
    """The commit of a name in a repository; one that is not there is an `AirtcpError`."""
    found = ask(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if found.status != 0:
        raise AirtcpError(f'has no commit "{name}"', str(folder), "Write a hash, a tag or a branch")
    return commit_of(folder, found.out)


def commit_of(folder: Path, id: str) -> Commit:
    """The commit of a hash that is known."""
    return Commit(id, git(folder, "log", "-1", "--format=%s", id))
