"""Where the runner and the built kernel are."""

import json
import os
import subprocess
from pathlib import Path

from airtcp.errors import AirtcpError

_PACKAGE = Path(__file__).resolve().parents[1]
_KERNEL_FILES = ("linux", "kernel.json")


def repository() -> Path | None:
    """The source tree this package runs from, or `None` if it is installed elsewhere."""
    root = _PACKAGE.parents[1]
    return root if (root / "Cargo.toml").is_file() and (root / "crates").is_dir() else None


def find_runner() -> Path:
    """The runner: `AIRTCP_RUNNER`, else beside the package, else the source tree's release build."""
    given = os.environ.get("AIRTCP_RUNNER")
    if given:
        if not _is_program(Path(given)):
            raise AirtcpError(
                "there is no such program", f"AIRTCP_RUNNER={given}", "Correct or unset the variable"
            )
        return Path(given)
    candidates = [_PACKAGE / "_bin" / "airtcp-runner"]
    tree = repository()
    if tree is not None:
        candidates.append(tree / "target" / "release" / "airtcp-runner")
    for candidate in candidates:
        if _is_program(candidate):
            return candidate
    raise AirtcpError(
        "the runner is missing",
        " and ".join(str(candidate) for candidate in candidates),
        "Build it: cargo build --release (or set AIRTCP_RUNNER)",
    )


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)


def kernels_folder() -> Path:
    """Where built kernels are kept."""
    given = os.environ.get("AIRTCP_KERNELS")
    if given:
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME")
    return (Path(cache) if cache else Path.home() / ".cache") / "airtcp" / "kernels"


def kernel_builder() -> Path | None:
    """The source tree's script that builds kernels."""
    tree = repository()
    script = tree / "kernel" / "build" if tree else None
    return script if script and _is_program(script) else None


def find_kernel(series: str) -> Path:
    """The folder of the built kernel of this series: of the source tree if it has one, else a ready one."""
    script = kernel_builder()
    folder = _asked(script, series) if script else None
    # What is kept under the series of one's own may have been made with other patches: not what is asked for.
    if folder is None and not (script and "-" in series):
        folder = kernels_folder() / series
    if folder is None or not all((folder / name).is_file() for name in _KERNEL_FILES):
        raise AirtcpError(f"no kernel {series} is built", str(kernels_folder()), _build_it(series))
    return folder


def _build_it(series: str) -> str:
    base, _, names = series.partition("-")
    if not names or (kernels_folder() / series / "cca").is_dir():
        return f"Build it: airtcp kernel build --series {series}"
    files = " ".join(f"--cca tcp_{name}.c" for name in names.split("+"))
    other = f" --series {base}" if base != "6.12" else ""
    return f"Build it: airtcp kernel build{other} {files}"


def _asked(script: Path, series: str) -> Path | None:
    command = [str(script), "--series", series, "--print-path"]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    if answer.returncode == 2:
        raise AirtcpError(answer.stderr.strip() or "refused the series", f"kernel {series}")
    lines = answer.stdout.strip().splitlines()
    return Path(lines[-1]) if answer.returncode == 0 and lines else None


def kernel_label(folder: Path) -> str:
    """Release of a built kernel, for people."""
    try:
        return str(json.loads((folder / "kernel.json").read_text(encoding="utf-8"))["release"])
    except (OSError, ValueError, KeyError, TypeError):
        raise AirtcpError(
            "kernel.json is damaged", str(folder), "Remove the folder and build again: airtcp kernel build"
        ) from None
