"""The folder from which guest kernels are built: that of the source tree, or of the installed wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def repository() -> Path | None:
    """The source tree this package runs from, or `None` if it is installed elsewhere."""
    root = _PACKAGE.parents[1]
    return root if (root / "Cargo.toml").is_file() and (root / "crates").is_dir() else None


def kernel_source() -> Path:
    """The script that builds kernels (`build`), with configuration, patches, sources and `default-series`."""
    tree = repository()
    return tree / "kernel" if tree else _PACKAGE / "_kernel"


# The kernel series of scenarios that name none.
DEFAULT_KERNEL = (kernel_source() / "default-series").read_text(encoding="utf-8").strip()
