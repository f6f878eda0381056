"""What the wheel of the lab kernel holds, and the one version of airtcp that it is for."""

import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from built_kernel import KERNEL_FILES, ROOT, SERIES, built_kernel
from kernel_source import source_note
from platform_tag import wheel_tag

NAME = f"{SERIES}-lab"
PACKAGE = "airtcp_lab_kernel"


class VersionHook(MetadataHookInterface):
    """The kernel has the hooks that this version's guest library calls."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Asks for airtcp of the same version."""
        text = (ROOT / "python/airtcp/version.py").read_text(encoding="utf-8")
        metadata["dependencies"] = [f"airtcp=={text.split('__version__ = ')[1].split()[0].strip(chr(34))}"]


class KernelHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the kernel, its licence, and the note on its source."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:  # noqa: ARG002
        """Names the files to add, and the platform they need."""
        kernel = built_kernel(NAME, "wheel-lab")
        self._written = tempfile.TemporaryDirectory(prefix="airtcp-wheel-")
        source = Path(self._written.name) / "SOURCE.md"
        place = f"{PACKAGE}/kernels/{NAME}/linux"
        source.write_text(source_note(kernel / "kernel.json", place), encoding="utf-8")
        files = {kernel / name: f"{PACKAGE}/kernels/{NAME}/{name}" for name in KERNEL_FILES}
        files |= {source: f"{PACKAGE}/SOURCE.md", ROOT / "kernel/COPYING": f"{PACKAGE}/COPYING"}
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{wheel_tag([kernel / 'linux'])}"
        build_data["force_include"] |= {str(file): place for file, place in files.items()}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Removes the file written for the wheel."""
        self._written.cleanup()
