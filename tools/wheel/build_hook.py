"""Adds to the wheel what is not Python: runner, guest library, agent, kernel, and the note on its source.

The parts are those that a source tree would run: `AIRTCP_RUNNER` or target/release, and the kernel that
`kernel/build` finds.
"""

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).parent))
from built_kernel import KERNEL_FILES, SERIES, built_kernel
from kernel_source import source_note
from notices import crate_notices
from platform_tag import wheel_tag

# The program of timelines in pages, which the packages of the wheel hold once it is built.
FRONTEND = Path("python/airtcp/report/html/assets/built/timeline.js")
PROGRAMS = ("airtcp-runner", "libairtcp_guest.so", "airtcp-agent")


class ProgramsHook(BuildHookInterface):  # type: ignore[type-arg]
    """hatchling's build hook for wheels; an editable installation runs from the tree and needs no files."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Names the files to add, and the platform they need."""
        if version == "editable":
            return
        root = Path(self.root)
        kernel = built_kernel(SERIES, "wheel")
        programs = [*_programs(root), kernel / "linux"]
        files = {program: f"airtcp/_bin/{program.name}" for program in programs[:-1]}
        files |= {kernel / name: f"airtcp/_bin/kernels/{SERIES}/{name}" for name in KERNEL_FILES}
        files |= self._texts(root, kernel)
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{wheel_tag(programs)}"
        build_data["force_include"] |= {str(file): place for file, place in files.items()}

    def _texts(self, root: Path, kernel: Path) -> dict[Path, str]:
        self._written = tempfile.TemporaryDirectory(prefix="airtcp-wheel-")
        source, notices = (Path(self._written.name) / name for name in ("SOURCE.md", "NOTICES.txt"))
        source.write_text(
            source_note(kernel / "kernel.json", f"airtcp/_bin/kernels/{SERIES}/linux"), encoding="utf-8"
        )
        notices.write_text(crate_notices(root), encoding="utf-8")
        return {source: "airtcp/_kernel/SOURCE.md", notices: "airtcp/_bin/NOTICES.txt"}

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:  # noqa: ARG002
        """Removes the files written for the wheel."""
        if version != "editable":
            self._written.cleanup()


def _programs(root: Path) -> list[Path]:
    given = os.environ.get("AIRTCP_RUNNER")
    folder = Path(given).parent if given else root / "target" / "release"
    programs = [folder / name for name in PROGRAMS]
    missing = [str(file) for file in (*programs, root / FRONTEND) if not file.is_file()]
    if missing:
        sys.exit(f"a wheel of airtcp needs {', '.join(missing)}: 'make wheel' builds them")
    return programs
