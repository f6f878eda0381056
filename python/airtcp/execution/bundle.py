"""The programs and kernels of installed wheels, ready to be started: airtcp's own, and further kernels'.

Installers keep the permission to execute that the wheel records (pip, uv). Where it was lost, or where the
folder is mounted with noexec, the programs are copied once into the user's cache.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from airtcp.cache_folder import cache_folder
from airtcp.errors import AirtcpError
from airtcp.version import __version__

# airtcp-runner, libairtcp_guest.so and airtcp-agent beside each other, and kernels/SERIES of `linux` and
# `kernel.json`: written by tools/wheel/build_hook.py.
BUNDLE = Path(__file__).resolve().parents[1] / "_bin"
RUNNER = "airtcp-runner"
# The guest starts it whatever its mode; `airtcp measure` starts it here.
AGENT = "airtcp-agent"


# Wheels with further kernels name them: a series, and the package that holds its folder `kernels/SERIES`.
KERNEL_WHEELS = "airtcp.kernels"


def bundle_runner() -> Path | None:
    """The wheel's runner; `None` where airtcp was not installed from a wheel."""
    if not (BUNDLE / RUNNER).is_file():
        return None
    return _executable(BUNDLE) / RUNNER


def bundle_kernel(series: str) -> Path | None:
    """The folder of a wheel's kernel of this series, if one has it."""
    for bundle in (BUNDLE, *_kernel_wheels(series)):
        if (bundle / "kernels" / series / "linux").is_file():
            return _executable(bundle) / "kernels" / series
    return None


def _kernel_wheels(series: str) -> Iterator[Path]:
    """The folders of the packages that say they hold the kernel of this series."""
    from importlib.metadata import entry_points
    from importlib.util import find_spec

    for point in entry_points(group=KERNEL_WHEELS, name=series) if "-" in series else ():
        if point.dist is not None and point.dist.version != __version__:
            what = f"{point.dist.name} {point.dist.version} is not for airtcp {__version__}"
            raise AirtcpError(what, f"kernel {series}", f"Install {point.dist.name} {__version__}")
        spec = find_spec(point.value)
        yield from map(Path, (spec.submodule_search_locations if spec else None) or ())


def _executable(bundle: Path) -> Path:
    """The wheel's folder if its programs may be started there, else a copy where they may."""
    programs = _programs(bundle)
    if not all(_may_start(program) for program in programs):
        with contextlib.suppress(OSError):
            for program in programs:
                program.chmod(program.stat().st_mode | 0o111)
    return bundle if all(_may_start(program) for program in programs) else _copy(bundle)


def _programs(folder: Path) -> list[Path]:
    return [*folder.glob(RUNNER), *folder.glob(AGENT), *sorted(folder.glob("kernels/*/linux"))]


def _may_start(program: Path) -> bool:
    # access(2) also refuses on a file system that is mounted with noexec.
    return os.access(program, os.X_OK)


def _copy(bundle: Path) -> Path:
    """A copy in the cache, named by its content. It appears as a whole, also if other processes copy too."""
    try:
        place = cache_folder() / f"programs-{_content(bundle)}"
    except AirtcpError as error:
        raise _no_copy(bundle, f"they can't be copied: {error.what}") from None
    if not place.is_dir():
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryDirectory(dir=place.parent, prefix=".programs-") as folder:
                fresh = Path(folder) / "all"
                shutil.copytree(bundle, fresh, copy_function=shutil.copyfile)
                for program in _programs(fresh):
                    program.chmod(0o755)
                with contextlib.suppress(OSError):  # another process made it first
                    fresh.rename(place)
        except OSError as error:
            raise _no_copy(bundle, f"they can't be copied to {place}: {error.strerror}") from None
    if not all(_may_start(program) for program in _programs(place)):
        raise _no_copy(bundle, f"their copy in {place} is not executable either")
    return place


def _no_copy(bundle: Path, why: str) -> AirtcpError:
    remedy = "Set XDG_CACHE_HOME to a folder that you may write and that is not mounted with noexec"
    return AirtcpError(f"the installed programs are not executable, and {why}", str(bundle), remedy)


def _content(bundle: Path) -> str:
    digest = hashlib.sha256()
    for file in sorted(path for path in bundle.rglob("*") if path.is_file()):
        digest.update(file.relative_to(bundle).as_posix().encode())
        with file.open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()[:16]
