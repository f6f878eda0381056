"""Files of a run folder: read only if they are files, lie in the folder, and fit the memory."""

import os
import stat
from pathlib import Path

from airtcp.errors import AirtcpError

REMEDY = "Remove the folder and run the scenario again"


def read_plain(file: Path, folder: Path, most_bytes: int) -> bytes:
    """The content of a file in a folder; `FileNotFoundError` and other `OSError` reach the caller.

    A link that leads out of the folder, what is not a regular file (a pipe would never end) and a file of
    more than `most_bytes` is an `AirtcpError`.
    """
    # What is asked for in a folder stays in it, wherever the folder itself may have been linked to.
    if not file.resolve(strict=True).is_relative_to(folder.resolve()):
        raise AirtcpError("is a link that leads out of its folder", str(file), "Copy the file to its place")
    number = os.open(file, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(number, "rb") as opened:
        about = os.fstat(number)
        if not stat.S_ISREG(about.st_mode):
            raise AirtcpError("is not a regular file", str(file), REMEDY)
        if about.st_size > most_bytes:
            what = f"is too large: it has {about.st_size} bytes, of at most {most_bytes}"
            raise AirtcpError(what, str(file), REMEDY)
        return opened.read(about.st_size)
