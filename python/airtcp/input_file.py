"""Files that users name: read only if they are regular files of a size that can be meant."""

import errno
import os
import stat
from pathlib import Path

# Of files that are not read into a plan: a study's values, lists of runs, commands of a session, Python.
TEXT_BYTES_MOST = 16 << 20


def read_input(file: Path, most_bytes: int, *, follow: bool = True) -> bytes:
    """The content of a file; with `follow=False` a link is an error.

    Everything else than a regular file of at most `most_bytes` is an `OSError` that says so: a device has no
    end, and a pipe may never begin.
    """
    flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY | (0 if follow else os.O_NOFOLLOW)
    number = os.open(file, flags)
    try:
        about = os.fstat(number)
        if stat.S_ISDIR(about.st_mode):
            raise IsADirectoryError(errno.EISDIR, "it is a folder", str(file))
        if not stat.S_ISREG(about.st_mode):
            what = "it is not a regular file, but a device, a pipe or a socket"
            raise OSError(errno.EINVAL, what, str(file))
        with os.fdopen(number, "rb", closefd=False) as opened:
            # Files of /proc have no size, and a file may grow meanwhile.
            content = b"" if about.st_size > most_bytes else opened.read(most_bytes + 1)
    finally:
        os.close(number)
    if about.st_size > most_bytes or len(content) > most_bytes:
        size = max(about.st_size, len(content))
        raise OSError(
            errno.EFBIG, f"it is too large: it has {size} bytes, of at most {most_bytes}", str(file)
        )
    return content
