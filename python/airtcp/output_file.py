"""Files that users name for output: they appear only when complete."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from airtcp.errors import AirtcpError


@contextmanager
def whole_file(out: Path) -> Iterator[Path]:
    """A path beside the file; what is written there takes the file's place at the end, unless an error comes.

    Raises:
        AirtcpError: the file can't be written.
    """
    aside = out.parent / f".{out.name}.{os.getpid()}.partial"
    try:
        yield aside
        aside.replace(out)
    except OSError as error:
        raise AirtcpError(f"can't be written: {error.strerror}", str(out), "Choose another file") from None
    finally:
        aside.unlink(missing_ok=True)
