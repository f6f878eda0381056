"""The folder from which guest kernels are built: that of the source tree, or of the installed wheel."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[1]


def repository() -> Path | None:
    """The source tree this package runs from, or `None` if it is installed elsewhere."""
    root = _PACKAGE.parents[1]
    return root if (root / "Cargo.toml").is_file() and (root / "crates").is_dir() else None


def kernel_source() -> Path:
    """The script that builds kernels (`build`), with configuration, patches, sources and `series.toml`."""
    tree = repository()
    return tree / "kernel" if tree else _PACKAGE / "_kernel"
