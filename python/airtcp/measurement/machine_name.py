"""What stands for the name of a machine in a manifest: for one user always the same."""

import hashlib
import os
import secrets
from functools import cache
from pathlib import Path

KEY_BYTES = 32


def hidden_name(name: str) -> str:
    """A keyed hash of the name of a machine: a hash alone is found by trying names."""
    return hashlib.blake2b(name.encode(), key=_key(_key_file()), digest_size=8).hexdigest()


def _key_file() -> Path:
    state = os.environ.get("XDG_STATE_HOME")
    return (Path(state) if state else Path.home() / ".local" / "state") / "airtcp" / "machine-key"


@cache
def _key(file: Path) -> bytes:
    """The user's own key; where none can be kept, one of this command."""
    new = secrets.token_bytes(KEY_BYTES)
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        aside = file.with_name(f".{file.name}-{os.getpid()}-{secrets.token_hex(4)}")
        number = os.open(aside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            with os.fdopen(number, "wb") as written:
                written.write(new)
            # Of two that begin at once, one is first; a file that is there is complete.
            os.link(aside, file)
        finally:
            aside.unlink()
    except FileExistsError:
        kept = file.read_bytes()
        return kept if len(kept) == KEY_BYTES else new
    except OSError:
        return new
    return new
