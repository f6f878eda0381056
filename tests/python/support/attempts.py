"""Programs that try to leave their guest: each attempt is told as `open` (it worked) or by its error."""

import textwrap

# What the attempts of every program use.
PRELUDE = """
import ctypes, errno, json, os, socket, time
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

def processes(*names):
    for number in filter(str.isdigit, os.listdir("/proc")):
        with open(f"/proc/{number}/comm") as comm:
            name = comm.read().strip()
        if name in names:
            yield int(number), name

def look_into(number, name):
    at, buffer = f"/proc/{number}", ctypes.create_string_buffer(64)
    place = (ctypes.c_ulong * 2)(ctypes.addressof(buffer), 64)
    for what in ("root", "cwd"):
        attempt(f"{what} of {name}", lambda what=what: os.listdir(f"{at}/{what}/"))
    attempt(f"plan by {name}", lambda: open(f"{at}/root/run/airtcp/plan.json").close())
    attempt(f"names of files of {name}", lambda: os.readlink(f"{at}/fd/1"))
    attempt(f"output of {name}", lambda: open(f"{at}/fd/1").close())
    attempt(f"memory of {name}", lambda: open(f"{at}/mem").close())
    attempt(f"environment of {name}", lambda: open(f"{at}/environ").close())
    attempt(f"mounts of {name}", lambda: enter(f"{at}/ns/mnt"))
    attempt(f"ptrace of {name}", lambda: call(libc.ptrace(16, number, 0, 0)))
    attempt(f"reading {name}", lambda: call(libc.process_vm_readv(number, place, 1, place, 1, 0)))
    descriptor = os.pidfd_open(number)
    attempt(f"descriptor of {name}", lambda: call(libc.syscall(438, descriptor, 1, 0)))
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
