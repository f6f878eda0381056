"""Checks of the machine: processor, programs, memory, limits, system calls, space."""

import mmap
import os
import platform
import resource
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from airtcp.execution.store import FREE_BYTES_LEAST
from airtcp.execution.system_calls import refused_calls

# The guest sets up its network with the host's own programs; they need no privileges there.
PROGRAMS = ("ip", "tc")
# What only cells with mac = "linux" and setup = "daemons" need, and Debian's package of it.
WIRELESS_PROGRAMS = {"hostapd": "hostapd", "wpa_supplicant": "wpasupplicant"}
# The same as in crates/plan/src/host_programs.rs: an ordinary user's path does not lead to all of them.
SYSTEM_FOLDERS = ("/usr/sbin", "/sbin", "/usr/bin", "/bin", "/usr/local/sbin", "/usr/local/bin")
# What a guest does not share with this machine (crates/agent/src/boot/root.rs).
GUESTS_OWN_FOLDERS = ("/tmp", "/var/tmp", "/run", "/dev", "/proc", "/sys")
# The default of a scenario's `memory_mib`: the most memory that its guest can use.
GUEST_MIB = 512
# The same as in crates/runner/src/memory_folder.rs, which chooses the folder.
MEMORY_FOLDER_FREE_MIB = 512
SHARED_MEMORY = Path("/dev/shm")
PROC = Path("/proc")
# The limit of the own control group (cgroups(7)), version 2 and version 1, as a container sees it.
MEMORY_LIMITS = (
    Path("/sys/fs/cgroup/memory.max"),
    Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
)
MIB = 1 << 20
# docs/how-to/install.md has a smaller change of the profile.
UNCONFINED = "docker run --security-opt seccomp=unconfined"


@dataclass(frozen=True)
class Check:
    """The result of one check; `remedy` says what to do if it is not `ok`."""

    name: str
    ok: bool
    detail: str
    remedy: str = ""


def examine_host(store: Path) -> Iterator[Check]:
    """All checks of the machine; they are fast and leave nothing behind."""
    yield processor()
    for program in PROGRAMS:
        yield find_program(program)
    for program, package in WIRELESS_PROGRAMS.items():
        yield find_wireless_program(program, package)
    yield proc()
    yield memory()
    yield guest_memory()
    yield process_limits()
    yield from system_calls()
    yield store_space(store)


def processor() -> Check:
    """The programs are built for Linux on x86-64; any such processor works."""
    system, machine = platform.system(), platform.machine()
    ok = (system, machine) == ("Linux", "x86_64")
    return Check("processor", ok, f"{system} on {machine}", "airtcp needs Linux on x86-64")


def find_program(name: str) -> Check:
    """A program of iproute2."""
    found = _where(name)
    if found is None:
        return Check(f"program {name}", False, "not found", "Install iproute2 (Debian: apt install iproute2)")
    return Check(f"program {name}", True, found)


def find_wireless_program(name: str, package: str) -> Check:
    """A daemon that only some scenarios need: its absence is no failure."""
    found = _where(name)
    missing = f'not found; only setup = "daemons" of mac80211 needs it (Debian: apt install {package})'
    return Check(f"program {name}", True, found or missing)


def _where(name: str) -> str | None:
    """Where the guest finds a program of the host, whatever the user's path is."""
    return shutil.which(name, path=os.pathsep.join(SYSTEM_FOLDERS))


def proc() -> Check:
    """The guest gets its files as /proc/self/fd/N."""
    ok = (PROC / "self" / "fd").is_dir()
    return Check("proc", ok, f"{PROC} is {'' if ok else 'not '}mounted", f"Mount proc at {PROC}")


def memory() -> Check:
    """Memory for one guest of ordinary size."""
    free_mib, why = _free_memory_mib()
    detail = f"{free_mib} MiB free ({why}), a guest may take {GUEST_MIB}"
    remedy = "Free some, raise the container's limit, or give scenarios less: memory_mib = 256"
    return Check("memory", free_mib >= GUEST_MIB, detail, remedy)


def _free_memory_mib() -> tuple[int, str]:
    fields = dict(line.split(":", 1) for line in (PROC / "meminfo").read_text().splitlines() if ":" in line)
    free_mib = int(fields["MemAvailable"].split()[0]) // 1024
    for file in MEMORY_LIMITS:
        try:
            limit_mib = int(file.read_text()) // MIB
        except (OSError, ValueError):  # no such file, or "max"
            continue
        if limit_mib < free_mib:
            return limit_mib, f"the limit in {file}"
    return free_mib, "of the machine"


def memory_folder() -> Path:
    """Folder in which the runner puts the file that is the guest's memory
    (crates/runner/src/memory_folder.rs).
    """
    try:
        stat = os.statvfs(SHARED_MEMORY)
    except OSError:
        return _temporary_folder()
    fits = stat.f_bavail * stat.f_frsize >= MEMORY_FOLDER_FREE_MIB * MIB
    return SHARED_MEMORY if fits and not stat.f_flag & os.ST_NOEXEC else _temporary_folder()


def _temporary_folder() -> Path:
    # As the runner sees it: Python's own choice would avoid a folder that can't be written.
    return Path(os.environ.get("TMPDIR") or "/tmp")


def guest_memory() -> Check:
    """The guest's memory is a file that its processes map, also to execute: it needs a place for that."""
    folder = memory_folder()
    elsewhere = (
        f"Give {SHARED_MEMORY} {GUEST_MIB} MiB (docker run --shm-size 1g), or set TMPDIR to another folder"
    )
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.truncate(mmap.PAGESIZE)
            protection = mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC
            mmap.mmap(file.fileno(), mmap.PAGESIZE, prot=protection).close()
        free_mib = shutil.disk_usage(folder).free // MIB
    except PermissionError as error:
        what = f"{folder} can't be written, or is mounted with noexec ({error.strerror})"
        return Check("guest memory", False, what, f"Mount it without noexec, writable. {elsewhere}")
    except OSError as error:
        return Check("guest memory", False, f"{folder}: {error.strerror}", elsewhere)
    detail = f"{free_mib} MiB free in {folder}, a guest may take {GUEST_MIB}"
    return Check("guest memory", free_mib >= GUEST_MIB, detail, elsewhere)


def process_limits() -> Check:
    """Limits of a process (getrlimit(2)) that a guest would run into."""
    limits = (("address space", resource.RLIMIT_AS, "v"), ("file size", resource.RLIMIT_FSIZE, "f"))
    # The kernel and its process map the guest's memory and themselves.
    low = [
        (name, option)
        for name, number, option in limits
        if (limit := resource.getrlimit(number)[0]) != resource.RLIM_INFINITY and limit < 2 * GUEST_MIB * MIB
    ]
    if not low:
        return Check("process limits", True, "high enough")
    names, options = zip(*low, strict=True)
    remedy = f"Raise them: {', '.join(f'ulimit -{option} unlimited' for option in options)}"
    return Check("process limits", False, f"too low for a guest: {', '.join(names)}", remedy)


def system_calls() -> Iterator[Check]:
    """What the guest's kernel (ptrace) and the launcher (personality) ask of the system."""
    refused = refused_calls()
    yield _call("ptrace", refused["ptrace"], _ptrace_remedy())
    remedy = f"Let the container's seccomp profile allow personality(ADDR_NO_RANDOMIZE): {UNCONFINED}"
    yield _call("personality", refused["personality"], remedy)


def _call(name: str, said: str, remedy: str) -> Check:
    return Check(f"system call {name}", not said, f"refused: {said}" if said else "allowed", remedy)


def _ptrace_remedy() -> str:
    scope = PROC / "sys" / "kernel" / "yama" / "ptrace_scope"
    # Documentation/admin-guide/LSM/Yama.rst: from 2 on, only those with CAP_SYS_PTRACE, or none.
    if scope.is_file() and int(scope.read_text()) >= 2:
        return f"{scope} is {scope.read_text().strip()}; as root: sysctl kernel.yama.ptrace_scope=1"
    return f"Let the container's seccomp profile allow ptrace: {UNCONFINED}"


def store_space(store: Path) -> Check:
    """Whether the folder for results can be made and has room for a run."""
    folder = next(place for place in (store.absolute(), *store.absolute().parents) if place.exists())
    remedy = "Choose another folder: --store"
    if not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        return Check("store", False, f"{folder} can't be written", remedy)
    free = shutil.disk_usage(folder).free
    detail = f"{free // MIB} MiB free in {folder}, {FREE_BYTES_LEAST // MIB} needed"
    return Check("store", free >= FREE_BYTES_LEAST, detail, remedy)
