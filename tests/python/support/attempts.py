"""Programs that try to leave their guest: each attempt is told as `open` (it worked) or by its error."""

import textwrap

# What the attempts of every program use.
PRELUDE = """
import ctypes, errno, json, os, socket
libc = ctypes.CDLL(None, use_errno=True)
told = {}

def attempt(name, reach):
    try:
        reach()
        told[name] = "open"
    except OSError as error:
        told[name] = errno.errorcode.get(error.errno, str(error.errno))

def call(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")

def write(path):
    # A program may make files of any name in the guest's own /dev: devices must be there already.
    with open(path, "r+b" if path.startswith(("/dev", "/proc")) else "ab", buffering=0) as file:
        file.write(b"theirs")

def mount(source, target, kind, flags=0, options=None):
    call(libc.mount(source.encode(), target.encode(), kind.encode(), flags, options and options.encode()))

def enter(namespace):
    call(libc.setns(os.open(namespace, os.O_RDONLY), 0))
"""
# It writes to its own folder, which it may have unmounted by then.
END = """
with os.fdopen(kept, "w") as file:
    json.dump(told, file)
"""
BEGINNING = """
kept = os.open(os.environ["RUN_DIR"] + "/told.json", os.O_WRONLY | os.O_CREAT, 0o644)
"""


def program(attempts: str, **names: object) -> str:
    """A Python program that makes these attempts and tells them in `told.json`; `names` are values that they use."""
    constants = "".join(f"{name} = {value!r}\n" for name, value in names.items())
    return PRELUDE + constants + BEGINNING + textwrap.dedent(attempts) + END
