"""Types commands into a pipe like somebody who waits for the prompt and then for the network."""

import fcntl
import os
import struct
import sys
import termios
import time
from pathlib import Path

POLL_S = 0.1
WAIT_S = 5.0
"""Virtual seconds between the prompt and the first command: stations find their access points meanwhile, and
switches their controllers. Starting takes no virtual time, so commands would come before."""
ENDS_THE_PROMPT = b"exit\n"


def waiting(pipe: int) -> int:
    """Octets in the pipe that nobody has read."""
    count = fcntl.ioctl(pipe, termios.FIONREAD, bytes(4))
    return int(struct.unpack("i", count)[0])


def type_into(pipe: int, typed: bytes) -> None:
    """Types one octet, the rest some time after it was read: by then somebody waits for a line."""
    os.write(pipe, typed[:1])
    while waiting(pipe):
        time.sleep(POLL_S)
    time.sleep(WAIT_S)
    with os.fdopen(pipe, "wb", closefd=False) as stream:
        stream.write(typed[1:])


def main() -> None:
    """Types the file that is named into standard output.

    If it only ends the prompt, it does so again whenever that was read: a script may ask something before, or
    have several prompts. What else is typed may be read by a program of a host, so it is typed once.
    """
    typed = Path(sys.argv[1]).read_bytes()
    pipe = sys.stdout.fileno()
    type_into(pipe, typed)
    while typed == ENDS_THE_PROMPT:
        while waiting(pipe):
            time.sleep(POLL_S)
        type_into(pipe, typed)
