"""Finds the runner and the built kernel."""

import json
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread

from airtcp.errors import AirtcpError
from airtcp.execution.bundle import AGENT, BUNDLE, bundle_kernel, bundle_runner
from airtcp.kernels.folder_name import kernels_folder
from airtcp.kernels.name import how_to_build
from airtcp.kernels.source import kernel_source, repository
from airtcp.kernels.table import DEFAULT_KERNEL
from airtcp.version import __version__

_KERNEL_FILES = ("linux", "kernel.json")
# `make wheel-lab` makes a wheel of it.
LAB_KERNEL = f"{DEFAULT_KERNEL}-lab"
# Folders of built kernels that the builder named to this process.
_ANSWERS: dict[tuple[Path, str, str | None, str | None], Path] = {}
_ASKING = Lock()


def find_runner() -> Path:
    """The runner: `AIRTCP_RUNNER`, else that of the installed wheel, else the source tree's release build."""
    given = os.environ.get("AIRTCP_RUNNER")
    if given:
        if not _is_program(Path(given)):
            raise AirtcpError(
                "there is no such program", f"AIRTCP_RUNNER={given}", "Correct or unset the variable"
            )
        return Path(given)
    bundled = bundle_runner()
    if bundled is not None:
        return bundled
    tree = repository()
    if tree is None:
        remedy = "Install the wheel of airtcp that 'make wheel' builds, or set AIRTCP_RUNNER"
        raise AirtcpError("the runner is missing: airtcp was installed without it", "", remedy)
    built = tree / "target" / "release" / "airtcp-runner"
    if not _is_program(built):
        remedy = "Build it: cargo build --release (or set AIRTCP_RUNNER)"
        raise AirtcpError("the runner is missing", str(built), remedy)
    return built


def find_agent() -> Path:
    """The agent, which is beside the runner."""
    agent = find_runner().with_name(AGENT)
    if not _is_program(agent):
        raise AirtcpError("the agent is missing", str(agent), "Build it: make build")
    return agent


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def kernel_builder() -> Path | None:
    """The script that builds kernels, of the source tree or of the installed wheel; `bash` runs it."""
    script = kernel_source() / "build"
    return script if script.is_file() else None


def builder_environment() -> dict[str, str]:
    """Environment of the script that builds kernels: it reads names with this interpreter.

    Its errors begin as those of the command do, for the command runs it. Modules are for a kernel of the
    wheel, if it has that.
    """
    own = {
        "AIRTCP_PYTHON": sys.executable,
        "AIRTCP_BUILDER": "airtcp",
        "AIRTCP_BUNDLE": str(BUNDLE / "kernels"),
    }
    return os.environ | own


def find_kernel(series: str) -> Path:
    """The folder of the kernel of this series.

    In an installation it is that of airtcp's wheel, unless `AIRTCP_KERNELS` holds one of this name, or
    that of a wheel beside it. Otherwise it is the one that the builder names for its present patches, or
    one kept under the name of its series.
    """
    script = kernel_builder()
    folder = _given(series) or bundle_kernel(series)
    if folder is None and script:
        folder = _named_by_builder(script, series)
    # A kernel kept under the name of a user's own series may have been made with other patches.
    if folder is None and not (script and "-" in series):
        folder = kernels_folder() / series
    if folder is None or not _is_kernel(folder):
        raise AirtcpError(f"no kernel {series} is built", str(kernels_folder()), _build_it(series))
    return folder


def find_ahead(series: str) -> None:
    """Begins to look for the kernel of this series, for a `find_kernel` that comes after other work.

    The builder that names it takes as long as the modules of a command take to load.
    """

    def look() -> None:
        # find_kernel raises it again for whoever needs the kernel.
        with suppress(AirtcpError):
            find_kernel(series)

    Thread(target=look, daemon=True).start()


def _given(series: str) -> Path | None:
    """The kernel in `AIRTCP_KERNELS` that replaces the wheel's; in a source tree the builder decides."""
    given = os.environ.get("AIRTCP_KERNELS")
    if not given or repository() is not None or "-" in series:
        return None
    folder = Path(given) / series
    return folder if _is_kernel(folder) else None


def _is_kernel(folder: Path) -> bool:
    return all((folder / name).is_file() for name in _KERNEL_FILES)


def _build_it(series: str) -> str:
    how = how_to_build(series, made_before=(kernels_folder() / series / "cca").is_dir())
    if repository() is None and series == LAB_KERNEL:
        return f"Install the wheel airtcp_lab_kernel-{__version__}, or build it: {how}"
    return f"Build it: {how}"


def _named_by_builder(script: Path, series: str) -> Path | None:
    # It starts a shell and an interpreter: a command that asks several times asks once.
    asked = (script, series, os.environ.get("AIRTCP_KERNELS"), os.environ.get("XDG_CACHE_HOME"))
    with _ASKING:
        if asked not in _ANSWERS:
            folder = _asked_builder(script, series)
            if folder is None or not _is_kernel(folder):
                return folder
            _ANSWERS[asked] = folder
        return _ANSWERS[asked]


def _asked_builder(script: Path, series: str) -> Path | None:
    command = ["bash", str(script), "--series", series, "--print-path"]
    try:
        answer = subprocess.run(
            command, env=builder_environment(), capture_output=True, text=True, check=False
        )
    except FileNotFoundError:  # no bash: nothing was built here either
        return None
    if answer.returncode == 2:
        what = answer.stderr.strip().removeprefix("airtcp: ")
        raise AirtcpError(what or "refused the series", f"kernel {series}")
    lines = answer.stdout.strip().splitlines()
    return Path(lines[-1]) if answer.returncode == 0 and lines else None


def kernel_label(folder: Path) -> str:
    """Release of a built kernel, for messages."""
    try:
        return str(json.loads((folder / "kernel.json").read_text(encoding="utf-8"))["release"])
    except (OSError, ValueError, KeyError, TypeError):
        raise AirtcpError(
            "kernel.json is damaged", str(folder), "Remove the folder and build again: airtcp kernel build"
        ) from None
