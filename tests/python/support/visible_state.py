"""What a program of a guest can see, as text: `test_leaks_guest.py` runs it in guests, with Python of the host.

It changes what it sees on purpose, at its end: whatever differs between two runs must come from the host.
"""

# What is looked at are system calls.
# ruff: noqa: PTH101, PTH102, PTH104, PTH105, PTH106, PTH108, PTH115, PTH116, PTH119, PTH123, PTH208, PTH211

import ctypes
import mmap
import os
import resource
import stat
import struct
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

# Reading these waits for ever, or clears what it reads.
UNREAD = {
    "kmsg",
    "trace_pipe",
    "clear_refs",
    "mem",
    "pagemap",
    "kcore",
    "kpagecount",
    "kpageflags",
    "kpagecgroup",
}
# Reads the counter of rdtsc or rdtscp: shl rdx, 32; or rax, rdx; ret.
RDTSC = bytes.fromhex("0f31 48c1e220 4809d0 c3")
RDTSCP = bytes.fromhex("0f01f9 48c1e220 4809d0 c3")
# The processor's number, which rdtscp puts into rcx: rdtscp; mov rax, rcx; ret.
NUMBER = bytes.fromhex("0f01f9 4889c8 c3")
# Reads a byte at its argument: mov eax, 1; mov cl, [rdi]; ret. A fault skips the reading (two bytes) and makes the result 0.
PEEK = bytes.fromhex("b801000000 8a0f c3")
# Writes one there: mov eax, 1; mov [rdi], al; ret.
POKE = bytes.fromhex("b801000000 8807 c3")
SKIP = bytes.fromhex("488382a800000002 48c7829000000000000000 c3")
PAGE = 4096
# Where a process without address-space randomisation has its libraries, its heap's arenas, its stack and the vdso.
HIGH = (0x7FFFF0000000, 0x7FFFFFFFF000)
# The pages with native code, which last as long as the program.
PAGES: list[mmap.mmap] = []


def say(name: str, value: object) -> None:
    print(f"{name}: {value!r}")


def native(code: bytes, *arguments: type) -> Callable[..., int]:
    page = mmap.mmap(-1, PAGE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(code)
    PAGES.append(page)
    return ctypes.CFUNCTYPE(ctypes.c_uint64, *arguments)(ctypes.addressof(ctypes.c_char.from_buffer(page)))


def tell_counter() -> None:
    for name, code in (("rdtsc", RDTSC), ("rdtscp", RDTSCP)):
        read = native(code)
        before = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        counted = [read() for _ in range(3)]
        after = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        assert before < counted[0] < counted[1] < counted[2] < after, (before, counted, after)
        say(name, counted)
    say("processor", native(NUMBER)())


class Action(ctypes.Structure):
    """glibc's `struct sigaction`."""

    _fields_ = (
        ("handler", ctypes.c_void_p),
        ("mask", ctypes.c_ulong * 16),
        ("flags", ctypes.c_int),
        ("restorer", ctypes.c_void_p),
    )


@contextmanager
def faults_skipped() -> Iterator[None]:
    """Native code that reads or writes where nothing is goes on with its next instruction."""
    skip = native(SKIP)
    libc = ctypes.CDLL(None)
    siginfo, faults = 4, (7, 11)
    mine = Action(ctypes.cast(skip, ctypes.c_void_p).value, flags=siginfo)
    before = {fault: Action() for fault in faults}
    for fault in faults:
        libc.sigaction(fault, ctypes.byref(mine), ctypes.byref(before[fault]))
    yield
    for fault in faults:
        libc.sigaction(fault, ctypes.byref(before[fault]), None)


def tell_addresses() -> None:
    peek = native(PEEK, ctypes.c_uint64)
    own = ctypes.create_string_buffer(1)
    with faults_skipped():
        assert peek(ctypes.addressof(own)) == 1
        assert peek(0) == 0
        seen = [hex(address) for address in range(*HIGH, PAGE) if peek(address)]
    say("addresses of the kernel's process", seen)


def spin_and_scribble() -> None:
    """Writes wherever the kernel's process had memory, then never waits.

    Each fault ends with a system call, and time passes once there are many: writing for ever would be no stall.
    """
    poke = native(POKE, ctypes.c_uint64)
    own = ctypes.create_string_buffer(1)
    with faults_skipped():
        assert poke(ctypes.addressof(own)) == 1
        assert own.raw == b"\x01"
        for address in range(*HIGH, PAGE):
            poke(address)
    while True:
        pass


def tell_process() -> None:
    with open("/proc/self/auxv", "rb") as file:
        words = file.read()
    say("auxv", list(struct.iter_unpack("QQ", words)))
    vector = dict(struct.iter_unpack("QQ", words))
    say("AT_RANDOM", ctypes.string_at(vector[25], 16))
    say("environment", sorted(os.environ.items()))
    say(
        "ids",
        (
            os.getpid(),
            os.getppid(),
            os.getresuid(),
            os.getresgid(),
            os.getgroups(),
            os.getpgid(0),
            os.getsid(0),
        ),
    )
    for name in sorted(name for name in vars(resource) if name.startswith("RLIMIT")):
        say(name, resource.getrlimit(getattr(resource, name)))
    say("uname", os.uname())
    say(
        "cores",
        (os.sched_getaffinity(0), os.cpu_count(), os.getloadavg(), os.sched_getscheduler(0), os.nice(0)),
    )
    say("umask", os.umask(0o22))
    say("memory", [os.sysconf(name) for name in ("SC_PHYS_PAGES", "SC_AVPHYS_PAGES")])
    for clock in ("REALTIME", "MONOTONIC", "BOOTTIME", "PROCESS_CPUTIME_ID", "THREAD_CPUTIME_ID"):
        say(clock, time.clock_gettime_ns(getattr(time, f"CLOCK_{clock}")))
    say("usage", resource.getrusage(resource.RUSAGE_SELF))


def read(path: str) -> object:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    except OSError as error:
        return error
    try:
        parts = []
        while part := os.read(descriptor, 1 << 16):
            parts.append(part)
        return b"".join(parts)
    except OSError as error:
        return error
    finally:
        os.close(descriptor)


def tell_files(root: str) -> None:
    """Every file's properties and contents, and the order of the names in each folder."""
    try:
        properties = os.lstat(root)
    except OSError as error:
        say(f"stat {root}", error)
        return
    say(f"stat {root}", properties)
    if stat.S_ISLNK(properties.st_mode):
        say(f"link {root}", os.readlink(root))
    if stat.S_ISREG(properties.st_mode) and os.path.basename(root) not in UNREAD:
        say(f"read {root}", read(root))
    if not stat.S_ISDIR(properties.st_mode):
        return
    try:
        names = os.listdir(root)
    except OSError as error:
        say(f"list {root}", error)
        return
    say(f"list {root}", names)
    for name in names:
        # Of processes only this one; the others' numbers stand in the list. What is mounted here belongs to the host.
        other = root == "/proc" and name.isdigit() and int(name) != os.getpid()
        if not other and name not in ("self", "thread-self", "root", "cwd"):
            tell_files(f"{root}/{name}")


def tell_writing() -> None:
    """What becomes of the program's own files, whoever runs the guest."""
    os.chdir(os.environ["RUN_DIR"])
    os.mkdir("folder", 0o751)
    for name in ("z", "a", "m"):
        with open(f"folder/{name}", "w") as file:
            file.write(name * 5000)
    os.chmod("folder/a", 0o400)
    with open("folder/a", "a") as file:
        file.write("more")
    os.chmod("folder/m", 0)
    say("closed to its owner", read("folder/m"))
    os.chown("folder/z", 7, 8)
    os.link("folder/z", "folder/y")
    os.symlink("nowhere", "folder/link")
    os.rename("folder/a", "folder/b")
    os.replace("folder/m", "folder/y")
    os.utime("folder/b", ns=(1, 2_000_000_003))
    os.mkfifo("folder/fifo")
    for number in range(300):
        with open(f"folder/{number}", "w"):
            pass
    for number in range(0, 300, 2):
        os.unlink(f"folder/{number}")
    os.rmdir(make("gone"))
    say("made anew", os.stat(make("gone")))
    for mode in (0o4755, 0o2644, 0o1777):
        os.chmod("folder/b", mode)
        say("mode", oct(os.stat("folder/b").st_mode))
    for path in (".", "folder", "/run/airtcp"):
        say(f"statvfs {path}", os.statvfs(path))


def make(folder: str) -> str:
    os.mkdir(folder)
    return folder


def main() -> None:
    if sys.argv[1:] == ["--scribble"]:
        spin_and_scribble()
    tell_counter()
    tell_addresses()
    tell_process()
    tell_writing()
    for root in sys.argv[1:]:
        tell_files(root)
    say("statvfs /", os.statvfs("/"))
    tell_counter()


main()
